"""Special functions that NumPy lacks: erf and relatives, the gamma function's relatives, integer powers.

All are computed in float64.  Functions that Python's math or a series computes accurately but slowly are
evaluated once, at the nodes of a Chebyshev interpolation; after that every call is a polynomial.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from .arrays import Array

# B(2k) / (2k)!, for the Euler-Maclaurin formula
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
_SHIFT = 12  # from here on the asymptotic series are accurate to float64


# ---------------------------------------------------------------------------------------------------------
# The error function.

_ERF_TERMS = 20  # of the series around 0, up to |x| = 1
# (erf(x) - x) / x in powers of x * x; the first is 2 / sqrt(pi) - 1, to its own last digit
_ERF_SERIES = [
    0.12837916709551257,
    *(2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(1, _ERF_TERMS)),
]
_MIDDLE = 3.75  # the x at which the interpolation variable is 0
_NODES = 34
_DEGREE = 23  # higher coefficients are only noise


def _exp_of_minus_square(x: Array) -> Array:
    """exp(-x * x), with the square split into an exact and a small part: exp magnifies its rounding error."""
    x = np.minimum(x, 40.0)  # where the result is 0
    upper = np.floor(x * 2.0**20) * 2.0**-20
    return np.exp(-upper * upper) * np.exp(-(x - upper) * (x + upper))


@functools.lru_cache(maxsize=1)
def _scaled_erfc() -> Array:
    """Chebyshev coefficients of ``(1 + 2 x) exp(x * x) erfc(x)`` in ``t = (x - 3.75) / (x + 3.75)``."""
    # cosines of (2 k + 1) j / (2 n) half turns, reduced to one turn, where they are accurate to the last bit
    cosines = [math.cos(math.pi * turn / (2 * _NODES)) for turn in range(4 * _NODES)]
    values = []
    for k in range(_NODES):
        x = _MIDDLE * (1 + cosines[2 * k + 1]) / (1 - cosines[2 * k + 1])
        values.append((1 + 2 * x) * _slow_erfcx(x))
    coefficients = [
        2 / _NODES * math.fsum(v * cosines[(2 * k + 1) * j % (4 * _NODES)] for k, v in enumerate(values))
        for j in range(_DEGREE + 1)
    ]
    return np.array([coefficients[0] / 2, *coefficients[1:]])


def _slow_erfcx(x: float) -> float:
    """exp(x * x) * erfc(x), by Python's erfc, and for x >= 2 by the continued fraction."""
    if x < 2:
        upper = math.floor(x * 2.0**20) * 2.0**-20
        return math.exp(upper * upper) * math.exp((x - upper) * (x + upper)) * math.erfc(x)
    fraction = x
    for n in range(200, 0, -1):
        fraction = x + n / 2 / fraction
    return 1 / (math.sqrt(math.pi) * fraction)


def _erfc_of_positive(x: Array) -> Array:
    t = np.where(np.isinf(x), 1.0, (x - _MIDDLE) / (x + _MIDDLE))
    first, *rest = _scaled_erfc()  # the first is by far the largest, so it is added last
    scaled = first + np.polynomial.chebyshev.chebval(t, [0.0, *rest])
    return _exp_of_minus_square(x) * (scaled / (1 + 2 * np.minimum(x, 40.0)))


def _erf_beyond_x(x: Array) -> Array:
    """erf(x) - x for |x| < 1, which is small, so that its error vanishes when x is added."""
    square = x * x
    series = np.zeros_like(x)
    for coefficient in reversed(_ERF_SERIES):
        series = series * square + coefficient
    return x * series


def erf(x: Array) -> Array:
    """The error function: its series near 0, else 1 - erfc."""
    size = np.abs(x)
    is_near = size < 1
    small = np.where(is_near, x, 0.0)
    return np.where(is_near, small + _erf_beyond_x(small), np.copysign(1 - _erfc_of_positive(size), x))


def erfc(x: Array) -> Array:
    """1 - erf(x), accurate also where it is small."""
    size = np.abs(x)
    far = _erfc_of_positive(size)
    is_near = size < 1
    small = np.where(is_near, x, 0.0)
    near = (1 - small) - _erf_beyond_x(small)
    return np.where(is_near, near, np.where(x < 0, 2 - far, far))


def erfinv(a: Array) -> Array:
    """The x with erf(x) = a: Winitzki's approximation, then Halley steps.

    Near 1 the steps compare erfc(x) with 1 - |a|, which is exact there; near 0 they compare erf(x) with |a|.
    """
    size = np.where(np.abs(a) < 1, np.abs(a), 0.0)
    logarithm = np.log1p(-size * size)
    first = 2 / (math.pi * 0.147) + logarithm / 2
    x = np.sqrt(np.maximum(np.sqrt(first * first - logarithm / 0.147) - first, 0.0))
    for _ in range(3):
        error = np.where(size < 0.5, erf(x) - size, (1 - size) - erfc(x))
        step = error / (2 / math.sqrt(math.pi) * np.exp(-x * x))
        x = x - step / (1 + x * step)
    inside = np.copysign(x, a)
    return np.where(np.abs(a) == 1, np.copysign(np.inf, a), np.where(np.abs(a) < 1, inside, np.nan))


# ---------------------------------------------------------------------------------------------------------
# The gamma function's logarithm and its derivatives.


def _zeta_minus_1(s: int) -> float:
    """The sum of n**-s over n = 2, 3 …"""
    head = math.fsum(n ** float(-s) for n in range(2, _SHIFT))
    tail = _SHIFT ** (1.0 - s) / (s - 1) + _SHIFT ** float(-s) / 2
    rising = float(s)
    for k, term in enumerate(_BERNOULLI, 1):
        tail += term * rising * _SHIFT ** (1.0 - s - 2 * k)
        rising *= (s + 2 * k - 1) * (s + 2 * k)
    return head + tail


@functools.lru_cache(maxsize=1)
def _lgamma_series() -> list[float]:
    """The coefficients of lgamma(2 + z) / z in powers of z."""
    return [1 - float(np.euler_gamma), *((-1) ** k * _zeta_minus_1(k) / k for k in range(2, 40))]


def _lgamma_near_two(z: Array) -> Array:
    """lgamma(2 + z) for |z| <= 1/2, accurate also near its zero."""
    series = np.zeros_like(z)
    for coefficient in reversed(_lgamma_series()):
        series = series * z + coefficient
    return z * series


def _lgamma_of_large(x: Array) -> Array:
    """lgamma by Stirling's series, for x >= _SHIFT."""
    square = x * x
    series = np.zeros_like(x)
    for k in range(len(_BERNOULLI), 0, -1):
        series = series / square + _BERNOULLI[k - 1] * math.factorial(2 * k - 2)
    return (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + series / x


def _lgamma_of_positive(x: Array) -> Array:
    """lgamma of positive x: by the series around 2 after shifting by factors, by Stirling's if x is large."""
    is_large, is_small = x >= _SHIFT, x < 0.5
    middle = np.where(is_large | ~(x >= 0.5), 2.0, x)
    factor = np.ones_like(middle)
    for _ in range(_SHIFT - 2):
        is_above = middle > 2.5
        middle = np.where(is_above, middle - 1, middle)
        factor = np.where(is_above, factor * middle, factor)
    is_below = middle < 1.5  # x is written as 1 + z, a small one as 0 + z
    z = np.where(is_small, x, np.where(is_below, middle - 1, middle - 2))
    near = _lgamma_near_two(z) + np.log(factor) - np.where(is_below | is_small, np.log1p(z), 0.0)
    near = np.where(is_small, near - np.log(z), near)
    large = _lgamma_of_large(np.where(is_large, x, _SHIFT))
    return np.where(is_large, np.where(np.isinf(x), np.inf, large), near)


def lgamma(x: Array) -> Array:
    """The logarithm of |gamma(x)|; inf at the poles 0, -1, -2 …, reflected below 0."""
    size = np.abs(x)
    right = _lgamma_of_positive(size)
    fraction = np.where(np.isinf(x), 0.0, np.abs(x - np.rint(x)))
    reflected = math.log(math.pi) - np.log(np.abs(np.sin(math.pi * fraction)) * size) - right
    left = np.where(fraction == 0, np.inf, np.where(size < 1e-20, -np.log(size), reflected))
    return np.where(np.isnan(x), x, np.where(x < 0, left, right))


def _shifted_up(a: Array, add: float, power: float) -> tuple[Array, Array]:
    """``a`` incremented until it reaches _SHIFT, and the sum of ``add * a**power`` over earlier values."""
    total = np.zeros_like(a)
    for _ in range(_SHIFT):
        is_small = a < _SHIFT
        total = np.where(is_small, total + add * a**power, total)
        a = np.where(is_small, a + 1, a)
    return a, total


def digamma(a: Array) -> Array:
    """The derivative of lgamma: reflected below 0, shifted up, then the asymptotic series.

    NaN at -1, -2 …; at 0 an infinity of the opposite sign.  Abramowitz and Stegun, 6.3.
    """
    is_reflected = a < 0
    positive, total = _shifted_up(np.where(is_reflected, 1 - a, a), -1.0, -1.0)
    series = np.zeros_like(a)
    for k in range(len(_BERNOULLI), 0, -1):
        series = (series + _BERNOULLI[k - 1] * math.factorial(2 * k - 1)) / (positive * positive)
    result = total + np.log(positive) - 0.5 / positive - series
    result = np.where(is_reflected, result - math.pi / np.tan(math.pi * np.fmod(a, 1.0)), result)
    is_pole = (a == -np.inf) | (is_reflected & (a == np.floor(a)))
    result = np.where(is_pole, np.nan, np.where(a == np.inf, np.inf, result))
    return np.where(a == 0, np.copysign(np.inf, -a), result)


def hurwitz_zeta(s: int, a: Array) -> Array:
    """The sum of (a + k)**-s over k = 0, 1 …, for s > 1; inf at the poles 0, -1, -2 … -inf, NaN at inf.

    The terms below 0 are, up to their signs, those of a sum of positive terms without the last of them.
    """
    is_pole = (a <= 0) & (a == np.floor(a))
    is_below = (a < 0) & ~is_pole
    floor = np.where(is_below, np.floor(a), 0.0)
    above = _zeta_of_positive(s, np.where(is_pole, np.nan, a - floor))
    if np.any(is_below):
        below = _zeta_of_positive(s, np.where(is_below, floor + 1 - a, np.nan))
        rest = _zeta_of_positive(s, np.where(is_below, 1 - a, np.nan))
        both = above + below - rest if s % 2 == 0 else above - below + rest
        above = np.where(is_below, both, above)
    return np.where(is_pole, np.inf, np.where(a == np.inf, np.nan, above))


def _zeta_of_positive(s: int, a: Array) -> Array:
    """The first terms, and the rest by the Euler-Maclaurin formula, which is exact from twice s on.

    If s is larger than 200, the terms vanish before.
    """
    shift = max(_SHIFT, min(2 * s, 400))
    total = np.zeros_like(a)
    while np.any(is_low := a < shift):
        total = np.where(is_low, total + a ** float(-s), total)
        a = np.where(is_low, a + 1, a)
    total = total + a ** (1.0 - s) / (s - 1) + a ** float(-s) / 2
    rising = float(s)  # s (s + 1) … (s + 2k - 2)
    for k, term in enumerate(_BERNOULLI, 1):
        total = total + term * rising * a ** (1.0 - s - 2 * k)
        rising *= (s + 2 * k - 1) * (s + 2 * k)
    return total


def polygamma(a: Array, n: int) -> Array:
    """The n-th derivative of digamma: (-1)**(n + 1) * n! * zeta(n + 1, a)."""
    if n == 0:
        return digamma(a)
    if n >= 2**31 - 1:
        return np.full(a.shape, np.nan)
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    sign = 1.0 if n % 2 else -1.0
    if n > 1:
        return sign * factorial * hurwitz_zeta(n + 1, a)
    is_reflected = (a < 0) & (a != np.floor(a))  # n = 1: its reflection formula is simple
    right = hurwitz_zeta(2, np.where(is_reflected, 1 - a, a))
    result = np.where(is_reflected, (math.pi / np.sin(math.pi * np.fmod(a, 1.0))) ** 2 - right, right)
    return np.where(np.isinf(a), np.where(a > 0, 0.0, np.nan), result)


# ---------------------------------------------------------------------------------------------------------
# Integers.


def integer_power(a: Array, exponent: Array) -> Array:
    """Powers that wrap around; for a negative exponent the truncated reciprocal: 1, -1 or 0."""
    powers = np.power(a, np.maximum(exponent, 0))
    if exponent.dtype.kind == "u" or not np.any(exponent < 0):
        return powers
    is_odd = exponent % 2 != 0
    reciprocal = np.where(a == 1, 1, np.where(a == -1, np.where(is_odd, -1, 1), 0)).astype(a.dtype)
    return np.where(exponent < 0, reciprocal, powers)
