"""Element-wise functions.

Operands broadcast, and promote by their dtypes alone: a tensor without dimensions counts as any other.  At
least one operand of two is a tensor; a Python number takes its dtype.  What gnomon's function of that name
refuses raises its errors; operands that are neither tensors nor numbers raise TypeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn
from gnomon import Tensor

from . import special_cases, unsigned
from .data_types import isdtype, result_type
from .unsigned import larger, on_bits, on_ordered


def operands(name: str, *given: Any) -> list[Tensor]:
    """The operands as tensors of their common dtype.  Raises TypeError if none is a tensor."""
    tensors = [each for each in given if isinstance(each, Tensor)]
    if not tensors:
        raise TypeError(
            f"{name}: expected at least one tensor, got {', '.join(type(each).__name__ for each in given)}"
        )
    common = result_type(*given)
    where = tensors[0].device
    return [
        each.to(common) if isinstance(each, Tensor) else gn.full((), each, dtype=common, device=where)
        for each in given
    ]


def _check(name: str, x: Any) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}: argument 'x': expected a tensor, got {type(x).__name__}")


def unary(name: str, function: Callable[[Tensor], Tensor], text: str) -> Callable[[Tensor], Tensor]:
    """The function ``name`` of one tensor, which is gnomon's ``function``."""

    def call(x: Tensor, /) -> Tensor:
        _check(name, x)
        return function(x)

    return _named(call, name, f"{text}  Raises TypeError for anything but a tensor.")


def binary(name: str, function: Callable[..., Tensor], text: str) -> Callable[[Any, Any], Tensor]:
    """The function ``name`` of two operands, which is gnomon's ``function`` of two tensors of one dtype."""

    def call(x1: Any, x2: Any, /) -> Tensor:
        return function(*operands(name, x1, x2))

    return _named(
        call, name, f"{text}  Raises TypeError without a tensor, or for dtypes with none in common."
    )


def _named(call: Any, name: str, text: str) -> Any:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = text
    return call


def _except_integers(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """``function``, which leaves bools and integers as they are, and so returns a copy of them."""

    def call(x: Tensor) -> Tensor:
        return x.clone() if isdtype(x.dtype, ("bool", "integral")) else function(x)

    return call


def _by_width(function: Callable[..., Tensor], wide: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``function``, or for uint16, uint32 and uint64 ``wide``."""
    return lambda x1, x2: (wide if unsigned.is_unsigned(x1) else function)(x1, x2)


def _round(x: Tensor) -> Tensor:
    if x.is_complex():
        return gn.complex(gn.round(x.real), gn.round(x.imag))
    return gn.round(x) if x.is_floating_point() else x.clone()


def _sign(x: Tensor) -> Tensor:
    return (x != 0).to(x.dtype) if unsigned.is_unsigned(x) else special_cases.sign(x)


def _imag(x: Tensor) -> Tensor:
    return gn.imag(x) if x.is_complex() else gn.zeros_like(x)


def _abs(x: Tensor) -> Tensor:
    return x.clone() if unsigned.is_unsigned(x) else gn.abs(x)


def _square(x: Tensor) -> Tensor:
    return on_bits(gn.mul)(x, x)


def _signbit(x: Tensor) -> Tensor:
    return gn.zeros_like(x, dtype=gn.bool) if unsigned.is_unsigned(x) else gn.signbit(x)


# One operand.
abs = unary("abs", _abs, "The absolute value; of complex numbers the magnitude, a real number.")
acos = unary("acos", gn.acos, "The angle in radians whose cosine this is.")
acosh = unary("acosh", gn.acosh, "The number whose hyperbolic cosine this is.")
asin = unary("asin", gn.asin, "The angle in radians whose sine this is.")
asinh = unary("asinh", gn.asinh, "The number whose hyperbolic sine this is.")
atan = unary("atan", gn.atan, "The angle in radians whose tangent this is.")
atanh = unary("atanh", gn.atanh, "The number whose hyperbolic tangent this is.")
bitwise_invert = unary("bitwise_invert", on_bits(gn.bitwise_not), "Each bit of integers or bools inverted.")
ceil = unary("ceil", _except_integers(gn.ceil), "The least integer that is not less.")
conj = unary("conj", lambda x: gn.conj(x).resolve_conj(), "The complex conjugate.")
cos = unary("cos", gn.cos, "The cosine of an angle in radians.")
cosh = unary("cosh", gn.cosh, "The hyperbolic cosine.")
exp = unary("exp", gn.exp, "e to this power.")
expm1 = unary("expm1", special_cases.expm1, "e to this power, minus 1, exact near zero.")
floor = unary("floor", _except_integers(gn.floor), "The greatest integer that is not greater.")
imag = unary("imag", _imag, "The imaginary part; zero for real numbers.")
isfinite = unary("isfinite", gn.isfinite, "Is it neither infinite nor NaN?")
isinf = unary("isinf", gn.isinf, "Is it infinite, in one part at least?")
isnan = unary("isnan", gn.isnan, "Is it NaN, in one part at least?")
log = unary("log", gn.log, "The natural logarithm.")
log1p = unary("log1p", gn.log1p, "The natural logarithm of 1 plus this, exact near zero.")
log2 = unary("log2", gn.log2, "The logarithm to base 2.")
log10 = unary("log10", gn.log10, "The logarithm to base 10.")
logical_not = unary("logical_not", lambda x: x == 0, "Is it False, or zero?")
negative = unary("negative", on_bits(gn.neg), "The negative; it wraps around for unsigned integers.")
positive = unary("positive", lambda x: x.clone(), "A copy.")
real = unary("real", gn.real, "The real part.")
reciprocal = unary("reciprocal", gn.reciprocal, "1 divided by this.")
round = unary("round", _round, "The nearest integer, the even one of two equally near.")
sign = unary("sign", _sign, "-1, 0 or 1; of complex numbers the number divided by its magnitude.")
signbit = unary("signbit", _signbit, "Is the sign bit set? It is for -0.0.")
sin = unary("sin", gn.sin, "The sine of an angle in radians.")
sinh = unary("sinh", gn.sinh, "The hyperbolic sine.")
sqrt = unary("sqrt", gn.sqrt, "The square root.")
square = unary("square", _square, "This times itself.")
tan = unary("tan", gn.tan, "The tangent of an angle in radians.")
tanh = unary("tanh", special_cases.tanh, "The hyperbolic tangent.")
trunc = unary("trunc", _except_integers(gn.trunc), "The integer part.")

# Two operands.
add = binary("add", on_bits(gn.add), "The sum.")
atan2 = binary("atan2", gn.atan2, "The angle in radians of the point (x2, x1).")
bitwise_and = binary("bitwise_and", gn.bitwise_and, "The bits that both have.")
bitwise_left_shift = binary(
    "bitwise_left_shift", on_bits(gn.bitwise_left_shift), "``x1`` with its bits ``x2`` places higher."
)
bitwise_or = binary("bitwise_or", gn.bitwise_or, "The bits that at least one has.")
bitwise_right_shift = binary(
    "bitwise_right_shift",
    _by_width(gn.bitwise_right_shift, unsigned.right_shift),
    "``x1`` with its bits ``x2`` places lower; the sign stays.",
)
bitwise_xor = binary("bitwise_xor", gn.bitwise_xor, "The bits that exactly one has.")
copysign = binary("copysign", gn.copysign, "The magnitude of ``x1`` with the sign of ``x2``.")
divide = binary("divide", gn.true_divide, "The quotient, a floating point number.")
equal = binary("equal", gn.eq, "Are they equal?")
floor_divide = binary(
    "floor_divide",
    _by_width(special_cases.floor_divide, unsigned.floor_divide),
    "The quotient, rounded down.",
)
greater = binary("greater", on_ordered(gn.gt), "Is ``x1`` greater than ``x2``?")
greater_equal = binary("greater_equal", on_ordered(gn.ge), "Is ``x1`` at least ``x2``?")
hypot = binary("hypot", gn.hypot, "The length of the hypotenuse over two legs.")
less = binary("less", on_ordered(gn.lt), "Is ``x1`` less than ``x2``?")
less_equal = binary("less_equal", on_ordered(gn.le), "Is ``x1`` at most ``x2``?")
logaddexp = binary("logaddexp", gn.logaddexp, "The logarithm of ``exp(x1) + exp(x2)``.")
logical_and = binary("logical_and", lambda a, b: (a != 0) & (b != 0), "Are both True, or not zero?")
logical_or = binary("logical_or", lambda a, b: (a != 0) | (b != 0), "Is one True, or not zero?")
logical_xor = binary("logical_xor", lambda a, b: (a != 0) ^ (b != 0), "Is exactly one True, or not zero?")
maximum = binary("maximum", larger(gn.maximum), "The greater of the two; NaN if one is NaN.")
minimum = binary("minimum", larger(gn.minimum), "The less of the two; NaN if one is NaN.")
multiply = binary("multiply", on_bits(gn.mul), "The product.")
nextafter = binary("nextafter", gn.nextafter, "The number next to ``x1`` in the direction of ``x2``.")
not_equal = binary("not_equal", gn.ne, "Do they differ?")
pow = binary("pow", _by_width(gn.pow, unsigned.pow), "``x1`` to the power ``x2``.")
remainder = binary(
    "remainder",
    _by_width(special_cases.remainder, unsigned.remainder),
    "What remains of ``x1`` after ``floor_divide``, with the sign of ``x2``.",
)
subtract = binary("subtract", on_bits(gn.sub), "The difference.")


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Each element, but not less than ``min`` nor greater than ``max``, in the dtype of ``x``.

    The limits are numbers or tensors, which broadcast.  Raises TypeError if ``x`` is not a tensor.
    """
    _check("clip", x)
    made = x
    for limit, choose in ((min, maximum), (max, minimum)):
        if limit is not None:
            made = choose(made, limit.to(x.dtype) if isinstance(limit, Tensor) else limit).to(x.dtype)
    return x.clone() if made is x else made
