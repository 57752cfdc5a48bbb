"""Elementary functions: JAX's, or formulas where those are off by more than a few units in the last place."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .pointwise import absolute, factor, is_complex, is_float, multiply, reciprocal
from .programs import FLOATS, INEXACT, NUMBERS, Family, refuse_if, refuse_lost

family = Family()


_LEAST = -746.0  # the exponential of what is below rounds to 0 even as a subnormal number


def exp(a: Array) -> Array:
    """The exponential."""
    return jnp.exp(a) if is_complex(a) else refuse_lost(jnp.exp(a), a > _LEAST)


def sigmoid(a: Array) -> Array:
    """``1 / (1 + exp(-a))``, without overflow."""
    decayed = jnp.exp(-jnp.abs(a))
    return jnp.where(a >= 0, 1, decayed) / (1 + decayed)


def log1p(a: Array) -> Array:
    """log(1 + a): the logarithm of the rounded sum, corrected by what the rounding lost.

    Source: Kahan's formula, as in HP-15C Advanced Functions Handbook.
    """
    total = 1 + a
    is_usual = (total != 1) & jnp.isfinite(total) & (total > 0)
    safe = jnp.where(is_usual, total, 2.0)
    corrected = jnp.log(safe) * (jnp.where(is_usual, a, 1.0) / (safe - 1))
    return jnp.where(is_usual, corrected, jnp.where(total == 1, a, jnp.log(total)))


def sinh(a: Array) -> Array:
    """``(exp(a) - exp(-a)) / 2``, from expm1, and by halves where exp(a) overflows."""
    size = jnp.abs(a)
    below = jnp.expm1(jnp.minimum(size, 700.0))
    near = (below + below / (below + 1)) / 2
    half = jnp.exp(size / 2)
    return jnp.copysign(jnp.where(size < 700, near, half / 2 * half), a)


def cosh(a: Array) -> Array:
    """``(exp(a) + exp(-a)) / 2``, by halves where exp(a) overflows."""
    size = jnp.abs(a)
    grown = jnp.exp(jnp.minimum(size, 700.0))
    half = jnp.exp(size / 2)
    return jnp.where(size < 700, (grown + 1 / grown) / 2, half / 2 * half)


def tanh(a: Array) -> Array:
    """``expm1(2a) / (expm1(2a) + 2)``."""
    below = jnp.expm1(-2 * jnp.abs(a))
    return jnp.copysign(-below / (below + 2), a)


def asinh(a: Array) -> Array:
    """``log(a + sqrt(a * a + 1))``, without cancellation or overflow."""
    size = jnp.abs(a)
    square = size * size
    near = log1p(size + square / (1 + jnp.sqrt(square + 1)))
    return jnp.copysign(jnp.where(size < 1e100, near, jnp.log(size) + math.log(2)), a)


def acosh(a: Array) -> Array:
    """``log(a + sqrt(a * a - 1))``, without cancellation or overflow."""
    beyond = a - 1
    near = log1p(beyond + jnp.sqrt(beyond * (a + 1)))
    return jnp.where(a < 1, jnp.nan, jnp.where(a < 1e100, near, jnp.log(a) + math.log(2)))


def atanh(a: Array) -> Array:
    """``log((1 + a) / (1 - a)) / 2``."""
    size = jnp.abs(a)
    return jnp.copysign(log1p(2 * size / (1 - size)) / 2, a)


def exp2(a: Array) -> Array:
    """2 to the power of a: exact for the whole part, and exp for the rest."""
    whole = jnp.round(jnp.clip(a, -1100, 1100))
    rest = jnp.where(jnp.abs(a) < 1100, a - whole, 0.0)
    found = jnp.ldexp(jnp.exp(rest * math.log(2)), whole.astype(jnp.int32))
    return refuse_lost(jnp.where(jnp.isnan(a), a, found), a > -1076)


def angle(a: Array) -> Array:
    """The angle to the positive real axis: 0 or pi for real numbers, NaN for NaN."""
    if is_complex(a):
        return jnp.arctan2(jnp.imag(a), jnp.real(a))
    a = a.astype(jnp.float64)
    return jnp.where(jnp.isnan(a), a, jnp.where(a < 0, math.pi, 0.0))


def sinc(a: Array) -> Array:
    """``sin(pi a) / (pi a)``; 1 where a is 0.  A real number's distance to the nearest integer is exact."""
    product = a * math.pi
    if is_complex(a):
        return jnp.where(a == 0, 1, jnp.sin(product) / product)
    whole = jnp.round(a)
    sine = jnp.sin(math.pi * (a - whole))
    is_odd = whole - 2 * jnp.floor(whole / 2) == 1
    return jnp.where(a == 0, 1, jnp.where(is_odd, -sine, sine) / product)


def logaddexp(a: Array, b: Array) -> Array:
    """log(exp(a) + exp(b)), without overflow."""
    found = jnp.maximum(a, b) + log1p(jnp.exp(-jnp.abs(a - b)))
    return jnp.where((a == b) & jnp.isinf(a), a, found)


def logaddexp2(a: Array, b: Array) -> Array:
    """log2(2**a + 2**b), without overflow."""
    found = jnp.maximum(a, b) + log1p(exp2(-jnp.abs(a - b))) / math.log(2)
    return jnp.where((a == b) & jnp.isinf(a), a, found)


def xlogy(a: Array, b: Array) -> Array:
    """``a * log(b)``; NaN if b is NaN, else 0 if a is 0."""
    return jnp.where(jnp.isnan(b), b, jnp.where(a == 0, 0.0, a * jnp.log(b)))


def logit(a: Array, eps: float | None) -> Array:
    """``log(a / (1 - a))``, with ``a`` clamped to eps and 1 - eps; a negative eps means no clamping."""
    if eps is not None and eps >= 0:
        a = jnp.where(a < eps, eps, jnp.where(a > 1 - eps, 1 - eps, a))
    return jnp.log(a / (1 - a))


def integer_power(a: Array, exponent: Array) -> Array:
    """Integers by repeated squaring, which wraps around; a negative exponent leaves ±1, and refuses 0."""
    is_negative = exponent < 0
    refuse_if(is_negative & (a == 0))
    found, base, rest = jnp.ones_like(a), a, jnp.where(is_negative, 0, exponent)
    for _ in range(8 * int(a.dtype.itemsize)):
        found = jnp.where(rest & 1 == 1, found * base, found)
        base, rest = base * base, lax.shift_right_logical(rest, jnp.ones_like(rest))
    odd = jnp.where(exponent & 1 == 1, a, jnp.ones_like(a))
    small = jnp.where(a == 1, jnp.ones_like(a), jnp.where(a == -1, odd, jnp.zeros_like(a)))
    return jnp.where(is_negative, small, found)


def complex_power(a: Array, exponent: Array) -> Array:
    """By the modulus and the angle; of 0 and of infinities by ``exp(exponent * log(a))`` where those fail."""
    modulus, turn, real, imag = absolute(a), angle(a), jnp.real(exponent), jnp.imag(exponent)
    has_imag = imag != 0
    size = jnp.power(modulus, real) * jnp.where(has_imag, jnp.exp(-turn * imag), 1.0)
    phase = turn * real + jnp.where(has_imag, imag * jnp.log(modulus), 0.0)
    usual = lax.complex(size * jnp.cos(phase), size * jnp.sin(phase))
    logarithm = multiply(exponent, lax.complex(jnp.log(modulus), turn))
    size, phase = jnp.exp(jnp.real(logarithm)), jnp.imag(logarithm)
    has_angle = jnp.isfinite(phase)
    cosine, sine = (jnp.where(has_angle, each(phase), jnp.nan) for each in (jnp.cos, jnp.sin))
    other = lax.complex(
        jnp.where(has_angle | jnp.isnan(size), size * cosine, jnp.where(size == jnp.inf, jnp.inf, 0.0)),
        jnp.where(has_angle | (size != 0), size * sine, 0.0),
    )
    is_zero = a == 0
    found = jnp.where(is_zero | (usual != usual), other, usual)
    found = jnp.where(is_zero & (real > 0) & ~has_imag, 0, found)
    return jnp.where(exponent == 0, 1, found)


def power(a: Array, exponent: Array) -> Array:
    """``a`` to the power of ``exponent``."""
    if is_complex(a):
        return complex_power(a, exponent)
    if not is_float(a):
        return integer_power(a, exponent)
    return refuse_lost(jnp.power(a, exponent), (a != 0) & jnp.isfinite(a) & jnp.isfinite(exponent))


def power_of_number(a: Array, exponent: float) -> Array:
    """``a`` to the power of a number; small whole powers and roots are exact products and roots."""
    if not (is_float(a) or is_complex(a)):
        return power(a, jnp.broadcast_to(factor(exponent, a), a.shape))
    known: dict[float, Callable[[], Array]] = {
        1: lambda: a,
        2: lambda: multiply(a, a),
        3: lambda: multiply(multiply(a, a), a),
        -1: lambda: reciprocal(a),
        -2: lambda: reciprocal(multiply(a, a)),
    }
    if is_float(a):
        known |= {0.5: lambda: jnp.sqrt(a), -0.5: lambda: 1 / jnp.sqrt(a)}
    if exponent in known:
        return known[exponent]()
    return power(a, jnp.broadcast_to(factor(exponent, a), a.shape))


family.elementwise_table(
    {
        "exp": exp,
        "log": jnp.log,
        "sqrt": jnp.sqrt,
        "sin": jnp.sin,
        "cos": jnp.cos,
        "tan": jnp.tan,
        "asin": jnp.arcsin,
        "acos": jnp.arccos,
        "atan": jnp.arctan,
        "expm1": jnp.expm1,
        "sigmoid": lambda a: refuse_lost(sigmoid(a), a > _LEAST),
        "silu": lambda a: refuse_lost(a * sigmoid(a), (a != 0) & (a > _LEAST)),
        "rsqrt": lambda a: 1 / jnp.sqrt(a),
        "log2": jnp.log2,
        "log10": jnp.log10,
        "log1p": log1p,
        "sinh": sinh,
        "cosh": cosh,
        "tanh": tanh,
        "asinh": asinh,
        "acosh": acosh,
        "atanh": atanh,
        "exp2": exp2,
        "sinc": sinc,
        "logaddexp": logaddexp,
        "logaddexp2": logaddexp2,
        "xlogy.Tensor": xlogy,
        "logit": logit,
        "atan2": jnp.arctan2,
        "deg2rad": lambda a: a * (math.pi / 180),
        "rad2deg": lambda a: a * (180 / math.pi),
    },
    FLOATS,
)
family.elementwise_table({"angle": angle}, INEXACT)
family.elementwise_table({"pow.Tensor_Tensor": power, "pow.Tensor_Scalar": power_of_number}, NUMBERS)
