"""Special functions of Python numbers: gamma and its relatives, the inverse error function, logaddexp.

All are computed in float64 and, as in arithmetic.py, return a value where Python would raise.
"""

from __future__ import annotations

import math
from typing import Any

from .arithmetic import exp, exp2, log1p, maximum

inf = math.inf
nan = math.nan


# B(2k) / (2k)!, for the Euler-Maclaurin formula
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
_SHIFT = 12  # from here on the asymptotic series have float64 precision


def _zeta_less_one(k: int) -> float:
    """The sum of n**-k over n = 2, 3 …, by the Euler-Maclaurin formula."""
    terms = [float(n) ** -k for n in range(2, _SHIFT)]
    terms += [_SHIFT ** (1.0 - k) / (k - 1), 0.5 * _SHIFT**-k]
    rising = k / _SHIFT ** (k + 1.0)
    for n, each in enumerate(_BERNOULLI, 1):
        terms.append(each * rising)
        rising *= (k + 2 * n - 1) * (k + 2 * n) / _SHIFT**2
    return math.fsum(terms)


# Of lgamma(2 + e) in powers of e: 1 - Euler's constant, then (-1)**k * (zeta(k) - 1) / k.
_AT_TWO = (0.42278433509846714, *((-1) ** k * _zeta_less_one(k) / k for k in range(2, 42)))


def lgamma(a: float) -> float:
    """The logarithm of |gamma(a)|; inf at the poles 0, -1, -2 …

    From -12 to 12, where few digits of Python's may be right, by the series at 2 (Abramowitz and Stegun,
    6.1.33) and ``gamma(a + 1) = a gamma(a)``.
    """
    if -12 <= a < -0.5:
        return lgamma(a + 1) - math.log(-a)
    if 2.5 < a <= 12:
        return lgamma(a - 1) + math.log(a - 1)
    if -0.5 <= a <= 2.5 and a != 0:
        e = a if a < 0.5 else a - 1 if a < 1.25 else a - 2
        series = 0.0
        for term in reversed(_AT_TWO):
            series = (series + term) * e
        series = series if a >= 1.25 else series - math.log1p(e)
        return series if a >= 0.5 else series - math.log(abs(a))
    try:
        return math.lgamma(a)
    except (ValueError, OverflowError):
        return inf


def logaddexp(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), without overflow."""
    if a == b and a.real in (inf, -inf):
        return a
    larger, smaller = (a, b) if a.real >= b.real or a != a else (b, a)
    return larger + log1p(exp(smaller - larger))


def logaddexp2(a: float, b: float) -> float:
    """log2(2**a + 2**b), without overflow."""
    if a == b and a in (inf, -inf):
        return a
    return maximum(a, b) + log1p(exp2(-abs(a - b))) / math.log(2.0)


def erfinv(a: float) -> float:
    """The x with erf(x) = a: Winitzki's approximation, then steps of Halley's method.

    Near 1 the steps compare erfc(x) with 1 - |a|, which is exact there, like erf(x) near 0.
    """
    if a in (0.0, 1.0, -1.0):
        return a if a == 0 else math.copysign(inf, a)
    if not abs(a) < 1:
        return nan
    size = abs(a)
    logarithm = math.log1p(-size * size)
    first = 2 / (math.pi * 0.147) + logarithm / 2
    x = math.sqrt(math.sqrt(first * first - logarithm / 0.147) - first)
    for _ in range(3):
        error = math.erf(x) - size if size < 0.5 else (1 - size) - math.erfc(x)
        step = error / (2 / math.sqrt(math.pi) * math.exp(-x * x))
        x -= step / (1 + x * step)
    return math.copysign(x, a)


def digamma(a: float) -> float:
    """The derivative of lgamma: reflected below 0, shifted up, then the asymptotic series.

    NaN at -1, -2 …; at 0 an infinity of the opposite sign.  Abramowitz and Stegun, 6.3.
    """
    if a == 0:
        return math.copysign(inf, -a)
    if a == -inf or (a < 0 and a == math.floor(a)):
        return nan
    if a < 0:
        return digamma(1.0 - a) - math.pi / math.tan(math.pi * math.remainder(a, 1.0))
    if a == inf:
        return inf
    shifted = 0.0
    while a < _SHIFT:
        shifted -= 1.0 / a
        a += 1.0
    series = 0.0
    for k, term in reversed(list(enumerate(_BERNOULLI, 1))):
        series = (series + term * math.factorial(2 * k - 1)) / (a * a)
    return shifted + math.log(a) - 0.5 / a - series
