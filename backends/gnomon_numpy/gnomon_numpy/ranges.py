"""Ranges: arange, linspace, logspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import Array, decoded, encoded, store
from .families import ALL, REAL, Family
from .pointwise import complex_of

family = Family()


@family.kernel("arange.start_step", REAL)
def arange(output: Tensor, start: Any, end: Any, step: Any) -> None:
    """``start + i * step``, computed independently for each i, not by repeated addition."""
    count = np.arange(output._spec.numel)
    if all(isinstance(each, int) for each in (start, step)):
        start, step = (np.asarray(each % 2**64, np.uint64).view(np.int64) for each in (start, step))
        store(output, start + count * step)
    else:
        store(output, float(start) + count * float(step))


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
    return np.where(np.isfinite(exact) & (total != 0), exact, total)  # a zero keeps its sign


def _evenly(start: Any, end: Any, steps: int, kind: Any) -> Array:
    """The first half computed from the start, the second from the end; the step is rounded to the dtype."""
    if kind.is_complex:
        real = kind.to_real()
        return complex_of(
            _evenly(start.real, end.real, steps, real), _evenly(start.imag, end.imag, steps, real)
        )
    start, end = kind.cast(start), kind.cast(end)
    if steps == 1:
        return np.full(1, float(start))
    step = (end - start) / (steps - 1) if steps else 0.0
    if kind.is_floating_point:
        step = kind.cast(step)
    index = np.arange(steps)
    from_start = index < steps // 2
    base = np.where(from_start, float(start), float(end))
    count = np.where(
        from_start, index, -(steps - 1.0 - index)
    )  # -0.0 for the end itself, which preserves the sign of a zero
    if kind.itemsize == 2 and kind.is_floating_point:
        product = encoded(step * count, kind)
        return base + decoded(product, kind)
    return _multiply_add(base, np.full(steps, float(step)), count)


@family.kernel("linspace", ALL)
def linspace(output: Tensor, start: Any, end: Any, steps: int) -> None:
    """``start + i * step`` in the first half, ``end - (steps - 1 - i) * step`` in the second."""
    store(output, _evenly(start, end, steps, output._spec.dtype).reshape(output._spec.sizes))


@family.kernel("logspace", ALL)
def logspace(output: Tensor, start: Any, end: Any, steps: int, base: float) -> None:
    """``base`` to the power of evenly spaced exponents, whose step is not rounded to the dtype."""
    kind = output._spec.dtype
    if kind.category == 1:
        start, end = kind.cast(start), kind.cast(end)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    index = np.arange(steps)
    from_start = (index < steps // 2) | (steps == 1)
    exponents = np.where(from_start, start + step * index, end - step * (steps - 1 - index))
    store(output, np.power(np.asarray(base, exponents.dtype), exponents))
