"""Masks and reductions of sparse tensors: only elements that are specified and selected are reduced.

Source: torch/masked/_ops.py (_input_mask, _sparse_coo_where, _sparse_coo_scatter_reduction_helper,
_sparse_csr_segment_reduction_helper).
"""

from __future__ import annotations

import math
from typing import Any

import gnomon as gn
from gnomon import Tensor

LAYOUTS = (gn.strided, gn.sparse_coo, gn.sparse_csr)


def check_strided(name: str, input: Tensor, also: str = "") -> None:
    """Raises ValueError for a sparse input of an operation that takes none."""
    if input.layout is not gn.strided:
        raise ValueError(f"masked {name} expects strided{also} tensor (got {input.layout} tensor)")


def mask_for(input: Tensor, mask: Tensor) -> Tensor:
    """The mask as a coalesced bool tensor of layout sparse_coo, with the sizes of the sparse ``input``."""
    if mask.layout is gn.strided:
        mask = gn.broadcast_to(mask, input.shape)
        dense_ndim = input.dense_dim() if input.layout is gn.sparse_coo else 0
        return mask.to(gn.bool).to_sparse(input.ndim - dense_ndim)
    if mask.layout is not gn.sparse_coo:
        mask = mask.to_sparse()
    if mask.shape != input.shape:
        mask = gn.ops.aten._sparse_broadcast_to(mask, input.shape)
    return mask.coalesce().to(gn.bool)


def selected_elements(input: Tensor, mask: Tensor, fill: float) -> Tensor:
    """The elements of a sparse tensor that the mask selects, zeros among them, in the layout of ``input``.

    In a hybrid tensor, ``fill`` stands for the elements of a value that are not selected.
    """
    if input.layout not in LAYOUTS:
        raise ValueError(
            f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {input.layout}"
        )
    given = input.to_sparse() if input.layout is gn.sparse_csr else input
    chosen = mask_for(given, mask)
    if chosen.dense_dim() != given.dense_dim():
        raise AssertionError(
            f"mask.dense_dim() must match input.dense_dim(): {chosen.dense_dim()} vs {given.dense_dim()}"
        )
    selects = chosen.values()
    places = (selects.flatten(1).any(1) if selects.ndim > 1 else selects).nonzero()[:, 0]
    indices, selects = chosen.indices()[:, places], selects[places]
    found = given.sparse_mask(_of(indices, selects, given.shape, is_coalesced=True)).coalesce()
    if selects.ndim > 1:
        number = gn.tensor(fill, dtype=given.dtype, device=given.device)
        values = gn.where(selects, found.values(), number)
        found = _of(indices, values, given.shape, is_coalesced=True)
    return found.to_sparse_csr() if input.layout is gn.sparse_csr else found


def _of(indices: Tensor, values: Tensor, sizes: Any, is_coalesced: bool | None = None) -> Tensor:
    return gn.sparse_coo_tensor(indices, values, sizes, is_coalesced=is_coalesced, check_invariants=False)


def reduced(
    name: str, input: Tensor, dims: tuple[int, ...], keepdim: bool, dtype: Any, mask: Tensor | None
) -> Tensor:
    """The reduction ``name`` of the specified elements of a sparse tensor: sparse, in the same layout.

    Without a mask, only a sum is one of all elements.  Raises ValueError for others, and for other layouts.
    """
    if input.layout not in LAYOUTS or (name == "mean" and input.layout is not gn.sparse_csr):
        kinds = "strided or sparse_csr" if name == "mean" else "strided, sparse_coo or sparse_csr"
        raise ValueError(f"masked {name} expects {kinds} tensor (got {input.layout} tensor)")
    if mask is None and name != "sum":
        kind = "sparse_coo" if input.layout is gn.sparse_coo else "sparse_csr"
        raise ValueError(f"masked {name} expects explicit mask for {kind} tensor input")
    if input.layout is gn.sparse_coo:
        return _of_coordinates(name, input, dims, keepdim, dtype)
    if not keepdim:
        if name in ("sum", "prod"):
            raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
        raise AssertionError("reduction operations on CSR tensors with keepdim=False is unsupported")
    if name == "sum":
        return gn.ops.aten._sparse_csr_sum(input, dims, True, dtype=dtype)
    if name == "prod":
        return gn.ops.aten._sparse_csr_prod(input, dims, True, dtype=dtype)
    return _of_coordinates(name, input.to_sparse(), dims, True, dtype, True).to_sparse_csr()


def _of_coordinates(
    name: str, input: Tensor, dims: tuple[int, ...], keepdim: bool, dtype: Any, is_matrix: bool = False
) -> Tensor:
    indices = input._indices()
    values = (input.values() if input.is_coalesced() else input._values()).to(dtype)
    sparse_ndim = input.sparse_dim()
    dense = [dim + 1 - sparse_ndim for dim in dims if sparse_ndim <= dim < input.ndim]
    gone = [dim for dim in dims if dim < sparse_ndim]
    kept = [dim for dim in range(sparse_ndim) if dim not in gone]
    sizes = [1 if dim in dims else size for dim, size in enumerate(input.shape) if keepdim or dim not in dims]
    if dense:
        if name != "sum":
            raise NotImplementedError(f"masked {name} over dense dimensions of a hybrid tensor")
        values = gn.sum(values, dense, keepdim)
    if not kept and not is_matrix:
        total = _total(name, values)
        for _ in range(sparse_ndim if keepdim else 0):
            total = total.unsqueeze(0)
        return total.to(dtype).to_sparse()
    lines = gn.zeros(indices.shape[1], dtype=gn.int64, device=input.device)
    for dim in kept:
        lines = lines * input.shape[dim] + indices[dim]
    unique, inverse = gn.unique(lines, return_inverse=True)
    places = inverse.reshape(-1, *[1] * (values.ndim - 1)).expand(values.shape)
    how: Any = name
    made = values.new_zeros((unique.shape[0], *values.shape[1:]))
    made = made.scatter_reduce(0, places, values, how, include_self=False)
    rows = []
    for dim in reversed(range(sparse_ndim)):
        if dim in kept:
            rows.append(unique % max(input.shape[dim], 1))
            unique = unique.floor_divide(max(input.shape[dim], 1))
        elif keepdim:
            rows.append(gn.zeros_like(unique))
    return _of(gn.stack(rows[::-1]), made, sizes)


def _total(name: str, values: Tensor) -> Tensor:
    if name in ("amax", "amin"):
        if values.shape[0]:
            return getattr(gn, name)(values, 0)
        least = name == "amax"
        if values.dtype.is_floating_point:
            return gn.full((), -math.inf if least else math.inf, dtype=values.dtype, device=values.device)
        limits = gn.iinfo(values.dtype)
        number = limits.min if least else limits.max
        return gn.full((), number, dtype=values.dtype, device=values.device)
    return gn.sum(values, 0) if name == "sum" else gn.prod(values, 0)
