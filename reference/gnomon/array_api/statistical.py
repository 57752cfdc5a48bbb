"""Statistical functions.

``axis`` is one axis, a tuple of them, or None for all; an axis out of range raises IndexError.  Sums and
products of integers are int64, those of unsigned integers uint64, unless ``dtype`` says otherwise.
"""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor, dtype

from .data_types import isdtype
from .manipulation import axes_of
from .unsigned import SIGNED, bits, larger, restored


def _sum_dtype(x: Tensor, dtype: dtype | None) -> dtype:
    """The dtype of a sum or a product."""
    if dtype is not None:
        return dtype
    if isdtype(x.dtype, "unsigned integer"):
        return gn.uint64
    return gn.int64 if isdtype(x.dtype, ("bool", "signed integer")) else x.dtype


def _product(x: Tensor, dim: tuple[int, ...], keepdim: bool, dtype: dtype) -> Tensor:
    for place in sorted(dim, reverse=True):
        x = gn.prod(x, place, keepdim=keepdim, dtype=dtype)
    return x


def _summed(function: Any, x: Tensor, axis: Any, keepdims: bool, dtype: dtype | None) -> Tensor:
    """The sum or product over some axes; over no axes each element is its own."""
    kind, axes = _sum_dtype(x, dtype), axes_of(axis, x.ndim)
    if not axes:
        return x.to(kind, copy=True)
    signed = SIGNED.get(kind, kind)  # whose sums and products have the same bits
    return restored(function(bits(x.to(kind)), dim=axes, keepdim=keepdims, dtype=signed), kind)


def max(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The greatest element along some axes; NaN if one is NaN.  Raises IndexError for no elements."""
    axes = axes_of(axis, x.ndim)
    return larger(gn.amax)(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def min(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The least element along some axes; NaN if one is NaN.  Raises IndexError for no elements."""
    axes = axes_of(axis, x.ndim)
    return larger(gn.amin)(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def mean(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The arithmetic mean along some axes, of floating point or complex numbers."""
    axes = axes_of(axis, x.ndim)
    return gn.mean(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def prod(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product along some axes."""
    return _summed(_product, x, axis, keepdims, dtype)


def sum(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum along some axes."""
    return _summed(gn.sum, x, axis, keepdims, dtype)


def std(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The standard deviation along some axes, with ``correction`` subtracted from the number of elements."""
    return gn.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def var(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The variance along some axes, with a sum of squares divided by their number less ``correction``."""
    axes = axes_of(axis, x.ndim)
    if not axes:
        return (x - x) / (1 - correction) if correction < 1 else x * gn.nan
    return gn.var(x, dim=axes, correction=correction, keepdim=keepdims)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The sums of the first elements along ``axis``, which only a vector can omit.

    include_initial: begins with the sum of none, 0.  Raises ValueError for no axis of several.
    """
    return _cumulative("cumulative_sum", gn.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The products of the first elements along ``axis``, which only a vector can omit.

    include_initial: begins with the product of none, 1.  Raises ValueError for no axis of several.
    """
    return _cumulative("cumulative_prod", gn.cumprod, 1, x, axis, dtype, include_initial)


def _cumulative(
    name: str, function: Any, initial: int, x: Tensor, axis: int | None, dtype: Any, include_initial: bool
) -> Tensor:
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"{name}: argument 'axis': required for a tensor of {x.ndim} dimensions")
        axis, x = 0, x.reshape(-1)
    (place,) = axes_of(axis, x.ndim)
    kind = _sum_dtype(x, dtype)
    made = restored(function(bits(x.to(kind)), dim=place, dtype=SIGNED.get(kind, kind)), kind)
    if not include_initial:
        return made
    sizes = [1 if each == place else size for each, size in enumerate(x.shape)]
    return gn.cat([gn.full(sizes, initial, dtype=kind, device=x.device), made], place)
