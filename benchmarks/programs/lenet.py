"""LeCun's convolutional network for digits (1998), for 8 x 8 images: two convolutions, three linear layers.

Source: "Gradient-based learning applied to document recognition".
"""

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits

BATCH, STEPS = 16, 4


class LeNet(nn.Module):
    """Maps (N, 1, 8, 8) images to 10 scores."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 6, 3, padding=1), nn.Conv2d(6, 16, 3, padding=1)
        self.wide, self.narrow, self.scores = nn.Linear(64, 60), nn.Linear(60, 42), nn.Linear(42, 10)

    def forward(self, images: gn.Tensor) -> gn.Tensor:
        maps = nn.functional.max_pool2d(self.first(images).relu(), 2)
        maps = nn.functional.max_pool2d(self.second(maps).relu(), 2)
        return self.scores(self.narrow(self.wide(maps.flatten(1)).relu()).relu())


def main() -> None:
    gn.manual_seed(1)
    data = load_digits()
    count = BATCH * STEPS
    all_images, all_labels = data.train_images[:count].clone(), data.train_labels[:count].clone()
    model = LeNet()
    optimizer = gn.optim.Adam(model.parameters(), lr=0.003)
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        images, labels = all_images[rows].reshape(-1, 1, 8, 8), all_labels[rows]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
