"""The handwritten digits, with a fixed split into a training and a held-out part.

data/SOURCE.md names their source and license.
"""

from __future__ import annotations

import functools
import gzip
import random
from importlib import resources
from typing import Any, NamedTuple

import gnomon as gn

PIXELS = 64  # 8 x 8
LARGEST_PIXEL = 16
HELD_OUT = 360  # of 1,797: one in five
SPLIT_SEED = 1797


class Digits(NamedTuple):
    """Images (n, 64), float32 from 0 to 1, row by row; labels (n,), int64 from 0 to 9."""

    train_images: gn.Tensor
    train_labels: gn.Tensor
    held_out_images: gn.Tensor
    held_out_labels: gn.Tensor


@functools.cache
def read_rows() -> tuple[tuple[int, ...], ...]:
    """The file's 1,797 rows of (label, 64 pixels), in the file's order."""
    packed = resources.files(__package__).joinpath("data/digits.csv.gz").read_bytes()
    lines = gzip.decompress(packed).decode("ascii").splitlines()
    return tuple(tuple(int(number) for number in line.split(",")) for line in lines[1:])


def load_digits(device: Any = None) -> Digits:
    """1,437 digits for training and 360 held out, always the same ones, on ``device``."""
    rows = read_rows()
    order = shuffled(len(rows), random.Random(SPLIT_SEED))
    parts: list[gn.Tensor] = []
    for chosen in (order[HELD_OUT:], order[:HELD_OUT]):
        images = [[pixel / LARGEST_PIXEL for pixel in rows[number][1:]] for number in chosen]
        labels = [rows[number][0] for number in chosen]
        parts.append(gn.tensor(images, dtype=gn.float32, device=device))
        parts.append(gn.tensor(labels, dtype=gn.int64, device=device))
    return Digits(*parts)


def shuffled(count: int, generator: random.Random) -> list[int]:
    """0 … count-1 in random order.

    It sorts by ``random()``, whose sequence Python guarantees not to change, unlike that of ``shuffle``.
    """
    keys = [generator.random() for _ in range(count)]
    return sorted(range(count), key=keys.__getitem__)
