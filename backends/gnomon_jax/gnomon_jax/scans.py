"""Scans along a dimension, sorting, ranges."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .pointwise import is_complex, is_float
from .programs import ALL, REAL, REAL_AND_BOOL, Family, at_least_1d, wrapped

family = Family()


def _scan(name: str, function: Any) -> None:
    @family.kernel(name, ALL if name == "cumsum" else REAL_AND_BOOL)
    def kernel(a: Array, dim: int, *_: Any) -> Array:
        """Accumulates in float64 and rounds each element once; integers wrap around."""
        wide = a if is_float(a) or is_complex(a) else a.astype(jnp.int64)
        return function(at_least_1d(wide), axis=wrapped(dim, a.ndim)).reshape(a.shape)


_scan("cumsum", jnp.cumsum)
_scan("cumprod", jnp.cumprod)


def _running(name: str, function: Any) -> None:
    @family.kernel(name, REAL_AND_BOOL, outputs=2)
    def kernel(a: Array, dim: int) -> tuple[Array, Array]:
        """The cumulative extreme and its last position; from a NaN on, NaN is the extreme."""
        rows, axis = at_least_1d(a), wrapped(dim, a.ndim)
        best = function(rows, axis=axis)
        number = lax.broadcasted_iota(jnp.int64, rows.shape, axis)
        is_best = (rows == best) | (rows != rows)
        places = lax.cummax(jnp.where(is_best, number, 0), axis=axis)
        return jnp.take_along_axis(rows, places, axis).reshape(a.shape), places.reshape(a.shape)


_running("cummax", lax.cummax)
_running("cummin", lax.cummin)


def _keys(a: Array, descending: bool) -> Array:
    """Integers in the order of the elements, equal for equal ones; NaN is the largest."""
    if is_float(a):
        a = jnp.where(a == 0, 0.0, jnp.where(a != a, jnp.nan, a))  # one zero and one NaN
        bits = lax.bitcast_convert_type(a, jnp.int64)
        keys = jnp.where(a != a, jnp.iinfo(jnp.int64).max, jnp.where(bits < 0, bits ^ (2**63 - 1), bits))
    else:
        keys = a.astype(jnp.int64)
    return ~keys if descending else keys


def ordered(a: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    """The elements in order along ``axis``, equal ones in their old order, and where each was."""
    number = lax.broadcasted_iota(jnp.int64, a.shape, axis)
    _, places = lax.sort((_keys(a, descending), number), dimension=axis, is_stable=True, num_keys=1)
    return jnp.take_along_axis(a, places, axis), places


@family.kernel("sort.stable", REAL_AND_BOOL, outputs=2)
def sort(a: Array, stable: Any, dim: int, descending: bool) -> tuple[Array, Array]:
    """The elements in order, and where each was."""
    values, places = ordered(at_least_1d(a), wrapped(dim, a.ndim), descending)
    return values.reshape(a.shape), places.reshape(a.shape)


@family.kernel("topk", REAL, outputs=2, is_sized=True)
def topk(sizes: Any, a: Array, k: int, dim: int, largest: bool, is_sorted: bool) -> tuple[Array, Array]:
    """The first k elements in order, and where each was."""
    axis = wrapped(dim, a.ndim)
    values, places = ordered(at_least_1d(a), axis, largest)
    first, where = (lax.slice_in_dim(each, 0, k, axis=axis) for each in (values, places))
    return first.reshape(sizes[0]), where.reshape(sizes[0])


@family.kernel("arange.start_step", REAL, is_sized=True)
def arange(sizes: Any, start: Any, end: Any, step: Any) -> Array:
    """``start + i * step``, computed independently for each i."""
    count = jnp.arange(sizes[0][0], dtype=jnp.int64)
    if all(isinstance(each, int) for each in (start, step)):
        start, step = (jnp.asarray(each % 2**64, jnp.uint64).astype(jnp.int64) for each in (start, step))
        return start + count * step
    return float(start) + count.astype(jnp.float64) * float(step)
