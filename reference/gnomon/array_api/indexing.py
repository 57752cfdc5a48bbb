"""Indexing functions."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor

from .manipulation import axes_of
from .unsigned import on_bits


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The elements at ``indices`` along ``axis``, which only a vector can omit.

    Negative indices count from the end.  Raises ValueError for no axis of several, IndexError for an index
    out of range.
    """
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: argument 'axis': required for a tensor of {x.ndim} dimensions")
        axis = 0
    (place,) = axes_of(axis, x.ndim)
    return x[(slice(None),) * place + (indices.to(gn.int64),)]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """For each place the element at an index of its own along ``axis``; the other dimensions broadcast.

    Negative indices count from the end.  Raises RuntimeError or IndexError for one out of range.
    """
    (place,) = axes_of(axis, x.ndim)
    indices = indices.to(gn.int64)
    indices = gn.where(indices < 0, indices + x.shape[place], indices)
    return on_bits(gn.take_along_dim)(x, indices, dim=place)
