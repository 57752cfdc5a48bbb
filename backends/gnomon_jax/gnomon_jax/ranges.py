"""Ranges: arange, linspace, logspace."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from gnomon.values.dtype import dtype

from .numbers import Array, decoded, encoded
from .programs import ALL, REAL, Family

family = Family()


@family.kernel("arange.start_step", REAL, is_sized=True)
def arange(sizes: Any, start: Any, end: Any, step: Any) -> Array:
    """``start + i * step``, computed independently for each i."""
    count = jnp.arange(sizes[0][0], dtype=jnp.int64)
    if all(isinstance(each, int) for each in (start, step)):
        start, step = (jnp.asarray(each % 2**64, jnp.uint64).astype(jnp.int64) for each in (start, step))
        return start + count * step
    high, low = _halves(count.astype(jnp.float64) * float(step))
    return float(start) + (high + low)  # a product and a sum might be rounded together


def _halves(a: Array) -> tuple[Array, Array]:
    """Splits a float64 into the sum of two with half as many bits.  Source: Veltkamp (1968)."""
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


def _multiply_add(a: Array, b: Array, c: Array) -> Array:
    """``a + b * c`` rounded once, from the product, the sum and their rounding errors.

    Source: Dekker (1971), Knuth's two-sum.
    """
    product = b * c
    b_high, b_low = _halves(b)
    c_high, c_low = _halves(c)
    beyond = ((b_high * c_high - product) + b_high * c_low + b_low * c_high) + b_low * c_low
    total = a + product
    shadow = total - a
    rest = (a - (total - shadow)) + (product - shadow)
    exact = total + (rest + beyond)
    return jnp.where(jnp.isfinite(exact) & (total != 0), exact, total)  # a zero keeps its sign


def _evenly(start: Any, end: Any, steps: int, kind: dtype) -> Array:
    """The first half computed from the start, the second from the end; the step is rounded to the dtype."""
    if kind.is_complex:
        first, last, part = complex(start), complex(end), kind.to_real()
        real, imag = _evenly(first.real, last.real, steps, part), _evenly(first.imag, last.imag, steps, part)
        return lax.complex(real, imag)
    start, end = kind.cast(start), kind.cast(end)
    if steps == 1:
        return jnp.full(1, float(start))
    step = (end - start) / (steps - 1) if steps else 0.0
    if kind.is_floating_point:
        step = kind.cast(step)
    index = jnp.arange(steps, dtype=jnp.int64)
    from_start = index < steps // 2
    base = jnp.where(from_start, float(start), float(end))
    count = jnp.where(
        from_start, index, -(steps - 1.0 - index)
    )  # -0.0 for the end, whose zero keeps its sign
    if kind.itemsize == 2 and kind.is_floating_point:
        return base + decoded(encoded(step * count, kind), kind)
    return _multiply_add(base, jnp.full(steps, float(step)), count)


@family.kernel("linspace", ALL, is_sized=True, is_typed=True)
def linspace(sizes: Any, kind: dtype, start: Any, end: Any, steps: int) -> Array:
    """``start + i * step`` in the first half, ``end - (steps - 1 - i) * step`` in the second."""
    return _evenly(start, end, steps, kind).reshape(sizes[0])


@family.kernel("logspace", REAL, is_sized=True, is_typed=True)
def logspace(sizes: Any, kind: dtype, start: Any, end: Any, steps: int, base: float) -> Array:
    """``base`` to the power of evenly spaced exponents, whose step is not rounded to the dtype."""
    if kind.category == 1:
        start, end = kind.cast(start), kind.cast(end)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    index = jnp.arange(steps, dtype=jnp.int64)
    from_start = (index < steps // 2) | (steps == 1)
    exponents = jnp.where(from_start, start + step * index, end - step * (steps - 1 - index))
    return jnp.power(jnp.float64(base), exponents.astype(jnp.float64)).reshape(sizes[0])
