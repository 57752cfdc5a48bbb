"""Reductions: sums, products, minimum and maximum, statistics, norms.

float32 sums are NumPy's, pairwise along contiguous rows; 16-bit floats are summed in float32.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, at_least_1d, numbers, store, wrapped
from .families import ALL, INEXACT, NUMBERS, REAL, REAL_AND_BOOL, Family
from .pointwise import absolute, is_complex

family = Family()

Axes = tuple[int, ...]


@family.reduction("sum.dim_IntList", ALL)
def sum_over(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """The sum; integers wrap around at 64 bits."""
    return np.sum(a, axis=axes, keepdims=kept)


@family.reduction("nansum", REAL)
def nansum(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """The sum of the elements that are not NaN."""
    return np.sum(np.where(np.isnan(a), 0, a), axis=axes, keepdims=kept)


def _count(a: Array, axes: Axes) -> int:
    return math.prod(a.shape[axis] for axis in axes)


@family.reduction("mean.dim", INEXACT, WIDE)
def mean(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """The mean; NaN if there are no elements."""
    return np.sum(a, axis=axes, keepdims=kept) / np.float64(_count(a, axes))


@family.reduction("prod.dim_int", NUMBERS, WIDE)
def product(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """The product; integers wrap around at 64 bits."""
    return np.prod(a, axis=axes, keepdims=kept)


@family.reduction("amax", REAL_AND_BOOL)
def largest(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """The largest element; NaN if there is one."""
    return np.max(a, axis=axes, keepdims=kept)


@family.reduction("amin", REAL_AND_BOOL)
def smallest(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """The smallest element; NaN if there is one."""
    return np.min(a, axis=axes, keepdims=kept)


@family.reduction("hash_tensor", REAL_AND_BOOL)
def xor_sum(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """The exclusive or of the bits: of floats as float64, of integers as int64."""
    words = a.astype(np.float64 if a.dtype.kind == "f" else np.int64).view(np.uint64)
    combine: Any = np.bitwise_xor.reduce  # its stub refuses unsigned numbers
    return combine(words, axis=axes, keepdims=kept)


@family.reduction("any.dims", ALL)
def any_of(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """Is any element not 0?"""
    return np.any(a != 0, axis=axes, keepdims=kept)


@family.reduction("all.dims", ALL)
def all_of(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """Is no element 0?"""
    return np.all(a != 0, axis=axes, keepdims=kept)


def variance(a: Array, axes: Axes, kept: bool, correction: Any) -> Array:
    """The sum of squared distances from the mean, divided by the count minus ``correction``.

    The mean of the distances themselves is what float64 rounds off.
    """
    count = np.float64(_count(a, axes))
    distances = a - np.sum(a, axis=axes, keepdims=True) / count
    rest = np.sum(distances, axis=axes, keepdims=True) / count
    distances = distances - np.where(np.isfinite(rest), rest, 0)
    squares = distances.real**2 + distances.imag**2 if is_complex(a) else distances**2
    rest = count - (1 if correction is None else correction)
    rest = np.float64(rest if rest > 0 else 0)
    return np.sum(squares, axis=axes, keepdims=kept) / rest


@family.reduction("var.correction", INEXACT, WIDE)
def var(a: Array, axes: Axes, kept: bool, dim: Any, correction: Any, keepdim: bool) -> Array:
    """The variance."""
    return variance(a, axes, kept, correction)


@family.reduction("std.correction", INEXACT, WIDE)
def std(a: Array, axes: Axes, kept: bool, dim: Any, correction: Any, keepdim: bool) -> Array:
    """The square root of the variance."""
    return np.sqrt(variance(a, axes, kept, correction))


@family.reduction("linalg_vector_norm", INEXACT, WIDE)
def vector_norm(a: Array, axes: Axes, kept: bool, ord: Any, *_: Any) -> Array:
    """``(sum of |x| ** ord) ** (1 / ord)``; for ord 0 the count of nonzeros, for ±inf the extreme of |x|."""
    sizes = absolute(a)
    if ord == 0:
        return np.sum(sizes != 0, axis=axes, keepdims=kept)
    if math.isinf(ord):
        extreme = np.max if ord > 0 else np.min
        return extreme(sizes, axis=axes, keepdims=kept)
    if ord == 1:
        return np.sum(sizes, axis=axes, keepdims=kept)
    # scaled by the largest, so that powers do not overflow float64
    scale = np.max(sizes, axis=axes, keepdims=True, initial=0.0)
    scale = np.where((scale == 0) | ~np.isfinite(scale), 1.0, scale)
    powers = np.sum((sizes / scale) ** float(ord), axis=axes, keepdims=True)
    norm = scale * powers ** (1 / float(ord))
    return np.where(np.any(np.isnan(sizes), axis=axes, keepdims=True), np.nan, norm).reshape(
        np.sum(sizes, axis=axes, keepdims=kept).shape
    )


@family.reduction("logsumexp", INEXACT, WIDE)
def log_sum_exp(a: Array, axes: Axes, kept: bool, *_: Any) -> Array:
    """logsumexp; subtracts the largest real part first."""
    shift = np.max(a.real, axis=axes, keepdims=True)
    shift = np.where(np.isfinite(shift), shift, 0.0)
    sums = np.log(np.sum(np.exp(a - shift), axis=axes, keepdims=True)) + shift
    return sums if kept else np.squeeze(sums, axis=axes)


@family.kernel("_count_nonzero", ALL)
def count_nonzero(output: Tensor, self: Tensor) -> None:
    """The number of elements that are not 0."""
    store(output, np.count_nonzero(numbers(self)))


# ---------------------------------------------------------------------------------------------------------
# Minimum and maximum with positions, along one dimension.


def rows(a: Array, dim: int | None) -> tuple[Array, int]:
    """The array, at least 1-D, and the wrapped dimension; for None the flattened array."""
    if dim is None:
        return a.reshape(-1), 0
    return at_least_1d(a), wrapped(dim, a.ndim)


def place_in(output: Tensor, values: Array, dim: int) -> None:
    """Stores values whose ``dim`` has size 1, whether or not the output keeps it."""
    store(output, values.reshape(output._spec.sizes))


def _arg_kernel(name: str, function: Any) -> None:
    @family.kernel(name, REAL_AND_BOOL)
    def kernel(output: Tensor, self: Tensor, dim: int | None, keepdim: bool) -> None:
        """The position of the first extreme, or of the first NaN if there is one."""
        a, axis = rows(numbers(self), dim)
        place_in(output, function(a, axis=axis), axis)


_arg_kernel("argmax", np.argmax)
_arg_kernel("argmin", np.argmin)


def _extreme_kernel(name: str, function: Any) -> None:
    @family.kernel(name, REAL_AND_BOOL)
    def kernel(values: Tensor, indices: Tensor, self: Tensor, dim: int, keepdim: bool) -> None:
        """The extreme, NaN if there is one, and its first position."""
        a, axis = rows(numbers(self), dim)
        where = function(a, axis=axis, keepdims=True)
        place_in(values, np.take_along_axis(a, where, axis), axis)
        place_in(indices, where, axis)


_extreme_kernel("max.dim", np.argmax)
_extreme_kernel("min.dim", np.argmin)


@family.kernel("aminmax", REAL_AND_BOOL)
def aminmax(min: Tensor, max: Tensor, self: Tensor, dim: int | None, keepdim: bool) -> None:
    """Both extremes of each row along ``dim``; both are NaN if the row has a NaN."""
    a, axis = rows(numbers(self), dim)
    place_in(min, np.min(a, axis=axis), axis)
    place_in(max, np.max(a, axis=axis), axis)
