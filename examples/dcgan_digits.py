"""Train a deep convolutional GAN on handwritten digits, and draw what its generator makes.

    python examples/dcgan_digits.py --picture dcgan.png

Source: Radford, Metz and Chintala, Unsupervised Representation Learning with Deep Convolutional Generative
Adversarial Networks (2016).
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

NOISE = 32


def make_generator() -> nn.Module:
    """(N, NOISE, 1, 1) noise -> (N, 1, 8, 8) images, from -1 to 1."""
    return nn.Sequential(
        nn.ConvTranspose2d(NOISE, 64, 2, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1),
        nn.Tanh(),
    )


def make_discriminator() -> nn.Module:
    """(N, 1, 8, 8) images -> (N,) logits of their being real."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(32, 64, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(64),
        nn.LeakyReLU(0.2),
        nn.Conv2d(64, 1, 2),
        nn.Flatten(0),
    )


def initialize(module: nn.Module) -> None:
    """The paper's initial weights."""
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1.0, 0.02)


def draw(images: gn.Tensor, path: Path) -> None:
    """Draw a table of images, (rows, columns, 8, 8)."""
    from matplotlib.figure import Figure

    height, width = images.shape[:2]
    figure = Figure(figsize=(width / 2, height / 2), layout="constrained")
    for axes, image in zip(figure.subplots(height, width).flat, images.flatten(0, 1).tolist()):
        axes.imshow(image, cmap="gray_r", vmin=-1, vmax=1)
        axes.axis("off")
    figure.savefig(path)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train; returns the mean probability of being real that the discriminator gives to real and made images,
    and the distance between the mean image of the made and the real ones, before and after the training."""
    gn.manual_seed(arguments.seed)
    real = load_digits(arguments.device).train_images.reshape(-1, 1, 8, 8) * 2 - 1
    loader = DataLoader(TensorDataset(real), batch_size=64, shuffle=True, drop_last=True)
    generator = make_generator().to(arguments.device).apply(initialize)
    discriminator = make_discriminator().to(arguments.device).apply(initialize)
    optimizers = [
        gn.optim.Adam(module.parameters(), lr=arguments.lr, betas=(0.5, 0.999))
        for module in (generator, discriminator)
    ]
    criterion = nn.BCEWithLogitsLoss()
    fixed_noise = gn.randn(64, NOISE, 1, 1, device=arguments.device)

    def distance() -> float:
        with gn.no_grad():
            return (generator(fixed_noise).mean(0) - real.mean(0)).square().mean().sqrt().item()

    distances = [distance()]
    for _ in track(range(arguments.epochs), description="Training"):
        for (images,) in loader:
            made = generator(gn.randn(len(images), NOISE, 1, 1, device=arguments.device))
            ones = gn.ones(len(images), device=arguments.device)

            optimizers[1].zero_grad()
            on_real, on_made = discriminator(images), discriminator(made.detach())
            # Real images are to be at 0.9: a discriminator that is too sure teaches the generator nothing.
            (criterion(on_real, 0.9 * ones) + criterion(on_made, 0 * ones)).backward()
            optimizers[1].step()

            optimizers[0].zero_grad()
            criterion(discriminator(made), ones).backward()
            optimizers[0].step()
    distances.append(distance())

    result = {
        "real": on_real.sigmoid().mean().item(),
        "made": on_made.sigmoid().mean().item(),
        "first_distance": distances[0],
        "last_distance": distances[1],
    }
    print(f"discriminator: real images {result['real']:.2f}, made images {result['made']:.2f}")
    print(f"distance of the mean images {distances[0]:.3f} -> {distances[1]:.3f}")
    if arguments.picture:
        with gn.no_grad():
            draw(generator(fixed_noise).reshape(4, 16, 8, 8), arguments.picture)
    return result


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a deep convolutional GAN on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=60, help="default: %(default)s")
    parser.add_argument("--lr", type=float, default=1e-3, help="default: %(default)s")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw 64 made digits")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
