"""Reductions of large tensors of narrow integers, one piece at a time.

Integers are summed and multiplied in int64, so an input of another dtype is converted first: eight times the
memory for int8.  Of a large tensor only one piece at a time is converted; the result is the same, because
wrapping integer arithmetic is associative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from ..memory.tensor import Tensor
from .iterator import TensorIterator

PIECE = 1 << 18  # elements that are converted at a time


def goes_by_pieces(operator: OpOverload, iterator: TensorIterator, self: Any, wanted: Any) -> bool:
    """Is it a sum (or product) of a large tensor of integers that must be converted first?"""
    return (
        iterator.is_reduction
        and operator.record.identity in (0, 1)
        and wanted.category == 1
        and self._spec.dtype.category < 2
        and self._spec.numel > PIECE
        and not self.is_meta
    )


def reduce_by_pieces(
    operator: OpOverload, iterator: TensorIterator, output: Tensor, arguments: Sequence[Any]
) -> None:
    """Cut the first argument along its outermost dimension in memory, reduce the pieces, and combine them.

    If that dimension is reduced, the results are summed (or multiplied), else put side by side.  A large
    output is written only once, so then no reduced dimension is cut.
    """
    self, *rest = arguments
    sizes, strides = self._spec.sizes, self._spec.strides
    cut = [dim for dim, size in enumerate(sizes) if size > 1]
    if output._spec.numel > PIECE:
        cut = [dim for dim in cut if dim not in iterator.reduced_dims]
    dim = max(cut, key=lambda dim: strides[dim])
    is_reduced = dim in iterator.reduced_dims
    place = dim if iterator.keepdim else sum(each not in iterator.reduced_dims for each in range(dim))
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
