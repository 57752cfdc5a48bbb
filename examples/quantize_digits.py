"""Train a convolutional network on handwritten digits, and quantize it after training.

    python examples/quantize_digits.py

Observers find the ranges of the layers' results on some training images.  The quantized network has weights
of 8 bits with a scale for each channel, a quarter of the memory, and about the same accuracy.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from types import SimpleNamespace

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.ao.nn import quantized as nnq
from gnomon.ao.quantization import MinMaxObserver, PerChannelMinMaxObserver
from gnomon.demo import load_digits

QUANTIZED = {nn.Conv2d: nnq.Conv2d, nn.Linear: nnq.Linear}


def make_model() -> nn.Sequential:
    """(N, 1, 8, 8) images -> (N, 10) scores."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(512, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def train(model: nn.Module, images: gn.Tensor, labels: gn.Tensor, epochs: int) -> None:
    """Minimize the cross-entropy by Adam, in batches of 64."""
    optimizer = gn.optim.Adam(model.parameters(), lr=0.003)
    for _ in track(range(epochs), description="Training"):
        for chosen in gn.randperm(len(images)).split(64):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()


@gn.no_grad()
def quantize(model: nn.Sequential, images: gn.Tensor) -> nn.Sequential:
    """The quantized network, whose ranges are those that occur for ``images``."""
    config = SimpleNamespace(weight=PerChannelMinMaxObserver)
    observer = MinMaxObserver(reduce_range=True)
    observer(images)
    scale, zero_point = observer.calculate_qparams()
    layers: list[nn.Module] = [nnq.Quantize(scale.item(), int(zero_point.item()), gn.quint8)]
    for layer in model:
        images = layer(images)
        if type(layer) in QUANTIZED:
            layer.qconfig = config
            layer.activation_post_process = MinMaxObserver(reduce_range=True)
            layer.activation_post_process(images)
            layers.append(QUANTIZED[type(layer)].from_float(layer))
            del layer.activation_post_process
        else:
            layers.append(layer)
    return nn.Sequential(*layers, nnq.DeQuantize())


def size_of(model: nn.Module) -> int:
    """The bytes of the model's tensors: parameters, and buffers, with scales and zero points."""
    tensors = [*model.parameters(), *model.buffers()]
    scales = [
        (each.q_per_channel_scales(), each.q_per_channel_zero_points())
        for each in tensors
        if each.is_quantized and each.qscheme() is gn.per_channel_affine
    ]
    return sum(each.nbytes for each in (*tensors, *[part for pair in scales for part in pair]))


@gn.no_grad()
def accuracy_of(model: nn.Module, images: gn.Tensor, labels: gn.Tensor) -> float:
    """The share of the images that are classified right."""
    return (model(images).argmax(1) == labels).float().mean().item()


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Train and quantize; returns the accuracy and the bytes of both networks."""
    gn.manual_seed(arguments.seed)
    digits = load_digits(arguments.device)
    train_images, held_out = (
        images.reshape(-1, 1, 8, 8) for images in (digits.train_images, digits.held_out_images)
    )
    model = make_model().to(arguments.device)
    train(model, train_images, digits.train_labels, arguments.epochs)
    quantized = quantize(model, train_images[:256])
    file = io.BytesIO()
    gn.save(quantized.state_dict(), file)
    file.seek(0)
    quantized.load_state_dict(gn.load(file))
    found: dict[str, float] = {}
    for name, each in (("float32", model), ("quantized", quantized)):
        found[f"accuracy_{name}"] = accuracy_of(each, held_out, digits.held_out_labels)
        found[f"bytes_{name}"] = size_of(each)
        print(f"{name:10} accuracy {found[f'accuracy_{name}']:.4f}, {found[f'bytes_{name}']:,} bytes")
    return found


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Quantize a network after training.")
    parser.add_argument("--epochs", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
