"""Reductions of large tensors of narrow integers, piece by piece.

Integers are summed and multiplied in int64, to which an input of another dtype is converted first: eight
times the memory, for bytes.  Of a large one only a piece at a time is; what comes out is the same, for
integers wrap around in whatever order they are summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from ..memory.tensor import Tensor
from .iterator import TensorIterator

PIECE = 1 << 18  # elements that are converted at once


def goes_by_pieces(operator: OpOverload, walk: TensorIterator, self: Any, wanted: Any) -> bool:
    """Is it a sum (or product) of a large tensor of other integers than it is summed in?"""
    return (
        walk.is_reduction
        and operator.record.identity in (0, 1)
        and wanted.category == 1
        and self._spec.dtype.category < 2
        and self._spec.numel > PIECE
        and not self.is_meta
    )


def reduce_by_pieces(
    operator: OpOverload, walk: TensorIterator, output: Tensor, arguments: Sequence[Any]
) -> None:
    """Cut the first argument along the dimension that lies outermost in memory, and put the results together:
    side by side, or, of a dimension that is reduced, as the reduction does.

    Large outputs are written to once: then no dimension is cut that is reduced.
    """
    self, *rest = arguments
    sizes, strides = self._spec.sizes, self._spec.strides
    cut = [dim for dim, size in enumerate(sizes) if size > 1]
    if output._spec.numel > PIECE:
        cut = [dim for dim in cut if dim not in walk.reduced_dims]
    dim = max(cut, key=lambda dim: strides[dim])
    is_reduced = dim in walk.reduced_dims
    place = dim if walk.keepdim else sum(each not in walk.reduced_dims for each in range(dim))
    step = max(1, PIECE * sizes[dim] // self._spec.numel)
    for start in range(0, sizes[dim], step):
        count = min(step, sizes[dim] - start)
        found = operator(aten.slice.Tensor(self, dim, start, start + count, 1), *rest)
        if not is_reduced:
            aten.slice.Tensor(output, place, start, start + count, 1).copy_(found)
        elif start == 0:
            output.copy_(found)
        elif operator.record.identity == 0:
            output.add_(found)
        else:
            output.mul_(found)
