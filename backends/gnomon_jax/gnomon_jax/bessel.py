"""Bessel functions, Airy's, and erfcx, of torch.special: the reference's polynomials in pieces.

The piece of each element is looked up in the table of coefficients; all branches are computed and one is
chosen, so that arguments outside a branch's domain are replaced by some number inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from gnomon.numerics import special_tables as tables

from .numbers import Array
from .programs import Family, Names, refuse_if
from .special import i0, i1

family = Family()

PRECISE: Names = ("float32", "float64")
_FAR_BESSEL = 25.0  # from here on, Hankel's expansion
_FAR = 32.0  # from here on, expansions of the modified functions


def _polynomial(coefficients: Sequence[Any], z: Array) -> Array:
    total = jnp.zeros_like(z)
    for each in reversed(coefficients):
        total = total * z + each
    return total


def _pieces(table: Sequence[Sequence[float]], piece: Array, z: Array) -> Array:
    """The polynomial of the table's row ``piece`` of each element."""
    longest = max(len(row) for row in table)
    rows = np.array([[*row, *[0.0] * (longest - len(row))] for row in table])
    chosen = jnp.asarray(rows)[jnp.clip(piece, 0, len(table) - 1)]
    return _polynomial([chosen[..., at] for at in range(longest)], z)


def _of_octave(table: Sequence[Sequence[float]], first: int, x: Array) -> Array:
    """A function that is tabulated in four pieces of each binade, from ``2**first`` on."""
    mantissa, exponent = jnp.frexp(x)
    quarter = (mantissa * 8.0).astype(jnp.int64) - 4
    return _pieces(table, (exponent - 1 - first) * 4 + quarter, mantissa * 16.0 - (2 * quarter + 9))


def _of_unit(table: Sequence[Sequence[float]], first: int, x: Array) -> Array:
    """A function that is tabulated in pieces of length 1, from ``first`` on."""
    whole = jnp.floor(x)
    return _pieces(table, whole.astype(jnp.int64) - first, 2.0 * (x - whole) - 1.0)


# ---------------------------------------------------------------------------------------------------------
# Modified Bessel functions of the second kind.


def _scaled_far(middle: Sequence[Sequence[float]], far: Sequence[float], x: Array) -> Array:
    """One without its exponential factor, from 1 on."""
    near = _of_octave(middle, 0, jnp.clip(x, 1.0, _FAR - 1e-9))
    return jnp.where(x < _FAR, near, _polynomial(far, 1.0 / x) / jnp.sqrt(x))


def _near(order: int, x: Array) -> Array:
    """One for arguments up to 1."""
    if order == 0:
        return _polynomial(tables.K0_NEAR, x * x) - jnp.log(x) * i0(x)
    return 1.0 / x + (jnp.log(x) * i1(x) + x * _polynomial(tables.K1_NEAR, x * x))


def _second_kind(name: str, order: int, is_scaled: bool) -> None:
    middle, far = ((tables.K0_MIDDLE, tables.K0_FAR), (tables.K1_MIDDLE, tables.K1_FAR))[order]

    @family.elementwise(f"special_{name}", PRECISE)
    def function(a: Array) -> Array:
        """A modified Bessel function of the second kind, or that times ``exp(a)``; inf at 0, NaN below."""
        low, high = jnp.where((a > 0) & (a < 1), a, 0.5), jnp.where(a >= 1, a, 1.0)
        near, scaled = _near(order, low), _scaled_far(middle, far, high)
        half = jnp.exp(-high / 2)  # exp(-a) may be subnormal before the product is
        found = (
            jnp.where(a < 1, jnp.exp(low) * near, scaled)
            if is_scaled
            else jnp.where(a < 1, near, half * scaled * half)
        )
        return jnp.where(a > 0, found, jnp.where(a == 0, jnp.inf, jnp.nan))


for _order in (0, 1):
    _second_kind(f"modified_bessel_k{_order}", _order, False)
    _second_kind(f"scaled_modified_bessel_k{_order}", _order, True)
family.elementwise_table({"special_modified_bessel_i0": i0, "special_modified_bessel_i1": i1}, PRECISE)


# ---------------------------------------------------------------------------------------------------------
# Bessel functions.  Far from 0 they are waves with the phase x - pi / 4 or x - 3 pi / 4, whose sine and
# cosine are sums of those of x.


def _wave(p: Sequence[float], q: Sequence[float], x: Array, cosine: Array, sine: Array) -> Array:
    """Hankel's expansion; the sine and cosine of the phase are given times sqrt(2)."""
    reciprocal = 1.0 / x
    w = reciprocal * reciprocal
    wave = _polynomial(p, w) * cosine - reciprocal * _polynomial(q, w) * sine
    return wave / math.sqrt(math.pi) / jnp.sqrt(x)


def _parts(x: Array, split: float) -> tuple[Array, Array, Array, Array, Array]:
    """The argument for each of the branches, which meet at ``split`` and 25; and its sine and cosine."""
    far = jnp.where(x < _FAR_BESSEL, _FAR_BESSEL, x)
    middle = jnp.clip(jnp.where(x != x, split, x), split, _FAR_BESSEL - 1e-9)
    return jnp.minimum(x, split), middle, far, jnp.sin(far), jnp.cos(far)


def _joined(x: Array, split: float, near: Array, middle: Array, far: Array) -> Array:
    return jnp.where(x < split, near, jnp.where(x < _FAR_BESSEL, middle, far))


@family.elementwise("special_bessel_j0", PRECISE)
def bessel_j0(a: Array) -> Array:
    """The Bessel function of the first kind of order 0; NaN of infinities, as in PyTorch."""
    x = jnp.abs(a)
    low, middle, high, s, c = _parts(x, 1.0)
    near = _polynomial(tables.J0_NEAR, low * low)
    far = _wave(tables.P0_FAR, tables.Q0_FAR, high, c + s, s - c)
    return _joined(x, 1.0, near, _of_unit(tables.J0_MIDDLE, 1, middle), far)


@family.elementwise("special_bessel_j1", PRECISE)
def bessel_j1(a: Array) -> Array:
    """The Bessel function of the first kind of order 1; NaN of infinities, as in PyTorch."""
    x = jnp.abs(a)
    low, middle, high, s, c = _parts(x, 1.0)
    near = low * _polynomial(tables.J1_NEAR, low * low)
    far = _wave(tables.P1_FAR, tables.Q1_FAR, high, s - c, -s - c)
    found = _joined(x, 1.0, near, _of_unit(tables.J1_MIDDLE, 1, middle), far)
    return jnp.where(jnp.signbit(a), -found, found)


@family.elementwise("special_bessel_y0", PRECISE)
def bessel_y0(a: Array) -> Array:
    """The Bessel function of the second kind of order 0; -inf at 0, NaN below and at inf."""
    x = jnp.where(a > 0, a, 1.0)
    low, middle, high, s, c = _parts(x, 2.0)
    near = 2 / math.pi * jnp.log(low) * bessel_j0(low) + _polynomial(tables.Y0_NEAR, low * low)
    far = _wave(tables.P0_FAR, tables.Q0_FAR, high, s - c, -c - s)
    found = _joined(x, 2.0, near, _of_unit(tables.Y0_MIDDLE, 2, middle), far)
    return jnp.where(a > 0, found, jnp.where(a == 0, -jnp.inf, jnp.nan))


@family.elementwise("special_bessel_y1", PRECISE)
def bessel_y1(a: Array) -> Array:
    """The Bessel function of the second kind of order 1; -inf at 0, NaN below and at inf."""
    x = jnp.where(a > 0, a, 1.0)
    low, middle, high, s, c = _parts(x, 2.0)
    near = jnp.log(low) * bessel_j1(low) * (2 / math.pi) + low * _polynomial(tables.Y1_NEAR, low * low)
    near = near - (2 / math.pi) / low
    far = _wave(tables.P1_FAR, tables.Q1_FAR, high, -s - c, c - s)
    found = _joined(x, 2.0, near, _of_unit(tables.Y1_MIDDLE, 2, middle), far)
    return jnp.where(a > 0, found, jnp.where(a == 0, -jnp.inf, jnp.nan))


@family.elementwise("special_spherical_bessel_j0", PRECISE)
def spherical_bessel_j0(a: Array) -> Array:
    """``sin(a) / a``; 1 at 0, and 0 of infinities."""
    usual = jnp.sin(a) / jnp.where(a == 0, 1.0, a)
    return jnp.where(a == 0, 1.0, jnp.where(jnp.isinf(a), 0.0, usual))


# ---------------------------------------------------------------------------------------------------------
# The Airy function, for float32: the phase of its waves is not exact.

_LAST_PHASE = -(2.0**33)  # below, neighboring numbers are more than a wave apart


@family.elementwise("special_airy_ai", ("float32",))
def airy_ai(a: Array) -> Array:
    """The Airy function Ai; NaN of infinities, as in PyTorch.

    Below -10**4 float64 does not hold the phase exactly enough, and the reference computes it.
    """
    refuse_if((a < -1e4) & jnp.isfinite(a))
    is_near = (a >= -12) & (a < 2)
    near = _of_unit(tables.AIRY_NEAR, -12, jnp.where(is_near, a, 0.0))
    x = jnp.where(is_near | ~jnp.isfinite(a), 16.0, jnp.minimum(jnp.abs(a), -_LAST_PHASE))
    zeta = 2 * x * jnp.sqrt(x) / 3
    root = jnp.sqrt(jnp.sqrt(x))
    middle = _of_octave(tables.AIRY_MIDDLE, 1, jnp.clip(x, 2.0, 16 - 1e-9))
    amplitude = jnp.where(x < 16, middle, _polynomial(tables.AIRY_FAR, 1.0 / zeta) / root)
    half = jnp.exp(-zeta / 2)
    above = jnp.where(a > 200, 0.0, half * amplitude * half)
    s, c, w = jnp.sin(zeta), jnp.cos(zeta), (1.0 / zeta) ** 2
    p, q = _polynomial(tables.AIRY_P, w), _polynomial(tables.AIRY_Q, w) / zeta
    below = (p * (c + s) + q * (s - c)) / (math.sqrt(2 * math.pi) * root)
    found = jnp.where(is_near, near, jnp.where(a > 0, above, below))
    return jnp.where((a >= _LAST_PHASE) & (a < jnp.inf), found, jnp.nan)


# ---------------------------------------------------------------------------------------------------------
# The scaled error function, for float32, whose squares are exact in float64.


@family.elementwise("special_erfcx", ("float32",))
def erfcx(a: Array) -> Array:
    """``exp(a**2) * erfc(a)``: Mills' ratio; below 0 by reflection."""
    x = math.sqrt(2.0) * jnp.where(a != a, 0.0, jnp.abs(a))
    near = _polynomial(tables.MILLS_NEAR, jnp.minimum(x, 0.25))
    middle = _of_octave(tables.MILLS_MIDDLE, -2, jnp.clip(x, 0.25, _FAR - 1e-9))
    high = jnp.maximum(x, _FAR)
    far = _polynomial(tables.MILLS_FAR, (1.0 / high) ** 2) / high
    above = 2.0 * jnp.where(x < 0.25, near, jnp.where(x < _FAR, middle, far))
    found = jnp.where(a < 0, jnp.where(a > -30, 2.0 * jnp.exp(a * a) - above, jnp.inf), above)
    return jnp.where(a != a, jnp.nan, found)
