"""Sorting functions."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor

from .manipulation import axes_of
from .unsigned import SIGNED, ordered, restored


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The indices that sort ``x`` along ``axis``, int64; NaN is greater than all numbers."""
    if x.ndim == 0:
        return gn.zeros((), dtype=gn.int64, device=x.device)
    (place,) = axes_of(axis, x.ndim)
    return gn.sort(ordered(x), dim=place, descending=descending, stable=True).indices


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in order along ``axis``; NaN is greater than all numbers."""
    if x.ndim == 0:
        return x.clone()
    (place,) = axes_of(axis, x.ndim)
    values = gn.sort(ordered(x), dim=place, descending=descending, stable=stable).values
    return restored(values ^ gn.iinfo(SIGNED[x.dtype]).min, x.dtype) if x.dtype in SIGNED else values
