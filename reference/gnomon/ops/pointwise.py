"""Pointwise arithmetic: each element of the result depends on the elements at the same index of the operands.

Operands broadcast and promote; integers wrap around; floating point results are computed in float64 and
rounded once.  Source: aten/src/ATen/native/BinaryOps.cpp, UnaryOps.cpp, PointwiseOps.cpp, Lerp.cpp,
TensorCompare.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit import arithmetic
from ..kit.iterator import result_type
from ..kit.loops import for_each, pointwise
from ..kit.native import native_function
from ..kit.rules import (
    binary,
    binary_float,
    check_alpha,
    refuse,
    to_float,
    unary,
    unary_bool,
    unary_float,
    walk,
)
from ..memory.spec import Spec
from ..values.dtype import bool_, check_number_fits


def add_rule(self: Any, other: Any, alpha: Any) -> Any:
    """Promoted and broadcast; ``alpha`` has to fit the common dtype."""
    common = result_type(self, other)
    check_alpha(common, alpha)
    return walk([self, other], common, common)


def sub_rule(self: Any, other: Any, alpha: Any) -> Any:
    """Like add, but bool has no subtraction."""
    for operand in (self, other):
        if isinstance(operand, bool) or (isinstance(operand, Spec) and operand.dtype is bool_):
            raise RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                "invert a mask, use the `~` or `logical_not()` operator instead."
            )
    return add_rule(self, other, alpha)


def scaled(grad: Any, alpha: Any) -> Any:
    """``grad * conj(alpha)``, or grad itself where alpha is 1.  Source: maybe_multiply."""
    return grad if alpha == 1 else grad * alpha.conjugate()


add = native_function(
    "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    meta=add_rule,
    kernel=pointwise(
        lambda a, b, alpha: a + alpha * b if a.__class__ is not bool else a or (bool(alpha) and b)
    ),
    derivatives={"self": lambda grad: grad, "other": lambda grad, alpha: scaled(grad, alpha)},
    inplace=True,
    out="out",
    doc="""``self + alpha * other``.

    Operands broadcast and promote.  For bool it is logical or.  Raises RuntimeError for an alpha that the
    result's dtype can not hold.""",
)

sub = native_function(
    "sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    meta=sub_rule,
    kernel=pointwise(lambda a, b, alpha: a - alpha * b),
    derivatives={"self": lambda grad: grad, "other": lambda grad, alpha: scaled(-grad, alpha)},
    inplace=True,
    out="out",
    doc="``self - alpha * other``.  Operands broadcast and promote; bool is refused with a RuntimeError.",
)

rsub = native_function(
    "rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    composite=lambda self, other, alpha: aten.sub.Tensor(other, self, alpha),
    doc="``other - alpha * self``.",
)

mul = native_function(
    "mul.Tensor(Tensor self, Tensor other) -> Tensor",
    meta=binary(),
    kernel=pointwise(lambda a, b: a * b),
    derivatives={
        "self": lambda grad, other: grad * conj(other),
        "other": lambda grad, self: grad * conj(self),
    },
    inplace=True,
    out="out",
    doc="``self * other``.  Operands broadcast and promote; for bool it is logical and.",
)


def conj(value: Any) -> Any:
    """The complex conjugate of a tensor or number; a real one itself."""
    try:
        is_complex = value._spec.dtype.is_complex
    except AttributeError:
        return value.conjugate()
    return value.conj() if is_complex else value


div = native_function(
    "div.Tensor(Tensor self, Tensor other) -> Tensor",
    meta=binary_float(),
    kernel=pointwise(arithmetic.divide),
    derivatives={
        "self": lambda grad, other: grad / conj(other),
        "other": lambda grad, self, other: -grad * conj((self / other) / other),
    },
    inplace=True,
    out="out",
    doc="""``self / other``, true division: integers become the default dtype.

    Division by zero gives an infinity, or NaN for 0/0.""",
)


def integer_division_rule(self: Any, other: Any) -> Any:
    """Promoted and broadcast; complex numbers have no floor."""
    common = result_type(self, other)
    refuse(common, "complex", "bool")
    return walk([self, other], common, common)


def refuse_zero(function: Any) -> Any:
    """``function`` of two numbers, raising RuntimeError for an integer divided by zero."""

    def checked(a: Any, b: Any) -> Any:
        if b == 0 and isinstance(b, int):
            raise RuntimeError("ZeroDivisionError")
        return function(a, b)

    return checked


div_floor = native_function(
    "div_floor(Tensor self, Tensor other) -> Tensor",
    meta=integer_division_rule,
    kernel=pointwise(refuse_zero(arithmetic.floor_divide)),
    derivatives={"self": lambda grad: aten.zeros_like(grad), "other": lambda grad: aten.zeros_like(grad)},
    doc="``floor(self / other)``: the kernel under ``div(rounding_mode='floor')`` and ``floor_divide``.",
)

div_trunc = native_function(
    "div_trunc(Tensor self, Tensor other) -> Tensor",
    meta=integer_division_rule,
    kernel=pointwise(refuse_zero(arithmetic.trunc_divide)),
    derivatives={"self": lambda grad: aten.zeros_like(grad), "other": lambda grad: aten.zeros_like(grad)},
    doc="``self / other`` rounded towards zero: the kernel under ``div(rounding_mode='trunc')``.",
)


def div_with_mode(self: Any, other: Any, rounding_mode: str | None) -> Any:
    """True, floor or truncating division."""
    if rounding_mode is None:
        return aten.div.Tensor(self, other)
    if rounding_mode == "floor":
        return aten.div_floor.default(self, other)
    if rounding_mode == "trunc":
        return aten.div_trunc.default(self, other)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
    )


div_mode = native_function(
    "div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    composite=div_with_mode,
    inplace=True,
    out="out_mode",
    doc="Division with ``rounding_mode`` None (true), 'floor' or 'trunc'.",
)

floor_divide = native_function(
    "floor_divide(Tensor self, Tensor other) -> Tensor",
    composite=lambda self, other: aten.div_floor.default(self, other),
    inplace="Tensor",
    out="out",
    doc="``floor(self / other)``; integers stay integers.  Raises RuntimeError for integers divided by zero.",
)

remainder = native_function(
    "remainder.Tensor(Tensor self, Tensor other) -> Tensor",
    meta=integer_division_rule,
    kernel=pointwise(refuse_zero(arithmetic.remainder)),
    derivatives={
        "self": lambda grad: grad,
        "other": lambda grad, self, other: -grad * aten.div(self, other, rounding_mode="floor"),
    },
    inplace=True,
    out="Tensor_out",
    doc="``self`` modulo ``other``, with the sign of ``other``, as Python's %.",
)

fmod = native_function(
    "fmod.Tensor(Tensor self, Tensor other) -> Tensor",
    meta=integer_division_rule,
    kernel=pointwise(refuse_zero(arithmetic.fmod)),
    derivatives={
        "self": lambda grad: grad,
        "other": lambda grad, self, other: -grad * aten.div(self, other, rounding_mode="trunc"),
    },
    inplace=True,
    out="Tensor_out",
    doc="``self`` modulo ``other``, with the sign of ``self``, as C's %.",
)


def pow_rule(self: Any, exponent: Any) -> Any:
    """Promoted and broadcast; an integer to a negative integer power is refused."""
    if (
        isinstance(exponent, int)
        and not isinstance(exponent, bool)
        and exponent < 0
        and self.dtype.category < 2
    ):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    common = result_type(self, exponent)
    refuse(common, "bool")
    return walk([self, exponent], common, common)


def pow_grad_self(grad: Any, self: Any, exponent: Any) -> Any:
    """``grad * exponent * self ** (exponent - 1)``; 0 where the exponent is 0."""
    if not hasattr(exponent, "_spec"):
        if exponent == 0:
            return aten.zeros_like(self)
        return grad * conj(exponent * self ** (exponent - 1))
    return aten.where(exponent == 0, aten.zeros_like(grad), grad * conj(exponent * self ** (exponent - 1)))


def pow_grad_exponent(grad: Any, self: Any, exponent: Any, result: Any) -> Any:
    """``grad * result * log(self)``; 0 where self is 0 and the exponent is not negative."""
    if hasattr(self, "_spec"):
        flat = aten.logical_and(self == 0, _is_not_negative(exponent))
        return grad * aten.where(flat, aten.zeros_like(grad), conj(result * self.to(result.dtype).log()))
    if self == 0:
        return grad * aten.where(_is_not_negative(exponent), aten.zeros_like(grad), result * -math.inf)
    return grad * conj(result * (arithmetic.log(self)))


def _is_not_negative(exponent: Any) -> Any:
    """Where a tensor is real and not below 0."""
    if not exponent._spec.dtype.is_complex:
        return exponent >= 0
    return aten.logical_and(exponent == exponent.conj(), aten.real(exponent) >= 0)


pow_tensor = native_function(
    "pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
    meta=pow_rule,
    kernel=pointwise(arithmetic.power),
    derivatives={"self": pow_grad_self, "exponent": pow_grad_exponent},
    node_name="PowBackward1",
    inplace="Tensor",
    out="Tensor_Tensor_out",
    doc="``self`` to the power of ``exponent``.  Operands broadcast and promote.",
)

pow_scalar = native_function(
    "pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
    meta=lambda self, exponent: _pow_scalar_walk(self, exponent),
    kernel=pointwise(lambda a, exponent: _power_of_number(a, exponent)),
    derivatives={"self": pow_grad_self},
    inplace="Scalar",
    out="Tensor_Scalar_out",
    doc="""``self`` to the power of a number.

    Raises RuntimeError for integers to a negative integer power.""",
)


def _power_of_number(a: Any, exponent: Any) -> Any:
    """a to the power of a number; 0.5 and -0.5 mean the square root, whose -inf is NaN.

    Source: pow_tensor_scalar_kernel.
    """
    if exponent == 0.5:
        return arithmetic.sqrt(a)
    if exponent == -0.5:
        return arithmetic.rsqrt(a)
    return arithmetic.power(a, exponent)


def _pow_scalar_walk(self: Spec, exponent: Any) -> Any:
    pow_rule(self, exponent)
    common = result_type(self, exponent)
    return walk([self], common, common)


pow_reversed = native_function(
    "pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
    composite=lambda self, exponent: aten.pow.Tensor_Tensor(
        aten.scalar_tensor(
            self, dtype=aten.result_type.Scalar_Tensor(self, exponent), device=exponent.device
        ),
        exponent,
    ).contiguous(),
    doc="A number to the power of each element.",
)

maximum = native_function(
    "maximum(Tensor self, Tensor other) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(arithmetic.maximum),
    derivatives={
        "self": lambda grad, self, other: tie_grad(grad, self, other, self >= other),
        "other": lambda grad, self, other: tie_grad(grad, self, other, self <= other),
    },
    out="out",
    doc="The larger of two elements; NaN if either is NaN.  Where they are equal, each gets half the "
    "gradient.",
)

minimum = native_function(
    "minimum(Tensor self, Tensor other) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(arithmetic.minimum),
    derivatives={
        "self": lambda grad, self, other: tie_grad(grad, self, other, self <= other),
        "other": lambda grad, self, other: tie_grad(grad, self, other, self >= other),
    },
    out="out",
    doc="The smaller of two elements; NaN if either is NaN.  Where they are equal, each gets half the "
    "gradient.",
)


def tie_grad(grad: Any, self: Any, other: Any, chosen: Any) -> Any:
    """The gradient where ``chosen``, halved where both operands are equal."""
    return aten.where(self == other, grad / 2, grad).masked_fill(~chosen, 0)


clamp = native_function(
    "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    meta=lambda self, min, max: _clamp_walk(self, min, max),
    kernel=lambda iterator, min, max: _clamp_kernel(iterator, min, max),
    derivatives={"self": lambda grad, self, min, max: _clamp_grad(grad, self, min, max)},
    node_name="ClampBackward1",
    inplace=True,
    out="out",
    doc="""Each element, but not less than ``min`` nor more than ``max``; NaN stays NaN.

    Raises RuntimeError when neither bound is given.""",
)


def _clamp_walk(self: Spec, min: Any, max: Any) -> Any:
    if min is None and max is None:
        raise RuntimeError("At least one of 'min' or 'max' must not be None")
    common = result_type(self, *[bound for bound in (min, max) if bound is not None])
    refuse(common, "complex", "bool")
    for bound in (min, max):
        if bound is not None:
            check_number_fits(bound, common)
    return walk([self], common, common)


def _clamp_kernel(iterator: Any, min: Any, max: Any) -> None:
    """``output = min(max(input, min), max)``, the bounds as the dtype holds them."""
    low, high = (None if bound is None else iterator.common_dtype.cast(bound) for bound in (min, max))
    for_each(iterator, lambda a: _clamped(a, low, high))


def _clamped(a: Any, low: Any, high: Any) -> Any:
    if a != a:
        return a
    if low is not None and (low != low or a < low):
        a = low
    return high if high is not None and (high != high or a > high) else a


def _clamp_grad(grad: Any, self: Any, min: Any, max: Any) -> Any:
    inside = aten.logical_and(
        self >= min if min is not None else aten.ones_like(self, dtype=bool_),
        self <= max if max is not None else aten.ones_like(self, dtype=bool_),
    )
    return aten.where(inside, grad, aten.zeros_like(grad))


clamp_min = native_function(
    "clamp_min(Tensor self, Scalar min) -> Tensor",
    composite=lambda self, min: aten.clamp.default(self, min, None),
    inplace=True,
    out="out",
    doc="Each element, but not less than ``min``.",
)

clamp_max = native_function(
    "clamp_max(Tensor self, Scalar max) -> Tensor",
    composite=lambda self, max: aten.clamp.default(self, None, max),
    inplace=True,
    out="out",
    doc="Each element, but not more than ``max``.",
)

neg = native_function(
    "neg(Tensor self) -> Tensor",
    meta=unary("bool"),
    kernel=pointwise(lambda a: -a),
    derivatives={"self": lambda grad: grad.neg()},
    inplace=True,
    out="out",
    doc="The negative of each element; bool is refused.",
)


def abs_rule(self: Spec) -> Any:
    """A complex number's modulus is real."""
    refuse(self.dtype, "bool")
    return walk([self], self.dtype.to_real(), self.dtype)


abs = native_function(
    "abs(Tensor self) -> Tensor",
    meta=abs_rule,
    kernel=pointwise(arithmetic.absolute),
    derivatives={"self": lambda grad, self: grad * self.sgn()},
    inplace=True,
    out="out",
    doc="The absolute value, or modulus.  Its gradient at 0 is 0.",
)


def _sgn(a: Any) -> Any:
    if isinstance(a, complex):
        modulus = arithmetic.absolute(a)
        return a / modulus if modulus else 0j
    return (a > 0) - (a < 0)


sign = native_function(
    "sign(Tensor self) -> Tensor",
    meta=unary("complex"),
    kernel=pointwise(_sgn),
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    inplace=True,
    out="out",
    doc="-1, 0 or 1 by the sign of each element; 0 for NaN.",
)

sgn = native_function(
    "sgn(Tensor self) -> Tensor",
    meta=unary(),
    kernel=pointwise(_sgn),
    derivatives={"self": lambda grad, self, result: _sgn_grad(grad, self, result)},
    inplace=True,
    out="out",
    doc="``sign`` for real numbers; a complex number divided by its modulus.",
)


def _sgn_grad(grad: Any, self: Any, result: Any) -> Any:
    if not self._spec.dtype.is_complex:
        return aten.zeros_like(grad)
    modulus = self.abs()
    tangent = (grad - aten.real(grad * result.conj()) * result) / modulus
    return tangent.masked_fill(modulus == 0, 0)


exp = native_function(
    "exp(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.exp),
    derivatives={"self": lambda grad, result: grad * conj(result)},
    inplace=True,
    out="out",
    doc="e to the power of each element.",
)

expm1 = native_function(
    "expm1(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.expm1),
    derivatives={"self": lambda grad, result: grad * conj(result + 1)},
    inplace=True,
    out="out",
    doc="``exp(x) - 1``, exact near 0.",
)

log = native_function(
    "log(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.log),
    derivatives={"self": lambda grad, self: grad / conj(self)},
    inplace=True,
    out="out",
    doc="The natural logarithm; -inf at 0, NaN below.",
)

log2 = native_function(
    "log2(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.log2),
    derivatives={"self": lambda grad, self: grad / conj(self * math.log(2.0))},
    inplace=True,
    out="out",
    doc="The logarithm to base 2.",
)

log1p = native_function(
    "log1p(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.log1p),
    derivatives={"self": lambda grad, self: grad / conj(self + 1)},
    inplace=True,
    out="out",
    doc="``log(1 + x)``, exact near 0.",
)

sqrt = native_function(
    "sqrt(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.sqrt),
    derivatives={"self": lambda grad, result: grad / conj(2 * result)},
    inplace=True,
    out="out",
    doc="The square root; NaN below 0 for real numbers.",
)

rsqrt = native_function(
    "rsqrt(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.rsqrt),
    derivatives={"self": lambda grad, result: -0.5 * grad * conj(result.pow(3))},
    inplace=True,
    out="out",
    doc="1 / sqrt(x).",
)

reciprocal = native_function(
    "reciprocal(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.reciprocal),
    derivatives={"self": lambda grad, result: -grad * conj(result * result)},
    inplace=True,
    out="out",
    doc="1 / x.",
)

square = native_function(
    "square(Tensor self) -> Tensor",
    composite=lambda self: aten.pow.Tensor_Scalar(self, 2),
    inplace=True,
    out="out",
    doc="x ** 2.",
)

sin = native_function(
    "sin(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.sin),
    derivatives={"self": lambda grad, self: grad * conj(self.cos())},
    inplace=True,
    out="out",
    doc="The sine of each element, in radians.",
)

cos = native_function(
    "cos(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.cos),
    derivatives={"self": lambda grad, self: grad * -conj(self.sin())},
    inplace=True,
    out="out",
    doc="The cosine of each element, in radians.",
)

erf = native_function(
    "erf(Tensor self) -> Tensor",
    meta=unary_float("complex"),
    kernel=pointwise(math.erf),
    derivatives={"self": lambda grad, self: 2.0 / math.sqrt(math.pi) * (-(self.pow(2))).exp() * grad},
    inplace=True,
    out="out",
    doc="The error function.",
)


def _integer_is_itself(function: Any) -> Any:
    """``function`` for floats; integers and non-finite numbers unchanged."""

    def rounded(a: Any) -> Any:
        if isinstance(a, int) or a != a or a in (math.inf, -math.inf):
            return a
        return math.copysign(float(function(a)), a)

    return rounded


def _rounding(name: str, function: Any, meaning: str) -> Any:
    return native_function(
        f"{name}(Tensor self) -> Tensor",
        meta=unary("bool", "complex"),
        kernel=pointwise(_integer_is_itself(function)),
        derivatives={"self": lambda grad: aten.zeros_like(grad)},
        inplace=True,
        out="out",
        doc=f"Each element rounded {meaning}; integers unchanged.",
    )


floor = _rounding("floor", math.floor, "down")
ceil = _rounding("ceil", math.ceil, "up")
trunc = _rounding("trunc", math.trunc, "towards zero")
round = _rounding("round", round, "to the nearest integer, halves to even")

bitwise_not = native_function(
    "bitwise_not(Tensor self) -> Tensor",
    meta=unary("floating", "complex"),
    kernel=pointwise(lambda a: (not a) if isinstance(a, bool) else ~a),
    inplace=True,
    out="out",
    doc="Each bit inverted; logical not for bool.",
)

bitwise_and = native_function(
    "bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
    meta=binary("floating", "complex"),
    kernel=pointwise(lambda a, b: a & b),
    inplace=True,
    out="Tensor_out",
    doc="Bit by bit and.",
)

bitwise_or = native_function(
    "bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
    meta=binary("floating", "complex"),
    kernel=pointwise(lambda a, b: a | b),
    inplace=True,
    out="Tensor_out",
    doc="Bit by bit or.",
)

bitwise_xor = native_function(
    "bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
    meta=binary("floating", "complex"),
    kernel=pointwise(lambda a, b: a ^ b),
    inplace=True,
    out="Tensor_out",
    doc="Bit by bit exclusive or.",
)

isnan = native_function(
    "isnan(Tensor self) -> Tensor",
    meta=unary_bool,
    kernel=pointwise(lambda a: a != a),
    doc="Is each element NaN?",
)

isinf = native_function(
    "isinf(Tensor self) -> Tensor",
    meta=unary_bool,
    kernel=pointwise(lambda a: arithmetic.absolute(a) == math.inf),
    doc="Is each element an infinity?",
)

isfinite = native_function(
    "isfinite(Tensor self) -> Tensor",
    composite=lambda self: aten.logical_not(aten.logical_or(self.isnan(), self.isinf())),
    doc="Is each element neither NaN nor an infinity?",
)


def _ternary_rule(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    common = result_type(self, tensor1, tensor2)
    check_alpha(common, value)
    return walk([self, tensor1, tensor2], common, common)


def _addcdiv_rule(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    if result_type(tensor1, tensor2).category < 2:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported; use (input + value * torch.trunc(tensor1 "
            "/ tensor2))"
        )
    return _ternary_rule(self, tensor1, tensor2, value)


addcmul = native_function(
    "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    meta=_ternary_rule,
    kernel=pointwise(lambda a, b, c, value: a + value * b * c),
    derivatives={
        "self": lambda grad: grad,
        "tensor1": lambda grad, tensor2, value: grad * conj(tensor2 * value),
        "tensor2": lambda grad, tensor1, value: grad * conj(tensor1 * value),
    },
    inplace=True,
    out="out",
    doc="``self + value * tensor1 * tensor2``.",
)

addcdiv = native_function(
    "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    meta=_addcdiv_rule,
    kernel=pointwise(lambda a, b, c, value: a + value * arithmetic.divide(b, c)),
    derivatives={
        "self": lambda grad: grad,
        "tensor1": lambda grad, tensor2, value: grad * conj(value / tensor2),
        "tensor2": lambda grad, tensor1, tensor2, value: (
            -grad * conj((value * tensor1) / (tensor2 * tensor2))
        ),
    },
    inplace=True,
    out="out",
    doc="``self + value * tensor1 / tensor2``.  Raises RuntimeError for integers.",
)


def _lerp_rule(self: Any, end: Any, weight: Any) -> Any:
    for operand in (end,):
        if operand.dtype is not self.dtype:
            raise RuntimeError(
                f"expected dtype {self.dtype.name} for `end` but got dtype {operand.dtype.name}"
            )
    refuse(self.dtype, "bool", "integer")
    return walk([self, end], self.dtype, self.dtype)


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    """``a + weight * (b - a)``, from the nearer end."""
    return a + weight * (b - a) if arithmetic.absolute(weight) < 0.5 else b - (b - a) * (1 - weight)


lerp = native_function(
    "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
    meta=_lerp_rule,
    kernel=pointwise(_lerp),
    derivatives={
        "self": lambda grad, weight: grad * (1 - weight.conjugate()),
        "end": lambda grad, weight: grad * weight.conjugate(),
    },
    inplace=True,
    out="Scalar_out",
    doc="``self + weight * (end - self)``: linear interpolation.",
)

conj_physical = native_function(
    "conj_physical(Tensor self) -> Tensor",
    meta=unary(),
    kernel=pointwise(lambda a: a.conjugate() if isinstance(a, complex) else a),
    derivatives={"self": lambda grad: grad.conj()},
    inplace=True,
    out="out",
    doc="The complex conjugate, computed.",
)

conj_ = native_function(
    "conj(Tensor(a) self) -> Tensor(a)",
    composite=lambda self: self.conj_physical() if self._spec.dtype.is_complex else self,
    doc="The complex conjugate; a real tensor itself.  gnomon computes it, where PyTorch sets a bit and "
    "waits.",
)


def _real_rule(self: Spec) -> Any:
    return walk([self], self.dtype.to_real(), self.dtype)


real = native_function(
    "_real(Tensor self) -> Tensor",
    meta=_real_rule,
    kernel=pointwise(lambda a: a.real),
    derivatives={"self": lambda grad, self_spec: grad.to(self_spec.dtype)},
    doc="The real part of a complex tensor, copied.",
)

real_view = native_function(
    "real(Tensor(a) self) -> Tensor(a)",
    composite=lambda self: aten._real.default(self) if self._spec.dtype.is_complex else self,
    doc="The real part.",
)


def to_float_dtype(self: Spec) -> Any:
    """The dtype that an operator with fractional results gives for this operand."""
    return to_float(self.dtype)
