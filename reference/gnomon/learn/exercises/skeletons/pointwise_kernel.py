"""A pointwise kernel.

A kernel gets memory as bytes.  Each operand has an offset and strides in bytes, and a dtype that says how
the bytes are read; the shape is common to all.  The checks are done: shapes, dtypes and memory fit.

Write ``pointwise_kernel``: for each index of the shape, it writes ``function(a, b)`` into the output.  An
operand may have gaps, a stride of 0, or be transposed; the shape may be () (one element), or have a size of
0 (none).

    a = Operand(bytearray(struct.pack("3f", 1, 2, 3)), 4, (4,), "float32")   the numbers 2 and 3
    output = Operand(bytearray(8), 0, (4,), "float32")
    pointwise_kernel(operator.add, (2,), output, a, a)
    struct.unpack("2f", output.memory)  ->  (4.0, 6.0)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

FORMATS = {"float32": "f", "float64": "d", "int32": "i", "int64": "q", "bool": "?"}


@dataclass
class Operand:
    """An operand of a kernel; offset and strides count bytes."""

    memory: bytearray
    offset: int
    strides: tuple[int, ...]
    dtype: str


def pointwise_kernel(
    function: Callable[[Any, Any], Any], shape: tuple[int, ...], output: Operand, a: Operand, b: Operand
) -> None:
    """Write ``function`` of the elements of ``a`` and ``b`` into ``output``."""
    raise NotImplementedError
