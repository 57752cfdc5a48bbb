"""The incomplete gamma functions, and how samples of gamma and beta variables move with their parameters.

Each is the integral of a density over the values below x, or over those above it.  Short series are summed,
in decimal numbers of enough digits where terms cancel; other integrals are divided by the density at x, and
computed by quadrature on the side on which all terms are positive.

Source: Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients" (2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext

from .arithmetic import exp, log1p
from .special import digamma

_STEP = 1 / 8
_FIRST = -3.75  # where y is below 1e-19 of its scale
_MANY = 64.0  # from this parameter on the series are longer than the quadrature
_FAR = 2000.0  # exp(-x) is 0, even times the powers below

_HALF = Decimal("0.5")
_PI = Decimal("3.141592653589793238462643383279502884197169399375105820974944592")
# Stirling's series of log(gamma): powers of 1 / a, numerators and denominators.
_STIRLING = (
    (1, 1, 12), (3, -1, 360), (5, 1, 1260), (7, -1, 1680), (9, 1, 1188), (11, -691, 360360), (13, 1, 156),
    (15, -3617, 122400), (17, 43867, 244188), (19, -174611, 125400), (21, 77683, 5796),
)  # fmt: skip


def integral(function: Callable[[float], float], scale: float) -> float:
    """The integral from 0 to infinity of a positive function that decays like ``exp(-y / scale)`` or slower.

    Trapezoidal rule after ``y = scale * exp(w - exp(-w))``, with which the integrand decays doubly
    exponentially on both sides.  Source: Takahasi and Mori, "Double exponential formulas for numerical
    integration" (1974).
    """
    terms, w = [0.0], _FIRST
    while w <= 0 or terms[-1] > 1e-17 * max(terms):
        left = exp(-w)
        y = scale * exp(w - left)
        terms.append(function(y) * y * (1.0 + left))
        w += _STEP
    terms = [term * _STEP for term in terms]
    return math.fsum(terms) if sum(terms) < math.inf else math.inf


def _log_rest(t: float) -> float:
    """``t - log1p(t)``, without cancellation near 0: by the series of log1p over ``s = t / (2 + t)``."""
    if abs(t) > 0.5:
        return t - log1p(t)
    s = t / (2.0 + t)
    return t * s - 2.0 * sum(s**k / k for k in range(27, 2, -2))


def _exp_rest(y: float) -> float:
    """``y + expm1(-y)``, without cancellation near 0."""
    if abs(y) > 0.5:
        return y + math.expm1(-y)
    return y * y * sum((-y) ** k / math.factorial(k + 2) for k in range(13, -1, -1))


def _log_over_mean(a: float, x: float) -> float:
    """``log(x) - digamma(a)`` of large a, where they may be nearly equal, by the asymptotic series."""
    square = a * a
    ratio = log1p((x - a) / a) if x > 0.5 * a else math.log(x) - math.log(a)
    return ratio + (0.5 + (1 / 12 - (1 / 120 - 1 / 252 / square) / square) / a) / a


def _density_above(a: float, x: float, s: float) -> float:
    """The density of Gamma(a, 1) at ``x + s``, divided by that at x."""
    if a < _MANY:
        return exp((a - 1.0) * log1p(s / x) - s)
    return exp(-(a - 1.0) * _log_rest(s / x) - (x - a + 1.0) * (s / x))


def _density_below(a: float, x: float, y: float) -> float:
    """The density of Gamma(a, 1) at ``x * exp(-y)``, with that factor, divided by the density at x."""
    return exp(-(a - x) * y - x * _exp_rest(y))


def _lower(a: Decimal, x: Decimal) -> Decimal:
    """The lower incomplete gamma function times a, by a series of positive terms, in the context's digits."""
    total = term = Decimal(1)
    n = a
    while total + term != total:
        n += 1
        term *= x / n
        total += term
    return x**a * (-x).exp() * total


def _share_below(a: float, x: float) -> Decimal:
    """igamma for a below _MANY: 40 digits of it and of its distance from 1."""
    digits = 40 + int(x / 2.3) - min(0, Decimal(a).adjusted())
    with localcontext(Context(digits)):
        all_of_it = Decimal(3 * digits + 2 * _MANY)  # so much is 1 less than one digit
        return _lower(Decimal(a), Decimal(x)) / _lower(Decimal(a), all_of_it)


def _gamma_density(a: float, x: float) -> float:
    """``x**a * exp(-x) / gamma(a + 1)`` for a from _MANY on, of an exponent whose terms cancel."""
    with localcontext(Context(40 + max(0, Decimal(a).adjusted(), Decimal(x).adjusted()))):
        power, value = Decimal(a), Decimal(x)
        series = sum(Decimal(term) / (divisor * power**k) for k, term, divisor in _STIRLING)
        log_gamma = (power + _HALF) * power.ln() - power + (2 * _PI).ln() / 2 + series  # of a + 1
        return float((power * value.ln() - value - log_gamma).exp())


def _far_below(a: float, x: float) -> float:
    """igamma for a from _MANY on, and x up to about a: values are ``x * exp(-y)``."""
    return _gamma_density(a, x) * a * integral(lambda y: _density_below(a, x, y), 1.0 / a)


def _far_above(a: float, x: float) -> float:
    """igammac for a from _MANY on, and x from about a on: values are ``x + s``."""
    return _gamma_density(a, x) * (a / x) * integral(lambda s: _density_above(a, x, s), 1.0)


def igamma(a: float, x: float) -> float:
    """The regularized lower incomplete gamma function: the probability of at most x under Gamma(a, 1).

    NaN for negative arguments, and where both are 0 or infinite; limits for one of them hold for any other,
    as in PyTorch even for NaN.  Source: torch.igamma.
    """
    if a < 0 or x < 0 or (a == x and a in (0.0, math.inf)):
        return math.nan
    if a == 0 and x > 0:
        return 1.0
    if x == 0 or a == math.inf:
        return 0.0
    if x == math.inf:
        return 1.0
    if a != a or x != x:
        return math.nan
    if a < _MANY:
        return float(_share_below(a, x)) if x < _FAR else 1.0
    return _far_below(a, x) if x <= a else 1.0 - _far_above(a, x)


def igammac(a: float, x: float) -> float:
    """The regularized upper incomplete gamma function, ``1 - igamma(a, x)``, without cancellation."""
    if not (0 < a < math.inf and 0 < x < math.inf):
        return 1.0 - igamma(a, x)
    if a < _MANY:
        with localcontext(Context(1000)):
            return float(1 - _share_below(a, x)) if x < _FAR else 0.0
    return 1.0 - _far_below(a, x) if x <= a else _far_above(a, x)


def standard_gamma_grad(a: float, x: float) -> float:
    """The derivative of a sample x of Gamma(a, 1) by a, for a fixed probability of smaller values.

    It is ``-dP(a, x)/da`` divided by the density, for P = igamma.  Source:
    aten/src/ATen/native/Distributions.h, standard_gamma_grad_one, which approximates it with three to four
    digits.
    """
    if not (a > 0 and x > 0 and math.isfinite(a) and math.isfinite(x)):
        return 0.0 if x == 0 and a > 0 else math.nan
    if a < _MANY:
        below_mean = digamma(a + 1.0) - math.log(x)
        distance = 1.0 / a - below_mean
        is_above = below_mean <= 0
    else:
        distance = _log_over_mean(a, x)
        is_above = distance >= 0
    if is_above and distance == math.inf:  # of a subnormal a
        return math.inf
    if is_above:
        return integral(lambda s: (distance + log1p(s / x)) * _density_above(a, x, s), 1.0)
    if a >= _MANY:
        return x * integral(lambda y: (y - distance) * _density_below(a, x, y), 1.0 / a)
    total, term, n = 0.0, x / a, a
    while True:
        added = term * below_mean  # digamma(n + 1) - log(x)
        total += added
        n += 1.0
        if not added > 1e-17 * total:
            return total
        term *= x / n
        below_mean += 1.0 / n


def dirichlet_grad(x: float, alpha: float, total: float) -> float:
    """The derivative of a sample x of Beta(alpha, total - alpha) by alpha, divided by 1 - x.

    For components x of a Dirichlet variable with the concentrations alpha, of the given sum.  The derivative
    is that of the incomplete beta function, as in ``standard_gamma_grad``.  Source:
    aten/src/ATen/native/Distributions.h, dirichlet_grad_one, which approximates it with two to four digits.
    """
    beta = total - alpha
    if not (0 < x < 1 and alpha > 0 and beta > 0 and math.isfinite(total)):
        return 0.0 if x == 0 and alpha > 0 and beta > 0 else math.nan
    log_x = math.log(x)
    next_mean = digamma(alpha + 1.0)
    of_total = digamma(total)
    mean = next_mean - 1.0 / alpha - of_total  # of the logarithm
    is_short = x < 0.9 and alpha < _MANY  # the series
    if log_x >= (next_mean - of_total if is_short else mean):  # values are 1 - (1 - x) * exp(-y)
        ratio = (1.0 - x) / x

        def above(y: float) -> float:
            log_ratio = log1p(-ratio * math.expm1(-y))  # of a value and x
            return (log_x - mean + log_ratio) * exp((alpha - 1.0) * log_ratio - beta * y)

        return integral(above, 1.0 / beta)
    if not is_short:  # values are x * exp(-y)
        ratio = x / (1.0 - x)

        def below(y: float) -> float:
            log_ratio = log1p(-ratio * math.expm1(-y))  # of 1 minus a value and 1 - x
            return (mean - log_x + y) * exp((beta - 1.0) * log_ratio - alpha * y)

        return ratio * integral(below, 1.0 / alpha)
    result, term, n = 0.0, x / alpha, alpha
    while True:
        added = term * (next_mean - of_total - log_x)
        result += added
        if not added > 1e-17 * result:
            return result
        n += 1.0
        term *= x * (total + n - 1.0 - alpha) / n
        next_mean += 1.0 / n
        of_total += 1.0 / (total + n - 1.0 - alpha)
