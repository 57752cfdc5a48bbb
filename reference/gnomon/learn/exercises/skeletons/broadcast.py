"""Broadcasting.

Operands of different shapes are computed together as if each were repeated along the dimensions that it
lacks or in which its size is 1.  Shapes are aligned at the last dimension.

Write ``broadcast``, for any number of shapes; no shapes broadcast to ().

    broadcast([(3, 1), (4,)])  ->  (3, 4)
    broadcast([(2,), (3,)])    ->  RuntimeError
"""

from __future__ import annotations


def broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all ``shapes`` broadcast to.  Raises RuntimeError if there is none."""
    raise NotImplementedError
