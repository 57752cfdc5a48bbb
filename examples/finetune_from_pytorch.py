"""Fine-tune a network from a checkpoint in PyTorch's format.

    python examples/finetune_from_pytorch.py
    python examples/finetune_from_pytorch.py --checkpoint FILE

FILE is what PyTorch writes for a module with the same layers: torch.save(net.state_dict(), FILE).  Without
one, the example first trains the network on the digits 0 to 4 and writes FILE itself, in the same format.
Then it replaces the last layer, and trains that one alone to tell the digits 5 to 9 from a few examples of
each.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits
from gnomon.nn import functional as F

EXAMPLES = 10  # of each new digit


def make_net() -> nn.Module:
    """(N, 1, 8, 8) images -> (N, 5) scores."""
    return nn.Sequential(
        OrderedDict(
            conv=nn.Conv2d(1, 16, 3, padding=1),
            norm=nn.BatchNorm2d(16),
            relu=nn.ReLU(),
            pool=nn.MaxPool2d(2),
            flatten=nn.Flatten(),
            head=nn.Linear(16 * 4 * 4, 5),
        )
    )


def chosen(images: gn.Tensor, labels: gn.Tensor, first: int) -> tuple[gn.Tensor, gn.Tensor]:
    """The images of five digits from ``first`` on, and 0 … 4 for them."""
    these = (labels >= first) & (labels < first + 5)
    return images[these].reshape(-1, 1, 8, 8), labels[these] - first


def train(
    net: nn.Module, images: gn.Tensor, labels: gn.Tensor, steps: int, description: str
) -> tuple[float, float]:
    """Train the parameters that require a gradient; returns the first and the last loss."""
    parameters = [each for each in net.parameters() if each.requires_grad]
    optimizer = gn.optim.AdamW(parameters, lr=0.01)
    losses = []
    for _ in track(range(steps), description=description):
        batch = gn.randint(len(images), (64,), device=images.device)
        loss = F.cross_entropy(net(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[0], losses[-1]


@gn.no_grad()
def accuracy(net: nn.Module, images: gn.Tensor, labels: gn.Tensor) -> float:
    net.eval()
    return (net(images).argmax(1) == labels).float().mean().item()


def write_checkpoint(arguments: argparse.Namespace, path: Path) -> None:
    """Train on the digits 0 to 4, and save the weights."""
    digits = load_digits(arguments.device)
    net = make_net().to(arguments.device)
    train(net, *chosen(digits.train_images, digits.train_labels, 0), arguments.steps, "Pre-training")
    held_out = accuracy(net, *chosen(digits.held_out_images, digits.held_out_labels, 0))
    print(f"digits 0 to 4: held-out accuracy {held_out:.4f}")
    gn.save(net.state_dict(), path, progress=True)


def main(arguments: argparse.Namespace) -> dict[str, float]:
    """Fine-tune; returns the first and last loss, and the accuracy on new digits before and after."""
    gn.manual_seed(arguments.seed)
    net = make_net()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.checkpoint
        if path is None:
            path = Path(folder) / "digits.pt"
            write_checkpoint(arguments, path)
        net.load_state_dict(gn.load(path, map_location="cpu", progress=True))

    net.requires_grad_(False)
    net.head = nn.Linear(16 * 4 * 4, 5)
    net.to(arguments.device)
    net.eval()  # normalize by the statistics of the checkpoint
    digits = load_digits(arguments.device)
    images, labels = chosen(digits.train_images, digits.train_labels, 5)
    few = gn.cat([(labels == digit).nonzero()[:EXAMPLES, 0] for digit in range(5)])
    held_out = chosen(digits.held_out_images, digits.held_out_labels, 5)

    before = accuracy(net, *held_out)
    first_loss, last_loss = train(net, images[few], labels[few], arguments.steps, "Fine-tuning")
    after = accuracy(net, *held_out)
    print(f"digits 5 to 9: loss {first_loss:.4f} -> {last_loss:.4f}, accuracy {before:.4f} -> {after:.4f}")
    return {"first_loss": first_loss, "last_loss": last_loss, "before": before, "accuracy": after}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fine-tune a network from a checkpoint in PyTorch's format.")
    parser.add_argument("--steps", type=int, default=150, help="of each training (default: %(default)s)")
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="default: writes one itself")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
