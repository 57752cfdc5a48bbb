"""Reductions: sums, products, minimum and maximum, statistics, norms."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .pointwise import absolute, is_complex, is_float
from .programs import ALL, FLOATS, INEXACT, REAL, REAL_AND_BOOL, Family, at_least_1d, wrapped

family = Family()

Axes = tuple[int, ...]


def _count(a: Array, axes: Axes) -> int:
    return math.prod(a.shape[axis] for axis in axes)


def _summed(a: Array, axes: Axes) -> Array:
    """The sum; integers and bool are summed as int64, and wrap around."""
    wide = a if is_float(a) or is_complex(a) else a.astype(jnp.int64)
    return jnp.sum(wide, axis=axes, keepdims=True)


@family.reduction("sum.dim_IntList", ALL)
def sum_over(a: Array, axes: Axes, *_: Any) -> Array:
    """The sum."""
    return _summed(a, axes)


@family.reduction("nansum", REAL)
def nansum(a: Array, axes: Axes, *_: Any) -> Array:
    """The sum of the elements that are not NaN."""
    return _summed(jnp.where(a != a, 0, a), axes)


@family.reduction("mean.dim", INEXACT)
def mean(a: Array, axes: Axes, *_: Any) -> Array:
    """The mean; NaN if there are no elements."""
    return jnp.sum(a, axis=axes, keepdims=True) / jnp.float64(_count(a, axes))


@family.reduction("prod.dim_int", REAL)
def product(a: Array, axes: Axes, *_: Any) -> Array:
    """The product; integers wrap around at 64 bits."""
    return jnp.prod(a if is_float(a) else a.astype(jnp.int64), axis=axes, keepdims=True)


@family.reduction("amax", REAL_AND_BOOL)
def largest(a: Array, axes: Axes, *_: Any) -> Array:
    """The largest element; NaN if there is one."""
    return jnp.max(a, axis=axes, keepdims=True)


@family.reduction("amin", REAL_AND_BOOL)
def smallest(a: Array, axes: Axes, *_: Any) -> Array:
    """The smallest element; NaN if there is one."""
    return jnp.min(a, axis=axes, keepdims=True)


@family.reduction("any.dims", ALL)
def any_of(a: Array, axes: Axes, *_: Any) -> Array:
    """Is any element not 0?"""
    return jnp.any(a != 0, axis=axes, keepdims=True)


@family.reduction("all.dims", ALL)
def all_of(a: Array, axes: Axes, *_: Any) -> Array:
    """Is no element 0?"""
    return jnp.all(a != 0, axis=axes, keepdims=True)


def variance(a: Array, axes: Axes, correction: Any) -> Array:
    """The sum of squared distances from the mean, divided by the count minus ``correction``.

    The mean of the distances themselves is what float64 rounds off.
    """
    count = _count(a, axes)
    distances = a - jnp.sum(a, axis=axes, keepdims=True) / jnp.float64(count)
    rest = jnp.sum(distances, axis=axes, keepdims=True) / jnp.float64(count)
    distances = distances - jnp.where(jnp.isfinite(rest), rest, 0)
    squares = jnp.real(distances) ** 2 + jnp.imag(distances) ** 2 if is_complex(a) else distances**2
    degrees = max(count - (1 if correction is None else correction), 0)
    return jnp.sum(squares, axis=axes, keepdims=True) / jnp.float64(degrees)


@family.reduction("var.correction", INEXACT)
def var(a: Array, axes: Axes, dim: Any, correction: Any, keepdim: bool) -> Array:
    """The variance."""
    return variance(a, axes, correction)


@family.reduction("std.correction", INEXACT)
def std(a: Array, axes: Axes, dim: Any, correction: Any, keepdim: bool) -> Array:
    """The square root of the variance."""
    return jnp.sqrt(variance(a, axes, correction))


@family.reduction("linalg_vector_norm", INEXACT)
def vector_norm(a: Array, axes: Axes, ord: Any, *_: Any) -> Array:
    """``(sum of |x| ** ord) ** (1 / ord)``; for ord 0 the count of nonzeros, for ±inf the extreme of |x|."""
    sizes = absolute(a)
    if ord == 0:
        return jnp.sum(sizes != 0, axis=axes, keepdims=True)
    if math.isinf(ord):
        return (jnp.max if ord > 0 else jnp.min)(sizes, axis=axes, keepdims=True)
    if ord == 1:
        return jnp.sum(sizes, axis=axes, keepdims=True)
    # scaled by the largest, so that powers do not overflow float64
    scale = jnp.max(sizes, axis=axes, keepdims=True, initial=0.0)
    scale = jnp.where((scale == 0) | ~jnp.isfinite(scale), 1.0, scale)
    scaled = sizes / scale
    powers = scaled * scaled if ord == 2 else scaled ** float(ord)
    total = jnp.sum(powers, axis=axes, keepdims=True)
    norm = scale * (jnp.sqrt(total) if ord == 2 else total ** (1 / float(ord)))
    return jnp.where(jnp.any(jnp.isnan(sizes), axis=axes, keepdims=True), jnp.nan, norm)


@family.reduction("logsumexp", FLOATS)
def log_sum_exp(a: Array, axes: Axes, *_: Any) -> Array:
    """logsumexp; subtracts the largest element first."""
    shift = jnp.max(a, axis=axes, keepdims=True, initial=-math.inf)
    shift = jnp.where(jnp.isfinite(shift), shift, 0.0)
    return jnp.log(jnp.sum(jnp.exp(a - shift), axis=axes, keepdims=True)) + shift


@family.kernel("_count_nonzero", ALL)
def count_nonzero(a: Array) -> Array:
    """The number of elements that are not 0."""
    return jnp.sum(a != 0)


# ---------------------------------------------------------------------------------------------------------
# Minimum and maximum with positions, along one dimension.


def rows(a: Array, dim: int | None) -> tuple[Array, int]:
    """The array, at least 1-D, and the wrapped dimension; for None the flattened array."""
    return (a.reshape(-1), 0) if dim is None else (at_least_1d(a), wrapped(dim, a.ndim))


def first_place(a: Array, extreme: Array, axis: int) -> Array:
    """Along ``axis``, the position of the first element that equals the extreme, or of the first NaN."""
    is_it = (a == extreme) | (a != a)
    number = lax.broadcasted_iota(jnp.int64, a.shape, axis)
    return jnp.min(jnp.where(is_it, number, a.shape[axis]), axis=axis, keepdims=True)


def _positions(name: str, function: Any) -> None:
    @family.kernel(name, REAL_AND_BOOL, is_sized=True)
    def kernel(sizes: Any, a: Array, dim: int | None, keepdim: bool) -> Array:
        """The position of the first extreme, or of the first NaN if there is one."""
        a, axis = rows(a, dim)
        return first_place(a, function(a, axis=axis, keepdims=True), axis).reshape(sizes[0])


def _extremes(name: str, function: Any) -> None:
    @family.kernel(name, REAL_AND_BOOL, outputs=2, is_sized=True)
    def kernel(sizes: Any, a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        """The extreme, NaN if there is one, and its first position."""
        a, axis = rows(a, dim)
        where = first_place(a, function(a, axis=axis, keepdims=True), axis)
        values = jnp.take_along_axis(a, where, axis)
        return values.reshape(sizes[0]), where.reshape(sizes[1])


for _argument, _extreme, _function in (("argmax", "max.dim", jnp.max), ("argmin", "min.dim", jnp.min)):
    _positions(_argument, _function)
    _extremes(_extreme, _function)


@family.kernel("aminmax", REAL_AND_BOOL, outputs=2, is_sized=True)
def aminmax(sizes: Any, a: Array, dim: int | None, keepdim: bool) -> tuple[Array, Array]:
    """Both extremes of each row along ``dim``; both are NaN if the row has a NaN."""
    a, axis = rows(a, dim)
    return jnp.min(a, axis=axis).reshape(sizes[0]), jnp.max(a, axis=axis).reshape(sizes[1])
