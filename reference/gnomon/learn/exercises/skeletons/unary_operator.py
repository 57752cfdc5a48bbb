"""A whole operator.

A call of an operator goes through four steps: the arguments are checked; the meta function computes sizes,
strides and dtype of the result, without any number; memory is allocated; the kernel computes the numbers.

Write the four steps of ``sqrt``, and ``sqrt``, for the small tensors below.

- ``check``: anything but a Tensor raises TypeError.
- ``meta``: "float32" and "float64" keep their dtype, "int64" and "bool" become "float32".  The strides are
  those of ``dense_strides``, which keeps the order of dimensions in memory.
- ``allocate``: a new storage, with exactly as many numbers as there are elements, and offset 0.
- ``kernel``: the root of each element, rounded by ``rounded``; NaN for a negative number.

The input may have any strides, and an offset.

    x = Tensor(Storage([9.0, 1.0, 4.0]), (2,), (2,), 0, "float32")
    y = sqrt(x)
    y.storage.numbers  ->  [3.0, 2.0]
    y.strides          ->  (1,)
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any


@dataclass
class Storage:
    """A block of memory."""

    numbers: list[Any]


@dataclass
class Tensor:
    """A way to walk through a storage."""

    storage: Storage
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: str


def dense_strides(sizes: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """Strides without gaps, with the dimensions in the same order in memory."""
    found = [0] * len(sizes)
    step = 1
    for dim in sorted(range(len(sizes)), key=lambda dim: (strides[dim], -dim)):  # the innermost first
        found[dim] = step
        step *= max(sizes[dim], 1)
    return tuple(found)


def rounded(number: float, dtype: str) -> float:
    """A number as the dtype stores it."""
    return struct.unpack("f", struct.pack("f", number))[0] if dtype == "float32" else number


def check(value: Any) -> None:
    """Raises TypeError for anything but a Tensor."""
    raise NotImplementedError


def meta(input: Tensor) -> tuple[tuple[int, ...], tuple[int, ...], str]:
    """Sizes, strides and dtype of the result."""
    raise NotImplementedError


def allocate(sizes: tuple[int, ...], strides: tuple[int, ...], dtype: str) -> Tensor:
    """A tensor with a new storage."""
    raise NotImplementedError


def kernel(output: Tensor, input: Tensor) -> None:
    """Write the root of each element of ``input`` into ``output``, which has the same sizes."""
    raise NotImplementedError


def sqrt(input: Tensor) -> Tensor:
    """The square root of each element.  Raises TypeError for anything but a Tensor."""
    raise NotImplementedError
