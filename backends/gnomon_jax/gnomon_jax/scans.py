"""Scans along a dimension: cumulative sums, products, logarithms of sums, minimum and maximum."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from .elementary import logaddexp
from .numbers import Array
from .pointwise import is_bool, is_complex, is_float
from .programs import ALL, FLOATS, REAL_AND_BOOL, Family, at_least_1d, wrapped

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
        rows = rows.astype(jnp.uint8) if is_bool(rows) else rows  # JAX does not compare bool
        best = function(rows, axis=axis)
        number = lax.broadcasted_iota(jnp.int64, rows.shape, axis)
        is_best = (rows == best) | (rows != rows)
        places = lax.cummax(jnp.where(is_best, number, 0), axis=axis)
        return jnp.take_along_axis(rows, places, axis).reshape(a.shape), places.reshape(a.shape)


_running("cummax", lax.cummax)
_running("cummin", lax.cummin)


@family.kernel("logcumsumexp", FLOATS)
def logcumsumexp(a: Array, dim: int) -> Array:
    """The logarithm of the cumulative sum of ``exp(a)``."""
    if not a.size:
        return a
    return lax.associative_scan(logaddexp, at_least_1d(a), axis=wrapped(dim, a.ndim)).reshape(a.shape)
