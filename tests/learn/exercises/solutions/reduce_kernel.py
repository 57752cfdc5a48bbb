"""A model answer."""

from __future__ import annotations

import itertools
import math
import struct
from typing import Any


def rounded(number: Any, dtype: str) -> Any:
    """A sum as the result stores it."""
    formats = {"float16": "e", "float32": "f"}
    if dtype not in formats:
        return int(number)
    try:
        return struct.unpack(formats[dtype], struct.pack(formats[dtype], number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def reduce_kernel(
    numbers: list[Any],
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: str,
    dims: tuple[int, ...],
    keepdim: bool,
) -> tuple[tuple[int, ...], list[Any]]:
    reduced = [dim % max(len(sizes), 1) for dim in dims]
    if len(set(reduced)) < len(reduced):
        raise RuntimeError(f"a dimension appears twice in {dims}")
    if not reduced:
        reduced = list(range(len(sizes)))
    kept = [range(1 if dim in reduced else size) for dim, size in enumerate(sizes)]
    inner = [range(size if dim in reduced else 1) for dim, size in enumerate(sizes)]
    sums = []
    for outer_index in itertools.product(*kept):
        start = offset(outer_index, strides)
        terms = [numbers[start + offset(index, strides)] for index in itertools.product(*inner)]
        sums.append(rounded(sum(terms), dtype))
    shape = tuple(len(each) for dim, each in enumerate(kept) if keepdim or dim not in reduced)
    return shape, sums


def offset(index: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """The offset of an index."""
    return sum(i * stride for i, stride in zip(index, strides))
