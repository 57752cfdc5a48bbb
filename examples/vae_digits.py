"""Train a variational autoencoder on handwritten digits, and draw new ones.

    python examples/vae_digits.py --picture vae.png

Source: Kingma and Welling, Auto-Encoding Variational Bayes (2014).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits
from gnomon.nn import functional as F
from gnomon.utils.data import DataLoader, TensorDataset


class Vae(nn.Module):
    """(N, 64) images -> logits of reconstructions; mean and log variance (N, ``latent``) of the code."""

    def __init__(self, latent: int = 8) -> None:
        super().__init__()
        self.latent = latent
        self.encoder = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 128), nn.ReLU(), nn.Linear(128, 64))

    def forward(self, images: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor, gn.Tensor]:
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        code = mean + (0.5 * log_variance).exp() * gn.randn_like(mean)
        return self.decoder(code), mean, log_variance


def negative_elbo(
    images: gn.Tensor, logits: gn.Tensor, mean: gn.Tensor, log_variance: gn.Tensor
) -> tuple[gn.Tensor, gn.Tensor]:
    """Mean reconstruction error of an image, and mean KL divergence of its code from a standard normal."""
    error = F.binary_cross_entropy_with_logits(logits, images, reduction="sum")
    divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum()
    return error / len(images), divergence / len(images)


def draw(rows: gn.Tensor, path: Path) -> None:
    """Draw a table of images, (rows, columns, 64)."""
    from matplotlib.figure import Figure

    height, width, _ = rows.shape
    figure = Figure(figsize=(width / 2, height / 2), layout="constrained")
    for axes, image in zip(figure.subplots(height, width).flat, rows.reshape(-1, 8, 8).tolist()):
        axes.imshow(image, cmap="gray_r", vmin=0, vmax=1)
        axes.axis("off")
    figure.suptitle("two rows of digits, their reconstructions, and new digits", fontsize=9)
    figure.savefig(path)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the loss of the first and the last epoch, and the two parts of the held-out loss."""
    gn.manual_seed(arguments.seed)
    digits = load_digits(arguments.device)
    loader = DataLoader(TensorDataset(digits.train_images), batch_size=64, shuffle=True)
    model = Vae().to(arguments.device)
    optimizer = gn.optim.Adam(model.parameters(), lr=2e-3)
    losses = []
    for _ in track(range(arguments.epochs), description="Training"):
        total = 0.0
        for (images,) in loader:
            loss = sum(negative_elbo(images, *model(images)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(images)
        losses.append(total / len(loader.dataset))

    with gn.no_grad():
        logits, mean, log_variance = model(digits.held_out_images)
        error, divergence = negative_elbo(digits.held_out_images, logits, mean, log_variance)
        samples = model.decoder(gn.randn(48, model.latent, device=arguments.device)).sigmoid()
    print(
        f"loss {losses[0]:.2f} -> {losses[-1]:.2f}; held out: reconstruction {error.item():.2f}, "
        f"divergence {divergence.item():.2f}"
    )
    if arguments.picture:
        parts = [digits.held_out_images[:24], logits[:24].sigmoid(), samples]
        draw(gn.cat(parts).reshape(-1, 12, 64), arguments.picture)
    return {
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "error": error.item(),
        "divergence": divergence.item(),
    }


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a variational autoencoder on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=60, help="default: %(default)s")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw reconstructions and samples")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
