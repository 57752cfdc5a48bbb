"""Train a classifier of handwritten digits, as one would with PyTorch.

    GNOMON_BACKEND=c python examples/train_digits.py --steps 1000
    GNOMON_BACKEND=reference python examples/train_digits.py

Runs on the default device.  ``--model conv`` is a small convolutional network, slow on the reference.
"""

import argparse
import time

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits


class Mlp(nn.Module):
    """64 pixels -> 32 -> 10 scores."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(64, 32)
        self.out = nn.Linear(32, 10)

    def forward(self, images):
        return self.out(self.hidden(images).relu())


class ConvNet(nn.Module):
    """(N, 1, 8, 8) -> 8 maps of 4 x 4 -> 10 scores."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.out = nn.Linear(8 * 4 * 4, 10)

    def forward(self, images):
        return self.out(self.features(images.reshape(-1, 1, 8, 8)))


def main():
    parser = argparse.ArgumentParser(description="Train a classifier of handwritten digits.")
    parser.add_argument(
        "--steps", type=int, default=60, help="default: %(default)s, which suits the reference"
    )
    parser.add_argument("--model", choices=["mlp", "conv"], default="mlp", help="default: %(default)s")
    parser.add_argument("--lr", type=float, default=0.01, help="default: %(default)s")
    parser.add_argument("--batch", type=int, default=32, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    arguments = parser.parse_args()

    gn.manual_seed(arguments.seed)
    digits = load_digits()
    model = Mlp() if arguments.model == "mlp" else ConvNet()
    optimizer = gn.optim.Adam(model.parameters(), lr=arguments.lr)
    criterion = nn.CrossEntropyLoss()
    print(f"{model}\ntrains on {digits.train_images.device}")

    count = len(digits.train_images) - arguments.batch + 1
    started = time.perf_counter()
    for step in track(range(1, arguments.steps + 1), "training"):
        first = (step - 1) * arguments.batch % count
        images = digits.train_images[first : first + arguments.batch]
        labels = digits.train_labels[first : first + arguments.batch]
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        if step % max(1, arguments.steps // 10) == 0:
            print(f"step {step:5}  loss {loss.item():.4f}  {time.perf_counter() - started:.1f} s")

    with gn.no_grad():
        guesses = model(digits.held_out_images).argmax(1)
    right = (guesses == digits.held_out_labels).sum().item()
    print(f"held-out accuracy {right / len(digits.held_out_labels):.4f}")


if __name__ == "__main__":
    main()
