"""Pointwise operators: arithmetic, comparisons, rounding, elementary and special functions, bits, selection.

NumPy's functions are used directly if they have the same semantics; the others are composed of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gnomon.calls.iterator import TensorIterator
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import bfloat16

from . import special
from .arrays import OWN, WIDE, WIDE_COMPLEX, Array, numbers, put, raw_operand, store
from .families import (
    ALL,
    BOOL,
    EVERY,
    FLOATS,
    INEXACT,
    INTEGERS,
    NUMBERS,
    REAL,
    REAL_AND_BOOL,
    Family,
    operand,
    refuse_if,
)

family = Family()


def is_complex(array: Array) -> bool:
    """Is the array's dtype complex?"""
    return array.dtype.kind == "c"


def complex_of(real: Array, imag: Array) -> Array:
    """Complex numbers from their parts; ``real + 1j * imag`` would turn infinities into NaN."""
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


# ---------------------------------------------------------------------------------------------------------
# Arithmetic.


def add(a: Array, b: Array, alpha: Any) -> Array:
    """``a + alpha * b``; for bool, logical or."""
    if a.dtype.kind == "b":
        return a | (b & bool(alpha))
    return a + b if alpha == 1 else a + b * alpha


def subtract(a: Array, b: Array, alpha: Any) -> Array:
    """``a - alpha * b``."""
    return a - b if alpha == 1 else a - b * alpha


def subtract_from(a: Array, b: Array, alpha: Any) -> Array:
    """``b - alpha * a``."""
    return subtract(b, a, alpha)


def _scaled(function: Any) -> Any:
    """The kernel of ``function(a, b, alpha)``, with alpha cast to the common dtype."""

    def kernel(iterator: Any, alpha: Any) -> None:
        kind = iterator.common_dtype
        result = function(operand(iterator, 1, OWN), operand(iterator, 2, OWN), kind.cast(alpha))
        put(raw_operand(iterator, 0), iterator.tensor(0)._spec.dtype, result)

    kernel.__doc__ = function.__doc__
    return kernel


family.add("add.Tensor", ALL, _scaled(add))
family.add("sub.Tensor", NUMBERS, _scaled(subtract))
family.add("rsub.Tensor", NUMBERS, _scaled(subtract_from))


def divide(a: Array, b: Array) -> Array:
    """``a / b``.  For a complex divisor 0 both parts of ``a`` become inf or NaN independently."""
    quotient = np.divide(a, b)
    if not is_complex(quotient):
        return quotient
    by_zero = complex_of(np.divide(a.real, 0.0), np.divide(a.imag, 0.0))
    return np.where(b == 0, by_zero, quotient)


def reciprocal(a: Array) -> Array:
    """``1 / a``."""
    return divide(np.ones_like(a), a)


def _truncated_quotient(a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    refuse_if(np.any(b == 0))
    quotient = np.floor_divide(a, b)
    is_inexact = quotient * b != a
    return quotient + (is_inexact & ((a < 0) != (b < 0))).astype(a.dtype)


def _floored_quotient(a: Array, b: Array) -> Array:
    refuse_if(a.dtype.kind != "f" and np.any(b == 0))
    return np.floor_divide(a, b)


def remainder(a: Array, b: Array) -> Array:
    """``a`` modulo ``b`` with the sign of b; NaN for floats modulo zero."""
    if a.dtype.kind != "f":
        refuse_if(np.any(b == 0))
        return np.remainder(a, b)
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


def fmod(a: Array, b: Array) -> Array:
    """``a`` modulo ``b`` with the sign of a; NaN for floats modulo zero."""
    if a.dtype.kind == "f":
        return np.fmod(a, b)
    refuse_if(np.any(b == 0))
    return a - _truncated_quotient(a, b) * b


@family.elementwise("gcd", INTEGERS)
def gcd(a: Array, b: Array) -> Array:
    """Euclid's algorithm with C's %, whose sign for the least integer differs from that of ``np.gcd``."""
    a, b = np.broadcast_arrays(np.abs(a), np.abs(b))
    while np.any(a):
        rest = np.fmod(b, np.where(a == 0, 1, a))
        a, b = np.where(a == 0, 0, rest), np.where(a == 0, b, a)
    return b


@family.elementwise("lcm", INTEGERS)
def lcm(a: Array, b: Array) -> Array:
    """The product without the common divisor, which wraps around."""
    divisor = gcd(a, b)
    multiple = a // np.where(divisor == 0, 1, divisor) * b
    return np.where(divisor == 0, 0, np.abs(multiple))


@family.kernel("nextafter", FLOATS)
def nextafter(iterator: TensorIterator) -> None:
    """A bfloat16 is the upper half of a float32: the next float32 says in which direction it changes."""
    kind = iterator.common_dtype
    a, b = operand(iterator, 1, {}), operand(iterator, 2, {})
    following = np.where(a == b, b, np.nextafter(a, b))
    if kind is bfloat16:
        bits = following.view(np.uint32)
        grown = (bits & 0xFFFF == 1) & ~np.isnan(following)
        following = (((bits >> 16) + grown) << 16).astype(np.uint32).view(np.float32)
    put(raw_operand(iterator, 0), iterator.tensor(0)._spec.dtype, following)


@family.kernel("frexp.Tensor", FLOATS)
def frexp(mantissa: Tensor, exponent: Tensor, self: Tensor) -> None:
    """The mantissa of a number and its exponent, which is 0 for an infinity or NaN."""
    a = numbers(self)
    fractions, exponents = np.frexp(a)
    store(mantissa, fractions)
    store(exponent, np.where(np.isfinite(a), exponents, 0))


def absolute(a: Array) -> Array:
    """The absolute value; the modulus of a complex number, inf if either part is."""
    return np.hypot(a.real, a.imag) if is_complex(a) else np.abs(a)


def sign(a: Array) -> Array:
    """-1, 0 (for NaN too) or 1; for a complex number that of modulus 1 in its direction."""
    if is_complex(a):
        modulus = absolute(a)
        return np.where(modulus == 0, 0, complex_of(a.real / modulus, a.imag / modulus))
    return (a > 0).astype(np.int8) - (a < 0).astype(np.int8)


family.elementwise_table({"mul.Tensor": np.multiply, "_conj_physical": np.conjugate, "sgn": sign}, ALL)
family.elementwise_table({"div.Tensor": divide}, INEXACT, WIDE_COMPLEX)
family.elementwise_table({"neg": np.negative, "abs": absolute}, NUMBERS)
family.elementwise_table({"div_trunc": _truncated_quotient}, REAL)  # rounded, then truncated
family.elementwise_table({"div_floor": _floored_quotient}, REAL, WIDE)
family.elementwise_table({"remainder.Tensor": remainder, "fmod.Tensor": fmod}, REAL)
family.elementwise_table({"sign": sign}, REAL_AND_BOOL)


@family.elementwise("addcmul", ALL, casts_numbers=True)
def addcmul(a: Array, b: Array, c: Array, value: Any) -> Array:
    """``a + value * b * c``."""
    if a.dtype.kind == "b":
        return (a.astype(np.int64) + int(value) * b * c) != 0
    return a + value * b * c


@family.elementwise("addcdiv", INEXACT, WIDE, casts_numbers=True)
def addcdiv(a: Array, b: Array, c: Array, value: Any) -> Array:
    """``a + value * b / c``."""
    return a + value * divide(b, c)


@family.elementwise("addr", ALL)
def addr(addend: Array, a: Array, b: Array, beta: Any, alpha: Any) -> Array:
    """``beta * addend + alpha * a * b``; with beta 0 even a NaN in addend is ignored."""
    if a.dtype.kind == "b":
        return (addend & bool(beta)) | (a & b & bool(alpha))
    if a.dtype.kind in "iu" and isinstance(alpha, int) and isinstance(beta, int):
        beta, alpha = (np.asarray(each % 2**64, np.uint64).astype(a.dtype) for each in (beta, alpha))
    product = alpha * a * b
    return beta * addend + product if beta != 0 else product


def _lerp(a: Array, b: Array, weight: Any) -> Array:
    """``a + weight * (b - a)``, computed from whichever end is nearer."""
    weight = np.asarray(weight, a.dtype)
    return np.where(absolute(weight) < 0.5, a + weight * (b - a), b - (b - a) * (1 - weight))


family.elementwise_table({"lerp.Scalar": _lerp, "lerp.Tensor": _lerp}, INEXACT, WIDE)


# ---------------------------------------------------------------------------------------------------------
# Rounding.


def _floats_only(function: Any) -> Any:
    """``function`` for floats; integers are returned unchanged."""
    return lambda a: function(a) if a.dtype.kind == "f" else a


family.elementwise_table(
    {
        "floor": _floats_only(np.floor),
        "ceil": _floats_only(np.ceil),
        "trunc": _floats_only(np.trunc),
        "round": _floats_only(np.rint),
    },
    REAL,
)


@family.elementwise("frac", FLOATS)
def fractional(a: Array) -> Array:
    """The fractional part, with the sign of a; NaN for an infinity."""
    return a - np.trunc(a)


@family.elementwise("round.decimals", FLOATS)
def round_decimals(a: Array, decimals: int) -> Array:
    """Scales, rounds and scales back, with each step in the tensor's dtype (float32 for half precision)."""
    scale = a.dtype.type(10.0 ** abs(decimals))
    return np.rint(a * scale) / scale if decimals > 0 else np.rint(a / scale) * scale


# ---------------------------------------------------------------------------------------------------------
# Comparisons and logic.

family.elementwise_table({"eq.Tensor": np.equal, "ne.Tensor": np.not_equal}, EVERY)
family.elementwise_table(
    {
        "lt.Tensor": np.less,
        "le.Tensor": np.less_equal,
        "gt.Tensor": np.greater,
        "ge.Tensor": np.greater_equal,
    },
    REAL_AND_BOOL,
)
family.elementwise_table(
    {
        "logical_and": np.logical_and,
        "logical_or": np.logical_or,
        "logical_xor": np.logical_xor,
        "logical_not": np.logical_not,
        "isnan": np.isnan,
        "isinf": np.isinf,
    },
    ALL,
)
family.elementwise_table({"isfinite": np.isfinite}, INEXACT)
family.elementwise_table(
    {
        "isposinf": lambda a: a == np.inf,
        "isneginf": lambda a: a == -np.inf,
        "signbit": lambda a: np.signbit(a) if a.dtype.kind == "f" else a < 0,
    },
    REAL_AND_BOOL,
)


@family.elementwise("where.self", EVERY)
def where(condition: Array, a: Array, b: Array) -> Array:
    """``a`` where the condition is true, else ``b``."""
    return np.where(condition != 0, a, b)


@family.elementwise("heaviside", REAL_AND_BOOL)
def heaviside(a: Array, value: Array) -> Array:
    """0 below 0, 1 above, and at 0 the value."""
    return np.where(a == 0, value, (a > 0).astype(value.dtype))


def _nan_to_num(iterator: Any, nan: float | None, posinf: float | None, neginf: float | None) -> None:
    """Replaces numbers that are not finite; real and imaginary parts are replaced independently."""
    kind = iterator.common_dtype
    real = kind.to_real()
    largest = LARGEST.get(real.name, 0.0)
    high, low = (largest if posinf is None else posinf), (-largest if neginf is None else neginf)

    def finite(a: Array) -> Array:
        if is_complex(a):
            return complex_of(finite(a.real), finite(a.imag))
        if a.dtype.kind != "f":
            return a
        known = np.where(a == np.inf, real.cast(high), np.where(a == -np.inf, real.cast(low), a))
        return np.where(np.isnan(a), real.cast(0.0 if nan is None else nan), known)

    put(raw_operand(iterator, 0), iterator.tensor(0)._spec.dtype, finite(operand(iterator, 1, OWN)))


LARGEST = {
    "float16": 65504.0,
    "bfloat16": (2 - 2.0**-7) * 2.0**127,
    "float32": float(np.finfo(np.float32).max),
    "float64": float(np.finfo(np.float64).max),
}
family.add("nan_to_num", ALL, _nan_to_num)


# ---------------------------------------------------------------------------------------------------------
# Minimum, maximum, clamp.


def clamped(a: Array, low: Any, high: Any) -> Array:
    """Clamps to the given bounds; NaN is preserved, and so is a zero's sign if it equals a bound."""
    if low is not None:
        a = np.where((a < low) | (low != low), low, a)
    return a if high is None else np.where((a > high) | (high != high), high, a)


def _clamped(iterator: Any, min: Any, max: Any) -> None:
    """Clamps to ``min`` and ``max``, which are cast to the dtype; NaN is preserved."""
    kind = iterator.common_dtype
    result = operand(iterator, 1, OWN)
    bounds = (None if each is None else result.dtype.type(kind.cast(each)) for each in (min, max))
    result = clamped(result, *bounds)
    put(raw_operand(iterator, 0), iterator.tensor(0)._spec.dtype, result)


family.add("clamp", REAL, _clamped)
family.elementwise_table(
    {"_clamp": lambda a, low, high: np.minimum(np.maximum(a, low), high)},
    REAL,
)
family.elementwise_table(
    {
        "maximum": np.maximum,
        "minimum": np.minimum,
        "clamp_min.Tensor": np.maximum,
        "clamp_max.Tensor": np.minimum,
        "fmax": np.fmax,
        "fmin": np.fmin,
    },
    REAL_AND_BOOL,
)


# ---------------------------------------------------------------------------------------------------------
# Bits.

family.elementwise_table(
    {
        "bitwise_and.Tensor": np.bitwise_and,
        "bitwise_or.Tensor": np.bitwise_or,
        "bitwise_xor.Tensor": np.bitwise_xor,
        "bitwise_not": np.invert,
    },
    BOOL + INTEGERS,
)


def _bits(a: Array) -> int:
    """The number of bits of an element, without the sign bit."""
    return 8 * a.dtype.itemsize - (a.dtype.kind == "i")


@family.elementwise("bitwise_left_shift.Tensor", INTEGERS)
def left_shift(a: Array, places: Array) -> Array:
    """``a * 2**places``, wrapping around; 0 where all bits are shifted out, or places is negative."""
    fits = (places >= 0) & (places < 8 * a.dtype.itemsize)
    return np.where(fits, np.left_shift(a, np.where(fits, places, 0)), 0)


@family.elementwise("bitwise_right_shift.Tensor", INTEGERS)
def right_shift(a: Array, places: Array) -> Array:
    """``floor(a / 2**places)``; 0 or -1, by the sign, for places out of range."""
    fits = (places >= 0) & (places <= _bits(a))
    shifted = np.right_shift(a, np.where(fits, places, 0))
    return np.where(fits, shifted, np.where(a < 0, -1, 0).astype(a.dtype) if a.dtype.kind == "i" else 0)


# ---------------------------------------------------------------------------------------------------------
# Elementary functions.


def rsqrt(a: Array) -> Array:
    """``1 / sqrt(a)``."""
    return divide(np.ones_like(a), np.sqrt(a))


def sigmoid(a: Array) -> Array:
    """``1 / (1 + exp(-a))``, without overflow for real numbers."""
    if is_complex(a):
        return divide(np.ones_like(a), 1 + np.exp(-a))
    decayed = np.exp(-np.abs(a))
    return np.where(a >= 0, 1, decayed) / (1 + decayed)


def _logarithm(function: Any, base: float) -> Any:
    """A logarithm to another base; for complex numbers each part of the natural one is scaled separately."""

    def logarithm(a: Array) -> Array:
        if not is_complex(a):
            return function(a)
        natural = np.log(a)
        return complex_of(natural.real / math.log(base), natural.imag / math.log(base))

    return logarithm


def exp2(a: Array) -> Array:
    """2 to the power of a."""
    if not is_complex(a):
        return np.exp2(a)
    return np.exp(complex_of(a.real * math.log(2.0), a.imag * math.log(2.0)))


def log1p(a: Array) -> Array:
    """log(1 + a)."""
    return np.log(complex_of(1 + a.real, a.imag)) if is_complex(a) else np.log1p(a)


def expm1(a: Array) -> Array:
    """exp(a) - 1, accurate also near 0."""
    if not is_complex(a):
        return np.expm1(a)
    half = np.sin(a.imag / 2)
    real = np.expm1(a.real) * np.cos(a.imag) - 2 * half * half
    return complex_of(real, np.exp(a.real) * np.sin(a.imag))


def silu(a: Array) -> Array:
    """``a * sigmoid(a)``."""
    return a * sigmoid(a)


def sinc(a: Array) -> Array:
    """``sin(pi a) / (pi a)``; 1 where a is 0."""
    product = a * math.pi
    return np.where(a == 0, 1, divide(np.sin(product), product))


def angle(a: Array) -> Array:
    """The angle to the positive real axis: 0 or pi for real numbers, NaN for NaN."""
    if is_complex(a):
        return np.arctan2(a.imag, a.real)
    return np.where(np.isnan(a), a, np.where(a < 0, math.pi, 0.0))


# float32 is computed in float64 and rounded once, as in the reference, so that results are equal.
family.elementwise_table(
    {
        "acos": np.arccos,
        "acosh": np.arccosh,
        "angle": angle,
        "asin": np.arcsin,
        "asinh": np.arcsinh,
        "atan": np.arctan,
        "atanh": np.arctanh,
        "cos": np.cos,
        "cosh": np.cosh,
        "exp": np.exp,
        "exp2": exp2,
        "expm1": expm1,
        "log": np.log,
        "log10": _logarithm(np.log10, 10.0),
        "log1p": log1p,
        "log2": _logarithm(np.log2, 2.0),
        "rsqrt": rsqrt,
        "sigmoid": sigmoid,
        "silu": silu,
        "sin": np.sin,
        "sinc": sinc,
        "sinh": np.sinh,
        "tan": np.tan,
        "tanh": np.tanh,
    },
    INEXACT,
    WIDE,
)
family.elementwise_table({"reciprocal": reciprocal, "sqrt": np.sqrt}, INEXACT, WIDE_COMPLEX)
family.elementwise_table({"atan2": np.arctan2, "hypot": np.hypot}, FLOATS, WIDE)
family.elementwise_table({"copysign.Tensor": np.copysign}, FLOATS)
family.elementwise_table({"complex": complex_of}, FLOATS[2:])


@family.elementwise("polar", FLOATS[2:])
def polar(modulus: Array, phase: Array) -> Array:
    """The complex number of this modulus and angle."""
    return complex_of(modulus * np.cos(phase), modulus * np.sin(phase))


# ---------------------------------------------------------------------------------------------------------
# Powers.


@family.elementwise("pow.Tensor_Tensor", NUMBERS, WIDE)
def power(a: Array, b: Array) -> Array:
    """``a`` to the power of ``b``."""
    if a.dtype.kind in "iu":
        return special.integer_power(a, b)
    return np.where(b == 0, 1, np.power(a, b)) if is_complex(a) else np.power(a, b)


def _power_of_number(iterator: Any, exponent: Any) -> None:
    """0.5 and -0.5 use the square root, which is NaN at -inf; small powers are products."""
    a = operand(iterator, 1, WIDE)
    held = exponent if isinstance(exponent, int) else iterator.common_dtype.cast(exponent)
    if held == 0.5:
        result = np.sqrt(a)
    elif held == -0.5:
        result = rsqrt(a)
    elif a.dtype.kind in "fc" and held in (-2, -1, 1, 2, 3):
        result = {1: a, 2: a * a, 3: a * a * a}[abs(int(held.real))]
        result = result if held.real > 0 else reciprocal(result)
    elif a.dtype.kind in "biu":
        result = special.integer_power(a.astype(np.int64), np.asarray(int(held), np.int64))
    else:
        result = power(a, np.asarray(held, a.dtype))
    put(raw_operand(iterator, 0), iterator.tensor(0)._spec.dtype, result)


family.add("pow.Tensor_Scalar", ALL, _power_of_number)


# ---------------------------------------------------------------------------------------------------------
# Special functions.


@family.elementwise("logaddexp", INEXACT, WIDE)
def logaddexp(a: Array, b: Array) -> Array:
    """log(exp(a) + exp(b)), without overflow."""
    is_first = (a.real >= b.real) | np.isnan(a)
    larger, smaller = np.where(is_first, a, b), np.where(is_first, b, a)
    same = (a == b) & np.isinf(a.real)
    return np.where(same, a, larger + log1p(np.exp(smaller - larger)))


@family.elementwise("logaddexp2", FLOATS, WIDE)
def logaddexp2(a: Array, b: Array) -> Array:
    """log2(2**a + 2**b), without overflow."""
    larger = np.maximum(a, b)
    found = larger + np.log1p(np.exp2(-np.abs(a - b))) / math.log(2.0)
    return np.where((a == b) & np.isinf(a), a, found)


@family.elementwise("logit", FLOATS, WIDE)
def logit(a: Array, eps: float | None) -> Array:
    """``log(a / (1 - a))``, with ``a`` clamped to eps and 1 - eps; a negative eps means no clamping."""
    if eps is not None and eps >= 0:
        a = np.where(a < eps, eps, np.where(a > 1 - eps, 1 - eps, a))
    return np.log(a / (1 - a))


@family.elementwise("xlogy.Tensor", FLOATS, WIDE)
def xlogy(a: Array, b: Array) -> Array:
    """``a * log(b)``; NaN if b is NaN, else 0 if a is 0."""
    return np.where(np.isnan(b), b, np.where(a == 0, 0.0, a * np.log(b)))


@family.elementwise("polygamma", FLOATS, WIDE)
def polygamma(a: Array, n: int) -> Array:
    """The n-th derivative of digamma."""
    return special.polygamma(a, n)


family.elementwise_table(
    {
        "digamma": special.digamma,
        "erf": special.erf,
        "erfc": special.erfc,
        "erfinv": special.erfinv,
        "lgamma": special.lgamma,
        "deg2rad": lambda a: a * (math.pi / 180),
        "rad2deg": lambda a: a * (180 / math.pi),
    },
    FLOATS,
    WIDE,
)
