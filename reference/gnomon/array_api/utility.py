"""Utility functions."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor

from .data_types import result_type
from .elementwise import subtract
from .manipulation import axes_of


def all(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Are all elements along some axes, or all of the tensor, True, or not zero?  Yes if there are none."""
    axes = axes_of(axis, x.ndim)
    return gn.all(x != 0, dim=axes, keepdim=keepdims) if axes else x != 0


def any(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Is an element along some axes, or any of the tensor, True, or not zero?  No if there are none."""
    axes = axes_of(axis, x.ndim)
    return gn.any(x != 0, dim=axes, keepdim=keepdims) if axes else x != 0


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Each element less the one before it along ``axis``, ``n`` times, after what is put before and behind.

    Raises ValueError for a negative ``n``, IndexError for an axis out of range.
    """
    if n < 0:
        raise ValueError(f"diff: argument 'n': expected at least 0, got {n}")
    (place,) = axes_of(axis, x.ndim)
    parts = [each for each in (prepend, x, append) if each is not None]
    common = result_type(*parts)
    if len(parts) > 1:
        x = gn.cat([each.to(common) for each in parts], place)
    for _ in range(n):
        size = x.shape[place]
        x = subtract(x.narrow(place, min(1, size), max(size - 1, 0)), x.narrow(place, 0, max(size - 1, 0)))
    return x
