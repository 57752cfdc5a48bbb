"""A residual network of one block: convolutions with batch norm, and a skip connection.

Source: He et al., "Deep residual learning for image recognition" (2015).
"""

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits

BATCH, STEPS, WIDTH = 8, 3, 8


class Normalised(nn.Module):
    """A convolution followed by batch norm."""

    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.maps = nn.Conv2d(inside, outside, 3, padding=1, bias=False)
        self.scale, self.shift = nn.Parameter(gn.ones(outside)), nn.Parameter(gn.zeros(outside))
        self.register_buffer("mean", gn.zeros(outside))
        self.register_buffer("variance", gn.ones(outside))

    def forward(self, images: gn.Tensor) -> gn.Tensor:
        statistics = (self.mean, self.variance, self.scale, self.shift)
        return nn.functional.batch_norm(self.maps(images), *statistics, training=self.training)


class Network(nn.Module):
    """Maps (N, 1, 8, 8) images to 10 scores."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = Normalised(1, WIDTH)
        self.first, self.second = Normalised(WIDTH, WIDTH), Normalised(WIDTH, WIDTH)
        self.scores = nn.Linear(WIDTH, 10)

    def forward(self, images: gn.Tensor) -> gn.Tensor:
        maps = self.stem(images).relu()
        maps = (self.second(self.first(maps).relu()) + maps).relu()
        return self.scores(maps.mean((2, 3)))


def main() -> None:
    gn.manual_seed(1)
    data = load_digits()
    count = BATCH * STEPS
    all_images, all_labels = data.train_images[:count].clone(), data.train_labels[:count].clone()
    model = Network()
    optimizer = gn.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        images, labels = all_images[rows].reshape(-1, 1, 8, 8), all_labels[rows]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
