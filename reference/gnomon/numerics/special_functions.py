"""Bessel and Airy functions, functions of the normal distribution, the zeta function, and polynomials.

Functions of Python floats, in float64.  Most are polynomials in pieces of the domain (special_tables.py):
near 0 of the function itself, far from it of what its asymptotic expansion leaves: an amplitude, and for
oscillating functions a phase.  What would lose digits in float64 is computed in decimal numbers of 50 digits.

Source: Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), chapters 7, 9, 10, 22, 23.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Sequence
from decimal import Decimal

from . import special_tables as tables
from .arithmetic import cos, divide, exp, log, log1p, power, sin
from .special import digamma, erfinv

_WIDE = decimal.Context(
    prec=50, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[], rounding=decimal.ROUND_HALF_EVEN
)
_FAR_BESSEL = 25.0  # from here on, Hankel's expansion
_FAR = 32.0  # from here on, expansions of the other functions


# ---------------------------------------------------------------------------------------------------------
# Polynomials in pieces.


def _polynomial(coefficients: Sequence[float], z: float) -> float:
    result = 0.0
    for each in reversed(coefficients):
        result = result * z + each
    return result


def _of_octave(table: Sequence[Sequence[float]], first: int, x: float) -> float:
    """A function that is tabulated in four pieces of each binade, from ``2**first`` on."""
    mantissa, exponent = math.frexp(x)
    quarter = int(mantissa * 8.0) - 4
    return _polynomial(table[(exponent - 1 - first) * 4 + quarter], mantissa * 16.0 - (2 * quarter + 9))


def _of_unit(table: Sequence[Sequence[float]], first: int, x: float) -> float:
    """A function that is tabulated in pieces of length 1, from ``first`` on."""
    whole = math.floor(x)
    return _polynomial(table[whole - first], 2.0 * (x - whole) - 1.0)


# ---------------------------------------------------------------------------------------------------------
# Modified Bessel functions.


def _scaled_far(middle: Sequence[Sequence[float]], far: Sequence[float], x: float) -> float:
    """A modified Bessel function without its exponential factor, from 1 on."""
    return _of_octave(middle, 0, x) if x < _FAR else _polynomial(far, 1.0 / x) / math.sqrt(x)


def i0e(x: float) -> float:
    """``exp(-|x|) * i0(x)``."""
    x = abs(x)
    if x != x:
        return x
    if x < 1:
        return exp(-x) * _polynomial(tables.I0_NEAR, x * x)
    return _scaled_far(tables.I0_MIDDLE, tables.I0_FAR, x)


def i0(x: float) -> float:
    """The modified Bessel function of the first kind of order 0; NaN of infinities, as in PyTorch."""
    x = abs(x)
    if x < 1:
        return _polynomial(tables.I0_NEAR, x * x)
    if x > 700:  # exp(x) is infinite before the result is
        return exp(x / 2) * i0e(x) * exp(x / 2)
    return exp(x) * i0e(x)


def i1e(x: float) -> float:
    """``exp(-|x|) * i1(x)``."""
    size = abs(x)
    if x != x:
        return x
    if size < 1:
        result = exp(-size) * (size * _polynomial(tables.I1_NEAR, x * x))
    else:
        result = _scaled_far(tables.I1_MIDDLE, tables.I1_FAR, size)
    return -result if x < 0 else result


def i1(x: float) -> float:
    """The modified Bessel function of the first kind of order 1; NaN of infinities, as in PyTorch."""
    if abs(x) < 1:
        return (x if x else 0.0) * _polynomial(tables.I1_NEAR, x * x)
    if abs(x) > 700:
        return exp(abs(x) / 2) * i1e(x) * exp(abs(x) / 2)
    return exp(abs(x)) * i1e(x)


def _k_near(order: int, x: float) -> float:
    """The modified Bessel function of the second kind, up to 1."""
    if order == 0:
        return _polynomial(tables.K0_NEAR, x * x) - log(x) * i0(x)
    return divide(1.0, x) + (log(x) * i1(x) + x * _polynomial(tables.K1_NEAR, x * x))


def _scaled_k(order: int, x: float) -> float:
    if not 0 < x:
        return math.inf if x == 0 else math.nan
    if x < 1:
        return exp(x) * _k_near(order, x)
    middle, far = ((tables.K0_MIDDLE, tables.K0_FAR), (tables.K1_MIDDLE, tables.K1_FAR))[order]
    return _scaled_far(middle, far, x)


def _k(order: int, x: float) -> float:
    if 0 < x < 1:
        return _k_near(order, x)
    if x > 700:  # exp(-x) may be subnormal
        return exp(-x / 2) * _scaled_k(order, x) * exp(-x / 2)
    return exp(-x) * _scaled_k(order, x)


def scaled_modified_bessel_k0(x: float) -> float:
    """``exp(x) * modified_bessel_k0(x)``."""
    return _scaled_k(0, x)


def scaled_modified_bessel_k1(x: float) -> float:
    """``exp(x) * modified_bessel_k1(x)``."""
    return _scaled_k(1, x)


def modified_bessel_k0(x: float) -> float:
    """The modified Bessel function of the second kind of order 0; inf at 0, NaN below."""
    return _k(0, x)


def modified_bessel_k1(x: float) -> float:
    """The modified Bessel function of the second kind of order 1; inf at 0, NaN below."""
    return _k(1, x)


# ---------------------------------------------------------------------------------------------------------
# Bessel functions.  Far from 0 they are waves with the phase x - pi / 4 or x - 3 pi / 4, whose sine and
# cosine are sums of those of x.


def _wave(p: Sequence[float], q: Sequence[float], x: float, cosine: float, sine: float) -> float:
    """Hankel's expansion; the sine and cosine of the phase are given times sqrt(2)."""
    reciprocal = 1.0 / x
    w = reciprocal * reciprocal
    wave = _polynomial(p, w) * cosine - reciprocal * _polynomial(q, w) * sine
    return wave / math.sqrt(math.pi) / math.sqrt(x)


def bessel_j0(x: float) -> float:
    """The Bessel function of the first kind of order 0; NaN of infinities, as in PyTorch."""
    x = abs(x)
    if x < 1:
        return _polynomial(tables.J0_NEAR, x * x)
    if x < _FAR_BESSEL:
        return _of_unit(tables.J0_MIDDLE, 1, x)
    s, c = sin(x), cos(x)
    return _wave(tables.P0_FAR, tables.Q0_FAR, x, c + s, s - c)


def bessel_j1(x: float) -> float:
    """The Bessel function of the first kind of order 1; NaN of infinities, as in PyTorch."""
    size = abs(x)
    if size < 1:
        return x * _polynomial(tables.J1_NEAR, x * x)
    if size < _FAR_BESSEL:
        return math.copysign(1.0, x) * _of_unit(tables.J1_MIDDLE, 1, size)
    s, c = sin(size), cos(size)
    return math.copysign(1.0, x) * _wave(tables.P1_FAR, tables.Q1_FAR, size, s - c, -s - c)


def bessel_y0(x: float) -> float:
    """The Bessel function of the second kind of order 0; -inf at 0, NaN below and at inf."""
    if not 0 < x:
        return -math.inf if x == 0 else math.nan
    if x < 2:
        return 2 / math.pi * log(x) * bessel_j0(x) + _polynomial(tables.Y0_NEAR, x * x)
    if x < _FAR_BESSEL:
        return _of_unit(tables.Y0_MIDDLE, 2, x)
    s, c = sin(x), cos(x)
    return _wave(tables.P0_FAR, tables.Q0_FAR, x, s - c, -c - s)


def bessel_y1(x: float) -> float:
    """The Bessel function of the second kind of order 1; -inf at 0, NaN below and at inf."""
    if not 0 < x:
        return -math.inf if x == 0 else math.nan
    if x < 2:
        near = log(x) * bessel_j1(x) * (2 / math.pi) + x * _polynomial(tables.Y1_NEAR, x * x)
        return near - divide(2 / math.pi, x)
    if x < _FAR_BESSEL:
        return _of_unit(tables.Y1_MIDDLE, 2, x)
    s, c = sin(x), cos(x)
    return _wave(tables.P1_FAR, tables.Q1_FAR, x, -s - c, c - s)


def spherical_bessel_j0(x: float) -> float:
    """``sin(x) / x``; 1 at 0, and 0 of infinities."""
    if x == 0:
        return 1.0
    return 0.0 if abs(x) == math.inf else sin(x) / x


# ---------------------------------------------------------------------------------------------------------
# The Airy function.

_LAST_PHASE = -(2.0**33)  # below, neighboring numbers are more than a wave apart


def _phase(x: float) -> tuple[float, Decimal]:
    """``2 / 3 x**1.5``, rounded, and what rounding left out."""
    with decimal.localcontext(_WIDE):
        exact = 2 * Decimal(x) * Decimal(x).sqrt() / 3
        near = float(exact)
        return near, exact - Decimal(near)


def airy_ai(x: float) -> float:
    """The Airy function Ai; NaN of infinities, as in PyTorch, and below -2**33."""
    if not _LAST_PHASE <= x < math.inf:
        return math.nan
    if -12 <= x < 2:
        return _of_unit(tables.AIRY_NEAR, -12, x)
    if x > 200:  # a product of x below would be infinite
        return 0.0
    zeta, rest = _phase(abs(x))
    if x > 0:
        if x < 16:
            amplitude = _of_octave(tables.AIRY_MIDDLE, 1, x)
        else:
            amplitude = _polynomial(tables.AIRY_FAR, 1.0 / zeta) / math.sqrt(math.sqrt(x))
        half = exp(-zeta / 2)
        return half * (amplitude * math.exp(-float(rest))) * half
    s, c = sin(zeta), cos(zeta)
    small_s, small_c = math.sin(rest), math.cos(rest)
    s, c = s * small_c + c * small_s, c * small_c - s * small_s
    w = (1.0 / zeta) ** 2
    p, q = _polynomial(tables.AIRY_P, w), _polynomial(tables.AIRY_Q, w) / zeta
    return (p * (c + s) + q * (s - c)) / (math.sqrt(2 * math.pi) * math.sqrt(math.sqrt(-x)))


# ---------------------------------------------------------------------------------------------------------
# Functions of the normal distribution.  Mills' ratio, here times the density's constant, has no exponential
# factor: the distribution function of -x is exp(-x**2 / 2) times it.


def _mills(x: float) -> float:
    if x < 0.25:
        return _polynomial(tables.MILLS_NEAR, x)
    if x < _FAR:
        return _of_octave(tables.MILLS_MIDDLE, -2, x)
    return _polynomial(tables.MILLS_FAR, (1.0 / x) ** 2) / x


def _exp_of_square(x: float, factor: float) -> float:
    """``exp(factor * x**2)``, of the exact square: exp magnifies the rounding error of a large one."""
    with decimal.localcontext(_WIDE):
        exact = Decimal(factor) * Decimal(x) * Decimal(x)
        near = float(exact)
        return exp(near) * (1.0 + float(exact - Decimal(near)))


def ndtr(x: float) -> float:
    """The normal distribution function: the probability of at most x."""
    if x != x:
        return x
    if x > 0:
        return 1.0 - ndtr(-x)
    return 0.0 if x < -40 else _exp_of_square(x, -0.5) * _mills(-x)


def log_ndtr(x: float) -> float:
    """The logarithm of ``ndtr(x)``, also where that is 0."""
    if x != x:
        return x
    return log1p(-ndtr(-x)) if x > 0 else log(_mills(-x)) - x * x / 2


def erfcx(x: float) -> float:
    """``exp(x**2) * erfc(x)``."""
    if x != x:
        return x
    if x < 0:
        return 2.0 * _exp_of_square(x, 1.0) - erfcx(-x) if x > -30 else math.inf
    return 2.0 * _mills(math.sqrt(2.0) * x)


def ndtri(p: float) -> float:
    """The inverse of ndtr: -inf at 0, inf at 1, NaN outside.

    In the tails Newton's method for the logarithm of the distribution function, which is concave: from
    below, no step goes too far.
    """
    if not 0 < p < 1:
        return math.copysign(math.inf, p - 0.5) if p in (0, 1) else math.nan
    if 0.25 <= p <= 0.75:
        return math.sqrt(2.0) * erfinv(2.0 * p - 1.0)
    if p > 0.5:
        return -ndtri(1.0 - p)
    logarithm = math.log(p)
    x = -math.sqrt(-2.0 * logarithm)
    for _ in range(6):
        x += (logarithm - log_ndtr(x)) * math.sqrt(2.0 * math.pi) * _mills(-x)
    return x


# ---------------------------------------------------------------------------------------------------------
# Entropy, logarithms, and the zeta function.


def entr(x: float) -> float:
    """``-x * log(x)``; 0 at 0, -inf below."""
    if x > 0:
        return -x * log(x)
    return x if x != x else 0.0 if x == 0 else -math.inf


def xlog1py(a: float, b: float) -> float:
    """``a * log1p(b)``; NaN if b is NaN, else 0 if a is 0."""
    if b != b:
        return b
    return 0.0 if a == 0 else a * log1p(b)


# B(2k) / (2k)!
_BERNOULLI = tuple(
    float(Decimal(over) / Decimal(under) / math.factorial(2 * k))
    for k, (over, under) in enumerate(
        [
            *((1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510)),
            *((43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730)),
        ],
        1,
    )
)


def zeta(s: float, q: float) -> float:
    """Hurwitz' zeta function: the sum of ``(q + k)**-s`` over k = 0, 1 …

    inf at s = 1 and at the poles 0, -1, -2 …, NaN for s < 1, and for a negative q if s is not an integer.
    """
    if s == 1:
        return math.inf
    if s < 1:
        return math.nan
    if q <= 0 and (q == -math.inf or q == math.floor(q)):
        return math.inf
    if s == math.inf:  # as in PyTorch
        return math.inf if q < 1 else 1.0 if q == 1 else math.nan
    if s != s or q != q or q == math.inf or (q < 0 and s != math.floor(s)):
        return math.nan
    if q > 0:
        return _zeta_of_positive(s, q)
    # The terms below 0 are, up to their signs, those of a sum from ``below`` on without those from 1 - q on.
    floor = math.floor(q)
    above, below = _zeta_of_positive(s, q - floor), _zeta_of_positive(s, floor + 1.0 - q)
    rest = _zeta_of_positive(s, 1.0 - q)
    return above + below - rest if s % 2 == 0 else above - below + rest


def _zeta_of_positive(s: float, q: float) -> float:
    """Terms one by one, and from about s on the formula of Euler and Maclaurin.

    Large powers magnify what rounding left out of ``q + k``: its share is subtracted.
    """
    terms: list[float] = []
    k = 0.0
    while True:
        a = q + k
        back = a - q
        rest = (q - (a - back)) + (k - back)
        term, integral = power(a, -s), power(a, 1.0 - s) / (s - 1.0)
        if term + integral <= 1e-19 * math.fsum(terms):  # the others are negligible
            return math.fsum(terms) if math.inf not in terms else math.inf
        if a > s + 12:
            break
        terms.append(term * (1.0 - s * rest / a))
        k += 1.0
    terms += [integral, term / 2, -rest * term * (1.0 + s / (2 * a))]
    rising = term * s / a  # s (s + 1) … (s + 2k - 2) / a**(s + 2k - 1)
    for n, each in enumerate(_BERNOULLI, 1):
        terms.append(each * rising)
        rising *= (s + 2 * n - 1) / a * ((s + 2 * n) / a)
    return math.fsum(terms)


def polygamma(n: int, a: float) -> float:
    """The n-th derivative of digamma: (-1)**(n + 1) * n! * zeta(n + 1, a).

    At inf, where the limit is 0, PyTorch returns 0 for n = 1, which has its own function (trigamma), and NaN
    for larger n; at -inf NaN for n = 1, and a pole for larger n.  Orders beyond 32 bits give NaN.
    """
    if n == 0:
        return digamma(a)
    if n >= 2**31 - 1:
        return math.nan
    if n == 1 and math.isinf(a):
        return 0.0 if a > 0 else math.nan
    if n == 1 and -math.inf < a < 0 and a != math.floor(a):  # only this order has a simple reflection
        ratio = math.pi / math.sin(math.pi * math.remainder(a, 1.0))
        return ratio * ratio - polygamma(1, 1.0 - a)  # a power would raise OverflowError
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    return (1 if n % 2 else -1) * factorial * zeta(n + 1.0, a)


# ---------------------------------------------------------------------------------------------------------
# Orthogonal polynomials, in decimal numbers: in float64 their recurrences lose digits.

_LAST_ORDER = 2**26
_LAST_STEPS = 2**20  # of the recurrences that take a step for each order
_LAST_HERMITE = 512  # PyTorch's limit


def _of_order(last: int, at_infinity: float = 1.0) -> Callable[..., Callable[[float, float], float]]:
    """A polynomial of x and its order n, from a function of a Decimal and an int, for n > 0.

    The order is truncated to 64 bits: below 0 the result is 0, as in PyTorch, and beyond ``last`` NaN.
    ``at_infinity`` has the sign of the leading coefficient of odd orders.
    """

    def decorate(function: Callable[[Decimal, int], Decimal]) -> Callable[[float, float], float]:
        def polynomial(x: float, n: float) -> float:
            order = int(n) if -(2.0**63) <= n < 2.0**63 else -1
            if order <= 0:
                return 1.0 if order == 0 else 0.0
            if x != x or order > last:
                return math.nan
            if abs(x) == math.inf:
                return math.inf if order % 2 == 0 else at_infinity * x
            with decimal.localcontext(_WIDE):
                return float(function(Decimal(x), order))

        polynomial.__doc__ = function.__doc__
        return polynomial

    return decorate


def _chebyshev(x: Decimal, n: int) -> tuple[Decimal, Decimal]:
    """The polynomials of the first kind of order n, and of the second of order n - 1.

    T(n) + sqrt(x**2 - 1) U(n - 1) is the n-th power of x + sqrt(x**2 - 1).
    """
    square = x * x - 1
    t, u = Decimal(1), Decimal(0)
    for bit in f"{n:b}":
        t, u = 2 * t * t - 1, 2 * t * u
        if bit == "1":
            t, u = x * t + square * u, t + x * u
    return t, u


@_of_order(_LAST_ORDER)
def chebyshev_polynomial_t(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the first kind, ``cos(n * acos(x))``."""
    return _chebyshev(x, n)[0]


@_of_order(_LAST_ORDER)
def chebyshev_polynomial_u(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the second kind, ``sin((n + 1) * acos(x)) / sin(acos(x))``."""
    t, u = _chebyshev(x, n)
    return t + x * u


@_of_order(_LAST_ORDER)
def chebyshev_polynomial_v(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the third kind, ``cos((n + 1/2) * acos(x)) / cos(acos(x) / 2)``."""
    t, u = _chebyshev(x, n)
    return t + (x - 1) * u


@_of_order(_LAST_ORDER)
def chebyshev_polynomial_w(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the fourth kind, ``sin((n + 1/2) * acos(x)) / sin(acos(x) / 2)``."""
    t, u = _chebyshev(x, n)
    return t + (x + 1) * u


@_of_order(_LAST_ORDER)
def shifted_chebyshev_polynomial_t(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the first kind of ``2 * x - 1``."""
    return _chebyshev(2 * x - 1, n)[0]


@_of_order(_LAST_ORDER)
def shifted_chebyshev_polynomial_u(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the second kind of ``2 * x - 1``."""
    t, u = _chebyshev(2 * x - 1, n)
    return t + (2 * x - 1) * u


@_of_order(_LAST_ORDER)
def shifted_chebyshev_polynomial_v(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the third kind of ``2 * x - 1``."""
    t, u = _chebyshev(2 * x - 1, n)
    return t + (2 * x - 2) * u


@_of_order(_LAST_ORDER)
def shifted_chebyshev_polynomial_w(x: Decimal, n: int) -> Decimal:
    """Chebyshev's polynomial of the fourth kind of ``2 * x - 1``."""
    t, u = _chebyshev(2 * x - 1, n)
    return t + 2 * x * u


@_of_order(_LAST_HERMITE)
def hermite_polynomial_h(x: Decimal, n: int) -> Decimal:
    """Hermite's polynomial for the weight ``exp(-x**2)``."""
    before, value = Decimal(1), 2 * x
    for k in range(1, n):
        before, value = value, 2 * x * value - 2 * k * before
    return value


@_of_order(_LAST_HERMITE)
def hermite_polynomial_he(x: Decimal, n: int) -> Decimal:
    """Hermite's polynomial for the weight ``exp(-x**2 / 2)``."""
    before, value = Decimal(1), x
    for k in range(1, n):
        before, value = value, x * value - k * before
    return value


@_of_order(_LAST_STEPS, at_infinity=-1.0)
def laguerre_polynomial_l(x: Decimal, n: int) -> Decimal:
    """Laguerre's polynomial."""
    before, value = Decimal(1), 1 - x
    for k in range(1, n):
        before, value = value, ((2 * k + 1 - x) * value - k * before) / (k + 1)
    return value


@_of_order(_LAST_STEPS)
def legendre_polynomial_p(x: Decimal, n: int) -> Decimal:
    """Legendre's polynomial."""
    before, value = Decimal(1), x
    for k in range(1, n):
        before, value = value, ((2 * k + 1) * x * value - k * before) / (k + 1)
    return value
