"""Combinations of elements of vectors, and a matrix made of blocks.

Source: aten/src/ATen/native/Itertools.cpp, TensorShape.cpp (block_diag).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ...calls.iterator import result_type
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.dtype import bool_


def _check_is_vector(tensor: Any) -> None:
    if tensor.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor.shape)}")


def _cartesian_prod(tensors: Sequence[Any]) -> Any:
    for each in tensors:
        _check_is_vector(each)
    if len(tensors) == 1:
        return tensors[0]
    return aten.stack.default([each.flatten() for each in aten.meshgrid.default(tensors)], 1)


native_function(
    "cartesian_prod(Tensor[] tensors) -> Tensor",
    composite=_cartesian_prod,
    doc="""Returns all tuples with one element of each vector, as the rows of a matrix, in the order of
    ``itertools.product``; for one vector that vector.

    Raises RuntimeError for tensors that are not vectors of one dtype.""",
)


def _combinations(self: Any, r: int, with_replacement: bool) -> Any:
    _check_is_vector(self)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return self.new_empty((0,))
    rows = aten.meshgrid.default([self] * r)
    places = aten.meshgrid.default([aten.arange(self.size(0), device=self.device)] * r)
    is_before = aten.le if with_replacement else aten.lt
    kept = aten.ones_like(places[0], dtype=bool_)
    for first, second in itertools.pairwise(places):
        kept = kept & is_before(first, second)
    return aten.stack.default([each.masked_select(kept) for each in rows], 1)


native_function(
    "combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
    variants="function",
    composite=_combinations,
    doc="""Returns all combinations of ``r`` elements of a vector, as the rows of a matrix, in the order of
    ``itertools.combinations``, or of ``combinations_with_replacement``.

    Raises RuntimeError for a tensor that is not a vector and for a negative ``r``.""",
)


def _block_diag(tensors: Sequence[Any]) -> Any:
    for position, each in enumerate(tensors):
        if each.ndim > 2:
            raise RuntimeError(
                "gnomon.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {position} has {each.ndim} dimensions"
            )
    if not tensors:
        return aten.zeros((1, 0))
    dtype = result_type(*(each._spec for each in tensors))
    matrices = [each.to(dtype).reshape((1,) * (2 - each.ndim) + tuple(each.shape)) for each in tensors]
    width = sum(each.size(1) for each in matrices)
    rows, start = [], 0
    for each in matrices:
        rows.append(aten.constant_pad_nd.default(each, (start, width - start - each.size(1)), 0))
        start += each.size(1)
    return aten.cat.default(rows, 0)


native_function(
    "block_diag(Tensor[] tensors) -> Tensor",
    composite=_block_diag,
    out="out",
    doc="""Returns the block diagonal matrix of matrices; a vector is a matrix of one row, a number of one
    element.

    Its dtype is that to which the tensors promote.  Raises RuntimeError for tensors of more than 2
    dimensions.""",
)
