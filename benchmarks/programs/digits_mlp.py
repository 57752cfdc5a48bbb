"""An MLP that learns handwritten digits: 64 pixels, 128 hidden units, 10 scores."""

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits

BATCH, STEPS = 32, 8


def main() -> None:
    gn.manual_seed(1)
    data = load_digits()
    count = BATCH * STEPS
    all_images, all_labels = data.train_images[:count].clone(), data.train_labels[:count].clone()
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = gn.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        images, labels = all_images[rows], all_labels[rows]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
