"""The incomplete gamma functions, and how samples of gamma and beta variables move with their parameters.

All are integrals over the values below x or above it, on the side where the integrand is positive, computed
by series or by quadrature; the reference's numerics/incomplete.py explains them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .arrays import WIDE, Array
from .families import FLOATS, Family
from .special import digamma, lgamma

family = Family()

_STEP = 1 / 16
_MANY = 64.0  # from this parameter on the series are longer than the quadrature
_TINY = 1e-17  # exp(-x) is 1 below
_FIRST = -3.75  # where y is below 1e-19 of its scale


def _integral(function: Callable[[Array], Array], scale: Array) -> Array:
    """The integrals from 0 to infinity, by the trapezoidal rule after ``y = scale * exp(w - exp(-w))``.

    ``scale`` is where the integrand begins to vanish, or less.
    Source: Takahasi and Mori, "Double exponential formulas for numerical integration" (1974).
    """
    total, w, goes_on = np.zeros_like(scale), _FIRST, True
    with np.errstate(all="ignore"):
        while goes_on:
            left = math.exp(-w)
            y = scale * math.exp(w - left)
            term = function(y) * y * (1.0 + left)
            total += np.where(np.isnan(term), 0.0, term)  # inf * 0, of a result that overflows
            goes_on = w <= 0 or bool((term > 1e-17 * total).any())
            w += _STEP
    return total * _STEP


def _select(
    is_first: Array, first: Callable[..., Array], second: Callable[..., Array], *operands: Array
) -> Array:
    """The first function's values where ``is_first``, the second's elsewhere."""
    found = np.empty(is_first.shape)
    for mask, function in ((is_first, first), (~is_first, second)):
        found[mask] = function(*(each[mask] for each in operands))
    return found


def _log_rest(t: Array) -> Array:
    """``t - log1p(t)``, without cancellation near 0."""
    series = sum((-t) ** k / (k + 2) for k in range(9))
    return np.where(np.abs(t) > 0.01, t - np.log1p(t), t * t * series)


def _exp_rest(y: Array) -> Array:
    """``y + expm1(-y)``, without cancellation near 0."""
    series = sum((-y) ** k / math.factorial(k + 2) for k in range(7))
    return np.where(np.abs(y) > 0.01, y + np.expm1(-y), y * y * series)


def _log_over_mean(a: Array, x: Array) -> Array:
    """``log(x) - digamma(a)`` of large a, where they may be nearly equal, by the asymptotic series."""
    square = a * a
    ratio = np.where(x > 0.5 * a, np.log1p((x - a) / a), np.log(x) - np.log(a))
    return ratio + (0.5 + (1 / 12 - (1 / 120 - 1 / 252 / square) / square) / a) / a


def _density_above(a: Array, x: Array, s: Array) -> Array:
    """The density of Gamma(a, 1) at ``x + s``, divided by that at x."""
    small = (a - 1.0) * np.log1p(s / x) - s
    large = -(a - 1.0) * _log_rest(s / x) - (x - a + 1.0) * (s / x)
    return np.exp(np.where(a < _MANY, small, large))


def _scale_above(a: Array, x: Array) -> Array:
    """How far the values above x reach."""
    return np.where(x < 1.0, x, np.maximum(x / (x - a + 1.0 + np.sqrt(a)), 1.0))


def _scale_below(a: Array, x: Array) -> Array:
    """How far the values below x reach, as y."""
    return 1.0 / np.minimum(a, np.abs(a - x) + np.sqrt(a))


def _density_below(a: Array, x: Array, y: Array) -> Array:
    """The density of Gamma(a, 1) at ``x * exp(-y)``, with that factor, divided by the density at x."""
    return np.exp(np.where(a < _MANY, -a * y - x * np.expm1(-y), -(a - x) * y - x * _exp_rest(y)))


def _density(a: Array, x: Array) -> Array:
    """``x**a * exp(-x) / gamma(a + 1)``; by Stirling's series for large a, where large terms would cancel."""

    def small(a: Array, x: Array) -> Array:
        return np.exp(a * np.log(x) - x - lgamma(a + 1.0))

    def large(a: Array, x: Array) -> Array:
        square = a * a
        series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / a
        away = (x - a) / a
        rest = np.where(np.abs(away) < 0.5, _log_rest(away), away - (np.log(x) - np.log(a)))
        return np.exp(-a * rest - series) / math.sqrt(2.0 * math.pi) / np.sqrt(a)

    return _select(a < 32, small, large, a, x)


def _above(a: Array, x: Array) -> Array:
    """The probability of more than x under Gamma(a, 1)."""
    below, x = x, np.maximum(x, _TINY)
    integral = _integral(lambda s: _density_above(a, x, s), _scale_above(a, x))
    density = _density(a, x)
    return density * (integral / x * a) - density * np.expm1(a * np.log(np.minimum(below / _TINY, 1.0)))


def _below(a: Array, x: Array) -> Array:
    """The probability of at most x under Gamma(a, 1)."""

    def series(a: Array, x: Array) -> Array:
        return _summed(
            np.ones_like(a), np.ones_like(a), lambda left, n: (x[left] / (a[left] + n), np.float64(0))
        )

    def integrated(a: Array, x: Array) -> Array:
        return a * _integral(lambda y: _density_below(a, x, y), _scale_below(a, x))

    return _density(a, x) * _select(a < _MANY, series, integrated, a, x)


def _incomplete(a: Array, x: Array, is_upper: bool) -> Array:
    a, x = (each.astype(np.float64) for each in np.broadcast_arrays(a, x))
    found = np.full(a.shape, math.nan)
    found[x == math.inf] = float(not is_upper)
    found[(x == 0) | (a == math.inf)] = float(is_upper)
    found[(a == 0) & (x > 0)] = float(not is_upper)
    found[(a < 0) | (x < 0) | ((a == x) & ((a == 0) | (a == math.inf)))] = math.nan
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    a, x = a[inside], x[inside]
    if is_upper:
        found[inside] = _select(a < np.maximum(x, 0.1), _above, lambda a, x: 1.0 - _below(a, x), a, x)
    else:
        found[inside] = _select(x <= a + 1.0, _below, lambda a, x: 1.0 - _above(a, x), a, x)
    return found


@family.elementwise("igamma", FLOATS, WIDE)
def igamma(a: Array, x: Array) -> Array:
    """The regularized lower incomplete gamma function."""
    return _incomplete(a, x, is_upper=False)


@family.elementwise("igammac", FLOATS, WIDE)
def igammac(a: Array, x: Array) -> Array:
    """The regularized upper incomplete gamma function."""
    return _incomplete(a, x, is_upper=True)


def _summed(term: Array, factor: Array, step: Callable[[Array, int], tuple[Array, Array]]) -> Array:
    """The sum of ``term * factor``; ``step(indices, n)`` multiplies the first, and is added to the second."""
    total = np.zeros_like(term)
    left, n = np.arange(term.size), 0
    while left.size:
        added = term * factor
        total[left] += added
        goes_on = added > 1e-17 * total[left]
        left, term, factor = left[goes_on], term[goes_on], factor[goes_on]
        n += 1
        times, plus = step(left, n)
        term, factor = term * times, factor + plus
    return total


@family.elementwise("_standard_gamma_grad", FLOATS, WIDE)
def standard_gamma_grad(a: Array, x: Array) -> Array:
    """The derivative of a sample x of Gamma(a, 1) by a."""
    a, x = (each.astype(np.float64) for each in np.broadcast_arrays(a, x))
    found = np.where((x == 0) & (a > 0), 0.0, math.nan)
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    a, x = a[inside], x[inside]
    below_mean = digamma(a + 1.0) - np.log(x)
    is_short = a < _MANY
    distance = np.where(is_short, 1.0 / a - below_mean, _log_over_mean(a, x))
    is_above = np.where(is_short, below_mean <= 0, distance >= 0)

    def above(a: Array, x: Array, distance: Array, below_mean: Array) -> Array:
        return _integral(lambda s: (distance + np.log1p(s / x)) * _density_above(a, x, s), _scale_above(a, x))

    def below(a: Array, x: Array, distance: Array, below_mean: Array) -> Array:
        return _select(a < _MANY, series, integrated, a, x, distance, below_mean)

    def series(a: Array, x: Array, distance: Array, below_mean: Array) -> Array:
        return _summed(x / a, below_mean, lambda left, n: (x[left] / (a[left] + n), 1.0 / (a[left] + n)))

    def integrated(a: Array, x: Array, distance: Array, below_mean: Array) -> Array:
        return x * _integral(lambda y: (y - distance) * _density_below(a, x, y), _scale_below(a, x))

    found[inside] = _select(is_above, above, below, a, x, distance, below_mean)
    return found


@family.elementwise("_dirichlet_grad", FLOATS, WIDE)
def dirichlet_grad(x: Array, alpha: Array, total: Array) -> Array:
    """The derivative of a sample x of Beta(alpha, total - alpha) by alpha, divided by 1 - x."""
    x, alpha, total = (each.astype(np.float64) for each in np.broadcast_arrays(x, alpha, total))
    beta = total - alpha
    is_valid = (alpha > 0) & (beta > 0)
    found = np.where((x == 0) & is_valid, 0.0, math.nan)
    inside = (x > 0) & (x < 1) & is_valid & np.isfinite(total)
    x, alpha, beta = x[inside], alpha[inside], beta[inside]
    below_mean = digamma(alpha + 1.0) - digamma(alpha + beta) - np.log(x)
    distance = 1.0 / alpha - below_mean  # of log(x) from the mean of the logarithm
    is_short = (x < 0.9) & (alpha < _MANY)

    def above(x: Array, alpha: Array, beta: Array, distance: Array) -> Array:
        def moved(y: Array) -> Array:
            logarithm = np.log1p(-(1.0 - x) / x * np.expm1(-y))
            return (distance + logarithm) * np.exp((alpha - 1.0) * logarithm - beta * y)

        return _integral(moved, 1.0 / beta)

    def series(x: Array, alpha: Array, beta: Array, below_mean: Array) -> Array:
        def step(left: Array, n: int) -> tuple[Array, Array]:
            above_alpha, above_total = alpha[left] + n, alpha[left] + beta[left] + n - 1.0
            return x[left] * above_total / above_alpha, 1.0 / above_alpha - 1.0 / above_total

        return _summed(x / alpha, below_mean, step)

    def integrated(x: Array, alpha: Array, beta: Array, distance: Array) -> Array:
        ratio = x / (1.0 - x)

        def moved(y: Array) -> Array:
            logarithm = np.log1p(-ratio * np.expm1(-y))
            return (y - distance) * np.exp((beta - 1.0) * logarithm - alpha * y)

        return ratio * _integral(moved, 1.0 / alpha)

    is_above = np.where(is_short, below_mean <= 0, distance >= 0)
    result = np.empty_like(x)
    for mask, function, further in (
        (is_above, above, distance),
        (~is_above & is_short, series, below_mean),
        (~is_above & ~is_short, integrated, distance),
    ):
        result[mask] = function(x[mask], alpha[mask], beta[mask], further[mask])
    found[inside] = result
    return found
