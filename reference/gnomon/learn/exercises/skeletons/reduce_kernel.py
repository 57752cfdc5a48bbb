"""A reduction.

``x.sum(dims, keepdim)`` adds the elements along some dimensions.  The sum must be computed in a dtype that
is wide enough: in float16, 2048 + 1 is 2048, so a sum of many ones would stop there.

Write ``reduce_kernel``.  ``numbers`` is the storage, in which the tensor begins at offset 0.

- ``dims`` may be negative, and no dims mean all.  The same dimension twice is a RuntimeError.  A tensor
  without dimensions may be reduced along 0 or -1.
- With ``keepdim`` reduced dimensions keep a size of 1, otherwise they vanish.
- "float16" and "float32" are summed in float64 and rounded once, by ``rounded``; "int8" and "bool" are
  summed as ints.

It returns the sizes of the result, and its numbers in row-major order.

    reduce_kernel([1.0, 2.0, 3.0, 4.0], (2, 2), (2, 1), "float32", (0,), False)  ->  ((2,), [4.0, 6.0])
    reduce_kernel([100, 100], (2,), (1,), "int8", (), True)                      ->  ((1,), [200])
"""

from __future__ import annotations

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
    """The sum along ``dims``: sizes and numbers.  Raises RuntimeError for a dimension that appears twice."""
    raise NotImplementedError
