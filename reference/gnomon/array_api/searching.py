"""Searching functions."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor

from .elementwise import operands
from .manipulation import axes_of
from .unsigned import on_ordered


def _found(function: Any, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    if x.dtype is gn.bool:
        x = x.to(gn.uint8)
    return on_ordered(function)(x, dim=axis, keepdim=keepdims)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the greatest element along ``axis``, or of all, int64; the first of several.

    Raises IndexError for an axis out of range, and for no elements.
    """
    return _found(gn.argmax, x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the least element along ``axis``, or of all, int64; the first of several.

    Raises IndexError for an axis out of range, and for no elements.
    """
    return _found(gn.argmin, x, axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """How many elements along some axes, or of all, are not zero, int64."""
    axes = axes_of(axis, x.ndim)
    return (x != 0).sum(axes, keepdim=keepdims) if axes else (x != 0).to(gn.int64)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indices of elements that are not zero, one vector for each dimension.

    Raises ValueError for a tensor without dimensions.
    """
    if x.ndim == 0:
        raise ValueError("nonzero: argument 'x': expected at least one dimension, got none")
    return gn.nonzero(x != 0, as_tuple=True)


def searchsorted(x1: Tensor, x2: Any, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """The index at which each of ``x2`` would be inserted into the sorted vector ``x1``, int64.

    side: before equal elements, or after them.  sorter: the indices that sort ``x1``.  Raises ValueError for
    another side.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: argument 'side': expected 'left' or 'right', got {side!r}")
    x1, x2 = operands("searchsorted", x1, x2)
    if sorter is not None:
        x1 = x1[sorter.to(gn.int64)]
    return on_ordered(gn.searchsorted)(x1, x2.contiguous(), right=side == "right")


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    """``x1`` where the condition is True, else ``x2``.  Both are tensors or numbers."""
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        x1 = gn.asarray(x1, device=condition.device)
    first, second = operands("where", x1, x2)
    return gn.where(condition, first, second)
