"""Elementary and special functions of one or two numbers.

Integers become the default dtype.  Results are computed in float64 (complex numbers in complex128) and
rounded once.  Source: aten/src/ATen/native/UnaryOps.cpp, BinaryOps.cpp, native/Math.h.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from ...calls.checks import refuse_dtype
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import (
    binary,
    binary_float,
    build_iterator,
    computed_in,
    dense_like,
    to_float,
    unary_float,
    with_numbers,
)
from ...calls.native import native_function
from ...calls.outputs import check_cast, check_no_internal_overlap
from ...calls.record import Numbers, Out
from ...dispatch.dispatcher import OpOverload, aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic, special, special_functions
from ...numerics.formulas import conj
from ...numerics.loops import for_each, pointwise
from ...values.dtype import int32

exp = native_function(
    "exp(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.exp),
    derivatives={"self": lambda grad, result: grad * conj(result)},
    inplace=True,
    out="out",
    doc="Computes the exponential of each element.",
)

expm1 = native_function(
    "expm1(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.expm1),
    derivatives={"self": lambda grad, result: grad * conj(result + 1)},
    inplace=True,
    out="out",
    doc="Computes ``exp(x) - 1``, accurate for x near 0.",
)

log = native_function(
    "log(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.log),
    derivatives={"self": lambda grad, self: grad / conj(self)},
    inplace=True,
    out="out",
    doc="Computes the natural logarithm of each element: -inf for 0, NaN for negative real numbers.",
)

log2 = native_function(
    "log2(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.log2),
    derivatives={"self": lambda grad, self: grad / conj(self * math.log(2.0))},
    inplace=True,
    out="out",
    doc="Computes the logarithm to base 2 of each element.",
)

log1p = native_function(
    "log1p(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.log1p),
    derivatives={"self": lambda grad, self: grad / conj(self + 1)},
    inplace=True,
    out="out",
    doc="Computes ``log(1 + x)``, accurate for x near 0.",
)

sqrt = native_function(
    "sqrt(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.sqrt),
    derivatives={"self": lambda grad, result: grad / conj(2 * result)},
    inplace=True,
    out="out",
    doc="Computes the square root of each element: NaN for negative real numbers.",
)

rsqrt = native_function(
    "rsqrt(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.rsqrt),
    derivatives={"self": lambda grad, result: -0.5 * grad * conj(result.pow(3))},
    inplace=True,
    out="out",
    doc="Computes the reciprocal square root ``1 / sqrt(x)`` of each element.",
)

sin = native_function(
    "sin(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.sin),
    derivatives={"self": lambda grad, self: grad * conj(self.cos())},
    inplace=True,
    out="out",
    doc="Computes the sine of each element, in radians.",
)

cos = native_function(
    "cos(Tensor self) -> Tensor",
    meta=unary_float(),
    kernel=pointwise(arithmetic.cos),
    derivatives={"self": lambda grad, self: grad * -conj(self.sin())},
    inplace=True,
    out="out",
    doc="Computes the cosine of each element, in radians.",
)

erf = native_function(
    "erf(Tensor self) -> Tensor",
    meta=unary_float("complex"),
    kernel=pointwise(math.erf),
    derivatives={"self": lambda grad, self: 2.0 / math.sqrt(math.pi) * (-(self.pow(2))).exp() * grad},
    inplace=True,
    out="out",
    doc="Computes the error function of each element.",
)


def _function(name: str, function: Any, derivative: Any, doc: str, *refused: str) -> OpOverload:
    """Defines a unary operator with all variants; it refuses dtypes of the categories ``refused``."""
    return native_function(
        f"{name}(Tensor self) -> Tensor",
        meta=unary_float(*refused),
        kernel=pointwise(function),
        derivatives={"self": derivative},
        inplace=True,
        out="out",
        doc=doc,
    )


def _acosh_grad(grad: Any, self: Any) -> Any:
    if self._spec.dtype.is_complex:  # two roots: sqrt(z * z - 1) has another branch cut
        return grad * conj((self + 1).rsqrt() * (self - 1).rsqrt())
    return grad * (self * self - 1).rsqrt()


_LN_2, _LN_10 = math.log(2.0), math.log(10.0)

tan = _function(
    "tan",
    arithmetic.tan,
    lambda grad, result: grad * conj(1 + result.pow(2)),
    "Computes the tangent of each element, in radians.",
)
asin = _function(
    "asin",
    arithmetic.asin,
    lambda grad, self: grad * conj((-self * self + 1).rsqrt()),
    "Computes the arcsine of each element, from -pi/2 to pi/2; NaN outside [-1, 1] for real numbers.",
)
acos = _function(
    "acos",
    arithmetic.acos,
    lambda grad, self: grad * -conj((-self * self + 1).rsqrt()),
    "Computes the arccosine of each element, from 0 to pi; NaN outside [-1, 1] for real numbers.",
)
atan = _function(
    "atan",
    arithmetic.atan,
    lambda grad, self: grad / conj(self * self + 1),
    "Computes the arctangent of each element, from -pi/2 to pi/2.",
)
sinh = _function(
    "sinh",
    arithmetic.sinh,
    lambda grad, self: grad * conj(self.cosh()),
    "Computes the hyperbolic sine of each element.",
)
cosh = _function(
    "cosh",
    arithmetic.cosh,
    lambda grad, self: grad * conj(self.sinh()),
    "Computes the hyperbolic cosine of each element.",
)
asinh = _function(
    "asinh",
    arithmetic.asinh,
    lambda grad, self: grad * conj((self.pow(2) + 1).rsqrt()),
    "Computes the inverse hyperbolic sine of each element.",
)
acosh = _function(
    "acosh",
    arithmetic.acosh,
    _acosh_grad,
    "Computes the nonnegative inverse hyperbolic cosine of each element; NaN below 1 for real numbers.",
)
atanh = _function(
    "atanh",
    arithmetic.atanh,
    lambda grad, self: grad / conj(1 - self.pow(2)),
    "Computes the inverse hyperbolic tangent of each element; for real numbers infinite at -1 and 1, NaN "
    "outside [-1, 1].",
)
exp2 = _function(
    "exp2",
    arithmetic.exp2,
    lambda grad, result: grad * conj(result) * _LN_2,
    "Computes 2 to the power of each element.",
)
log10 = _function(
    "log10",
    arithmetic.log10,
    lambda grad, self: grad / conj(self * _LN_10),
    "Computes the logarithm to base 10 of each element.",
)
erfc = _function(
    "erfc",
    math.erfc,
    lambda grad, self: -2.0 / math.sqrt(math.pi) * (-(self.pow(2))).exp() * grad,
    "Computes ``1 - erf(x)``, accurate even if the result is small.",
    "complex",
)
erfinv = _function(
    "erfinv",
    special.erfinv,
    lambda grad, self: 0.5 * math.sqrt(math.pi) * self.erfinv().pow(2).exp() * grad,
    "Computes the inverse error function of each element; infinite at -1 and 1, NaN outside [-1, 1].",
    "complex",
)
lgamma = _function(
    "lgamma",
    special.lgamma,
    lambda grad, self: grad * self.digamma(),
    "Computes the logarithm of the absolute value of the gamma function; inf at 0, -1, -2 …",
    "complex",
)
digamma = _function(
    "digamma",
    special.digamma,
    lambda grad, self: grad * aten.polygamma.default(1, self),
    "Computes the digamma function, the derivative of lgamma; NaN at -1, -2 …, -inf at 0.0, inf at -0.0.",
    "complex",
)


def _sinc(a: Any) -> Any:
    """``sin(pi a) / (pi a)``; 1 if a is 0.  A real number's distance to the nearest integer is exact."""
    if a == 0:
        return 1.0
    product = a * math.pi
    if isinstance(a, complex) or not math.isfinite(a):
        return arithmetic.divide(arithmetic.sin(product), product)
    whole = round(a)
    sine = math.sin(math.pi * (a - whole))
    return (-sine if whole % 2 else sine) / product


def _sinc_grad(grad: Any, self: Any) -> Any:
    """``grad * (cos(pi x) / x - sin(pi x) / (pi x**2))``; near 0, the first term of its Taylor series."""
    product = self * math.pi
    squared = self * self * math.pi
    zero = squared == 0
    found = (product * product.cos() - product.sin()) / squared.masked_fill(zero, 1)
    return aten.where(zero, grad * conj(self) * (-(math.pi**2) / 3), grad * conj(found))


sinc = _function(
    "sinc",
    _sinc,
    _sinc_grad,
    "Computes ``sin(pi x) / (pi x)`` of each element; 1 for x = 0.",
)


def _alias(name: str, operator: OpOverload) -> OpOverload:
    return native_function(
        operator.schema.text.replace(operator.schema.name, name, 1),
        composite=lambda *arguments: operator(*arguments),
        inplace=True,
        out="out",
        doc=f"Alias for ``{operator.schema.name}``.",
    )


for _inverse in (asin, acos, atan, asinh, acosh, atanh):
    _alias(f"arc{_inverse.schema.name[1:]}", _inverse)


def _polygamma_meta(n: int, self: Spec) -> TensorIterator:
    if n < 0:
        raise RuntimeError(f"polygamma(n, x) does not support negative n, but got {n}.")
    return unary_float("complex")(self)


polygamma = native_function(
    "polygamma(int n, Tensor self) -> Tensor",
    variants="function",
    meta=_polygamma_meta,
    kernel=pointwise(lambda a, n: special_functions.polygamma(n, a)),
    derivatives={"self": lambda grad, n, self: grad * aten.polygamma.default(n + 1, self)},
    out="out",
    doc="Computes the ``n``-th derivative of digamma.  Raises RuntimeError for a negative ``n``.",
)


def _polygamma_(self: Any, n: int) -> Any:
    found = aten.polygamma.default(n, self.clone())
    check_cast("", found.dtype, self.dtype)
    check_no_internal_overlap("polygamma_", self._spec)
    return self.copy_(found)


native_function(
    "polygamma_(Tensor(a!) self, int n) -> Tensor(a!)",
    variants="method",
    composite=_polygamma_,
    doc="In-place version of polygamma.",
)


def _scale_meta(self: Spec) -> TensorIterator:
    if self.dtype.is_complex:
        raise RuntimeError(f"not supported for complex tensors, but got {self.dtype.name}")
    # PyTorch allocates the result by empty_like, so it also has the input's strides of dimensions of size 1
    dtype = to_float(self.dtype)
    return build_iterator([self], dtype, dtype, outputs=[dense_like(self, dtype)])


def _angle_unit(name: str, factor: float, doc: str) -> OpOverload:
    return native_function(
        f"{name}(Tensor self) -> Tensor",
        meta=_scale_meta,
        kernel=pointwise(lambda a: a * factor),
        derivatives={"self": lambda grad: grad * factor},
        inplace=True,
        out="out",
        doc=f"{doc}.  Raises RuntimeError for complex dtypes.",
    )


deg2rad = _angle_unit("deg2rad", math.pi / 180, "Converts each element from degrees to radians")
rad2deg = _angle_unit("rad2deg", 180 / math.pi, "Converts each element from radians to degrees")


def _logit(iterator: TensorIterator, eps: float | None) -> None:
    """``log(a / (1 - a))``, with ``a`` clamped to eps and 1 - eps, both rounded to the opmath type; a
    negative eps means no clamping.
    """
    cast = computed_in(iterator.common_dtype).cast
    low = -1.0 if eps is None else cast(eps)
    high = cast(1 - low)

    def logit(a: float) -> float:
        if low >= 0:
            a = low if a < low else high if a > high else a
        return arithmetic.log(arithmetic.divide(a, 1 - a))

    for_each(iterator, logit)


def _logit_grad(grad: Any, self: Any, eps: float | None) -> Any:
    """``grad / (x (1 - x))``; outside the bounds 0, or NaN if no eps was given.

    Those are divided by 1 before, so that the second derivative is 0 there.
    """
    low, high, outside = (0.0, 1.0, math.nan) if eps is None or eps < 0 else (eps, 1.0 - eps, 0.0)
    masked = (self < low) | (self > high)  # false for NaN
    inside = grad / aten.where(masked, 1.0, self * (1.0 - self))
    return aten.where(masked, outside, inside)


logit = native_function(
    "logit(Tensor self, float? eps=None) -> Tensor",
    meta=with_numbers(unary_float("complex"), as_halves=True),
    kernel=_logit,
    numbers=Numbers(held=("eps",)),
    derivatives={"self": _logit_grad},
    inplace=True,
    out="out",
    doc="""Computes ``log(x / (1 - x))``, the inverse of sigmoid; NaN for x outside [0, 1].

    With ``eps``, x is first clamped to [eps, 1 - eps].""",
)


def _logaddexp_grad(function: Any) -> dict[str, Any]:
    """``grad`` times the operand's share of the sum of exponentials."""
    return {
        "self": lambda grad, self, other: grad / conj(1 + function(other - self)),
        "other": lambda grad, self, other: grad / conj(1 + function(self - other)),
    }


logaddexp = native_function(
    "logaddexp(Tensor self, Tensor other) -> Tensor",
    meta=binary("bool", "integer"),
    kernel=pointwise(special.logaddexp),
    derivatives=_logaddexp_grad(lambda difference: difference.exp()),
    out="out",
    doc="Computes ``log(exp(self) + exp(other))`` without overflow.",
)

logaddexp2 = native_function(
    "logaddexp2(Tensor self, Tensor other) -> Tensor",
    meta=binary("bool", "integer", "complex"),
    kernel=pointwise(special.logaddexp2),
    derivatives=_logaddexp_grad(lambda difference: difference.exp2()),
    out="out",
    doc="Computes ``log2(2**self + 2**other)`` without overflow.  Floating point only.",
)


def _atan2_grad(grad: Any, self: Any, other: Any) -> tuple[Any, Any]:
    """The gradients of the angle of the point (other, self); 0 at the origin, where there is no angle."""
    squared = self * self + other * other
    over = squared.reciprocal().masked_fill(squared == 0, 0)
    return grad * other * over, grad * -self * over


atan2 = native_function(
    "atan2(Tensor self, Tensor other) -> Tensor",
    meta=binary_float("complex"),
    kernel=pointwise(math.atan2),
    derivatives={"self, other": _atan2_grad},
    inplace=True,
    out="out",
    doc="""Computes the angle of the point (other, self) in radians, from -pi to pi: ``self`` is y, ``other``
    is x.""",
)
_alias("arctan2", atan2)

hypot = native_function(
    "hypot(Tensor self, Tensor other) -> Tensor",
    meta=binary("bool", "integer", "complex"),
    kernel=pointwise(math.hypot),
    derivatives={
        "self": lambda grad, self, result: grad * self / result,
        "other": lambda grad, other, result: grad * other / result,
    },
    inplace=True,
    out="out",
    doc="Computes ``sqrt(self**2 + other**2)`` without overflow.  Floating point only.",
)


def _nextafter_kernel(iterator: TensorIterator) -> None:
    """Floating point numbers of one sign are in the order of their bits, read as integers."""
    dtype = iterator.common_dtype

    def following(a: float, b: float) -> float:
        if a != a or b != b:
            return math.nan
        if a == b:
            return b
        bits = int.from_bytes(dtype.packed([math.copysign(a, a or b)]), sys.byteorder)
        bits += 1 if a == 0 or (a < b) == (a > 0) else -1
        return dtype.reader(memoryview(bits.to_bytes(dtype.itemsize, sys.byteorder)))(0)

    for_each(iterator, following)


nextafter = native_function(
    "nextafter(Tensor self, Tensor other) -> Tensor",
    meta=binary("bool", "integer", "complex"),
    kernel=_nextafter_kernel,
    derivatives={
        "self": lambda grad, self, other: aten.where(self == other, 0, grad),
        "other": lambda grad: grad.new_zeros(grad.shape),
    },
    inplace=True,
    out="out",
    doc="""Returns the number of the dtype that follows ``self`` in the direction of ``other``.

    Equal numbers give ``other``, NaN gives NaN.  The gradient of ``self`` is 0 where the operands are equal;
    that of ``other`` is 0.  Floating point only; raises NotImplementedError for other dtypes.  Source:
    aten/src/ATen/native/cpu/BinaryOpsKernel.cpp (nextafter_kernel), IEEE 754 (nextUp, nextDown).""",
)


def _frexp_meta(self: Spec) -> tuple[Spec, Spec]:
    if not self.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return dense_like(self), dense_like(self, int32)


def _frexp_kernel(mantissa: Tensor, exponent: Tensor, self: Tensor) -> None:
    fractions, exponents, source = (TensorAccessor(each) for each in (mantissa, exponent, self))
    for fraction, place, offset in zip(fractions.offsets(), exponents.offsets(), source.offsets()):
        number = source.read(offset)
        parts = math.frexp(number) if math.isfinite(number) else (number, 0)
        fractions.write(fraction, parts[0])
        exponents.write(place, parts[1])


frexp = native_function(
    "frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)",
    meta=_frexp_meta,
    kernel=_frexp_kernel,
    derivatives={"self": lambda grad, exponent: grad / exponent.exp2()},
    non_differentiable_outputs=(1,),
    out=Out(
        "frexp.Tensor_out(Tensor self, *, Tensor(a!) mantissa, Tensor(b!) exponent) -> (Tensor(a!) mantissa, "
        "Tensor(b!) exponent)",
        exact=True,
    ),
    doc="""Returns ``mantissa`` and ``exponent`` (int32) with ``self = mantissa * 2 ** exponent``.

    The size of the mantissa is from 0.5 to 1, without 1; 0, infinities and NaN have the exponent 0.
    Raises RuntimeError for a dtype that is not floating point.  Source: aten/src/ATen/native/UnaryOps.cpp
    (frexp).""",
)


def _xlogy(a: float, b: float) -> float:
    """``a * log(b)``; NaN if b is NaN, else 0 if a is 0."""
    if b != b:
        return b
    return 0.0 if a == 0 else a * arithmetic.log(b)


def _xlogy_grad(grad: Any, self: Any, other: Any) -> Any:
    """``grad * log(other)``; 0 where ``self`` is 0 and ``other <= 0``, whose logarithm is not finite."""
    return aten.xlogy.Tensor(grad, other).masked_fill((self == 0) & (other <= 0), 0)


xlogy = native_function(
    "xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
    numbers="either",
    meta=binary_float("complex"),
    kernel=pointwise(_xlogy),
    derivatives={"self": _xlogy_grad, "other": lambda grad, self, other: grad * self / other},
    inplace=True,
    out="OutTensor",
    doc="Computes ``self * log(other)``; 0 if ``self`` is 0 and ``other`` is not NaN.",
)


def _heaviside_meta(self: Spec, values: Spec) -> TensorIterator:
    if self.dtype is not values.dtype:
        raise RuntimeError(
            f"heaviside is not yet implemented for tensors with different dtypes: {self.dtype.name} and "
            f"{values.dtype.name}"
        )
    refuse_dtype(self.dtype, "complex")
    return build_iterator([self, values], self.dtype, self.dtype)


heaviside = native_function(
    "heaviside(Tensor self, Tensor values) -> Tensor",
    meta=_heaviside_meta,
    kernel=pointwise(lambda a, value: value if a == 0 else a > 0),
    inplace=True,
    out=Out(exact=True),
    doc="""Computes the Heaviside step function: 0 for x < 0, 1 for x > 0, and ``values`` for x = 0.

    ``values`` has the same dtype and broadcasts.  Not differentiable.""",
)
