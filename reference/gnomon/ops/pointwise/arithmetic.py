"""Pointwise arithmetic: each element of the result depends on the elements at the same index of the operands.

Operands broadcast and promote; integers wrap around; floating point results are computed in float64 and
rounded once.  Source: aten/src/ATen/native/BinaryOps.cpp, UnaryOps.cpp, PointwiseOps.cpp, Lerp.cpp.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...calls.checks import check_alpha, check_same_dtype, refuse_dtype
from ...calls.iterator import TensorIterator, result_type
from ...calls.meta_functions import binary, binary_float, build_iterator, computed_in, unary, unary_float
from ...calls.native import native_function
from ...calls.record import Numbers, Out
from ...dispatch.dispatcher import OpOverload, aten
from ...memory.spec import Spec
from ...numerics import arithmetic
from ...numerics.formulas import conj, scaled
from ...numerics.loops import for_each, pointwise, pointwise_in_steps
from ...values.dispatch_key import DispatchKey
from ...values.dtype import FLOAT8, UNSIGNED, bfloat16, bool_, check_number_fits, complex32, float16, float32


def scaled_by_number(function: Any) -> Any:
    """The kernel of ``function(a, b, alpha)``, with alpha cast to the common dtype."""

    def kernel(iterator: TensorIterator, alpha: Any) -> None:
        held = iterator.common_dtype.cast(alpha)
        for_each(iterator, lambda a, b: function(a, b, held))

    return kernel


def add_meta(self: Any, other: Any, alpha: Any) -> Any:
    """Broadcasts and promotes; checks that ``alpha`` fits the common dtype."""
    common = result_type(self, other)
    check_alpha(common, alpha)
    return build_iterator([self, other], common, common)


def sub_meta(self: Any, other: Any, alpha: Any) -> Any:
    """Like add, but bool has no subtraction."""
    for operand in (self, other):
        if isinstance(operand, bool) or (isinstance(operand, Spec) and operand.dtype is bool_):
            raise RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                "invert a mask, use the `~` or `logical_not()` operator instead."
            )
    # -2**31 may fit where 2**31 does not
    return add_meta(self, other, -alpha if type(alpha) is int else alpha)


add = native_function(
    "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    numbers=Numbers("both", held=("alpha",)),
    meta=add_meta,
    kernel=scaled_by_number(
        lambda a, b, alpha: a + alpha * b if a.__class__ is not bool else a or (bool(alpha) and b)
    ),
    limited=(complex32,),
    derivatives={"self": lambda grad: grad, "other": lambda grad, alpha: scaled(grad, alpha)},
    linear=("self other",),
    inplace=True,
    out="out",
    doc="""Computes ``self + alpha * other``.

    The operands broadcast and their dtypes promote; bool operands are combined by logical or.  Raises
    RuntimeError for an alpha that the result's dtype cannot represent.""",
)

sub = native_function(
    "sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    numbers=Numbers("both", held=("alpha",)),
    meta=sub_meta,
    kernel=scaled_by_number(lambda a, b, alpha: a - alpha * b),
    limited=(complex32,),
    derivatives={"self": lambda grad: grad, "other": lambda grad, alpha: scaled(-grad, alpha)},
    linear=("self other",),
    inplace=True,
    out="out",
    doc="""Computes ``self - alpha * other``.

    The operands broadcast and their dtypes promote.  Raises RuntimeError for bool.""",
)


def rsub_meta(self: Any, other: Any, alpha: Any) -> Any:
    """As for ``other - alpha * self``: if strides differ, those of ``other`` determine the result's."""
    output = sub_meta(other, self, alpha).operands[0].spec
    return sub_meta(self, other, alpha).with_outputs([output])


rsub = native_function(
    "rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    numbers=Numbers("other", held=("alpha",)),
    variants="function",
    meta=rsub_meta,
    kernel=scaled_by_number(lambda a, b, alpha: b - alpha * a),
    limited=(complex32,),
    derivatives={"self": lambda grad, alpha: scaled(-grad, alpha), "other": lambda grad: grad},
    doc="""Computes ``other - alpha * self``.

    The operands broadcast and their dtypes promote.  Raises RuntimeError for bool and for sizes that do not
    broadcast.""",
)

mul = native_function(
    "mul.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers=Numbers("both", wide=("self", "other")),
    meta=binary(),
    kernel=pointwise(lambda a, b: a * b),
    limited=(*UNSIGNED, complex32),
    derivatives={
        "self": lambda grad, other: grad * conj(other),
        "other": lambda grad, self: grad * conj(self),
    },
    linear=("self", "other"),
    inplace=True,
    out="out",
    doc="""Computes ``self * other``.

    The operands broadcast and their dtypes promote; bool operands are combined by logical and.""",
)

div = native_function(
    "div.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers=Numbers("both", wide=("other",)),
    meta=binary_float(),
    kernel=pointwise(arithmetic.divide),
    derivatives={
        "self": lambda grad, other: grad / conj(other),
        "other": lambda grad, self, other: -grad * conj((self / other) / other),
    },
    inplace=True,
    out="out",
    doc="""Computes the true division ``self / other``; integers are converted to the default dtype.

    Division by zero returns an infinity, or NaN for 0/0.""",
)


def integer_division_meta(self: Any, other: Any) -> Any:
    """Broadcasts and promotes; refuses complex, which has no floor."""
    common = result_type(self, other)
    refuse_dtype(common, "complex", "bool")
    return build_iterator([self, other], common, common)


def refuse_zero(function: Any) -> Any:
    """``function`` of two numbers; raises RuntimeError if an integer is divided by zero."""

    def checked(a: Any, b: Any) -> Any:
        if b == 0 and isinstance(b, int):
            raise RuntimeError("ZeroDivisionError")
        return function(a, b)

    return checked


div_floor = native_function(
    "div_floor(Tensor self, Tensor other) -> Tensor",
    numbers=Numbers("either", wide=("other",)),
    meta=integer_division_meta,
    kernel=pointwise(refuse_zero(arithmetic.floor_divide)),
    derivatives={"self": lambda grad: aten.zeros_like(grad), "other": lambda grad: aten.zeros_like(grad)},
    node_name="DivBackward2",
    doc="""Computes ``floor(self / other)``: the kernel of ``div(rounding_mode='floor')`` and
    ``floor_divide``.""",
)


def _div_trunc_kernel(iterator: TensorIterator) -> None:
    """Rounds a float quotient to the dtype (half precision: to float32) before truncating it, so that
    2.5 / 0.001 is 2500.
    """
    dtype = iterator.common_dtype
    rounded = (float32 if dtype.itemsize == 2 else dtype).cast

    def quotient(a: Any, b: Any) -> Any:
        return arithmetic.trunc_divide(rounded(arithmetic.divide(a, b)), 1.0)

    for_each(iterator, quotient if dtype.is_floating_point else refuse_zero(arithmetic.trunc_divide))


div_trunc = native_function(
    "div_trunc(Tensor self, Tensor other) -> Tensor",
    numbers=Numbers("either", wide=("other",)),
    meta=integer_division_meta,
    kernel=_div_trunc_kernel,
    derivatives={"self": lambda grad: aten.zeros_like(grad), "other": lambda grad: aten.zeros_like(grad)},
    node_name="DivBackward2",
    doc="Computes ``self / other`` rounded towards zero: the kernel of ``div(rounding_mode='trunc')``.",
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
    numbers="both",
    composite=div_with_mode,
    inplace=True,
    out="out_mode",
    doc="Divides with ``rounding_mode`` None (true division), 'floor' or 'trunc'.",
)

floor_divide = native_function(
    "floor_divide(Tensor self, Tensor other) -> Tensor",
    numbers=Numbers("both", wide=("other",)),
    meta=integer_division_meta,
    kernel_of="div_floor",
    derivatives={"self": lambda grad: aten.zeros_like(grad), "other": lambda grad: aten.zeros_like(grad)},
    node_name="DivBackward2",
    inplace="Tensor",
    out="out",
    doc="""Computes ``floor(self / other)``; integers stay integers.

    The operands broadcast and their dtypes promote.  Raises RuntimeError for integers divided by zero.""",
)

remainder = native_function(
    "remainder.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="either",
    meta=integer_division_meta,
    kernel=pointwise(refuse_zero(arithmetic.remainder)),
    derivatives={
        "self": lambda grad: grad,
        "other": lambda grad, self, other: -grad * aten.div(self, other, rounding_mode="floor"),
    },
    node_name="RemainderBackward1",
    inplace=True,
    out="Tensor_out",
    doc="""Computes ``self`` modulo ``other``; the result has the sign of ``other``, as with Python's %.

    The operands broadcast and their dtypes promote; integers stay integers.  Raises RuntimeError for sizes
    that do not broadcast.""",
)

fmod = native_function(
    "fmod.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="other",
    meta=integer_division_meta,
    kernel=pointwise(refuse_zero(arithmetic.fmod)),
    derivatives={
        "self": lambda grad: grad,
        "other": lambda grad, self, other: -grad * aten.div(self, other, rounding_mode="trunc"),
    },
    node_name="FmodBackward1",
    inplace=True,
    out="Tensor_out",
    doc="""Computes ``self`` modulo ``other``; the result has the sign of ``self``, as with C's %.

    The operands broadcast and their dtypes promote; integers stay integers.  Raises RuntimeError for sizes
    that do not broadcast.""",
)


def _greatest_common_divisor(wrapped: Callable[[int], int], a: int, b: int) -> int:
    """Euclid's algorithm with C's %.  The least integer of a dtype is its own absolute value."""
    a, b = wrapped(builtins.abs(a)), wrapped(builtins.abs(b))
    while a:
        a, b = arithmetic.fmod(b, a), a
    return b


def _gcd_kernel(iterator: TensorIterator) -> None:
    wrapped = iterator.common_dtype.cast
    for_each(iterator, lambda a, b: _greatest_common_divisor(wrapped, a, b))


gcd = native_function(
    "gcd(Tensor self, Tensor other) -> Tensor",
    meta=binary("bool", "floating", "complex"),
    kernel=_gcd_kernel,
    inplace=True,
    out="out",
    doc="""Computes the greatest common divisor of ``self`` and ``other``; that of 0 and 0 is 0.

    The result is not negative, unless an operand is the least integer of the dtype, whose absolute value the
    dtype cannot represent.""",
)


def _lcm_kernel(iterator: TensorIterator) -> None:
    wrapped = iterator.common_dtype.cast

    def least_common_multiple(a: int, b: int) -> int:
        divisor = _greatest_common_divisor(wrapped, a, b)
        return builtins.abs(wrapped(a // divisor * b)) if divisor else 0

    for_each(iterator, least_common_multiple)


lcm = native_function(
    "lcm(Tensor self, Tensor other) -> Tensor",
    meta=binary("bool", "floating", "complex"),
    kernel=_lcm_kernel,
    inplace=True,
    out="out",
    doc="""Computes the least common multiple of ``self`` and ``other``; 0 if one of them is 0.

    A multiple that the dtype cannot represent wraps around.  Integers only; raises NotImplementedError for
    other dtypes.  Source: aten/src/ATen/native/cpu/BinaryOpsKernel.cpp (lcm_kernel).""",
)


def _neg_meta(self: Spec) -> Any:
    if self.dtype is bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )
    return build_iterator([self], self.dtype, self.dtype)


neg = native_function(
    "neg(Tensor self) -> Tensor",
    meta=_neg_meta,
    kernel=pointwise(lambda a: -a),
    limited=(complex32,),
    derivatives={"self": lambda grad: grad.neg()},
    linear=("self",),
    inplace=True,
    out=Out(exact=True),
    doc="Returns the negative of each element.  Raises RuntimeError for bool.",
)


def abs_meta(self: Spec) -> Any:
    """The result is real; the absolute value of a complex number is its modulus."""
    refuse_dtype(self.dtype, "bool")
    return build_iterator([self], self.dtype.to_real(), self.dtype)


abs = native_function(
    "abs(Tensor self) -> Tensor",
    meta=abs_meta,
    kernel=pointwise(arithmetic.absolute),
    limited=(*FLOAT8, complex32),
    derivatives={"self": lambda grad, self: grad * self.sgn()},
    inplace=True,
    out=Out(row_major=lambda self: self.dtype.is_complex, exact=True),
    doc="""Computes the absolute value of each element; its gradient at 0 is 0.

    The result has the operand's sizes and dtype; for complex dtypes, the corresponding real dtype.  Raises
    NotImplementedError for bool.""",
)


_abs_inplace = aten.abs_.default.kernels[DispatchKey.Dense]


def _real_abs_inplace(operator: OpOverload, keys: int, arguments: Any) -> Any:
    if arguments[0]._spec.dtype.is_complex:
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return _abs_inplace(operator, keys, arguments)


aten.abs_.default.register(DispatchKey.Dense, _real_abs_inplace)


def _sgn(a: Any) -> Any:
    if isinstance(a, complex):
        modulus = arithmetic.absolute(a)
        return complex(a.real / modulus, a.imag / modulus) if modulus else 0j
    return (a > 0) - (a < 0)


sign = native_function(
    "sign(Tensor self) -> Tensor",
    meta=unary("complex"),
    kernel=pointwise(_sgn),
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    inplace=True,
    out=Out(exact=True),
    doc="Returns the sign of each element: -1, 0 or 1; 0 for NaN.",
)

sgn = native_function(
    "sgn(Tensor self) -> Tensor",
    meta=unary(),
    kernel=pointwise(_sgn),
    limited=(complex32,),
    derivatives={"self": lambda grad, self, result: _sgn_grad(grad, self, result)},
    inplace=True,
    out=Out(exact=True),
    doc="Returns ``sign`` for real dtypes; divides complex elements by their modulus, and keeps 0.",
)


def _sgn_grad(grad: Any, self: Any, result: Any) -> Any:
    if not self._spec.dtype.is_complex:
        return grad.new_zeros(grad.shape)
    modulus = self.abs()
    at_zero = modulus == 0
    tangent = (grad - aten.real(grad * result.conj()) * result) / modulus.masked_fill(at_zero, 1)
    return tangent.masked_fill(at_zero, 0)


reciprocal = native_function(
    "reciprocal(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.reciprocal),
    derivatives={"self": lambda grad, result: -grad * conj(result * result)},
    inplace=True,
    out="out",
    doc="Computes the reciprocal ``1 / x`` of each element.",
)


def _integer_is_itself(function: Any) -> Any:
    """Applies ``function`` to finite floats; returns integers and non-finite numbers unchanged."""

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
        limited=UNSIGNED,
        derivatives={"self": lambda grad: aten.zeros_like(grad)},
        inplace=True,
        out=Out(exact=True),
        doc=f"Rounds each element {meaning}; integers are unchanged.",
    )


floor = _rounding("floor", math.floor, "down")

ceil = _rounding("ceil", math.ceil, "up")

trunc = _rounding("trunc", math.trunc, "towards zero")

round = _rounding("round", builtins.round, "to the nearest integer, halves to even")


def _ternary_meta(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    common = result_type(self, tensor1, tensor2)
    check_number_fits(value, computed_in(common))
    return build_iterator([self, tensor1, tensor2], common, common)


def _addcdiv_meta(self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    if result_type(tensor1, tensor2).category < 2:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported; use (input + value * torch.trunc(tensor1 "
            "/ tensor2))"
        )
    return _ternary_meta(self, tensor1, tensor2, value)


addcmul = native_function(
    "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    meta=_ternary_meta,
    kernel=pointwise_in_steps(lambda held, a, b, c, value: a + held(held(value * b) * c)),
    limited=(complex32,),
    derivatives={
        "self": lambda grad: grad,
        "tensor1": lambda grad, tensor2, value: grad * conj(tensor2 * value),
        "tensor2": lambda grad, tensor1, value: grad * conj(tensor1 * value),
    },
    inplace=True,
    out="out",
    doc="""Computes ``self + value * tensor1 * tensor2``.

    The three operands broadcast and their dtypes promote.  Raises RuntimeError for sizes that do not
    broadcast.""",
)

addcdiv = native_function(
    "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    meta=_addcdiv_meta,
    kernel=pointwise_in_steps(lambda held, a, b, c, value: a + held(arithmetic.divide(held(value * b), c))),
    derivatives={
        "self": lambda grad: grad,
        "tensor1": lambda grad, tensor2, value: grad * conj(value / tensor2),
        "tensor2": lambda grad, tensor1, tensor2, value: (
            -grad * conj((value * tensor1) / (tensor2 * tensor2))
        ),
    },
    inplace=True,
    out="out",
    doc="""Computes ``self + value * tensor1 / tensor2``.

    The three operands broadcast and their dtypes promote.  Raises RuntimeError if both ``tensor1`` and
    ``tensor2`` are integers or bool.""",
)


def _lerp_meta(self: Spec, end: Spec, weight: Any) -> TensorIterator:
    """All have one dtype, except that a 0-dim weight takes part in type promotion like a wrapped number."""
    check_same_dtype(self=self, end=end)
    if not isinstance(weight, Spec):
        # the opmath type of half precision is float32
        check_number_fits(weight, float32 if self.dtype in (float16, bfloat16) else self.dtype)
        weight = None
    elif weight.ndim:
        check_same_dtype(self=self, weight=weight)
    dtype = self.dtype if weight is None else result_type(self, end, weight)
    refuse_dtype(dtype, "bool", "integer")
    if weight is None:
        return build_iterator([self, end], dtype, dtype)
    return build_iterator([self, end, weight], dtype, dtype)


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    """``a + weight * (b - a)``, computed from whichever end is nearer."""
    return a + weight * (b - a) if arithmetic.absolute(weight) < 0.5 else b - (b - a) * (1 - weight)


lerp = native_function(
    "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
    meta=_lerp_meta,
    kernel=pointwise(_lerp),
    derivatives={
        "self": lambda grad, weight: grad * (1 - weight.conjugate()),
        "end": lambda grad, weight: grad * weight.conjugate(),
    },
    inplace=True,
    out="Scalar_out",
    doc="Interpolates linearly: ``self + weight * (end - self)``.",
)

lerp_tensor = native_function(
    "lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
    meta=_lerp_meta,
    kernel=pointwise(_lerp),
    derivatives={
        "self": lambda grad, weight: grad * conj(1 - weight),
        "end": lambda grad, weight: grad * conj(weight),
        "weight": lambda grad, self, end: grad * conj(end - self),
    },
    node_name="LerpBackward1",
    inplace=True,
    out="Tensor_out",
    doc="""Interpolates linearly: ``self + weight * (end - self)`` with a weight for each element.

    The three tensors broadcast.""",
)


def _nothing_for_bool(self: Any) -> Any:
    if self._spec.dtype is bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


positive = native_function(
    "positive(Tensor(a) self) -> Tensor(a)",
    composite=_nothing_for_bool,
    doc="Returns the tensor itself, as unary + does.  Raises RuntimeError for bool.",
)


def _fractional(a: Any) -> Any:
    """The fractional part, with the sign of a; NaN for an infinity."""
    return a - math.copysign(math.trunc(a), a) if math.isfinite(a) else math.nan


frac = native_function(
    "frac(Tensor self) -> Tensor",
    meta=unary("bool", "integer", "complex"),
    kernel=pointwise(_fractional),
    derivatives={"self": lambda grad: grad},
    inplace=True,
    out=Out(exact=True),
    doc="""Returns the fractional part ``x - trunc(x)`` of each element, with the sign of x.  Floating point
    only.""",
)


def _round_decimals(iterator: TensorIterator, decimals: int) -> None:
    """Scales, rounds and scales back, with each step in the tensor's dtype (float32 for half precision)."""
    dtype = iterator.common_dtype
    cast = float32.cast if dtype.itemsize == 2 else dtype.cast
    scale = cast(10.0 ** builtins.abs(decimals))

    def rounded(a: float) -> float:
        scaled_up = cast(a * scale if decimals > 0 else arithmetic.divide(a, scale))
        whole = _integer_is_itself(builtins.round)(scaled_up)
        return arithmetic.divide(whole, scale) if decimals > 0 else whole * scale

    for_each(iterator, rounded)


native_function(
    "round.decimals(Tensor self, *, int decimals) -> Tensor",
    meta=unary("bool", "integer", "complex"),
    kernel=_round_decimals,
    node_name="RoundBackward1",
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    inplace=True,
    out=Out("decimals_out", exact=True),
    doc="""Rounds each element to ``decimals`` digits after the decimal point, or before it if negative.

    The intermediate result ``x * 10**decimals`` is also rounded to the tensor's dtype (half precision: to
    float32).  Floating point only.""",
)


def _copysign_grad(grad: Any, self: Any, result: Any) -> Any:
    """``grad`` where the sign did not change, ``-grad`` where it did, 0 where ``self`` is 0."""
    return grad * (result / self).masked_fill(self == 0, 0)


copysign = native_function(
    "copysign.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="other",
    meta=binary_float("complex"),
    kernel=pointwise(math.copysign),
    derivatives={"self": _copysign_grad, "other": lambda grad: grad.new_zeros(grad.shape)},
    inplace=True,
    out="out",
    doc="Returns the magnitude of ``self`` with the sign of ``other``, which may be a signed zero.",
)


def _alias(schema: str, operator: OpOverload, out: str) -> OpOverload:
    """Defines an alias of an operator, with in-place and ``out=`` variants."""
    return native_function(
        schema,
        composite=lambda *arguments: operator(*arguments),
        numbers=operator.record.numbers.stand_for,
        inplace=True,
        out=replace(operator.record.out, overload=out),
        doc=f"Alias for ``{operator.schema.name}``.\n\n{operator.record.doc}",
    )


absolute = _alias("absolute(Tensor self) -> Tensor", abs, "out")
negative = _alias("negative(Tensor self) -> Tensor", neg, "out")
fix = _alias("fix(Tensor self) -> Tensor", trunc, "out")
multiply = _alias("multiply.Tensor(Tensor self, Tensor other) -> Tensor", mul, "out")
subtract = _alias("subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", sub, "out")
divide = _alias("divide.Tensor(Tensor self, Tensor other) -> Tensor", div, "out")
divide_mode = _alias(
    "divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    div_mode,
    "out_mode",
)
true_divide = _alias("true_divide.Tensor(Tensor self, Tensor other) -> Tensor", div, "out")
