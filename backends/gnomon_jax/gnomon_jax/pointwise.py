"""Pointwise operators: arithmetic, comparisons, rounding, bits, selection."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gnomon.values.dtype import dtype, float32, float64

from .numbers import Array, decoded, encoded
from .programs import (
    ALL,
    BOOL,
    FLOATS,
    INEXACT,
    INTEGERS,
    MOVED,
    NUMBERS,
    REAL,
    REAL_AND_BOOL,
    Family,
    refuse_if,
    refuse_lost,
)

family = Family()


def is_complex(a: Array) -> bool:
    """Is the array's dtype complex?"""
    return bool(jnp.issubdtype(a.dtype, jnp.complexfloating))


def is_float(a: Array) -> bool:
    """Is the array's dtype a floating point one?"""
    return bool(jnp.issubdtype(a.dtype, jnp.floating))


def is_bool(a: Array) -> bool:
    """Is the array's dtype bool?"""
    return bool(a.dtype == jnp.bool_)


def factor(number: Any, a: Array) -> Array:
    """A number in the dtype of ``a``; integers wrap around."""
    if is_float(a) or is_complex(a):
        return jnp.asarray(number, a.dtype)
    if is_bool(a):
        return jnp.asarray(bool(number))
    return jnp.asarray(int(number) % 2**64, jnp.uint64).astype(a.dtype)


# ---------------------------------------------------------------------------------------------------------
# Arithmetic.


def multiply(a: Array, b: Array) -> Array:
    """``a * b``; a complex product part by part."""
    if not is_complex(a) and not is_complex(b):
        product = a * b
        return refuse_lost(product, (a != 0) & (b != 0)) if is_float(a) else product
    a_real, a_imag, b_real, b_imag = jnp.real(a), jnp.imag(a), jnp.real(b), jnp.imag(b)
    return lax.complex(a_real * b_real - a_imag * b_imag, a_real * b_imag + a_imag * b_real)


def add(a: Array, b: Array, alpha: Any) -> Array:
    """``a + alpha * b``; for bool, logical or."""
    if is_bool(a):
        return a | (b & bool(alpha))
    return a + b if alpha == 1 else a + multiply(factor(alpha, a), b)


def subtract(a: Array, b: Array, alpha: Any) -> Array:
    """``a - alpha * b``."""
    return a - b if alpha == 1 else a - multiply(factor(alpha, a), b)


def divide(a: Array, b: Array) -> Array:
    """``a / b``; a complex quotient by Smith's method, and both parts by 0 where the divisor is 0."""
    if not is_complex(a):
        return refuse_lost(a / b, (a != 0) & jnp.isfinite(b))
    a_real, a_imag, b_real, b_imag = jnp.real(a), jnp.imag(a), jnp.real(b), jnp.imag(b)
    by_real = jnp.abs(b_real) >= jnp.abs(b_imag)
    large, small = jnp.where(by_real, b_real, b_imag), jnp.where(by_real, b_imag, b_real)
    ratio = small / large
    scale = large + small * ratio
    real = jnp.where(by_real, a_real + a_imag * ratio, a_real * ratio + a_imag) / scale
    imag = jnp.where(by_real, a_imag - a_real * ratio, a_imag * ratio - a_real) / scale
    is_zero = b == 0
    by_zero = jnp.abs(b_real)
    return lax.complex(jnp.where(is_zero, a_real / by_zero, real), jnp.where(is_zero, a_imag / by_zero, imag))


def reciprocal(a: Array) -> Array:
    """``1 / a``."""
    return divide(jnp.ones_like(a), a)


def _nonzero(b: Array) -> Array:
    """Integers to divide by: none of them may be 0."""
    refuse_if(b == 0)
    return jnp.where(b == 0, 1, b)


@family.elementwise("div_trunc", REAL, is_typed=True)
def truncated_quotient(kind: dtype, a: Array, b: Array) -> Array:
    """The quotient without its fractional part; of floats below float64 it is first rounded to float32."""
    if not is_float(a):
        return lax.div(a, _nonzero(b))
    return jnp.trunc(a / b if kind is float64 else (a / b).astype(jnp.float32))


def floored_quotient(a: Array, b: Array) -> Array:
    """The quotient rounded down; of floats that of ``a`` without its remainder."""
    if not is_float(a):
        b = _nonzero(b)
        quotient = lax.div(a, b)
        return quotient - ((quotient * b != a) & ((a < 0) != (b < 0))).astype(a.dtype)
    rest = lax.rem(a, b)
    quotient = (a - rest) / b - ((rest != 0) & ((b < 0) != (rest < 0)))
    floor = jnp.floor(quotient)
    floor = floor + (quotient - floor > 0.5)
    floor = jnp.where(quotient == 0, jnp.copysign(0.0, a / b), floor)
    return jnp.where(b == 0, a / b, floor)


def remainder(a: Array, b: Array) -> Array:
    """``a`` modulo ``b`` with the sign of b; NaN for floats modulo zero."""
    rest = lax.rem(a, b if is_float(a) else _nonzero(b))
    return jnp.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


def fmod(a: Array, b: Array) -> Array:
    """``a`` modulo ``b`` with the sign of a; NaN for floats modulo zero."""
    return lax.rem(a, b if is_float(a) else _nonzero(b))


def absolute(a: Array) -> Array:
    """The absolute value; the modulus of a complex number, inf if either part is."""
    if not is_complex(a):
        return jnp.abs(a)
    return hypot(jnp.real(a), jnp.imag(a))


def hypot(a: Array, b: Array) -> Array:
    """``sqrt(a * a + b * b)`` without overflow; inf if either is infinite."""
    return jnp.where(jnp.isinf(a) | jnp.isinf(b), jnp.inf, jnp.hypot(a, b))


def sign(a: Array) -> Array:
    """-1, 0 (for NaN too) or 1; for a complex number that of modulus 1 in its direction."""
    if is_complex(a):
        modulus = absolute(a)
        return jnp.where(modulus == 0, 0, lax.complex(jnp.real(a) / modulus, jnp.imag(a) / modulus))
    return (a > 0).astype(jnp.int8) - (a < 0).astype(jnp.int8)


def held(kind: dtype, number: Any) -> Any:
    """An intermediate result rounded to the dtype, or to float32 for half precision.

    It may exceed their range: the product of 3e38 and 4 is infinite in float32, whatever it is divided by
    afterwards.
    """
    if not (kind.is_floating_point or kind.is_complex):
        return number
    wide = float32 if kind.is_floating_point and kind.itemsize == 2 else kind
    return decoded(encoded(number, wide), wide) if isinstance(number, jax.Array) else wide.cast(number)


def addcmul(kind: dtype, a: Array, b: Array, c: Array, value: Any) -> Array:
    """``a + value * b * c``."""
    if is_bool(a):
        return a | (b & c & bool(value))
    return a + held(kind, multiply(held(kind, multiply(factor(held(kind, value), a), b)), c))


def addcdiv(kind: dtype, a: Array, b: Array, c: Array, value: Any) -> Array:
    """``a + value * b / c``."""
    return a + held(kind, divide(held(kind, multiply(factor(held(kind, value), a), b)), c))


def addr(kind: dtype, addend: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    """``beta * addend + alpha * a * b``; with beta 0 even a NaN in addend is ignored."""
    if is_bool(a):
        return (addend & bool(beta)) | (a & b & bool(alpha))
    product = held(kind, multiply(held(kind, multiply(factor(held(kind, alpha), a), a)), b))
    return held(kind, multiply(factor(held(kind, beta), a), addend)) + product if beta != 0 else product


def lerp(a: Array, b: Array, weight: Any) -> Array:
    """``a + weight * (b - a)``, computed from whichever end is nearer."""
    weight = jnp.asarray(weight, a.dtype)
    way = b - a
    near, far = a + multiply(weight, way), b - multiply(way, 1 - weight)
    return jnp.where(absolute(weight) < 0.5, near, far)


family.elementwise("add.Tensor", ALL)(add)
family.elementwise("sub.Tensor", NUMBERS)(subtract)
family.elementwise("rsub.Tensor", NUMBERS)(lambda a, b, alpha: subtract(b, a, alpha))
family.elementwise_table({"mul.Tensor": multiply, "_conj_physical": jnp.conj, "sgn": sign}, ALL)
family.elementwise_table({"div.Tensor": divide, "reciprocal": reciprocal}, INEXACT)
family.elementwise("addcdiv", INEXACT, is_typed=True)(addcdiv)
family.elementwise_table({"neg": lambda a: -a, "abs": absolute}, NUMBERS)
family.elementwise_table(
    {
        "div_floor": floored_quotient,
        "remainder.Tensor": remainder,
        "fmod.Tensor": fmod,
    },
    REAL,
)
family.elementwise_table({"sign": sign}, REAL_AND_BOOL)
family.elementwise("addcmul", ALL, is_typed=True)(addcmul)
family.elementwise("addr", ALL, is_typed=True)(addr)
family.elementwise_table({"lerp.Scalar": lerp, "lerp.Tensor": lerp}, INEXACT)
family.elementwise_table({"hypot": hypot}, FLOATS)


# ---------------------------------------------------------------------------------------------------------
# Rounding, comparisons, logic.


def _of_floats(function: Any) -> Any:
    """``function`` for floats; integers are returned unchanged."""
    return lambda a: function(a) if is_float(a) else a


family.elementwise_table(
    {
        "floor": _of_floats(jnp.floor),
        "ceil": _of_floats(jnp.ceil),
        "trunc": _of_floats(jnp.trunc),
        "round": _of_floats(jnp.round),
    },
    REAL,
)
family.elementwise_table(
    {
        "frac": lambda a: a - jnp.trunc(a),
        "copysign.Tensor": jnp.copysign,
    },
    FLOATS,
)
family.elementwise_table({"eq.Tensor": lambda a, b: a == b, "ne.Tensor": lambda a, b: a != b}, MOVED)
family.elementwise_table(
    {
        "logical_and": lambda a, b: (a != 0) & (b != 0),
        "logical_or": lambda a, b: (a != 0) | (b != 0),
        "logical_xor": lambda a, b: (a != 0) ^ (b != 0),
        "logical_not": lambda a: a == 0,
        "isnan": lambda a: a != a,
    },
    ALL,
)
family.elementwise_table(
    {
        "lt.Tensor": lambda a, b: a < b,
        "le.Tensor": lambda a, b: a <= b,
        "gt.Tensor": lambda a, b: a > b,
        "ge.Tensor": lambda a, b: a >= b,
        "signbit": lambda a: jnp.signbit(a) if is_float(a) else a < 0,
        "isposinf": lambda a: a == math.inf if is_float(a) else jnp.zeros(a.shape, bool),
        "isneginf": lambda a: a == -math.inf if is_float(a) else jnp.zeros(a.shape, bool),
        "heaviside": lambda a, b: jnp.where(a == 0, b, (a > 0).astype(b.dtype)),
    },
    REAL_AND_BOOL,
)
family.elementwise("isinf", ALL)(
    lambda a: jnp.isinf(a) if is_float(a) or is_complex(a) else jnp.zeros(a.shape, bool)
)


family.elementwise_table({"isfinite": jnp.isfinite}, INEXACT)


@family.elementwise("round.decimals", FLOATS, is_typed=True)
def round_decimals(kind: dtype, a: Array, decimals: int) -> Array:
    """Scales, rounds and scales back, with each step in the tensor's dtype (float32 for half precision)."""
    held = kind if kind is float64 else float32

    def step(number: Array) -> Array:
        return decoded(encoded(number, held), held)

    scale = jnp.float64(held.cast(10.0 ** abs(decimals)))
    return (
        step(jnp.round(step(a * scale)) / scale) if decimals > 0 else step(jnp.round(step(a / scale)) * scale)
    )


@family.elementwise("nextafter", FLOATS, is_typed=True)
def nextafter(kind: dtype, a: Array, b: Array) -> Array:
    """The number beside ``a`` in the direction of ``b``, counted in the words of the dtype."""
    top = 8 * kind.itemsize - 1

    def place(number: Array) -> tuple[Array, Array]:
        words = encoded(number, kind)
        size = (words & np.asarray(2**top - 1, words.dtype)).astype(jnp.int64)
        is_negative = words >> np.asarray(top, words.dtype) != 0
        return jnp.where(is_negative, -size, size), is_negative

    (here, is_negative), (there, _) = place(a), place(b)
    moved = here + jnp.sign(there - here)
    is_negative = (moved < 0) | ((moved == 0) & is_negative)
    words = jnp.abs(moved).astype(f"uint{top + 1}")
    words = jnp.where(is_negative, words | np.asarray(2**top, words.dtype), words)
    found = decoded(words, kind)
    return jnp.where((a != a) | (b != b), jnp.nan, jnp.where(here == there, b, found))


@family.kernel("frexp.Tensor", FLOATS, outputs=2)
def frexp(a: Array) -> tuple[Array, Array]:
    """The mantissa of a number and its exponent, which is 0 for an infinity or NaN."""
    fractions, exponents = jnp.frexp(a)
    is_usual = jnp.isfinite(a) & (a != 0)
    return jnp.where(is_usual, fractions, a), jnp.where(is_usual, exponents, 0)


_LARGEST = {
    "float16": 65504.0,
    "bfloat16": (2 - 2.0**-7) * 2.0**127,
    "float32": (2 - 2.0**-23) * 2.0**127,
    "float64": (2 - 2.0**-52) * 2.0**1023,
}


@family.elementwise("nan_to_num", ALL, is_typed=True)
def nan_to_num(kind: dtype, a: Array, nan: float | None, posinf: float | None, neginf: float | None) -> Array:
    """Replaces numbers that are not finite; real and imaginary parts are replaced independently."""
    real = kind.to_real()
    if is_complex(a):
        parts = (nan_to_num(real, part, nan, posinf, neginf) for part in (jnp.real(a), jnp.imag(a)))
        return lax.complex(*parts)
    if not is_float(a):
        return a
    high = _LARGEST[real.name] if posinf is None else posinf
    low = -_LARGEST[real.name] if neginf is None else neginf
    known = jnp.where(a == math.inf, real.cast(high), jnp.where(a == -math.inf, real.cast(low), a))
    return jnp.where(a != a, real.cast(0.0 if nan is None else nan), known)


# ---------------------------------------------------------------------------------------------------------
# Complex numbers of their parts, and the common divisors of integers.

family.elementwise_table(
    {
        "complex": lax.complex,
        "polar": lambda modulus, phase: lax.complex(modulus * jnp.cos(phase), modulus * jnp.sin(phase)),
    },
    ("float32", "float64"),
)


def gcd(a: Array, b: Array) -> Array:
    """Euclid's algorithm with C's %, whose sign for the least integer it keeps."""

    def step(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        a, b = pair
        is_done = a == 0
        return jnp.where(is_done, 0, lax.rem(b, jnp.where(is_done, 1, a))), jnp.where(is_done, b, a)

    pair = jnp.broadcast_arrays(jnp.abs(a), jnp.abs(b))
    return lax.while_loop(lambda pair: jnp.any(pair[0] != 0), step, (pair[0], pair[1]))[1]


def lcm(a: Array, b: Array) -> Array:
    """The product without the common divisor, which wraps around."""
    divisor = gcd(a, b)
    multiple = lax.div(a, jnp.where(divisor == 0, 1, divisor)) * b
    return jnp.where(divisor == 0, 0, jnp.abs(multiple))


family.elementwise_table({"gcd": gcd, "lcm": lcm}, INTEGERS)


# ---------------------------------------------------------------------------------------------------------
# Selection.


def larger(a: Array, b: Array) -> Array:
    """The larger of two; NaN if either is."""
    return jnp.where((a > b) | (a != a), a, b)


def smaller(a: Array, b: Array) -> Array:
    """The smaller of two; NaN if either is."""
    return jnp.where((a < b) | (a != a), a, b)


def clamped(a: Array, low: Any, high: Any) -> Array:
    """Clamps to the given bounds; NaN is preserved, and so is a zero's sign if it equals a bound."""
    if low is not None:
        a = jnp.where((a < low) | (low != low), low, a)
    return a if high is None else jnp.where((a > high) | (high != high), high, a)


def clamp(a: Array, low: Any, high: Any) -> Array:
    """Clamps to numbers, which are converted to the dtype."""
    return clamped(a, *(None if each is None else factor(each, a) for each in (low, high)))


family.elementwise("where.self", MOVED)(lambda condition, a, b: jnp.where(condition, a, b))
family.elementwise_table(
    {
        "clamp": clamp,
        "_clamp": lambda a, low, high: smaller(larger(a, low), high),
    },
    REAL,
)
family.elementwise_table(
    {
        "maximum": larger,
        "minimum": smaller,
        "clamp_min.Tensor": larger,
        "clamp_max.Tensor": smaller,
        "fmax": lambda a, b: jnp.where((a >= b) | (b != b), a, b),
        "fmin": lambda a, b: jnp.where((a <= b) | (b != b), a, b),
    },
    REAL_AND_BOOL,
)


# ---------------------------------------------------------------------------------------------------------
# Bits.


def _bits(a: Array) -> int:
    return 8 * int(a.dtype.itemsize)


def left_shift(a: Array, places: Array) -> Array:
    """``a * 2**places``, wrapping around; 0 where all bits are shifted out, or places is negative."""
    fits = (places >= 0) & (places < _bits(a))
    return jnp.where(fits, lax.shift_left(a, jnp.where(fits, places, 0)), 0)


def right_shift(a: Array, places: Array) -> Array:
    """``floor(a / 2**places)``; 0 or -1, by the sign, for places out of range."""
    fits = (places >= 0) & (places < _bits(a))
    shift = (
        lax.shift_right_arithmetic if jnp.issubdtype(a.dtype, jnp.signedinteger) else lax.shift_right_logical
    )
    return jnp.where(fits, shift(a, jnp.where(fits, places, 0)), jnp.where(a < 0, -1, 0).astype(a.dtype))


family.elementwise_table(
    {
        "bitwise_and.Tensor": lambda a, b: a & b,
        "bitwise_or.Tensor": lambda a, b: a | b,
        "bitwise_xor.Tensor": lambda a, b: a ^ b,
        "bitwise_not": lambda a: ~a,
    },
    BOOL + INTEGERS,
)
family.elementwise_table(
    {"bitwise_left_shift.Tensor": left_shift, "bitwise_right_shift.Tensor": right_shift}, INTEGERS
)
