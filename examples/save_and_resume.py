"""Interrupt a training in the midst of an epoch, and resume it from a file to the same losses, bit for bit.

    python examples/save_and_resume.py
    python examples/save_and_resume.py --stop-after 40 --checkpoint training.pt

A training depends on its weights, the optimizer's and scheduler's state, the order of samples and the place
reached in it, and the state of the random generator, from which dropout draws.  All of it is in one file.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.progress import track

import gnomon as gn
from gnomon import nn
from gnomon.demo import load_digits
from gnomon.utils.data import DataLoader, Sampler, TensorDataset


class ResumableBatchSampler(Sampler[list[int]]):
    """Batches of 0 … ``size`` - 1 in random order.  After ``load_state_dict`` it goes on where it was."""

    def __init__(self, size: int, batch_size: int) -> None:
        self.size = size
        self.batch_size = batch_size
        self.order: gn.Tensor | None = None  # of the current epoch
        self.batches_given = 0

    def __iter__(self) -> Iterator[list[int]]:
        if self.order is None:
            self.order = gn.randperm(self.size)
        batches = self.order.split(self.batch_size)
        while self.batches_given < len(batches):
            self.batches_given += 1
            yield batches[self.batches_given - 1].tolist()
        self.order, self.batches_given = None, 0

    def __len__(self) -> int:
        return -(-self.size // self.batch_size)

    def state_dict(self) -> dict[str, Any]:
        return {"order": self.order, "batches_given": self.batches_given}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.order, self.batches_given = state["order"], state["batches_given"]


class Training:
    """A classifier of digits, and all that its training depends on."""

    def __init__(self, device: Any, seed: int) -> None:
        gn.manual_seed(seed)
        digits = load_digits(device)
        self.model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 10)).to(
            device
        )
        self.optimizer = gn.optim.Adam(self.model.parameters(), lr=0.01)
        self.scheduler = gn.optim.lr_scheduler.ExponentialLR(self.optimizer, gamma=0.99)
        self.sampler = ResumableBatchSampler(len(digits.train_images), batch_size=64)
        # A DataLoader draws a seed for its workers whenever an iteration starts, also when one is resumed.
        # It has a generator of its own, so that this does not advance the default one.
        self.loader = DataLoader(
            TensorDataset(digits.train_images, digits.train_labels),
            batch_sampler=self.sampler,
            generator=gn.Generator(),
        )
        self.losses: list[float] = []

    def run(self, steps: int) -> None:
        """Train until ``steps`` steps have been made since the beginning, in as many epochs as that takes."""
        criterion = nn.CrossEntropyLoss()
        while len(self.losses) < steps:
            for images, labels in self.loader:
                self.optimizer.zero_grad()
                loss = criterion(self.model(images), labels)
                loss.backward()
                self.optimizer.step()
                self.scheduler.step()
                self.losses.append(loss.item())
                if len(self.losses) == steps:
                    return

    def save(self, path: Path) -> None:
        gn.save(
            {
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "scheduler": self.scheduler.state_dict(),
                "sampler": self.sampler.state_dict(),
                "generator": gn.get_rng_state(),
                "losses": self.losses,
            },
            path,
        )

    def load(self, path: Path) -> None:
        state = gn.load(path)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.sampler.load_state_dict(state["sampler"])
        gn.set_rng_state(state["generator"])
        self.losses = state["losses"]


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """Train once in one go and once with an interruption; returns the losses of both."""
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.checkpoint or Path(folder) / "training.pt"
        for part in track(["in one go", "interrupted", "resumed"], description="Training"):
            # Where it resumes, another seed: nothing must come from anywhere but the file.
            training = Training(arguments.device, arguments.seed + (part == "resumed"))
            if part == "in one go":
                training.run(arguments.steps)
                expected = training.losses
            elif part == "interrupted":
                training.run(arguments.stop_after)
                training.save(path)
            else:
                training.load(path)
                training.run(arguments.steps)
    epoch, batch = divmod(arguments.stop_after, len(training.sampler))
    print(f"interrupted after {arguments.stop_after} steps: epoch {epoch}, batch {batch}")
    print(f"loss {expected[0]:.4f} -> {expected[-1]:.4f}")
    print(f"the resumed training has {'the same' if training.losses == expected else 'other'} losses")
    return {"losses": expected, "resumed_losses": training.losses}


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Interrupt a training, and resume it from a file.")
    parser.add_argument("--steps", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--stop-after", type=int, default=100, metavar="STEPS", help="default: %(default)s")
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="default: a temporary file")
    parser.add_argument("--device", default=gn.get_default_device(), help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main(parse_arguments())
