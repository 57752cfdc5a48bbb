"""Arithmetic on Python numbers with the results of IEEE hardware, where Python would raise.

``1.0 / 0.0`` is inf, ``exp(1000.0)`` is inf, ``log(-1.0)`` is NaN, ``sqrt`` of a complex is complex.  Numbers
are Python's: int, float (computed in float64; storing rounds once to the tensor's dtype) or complex.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

inf = math.inf
nan = math.nan


def divide(a: Any, b: Any) -> Any:
    """a / b.  Division by zero gives an infinity of the right sign, or NaN for 0/0.

    A complex zero has no sign: each part of ``a`` is divided separately.
    """
    try:
        return a / b
    except ZeroDivisionError:
        if isinstance(a, complex) or isinstance(b, complex):
            return complex(_divide_by_zero(a.real, 0.0), _divide_by_zero(a.imag, 0.0))
        return _divide_by_zero(a, b)
    except OverflowError:
        return float(a) / float(b) if not isinstance(a, complex) else complex(nan, nan)


def _divide_by_zero(a: float, b: Any) -> float:
    if a == 0 or a != a:
        return nan
    return math.copysign(inf, a) * math.copysign(1.0, b.real)


def floor_divide(a: Any, b: Any) -> Any:
    """floor(a / b), with the sign rules of Python's //; NaN or infinity for floats divided by zero."""
    if b == 0:
        return divide(a, b)
    return a // b


def trunc_divide(a: Any, b: Any) -> Any:
    """a / b rounded towards zero; exact for integers."""
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return quotient if (a < 0) == (b < 0) else -quotient
    quotient = divide(a, b)
    return (
        quotient
        if quotient != quotient or abs(quotient) == inf
        else math.copysign(math.trunc(quotient), quotient)
    )


def remainder(a: Any, b: Any) -> Any:
    """a modulo b with the sign of b: Python's %.  NaN for floats modulo zero."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b
    if b == 0 or a != a or b != b or abs(a) == inf:
        return nan
    result = math.fmod(a, b)
    if result != 0 and (b < 0) != (result < 0):
        result += b
    return result


def fmod(a: Any, b: Any) -> Any:
    """a modulo b with the sign of a: C's %.  NaN for floats modulo zero."""
    if isinstance(a, int) and isinstance(b, int):
        return int(math.copysign(1, a)) * (abs(a) % abs(b))
    if b == 0 or abs(a) == inf:
        return nan
    return math.fmod(a, b)


def power(a: Any, b: Any) -> Any:
    """a to the power of b.  Integers stay integers: a negative exponent gives the truncated reciprocal."""
    if isinstance(a, int) and isinstance(b, int):
        if b >= 0:
            return pow(a, b, 1 << 64) if a >= 0 else (-1) ** (b & 1) * pow(-a, b, 1 << 64)
        return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)
    if isinstance(a, complex) or isinstance(b, complex):
        if b == 0:
            return complex(1.0, 0.0)
        try:
            result = complex(a) ** b if b == b else complex(nan, nan)
        except (ZeroDivisionError, OverflowError):
            result = complex(nan, nan)
        # products of infinite parts are NaN, even where the exponential has a direction
        return result if result == result else exp(complex(b) * log(complex(a)))
    try:
        return math.pow(a, b)
    except ValueError:
        return nan if a != 0 else (-inf if _is_odd(b) and math.copysign(1.0, a) < 0 else inf)
    except OverflowError:
        return -inf if a < 0 and _is_odd(b) else inf


def _is_odd(number: float) -> bool:
    return number == math.floor(number) and number % 2 == 1


def total(
    real: Callable[[float], float],
    complex_: Callable[[complex], complex] | None = None,
    overflow: float = inf,
) -> Callable[[Any], Any]:
    """Make ``real`` defined everywhere: NaN outside its domain, ``overflow`` if it overflows.

    ``complex_`` is used for complex numbers.
    """

    def function(a: Any) -> Any:
        try:
            if isinstance(a, complex):
                return complex_(a)  # type: ignore[misc]
            return real(a)
        except ValueError:
            return complex(nan, nan) if isinstance(a, complex) else nan
        except OverflowError:
            return complex(nan, nan) if isinstance(a, complex) else overflow
        except ZeroDivisionError:
            return complex(nan, nan)

    return function


# -- complex functions at infinities, where Python's raise.  Source: C99, Annex G, else glibc.


def _exp(a: complex) -> complex:
    try:
        return cmath.exp(a)
    except ValueError:
        return complex(inf if a.real == inf else nan, nan)
    except OverflowError:  # inf with the signs of the angle's parts; the exponential of a real number is real
        return complex(inf * math.cos(a.imag), inf * math.sin(a.imag) if a.imag else a.imag)


def _expm1(a: complex) -> complex:
    """exp(a) - 1, accurate near 0, where the difference loses digits."""
    half = sin(a.imag / 2)
    return complex(expm1(a.real) * cos(a.imag) - 2 * half * half, exp(a.real) * sin(a.imag))


def _complex_sinh(a: complex) -> complex:
    try:
        return cmath.sinh(a)
    except ValueError:
        return complex(a.real if a.real == 0 else inf if abs(a.real) == inf else nan, nan)


def _cosh(a: complex) -> complex:
    try:
        return cmath.cosh(a)
    except ValueError:
        return complex(inf if abs(a.real) == inf else nan, 0.0 if a.real == 0 else nan)


def _tanh(a: complex) -> complex:
    if a.real == 0 and not math.isfinite(a.imag):
        return complex(a.real, nan)
    return cmath.tanh(a)


def _sin(a: complex) -> complex:
    if abs(a.imag) == inf and not math.isfinite(a.real):
        return complex(nan, inf)
    turned = _complex_sinh(complex(-a.imag, a.real))
    return complex(turned.imag, -turned.real)


def _cos(a: complex) -> complex:
    return _cosh(complex(-a.imag, a.real))


def _tan(a: complex) -> complex:
    turned = _tanh(complex(-a.imag, a.real))
    return complex(turned.imag, -turned.real)


def _times(a: complex, factor: float) -> complex:
    """Multiply each part separately: a complex product of an infinity contains inf * 0, NaN."""
    return complex(a.real * factor, a.imag * factor)


exp = total(math.exp, _exp)
expm1 = total(math.expm1, _expm1)
sin = total(math.sin, _sin)
cos = total(math.cos, _cos)
tanh = total(math.tanh, _tanh)
_sqrt = total(math.sqrt, cmath.sqrt)


def sqrt(a: Any) -> Any:
    """The square root; NaN below zero for real numbers."""
    return _sqrt(a)


def log(a: Any) -> Any:
    """The natural logarithm; -inf at 0, NaN below it for real numbers."""
    if a == 0:
        return complex(-inf, math.atan2(a.imag, a.real)) if isinstance(a, complex) else -inf
    return _log(a)


_log = total(math.log, cmath.log)


def log1p(a: Any) -> Any:
    """log(1 + a); -inf at -1."""
    if a == -1:
        return -inf
    return _log1p(a)


_log1p = total(math.log1p, lambda a: log(complex(1.0 + a.real, a.imag)))


def log2(a: Any) -> Any:
    """The logarithm to base 2; -inf at 0."""
    if isinstance(a, complex):
        return _times(log(a), 1 / math.log(2))
    return -inf if a == 0 else _log2(a)


_log2 = total(math.log2)


def log10(a: Any) -> Any:
    """The logarithm to base 10; -inf at 0."""
    if isinstance(a, complex):
        return cmath.log10(a) if a else _times(log(a), 1 / math.log(10))
    return -inf if a == 0 else _log10(a)


_log10 = total(math.log10)


def rsqrt(a: Any) -> Any:
    """1 / sqrt(a)."""
    return divide(1.0, sqrt(a))


def reciprocal(a: Any) -> Any:
    """1 / a."""
    return divide(1.0, a)


def sigmoid(a: Any) -> Any:
    """1 / (1 + exp(-a)), without overflow."""
    if isinstance(a, complex):
        return divide(1.0, 1.0 + exp(-a))
    if a >= 0:
        return 1.0 / (1.0 + math.exp(-a))
    grown = math.exp(a)
    return grown / (1.0 + grown)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two numbers; NaN if either is NaN."""
    if a != a or b != b:
        return nan
    return a if a > b else b


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two numbers; NaN if either is NaN."""
    if a != a or b != b:
        return nan
    return a if a < b else b


def absolute(a: Any) -> Any:
    """The absolute value; the modulus of a complex number, inf if either part is."""
    if isinstance(a, complex):
        return math.hypot(a.real, a.imag)
    return abs(a)


def exact_sum(numbers: list[Any]) -> Any:
    """The sum, rounded once at the end; exact for integers."""
    if not numbers:
        return 0
    if isinstance(numbers[0], complex):
        return complex(exact_sum([a.real for a in numbers]), exact_sum([a.imag for a in numbers]))
    if isinstance(numbers[0], int):
        return sum(numbers)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):  # an intermediate overflow, or infinities of both signs
        return sum(numbers)


def _poles(function: Callable[[Any], Any], poles: dict[Any, Any]) -> Callable[[Any], Any]:
    """``function`` with its values at the poles, real or complex, where Python's raises.

    A part that is 0 has the sign of the argument's part.
    """

    def with_poles(a: Any) -> Any:
        if a not in poles:
            return function(a)
        pole = poles[a]
        return complex(pole.real or a.real, pole.imag or a.imag) if isinstance(a, complex) else pole

    return with_poles


tan = total(math.tan, _tan)
asin = total(math.asin, cmath.asin)
acos = total(math.acos, cmath.acos)
atan = _poles(total(math.atan, cmath.atan), {1j: complex(0, inf), -1j: complex(0, -inf)})
_sinh = total(math.sinh, _complex_sinh)
cosh = total(math.cosh, _cosh)
asinh = total(math.asinh, cmath.asinh)
acosh = total(
    math.acosh,
    lambda a: complex(nan, math.pi / 2) if a.real == 0 and a.imag != a.imag else cmath.acosh(a),
)
atanh = _poles(total(math.atanh, cmath.atanh), {1.0: inf, -1.0: -inf})
exp2 = total(lambda a: math.pow(2.0, a), lambda a: _exp(_times(a, math.log(2.0))))


def sinh(a: Any) -> Any:
    """The hyperbolic sine; an infinity of the right sign if it overflows."""
    result = _sinh(a)
    return -inf if result == inf and a.real < 0 else result
