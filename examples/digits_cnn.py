"""Train a convolutional network on handwritten digits; about 99% of the held-out ones are classified right.

python examples/digits_cnn.py
python examples/digits_cnn.py --epochs 5 --picture digits_cnn.png
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits
from gnomon.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """(N, 1, 8, 8) images -> (N, 10) scores."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, padding=1),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(64 * 4 * 4, 10))

    def forward(self, images: gn.Tensor) -> gn.Tensor:
        return self.classifier(self.features(images))


def train(model: nn.Module, loader: DataLoader, optimizer: gn.optim.Optimizer, scheduler) -> float:
    """One pass over the training images; returns the mean loss."""
    model.train()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    total = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item() * len(images)
    return total / len(loader.dataset)


@gn.no_grad()
def predict(model: nn.Module, images: gn.Tensor) -> gn.Tensor:
    """The digit that the model sees in each image."""
    model.eval()
    return model(images).argmax(dim=1)


def draw(images: gn.Tensor, labels: gn.Tensor, predicted: gn.Tensor, path: Path) -> None:
    """Draw the digits that are classified wrong, or the first ones if all are right."""
    from matplotlib.figure import Figure

    chosen = (predicted != labels).nonzero().flatten().tolist() or range(8)
    figure = Figure(figsize=(1.5 * len(chosen), 2), layout="constrained")
    for axes, index in zip(figure.subplots(1, len(chosen), squeeze=False).flat, chosen):
        axes.imshow(images[index, 0].tolist(), cmap="gray_r")
        axes.set_title(f"{labels[index].item()}, seen as {predicted[index].item()}", fontsize=8)
        axes.axis("off")
    figure.savefig(path)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the training loss of the first and the last epoch, and the held-out accuracy."""
    gn.manual_seed(arguments.seed)
    digits = load_digits(arguments.device)
    train_images, held_out_images = (
        images.reshape(-1, 1, 8, 8) for images in (digits.train_images, digits.held_out_images)
    )
    loader = DataLoader(TensorDataset(train_images, digits.train_labels), batch_size=64, shuffle=True)
    model = Net().to(arguments.device)
    optimizer = gn.optim.AdamW(model.parameters(), weight_decay=0.01)
    scheduler = gn.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.01, epochs=arguments.epochs, steps_per_epoch=len(loader)
    )

    losses = [
        train(model, loader, optimizer, scheduler)
        for _ in track(range(arguments.epochs), description="Training")
    ]
    predicted = predict(model, held_out_images)
    accuracy = (predicted == digits.held_out_labels).float().mean().item()
    print(f"training loss {losses[0]:.4f} -> {losses[-1]:.4f}, held-out accuracy {accuracy:.4f}")
    if arguments.picture:
        draw(held_out_images, digits.held_out_labels, predicted, arguments.picture)
    return {"first_loss": losses[0], "last_loss": losses[-1], "accuracy": accuracy}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a convolutional network on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the misclassified digits")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
