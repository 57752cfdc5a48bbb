"""Train in mixed precision: autocast computes matrix products in 16 bits, GradScaler keeps small gradients.

    python examples/mixed_precision.py
    python examples/mixed_precision.py --dtype float16

The weights stay float32.  The same training in float32 is the comparison.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.progress import Progress

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits
from gnomon.utils.data import DataLoader, TensorDataset


def train(arguments: argparse.Namespace, mixed: bool, progress: Progress) -> dict[str, object]:
    """Train a classifier; returns the losses, the dtype of its scores, the accuracy, and the last scale."""
    gn.manual_seed(arguments.seed)
    digits = load_digits(arguments.device)
    loader = DataLoader(TensorDataset(digits.train_images, digits.train_labels), batch_size=64, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    model.to(arguments.device)
    optimizer = gn.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.CrossEntropyLoss()
    autocast = gn.autocast("cpu", dtype=getattr(gn, arguments.dtype), enabled=mixed)
    scaler = gn.amp.GradScaler("cpu", enabled=mixed)

    losses = []
    task = progress.add_task(arguments.dtype if mixed else "float32", total=arguments.epochs)
    for _ in range(arguments.epochs):
        total = 0.0
        for images, labels in loader:
            optimizer.zero_grad()
            with autocast:
                scores = model(images)
                loss = criterion(scores, labels)  # autocast computes losses in float32
            scaler.scale(loss).backward()
            scaler.step(optimizer)  # leaves the step out if a gradient is not finite
            scaler.update()
            total += loss.item() * len(images)
        losses.append(total / len(loader.dataset))
        progress.advance(task)

    with gn.no_grad(), autocast:
        guesses = model(digits.held_out_images).argmax(1)
    return {
        "losses": losses,
        "dtype": scores.dtype,
        "accuracy": (guesses == digits.held_out_labels).float().mean().item(),
        "scale": scaler.get_scale(),
    }


def main(arguments: argparse.Namespace) -> dict[str, dict[str, object]]:
    """Train in float32 and in mixed precision; returns what ``train`` says of each."""
    with Progress() as progress:
        results = {name: train(arguments, name == "mixed", progress) for name in ("float32", "mixed")}
    for name, result in results.items():
        print(
            f"{name}: scores are {result['dtype']}, training loss {result['losses'][0]:.4f} -> "
            f"{result['losses'][-1]:.4f}, held-out accuracy {result['accuracy']:.4f}"
        )
    print(f"the loss is scaled by {results['mixed']['scale']:g}")
    return results


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train in mixed precision.")
    parser.add_argument("--epochs", type=int, default=20, help="default: %(default)s")
    parser.add_argument(
        "--dtype", choices=["bfloat16", "float16"], default="bfloat16", help="default: %(default)s"
    )
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
