"""Special functions: the error function, the gamma function, their relatives, and entropies.

JAX's, or formulas where JAX's cancel.  Those that JAX computes with errors of a hundred and more units in the
last place of float64 are claimed for the smaller dtypes only, where such errors vanish in the rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import jax.scipy.special as scipy_special

from .elementary import log1p, tanh
from .numbers import Array
from .programs import FLOATS, Family, Names, refuse_if, refuse_lost

family = Family()

BELOW_FLOAT64: Names = ("float16", "bfloat16", "float32")
_CUBIC = 0.044715  # the constant of gelu's tanh approximation
_SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)


def i0(a: Array) -> Array:
    """The modified Bessel function of the first kind of order 0; NaN of infinities, as in PyTorch."""
    half = jnp.exp(jnp.abs(a) / 2)
    return half * scipy_special.i0e(a) * half


def i1(a: Array) -> Array:
    """The modified Bessel function of the first kind of order 1; NaN of infinities, as in PyTorch."""
    half = jnp.exp(jnp.abs(a) / 2)
    return half * scipy_special.i1e(a) * half


def lgamma(a: Array) -> Array:
    """The logarithm of |gamma(a)|; inf at the poles 0, -1, -2 …"""
    is_pole = (a <= 0) & (a == jnp.floor(a))
    return jnp.where(is_pole | jnp.isinf(a), jnp.inf, scipy_special.gammaln(a))


def digamma(a: Array) -> Array:
    """The derivative of lgamma; NaN at -1, -2 …, at 0 an infinity of the opposite sign."""
    is_pole = (a == -jnp.inf) | ((a < 0) & (a == jnp.floor(a)))
    found = jnp.where(is_pole, jnp.nan, jnp.where(a == jnp.inf, jnp.inf, scipy_special.digamma(a)))
    return jnp.where(a == 0, jnp.copysign(jnp.inf, -a), found)


def ndtr(a: Array) -> Array:
    """The normal distribution function: the probability of at most a."""
    return refuse_lost(scipy_special.erfc(-a * math.sqrt(0.5)) / 2, a > -39)


def log_ndtr(a: Array) -> Array:
    """The logarithm of ``ndtr(a)``: near 1 of its distance from 1, far below by the asymptotic expansion."""
    above = log1p(-ndtr(-jnp.maximum(a, 0)))
    return jnp.where(jnp.isnan(a), a, jnp.where(a > 0, above, scipy_special.log_ndtr(jnp.minimum(a, 0))))


def entr(a: Array) -> Array:
    """``-a * log(a)``; 0 at 0, -inf below."""
    usual = -a * jnp.log(jnp.where(a > 0, a, 1.0))
    return jnp.where((a > 0) | (a != a), usual, jnp.where(a == 0, 0.0, -jnp.inf))


def xlog1py(a: Array, b: Array) -> Array:
    """``a * log1p(b)``; NaN if b is NaN, else 0 if a is 0."""
    return jnp.where(b != b, b, jnp.where(a == 0, 0.0, a * log1p(b)))


def zeta(s: Array, q: Array) -> Array:
    """Hurwitz' zeta function: the sum of ``(q + k)**-s`` over k = 0, 1 …

    inf at s = 1 and at the poles 0, -1, -2 …, NaN for s < 1, and for a negative q if s is not an integer.
    """
    s, q = jnp.broadcast_arrays(s, q)
    is_pole = (q <= 0) & (q == jnp.floor(q))
    is_below = (q < 0) & ~is_pole
    is_usual = (s > 1) & jnp.isfinite(s) & jnp.isfinite(q) & ~is_pole & ~(is_below & (s != jnp.floor(s)))
    order = jnp.where(is_usual, s, 2.0)
    floor = jnp.where(is_below, jnp.floor(q), 0.0)

    def of_positive(number: Array) -> Array:
        found = scipy_special.zeta(order, jnp.where(is_usual, number, 1.0))
        far = jnp.where(number < 1, jnp.inf, jnp.where(number == 1, 1.0, 0.0))  # of large orders
        return jnp.where(jnp.isnan(found), far, found)

    # the terms below 0 are, up to their signs, those of a sum of positive terms without the last of them
    above = of_positive(q - floor)
    below, rest = (of_positive(jnp.where(is_below, each, 1.0)) for each in (floor + 1 - q, 1 - q))
    both = jnp.where(jnp.fmod(order, 2.0) == 0, above + below - rest, above - below + rest)
    found = jnp.where(is_usual, jnp.where(is_below, both, above), jnp.nan)
    found = jnp.where((s == jnp.inf) & (q <= 1), jnp.where(q == 1, 1.0, jnp.inf), found)
    return jnp.where(s == 1, jnp.inf, jnp.where(~(s < 1) & is_pole, jnp.inf, found))


def _incomplete(a: Array, x: Array, function: Callable[..., Array], at_zero: float) -> Array:
    """An incomplete gamma function, which is ``at_zero`` where x is 0, and 1 minus that at infinity.

    JAX's loops lose digits for tiny a, and do not end for large ones: the reference computes these calls.
    """
    is_known = (a > 0) & (x > 0) & jnp.isfinite(a) & jnp.isfinite(x)
    refuse_if(is_known & ((a < 1e-5) | (a > 1e4)))
    is_usual = is_known & (a >= 1e-5) & (a <= 1e4)
    found = function(jnp.where(is_usual, a, 1.0), jnp.where(is_usual, jnp.minimum(x, 1e6), 1.0))
    found = jnp.where((a != a) | (x != x), jnp.nan, found)
    found = jnp.where(x == jnp.inf, 1 - at_zero, found)
    found = jnp.where((x == 0) | (a == jnp.inf), at_zero, found)
    found = jnp.where((a == 0) & (x > 0), 1 - at_zero, found)
    is_none = (a < 0) | (x < 0) | ((a == x) & ((a == 0) | jnp.isinf(a)))
    return jnp.where(is_none, jnp.nan, found)


def igamma(a: Array, x: Array) -> Array:
    """The regularized lower incomplete gamma function: the probability of at most x under Gamma(a, 1)."""
    return _incomplete(a, x, scipy_special.gammainc, 0.0)


def igammac(a: Array, x: Array) -> Array:
    """The regularized upper incomplete gamma function, ``1 - igamma(a, x)``."""
    return _incomplete(a, x, scipy_special.gammaincc, 1.0)


def gelu(a: Array, approximate: str) -> Array:
    """``a`` times the normal distribution's cumulative distribution function, or its tanh approximation."""
    if approximate == "tanh":
        inner = jnp.where(jnp.abs(a) < 1e100, a + _CUBIC * a**3, a)
        result = 0.5 * a * (1.0 + tanh(_SQRT_2_OVER_PI * inner))
    else:
        result = a * ndtr(a)
    return jnp.where(a == -jnp.inf, jnp.nan, result)


def gelu_backward(grad: Array, a: Array, approximate: str) -> Array:
    """The gradient of gelu."""
    if approximate == "tanh":
        t = tanh(_SQRT_2_OVER_PI * (a + _CUBIC * a * a * a))
        slope = 0.5 * a * (1 - t * t) * _SQRT_2_OVER_PI * (1 + 3 * _CUBIC * a * a)
        return grad * (0.5 * (1 + t) + slope)
    density = jnp.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi)
    return grad * (ndtr(a) + a * density)


def log_sigmoid_backward(grad: Array, a: Array, buffer: Array) -> Array:
    """``grad * sigmoid(-a)``, computed from the saved ``exp(-|a|)``."""
    share = buffer / (1 + buffer)
    return jnp.where(a < 0, grad * (1 - share), grad * share)


family.elementwise_table(
    {
        "erf": jax.lax.erf,
        "erfc": lambda a: refuse_lost(jax.lax.erfc(a), a < 28),
        "i0": i0,
        "special_i0e": scipy_special.i0e,
        "special_i1": i1,
        "special_i1e": scipy_special.i1e,
        "special_ndtr": ndtr,
        "special_entr": entr,
        "special_xlog1py": xlog1py,
        "gelu": gelu,
        "gelu_backward": gelu_backward,
        "log_sigmoid_backward": log_sigmoid_backward,
    },
    FLOATS,
)
family.elementwise_table(
    {
        "erfinv": jax.lax.erf_inv,
        "lgamma": lgamma,
        "digamma": digamma,
        "igamma": igamma,
        "igammac": igammac,
    },
    BELOW_FLOAT64,
)
family.elementwise_table(
    {"special_ndtri": scipy_special.ndtri, "special_log_ndtr": log_ndtr, "special_zeta": zeta}, ("float32",)
)


@family.kernel("log_sigmoid_forward", FLOATS, outputs=2)
def log_sigmoid(a: Array) -> tuple[Array, Array]:
    """``min(a, 0) - log(1 + exp(-|a|))``, and ``exp(-|a|)`` for the gradient."""
    decayed = jnp.exp(-jnp.abs(a))
    return jnp.where((a < 0) | jnp.isnan(a), a, 0.0) - log1p(decayed), decayed


@family.elementwise("polygamma", BELOW_FLOAT64)
def polygamma(a: Array, n: int) -> Array:
    """The n-th derivative of digamma: ``(-1)**(n + 1) * n! * zeta(n + 1, a)``, reflected for n = 1."""
    if n == 0:
        return digamma(a)
    if n >= 2**31 - 1:
        return jnp.full(a.shape, jnp.nan)
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    is_pole = (a <= 0) & (a == jnp.floor(a))
    sign = 1.0 if n % 2 else -1.0
    if n == 1:
        is_below = (a < 0) & ~is_pole & jnp.isfinite(a)
        right = scipy_special.zeta(2.0, jnp.where(is_below, 1 - a, jnp.where(a > 0, a, 1.0)))
        turned = (math.pi / jnp.sin(math.pi * jnp.fmod(a, 1.0))) ** 2 - right
        found = jnp.where(is_pole, jnp.inf, jnp.where(is_below, turned, right))
        return jnp.where(jnp.isfinite(a), found, jnp.where(a > 0, 0.0, jnp.nan))
    return sign * factorial * zeta(jnp.float64(n + 1), a)
