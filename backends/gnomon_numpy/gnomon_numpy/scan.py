"""Scans along a dimension: cumulative sums, products, minimum and maximum."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import STORED, WIDE, Array, at_least_1d, numbers, store, wrapped
from .families import ALL, INEXACT, REAL_AND_BOOL, Family
from .pointwise import is_complex, logaddexp

family = Family()


def _scan_kernel(name: str, function: Any) -> None:
    @family.kernel(name, ALL)
    def kernel(output: Tensor, self: Tensor, dim: int, *_: Any) -> None:
        """Accumulates in float64 and rounds each element once; integers wrap around."""
        a = numbers(self, WIDE)
        if a.dtype.kind in "biu":
            a = a.astype(STORED[output._spec.dtype.name], copy=False)
        store(output, function(at_least_1d(a), axis=wrapped(dim, a.ndim)).reshape(a.shape))


_scan_kernel("cumsum", np.cumsum)
_scan_kernel("cumprod", np.cumprod)


@family.kernel("logcumsumexp", INEXACT)
def logcumsumexp(output: Tensor, self: Tensor, dim: int) -> None:
    """Accumulates in float64; complex numbers one after the other, along all lines."""
    a = at_least_1d(numbers(self, WIDE))
    axis = wrapped(dim, a.ndim)
    if is_complex(a):
        result, total = np.empty_like(a), np.array(-np.inf, a.dtype)
        targets = np.moveaxis(result, axis, 0)
        for place, row in enumerate(np.moveaxis(a, axis, 0)):
            both_infinite = (row.real == total.real) & (row.real == np.inf)
            sums = np.where(both_infinite, np.log(np.exp(row) + np.exp(total)), logaddexp(total, row))
            sums = np.where(row.real == -np.inf, total, sums)
            total = np.where(np.isnan(row) | np.isnan(total), complex(np.nan, np.nan), sums)
            targets[place] = total
    else:
        result = np.logaddexp.accumulate(a, axis=axis)
    store(output, result.reshape(self._spec.sizes))


def running_places(a: Array, best: Array, axis: int) -> Array:
    """For each element, the position of the last extreme up to it; from a NaN on, NaN is the extreme."""
    shape = [1] * a.ndim
    shape[axis] = -1
    places = np.arange(a.shape[axis]).reshape(shape)
    is_best = (a == best) | (a != a)
    return np.maximum.accumulate(np.where(is_best, places, 0), axis=axis)


def _extreme_kernel(name: str, function: Any) -> None:
    @family.kernel(name, REAL_AND_BOOL)
    def kernel(values: Tensor, indices: Tensor, self: Tensor, dim: int) -> None:
        """The cumulative extreme and its last position."""
        a = at_least_1d(numbers(self))
        axis = wrapped(dim, a.ndim)
        places = running_places(a, function.accumulate(a, axis=axis), axis)
        store(values, np.take_along_axis(a, places, axis).reshape(self._spec.sizes))
        store(indices, places.reshape(self._spec.sizes))


_extreme_kernel("cummax", np.maximum)
_extreme_kernel("cummin", np.minimum)
