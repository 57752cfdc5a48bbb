"""Powers.

Operands broadcast and promote; floating point results are computed in float64 and rounded once, integers wrap
around.  Source: aten/src/ATen/native/Pow.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import refuse_dtype
from ...calls.copies import row_major
from ...calls.iterator import TensorIterator, result_type
from ...calls.meta_functions import build_iterator
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec
from ...numerics import arithmetic
from ...numerics.formulas import conj
from ...numerics.loops import for_each, pointwise
from ...values.dtype import check_number_fits, complex128, float32, float64


def pow_meta(self: Any, exponent: Any) -> Any:
    """Broadcasts and promotes; refuses an integer to a negative integer power."""
    if (
        isinstance(exponent, int)
        and not isinstance(exponent, bool)
        and exponent < 0
        and self.dtype.category < 2
    ):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    common = result_type(self, exponent)
    if isinstance(exponent, Spec) or exponent not in (0, 1):  # the results are 1 and self
        refuse_dtype(common, "bool")
    return build_iterator([self, exponent], common, common)


def pow_grad_self(grad: Any, self: Any, exponent: Any) -> Any:
    """``grad * exponent * self ** (exponent - 1)``; 0 where the exponent is 0."""
    if not hasattr(exponent, "_spec"):
        if exponent == 0:
            return aten.zeros_like(self)
        return grad * conj(exponent * self ** (exponent - 1))
    # Masked twice: an infinite slope would make the derivative of ``grad * slope`` NaN even where masked.
    flat = exponent == 0
    slope = aten.where(flat, aten.zeros_like(grad), conj(exponent * self ** (exponent - 1)))
    return aten.where(flat, aten.zeros_like(grad), grad * slope)


def pow_grad_exponent(grad: Any, self: Any, exponent: Any, result: Any) -> Any:
    """``grad * result * log(self)``; 0 where ``self`` is 0 and the exponent is not negative."""
    if hasattr(self, "_spec"):
        flat = aten.logical_and(self == 0, _is_not_negative(exponent))
        return grad * aten.where(flat, aten.zeros_like(grad), conj(result * self.to(result.dtype).log()))
    if self == 0:
        return grad * aten.where(_is_not_negative(exponent), aten.zeros_like(grad), result * -math.inf)
    return grad * conj(result * (arithmetic.log(self)))


def _is_not_negative(exponent: Any) -> Any:
    """True where an element is real and at least 0."""
    if not exponent._spec.dtype.is_complex:
        return exponent >= 0
    return aten.logical_and(exponent == exponent.conj(), aten.real(exponent) >= 0)


pow_tensor = native_function(
    "pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
    meta=pow_meta,
    kernel=pointwise(arithmetic.power),
    derivatives={"self": pow_grad_self, "exponent": pow_grad_exponent},
    node_name="PowBackward1",
    inplace="Tensor",
    out="Tensor_Tensor_out",
    doc="""Computes ``self`` to the power of ``exponent``.

    The operands broadcast and their dtypes promote.""",
)

pow_scalar = native_function(
    "pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
    meta=lambda self, exponent: _pow_scalar_iterator(self, exponent),
    kernel=lambda iterator, exponent: _power_kernel(iterator, exponent),
    derivatives={"self": pow_grad_self},
    inplace="Scalar",
    out="Tensor_Scalar_out",
    doc="""Computes ``self`` to the power of a number.

    Raises RuntimeError for integers to a negative integer power.""",
)


def _power_of_number(a: Any, exponent: Any) -> Any:
    """a to the power of a number; 0.5 and -0.5 use the square root, which is NaN at -inf.

    Small integer powers are products: of complex numbers they keep infinities, and a square is rounded once.

    Source: pow_tensor_scalar_kernel.
    """
    if exponent == 0.5:
        return arithmetic.sqrt(a)
    if exponent == -0.5:
        return arithmetic.rsqrt(a)
    if isinstance(a, (float, complex)) and exponent in (-2, -1, 1, 2, 3):
        product = {1: a, 2: a * a, 3: a * a * a}[abs(int(exponent.real))]
        return product if exponent.real > 0 else arithmetic.reciprocal(product)
    return arithmetic.power(a, exponent)


def _power_kernel(iterator: TensorIterator, exponent: Any) -> None:
    """Casts the exponent to the tensor's dtype; for integer tensors it stays exact."""
    dtype = iterator.common_dtype
    held = exponent if dtype.category < 2 else dtype.cast(exponent)
    for_each(iterator, lambda a: _power_of_number(a, held))


def _pow_scalar_iterator(self: Spec, exponent: Any) -> Any:
    pow_meta(self, exponent)
    common = result_type(self, exponent)
    if common.category == 1 or (common.category == 2 and common.itemsize == 2):
        check_number_fits(exponent, common)
    return build_iterator([self], common, common)


def _pow_of_number(self: Any, exponent: Any) -> Any:
    """Converts the base to a tensor of the common dtype (integers wrap around)."""
    common = aten.result_type.Scalar_Tensor(self, exponent)
    if common.is_complex and self == 1 and not isinstance(self, bool):  # 1 ** inf is 1: log(1) is 0
        exponent = exponent.masked_fill(~exponent.isfinite(), 0)
    base = aten.scalar_tensor(common.cast(self), dtype=common, device=exponent.device)
    return row_major(aten.pow.Tensor_Tensor(base, exponent))


pow_reversed = native_function(
    "pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
    composite=_pow_of_number,
    out="Scalar_out",
    doc="Computes a number to the power of each element.",
)

square = native_function(
    "square(Tensor self) -> Tensor",
    composite=lambda self: aten.pow.Tensor_Scalar(self, 2),
    inplace=True,
    out="out",
    doc="""Computes the square of each element.

    The result has the operand's sizes and dtype; for bool, int64.""",
)


def _float_power(self: Any, exponent: Any) -> Any:
    """pow in float64, or in complex128 if either operand is complex."""
    is_complex = any(
        each._spec.dtype.is_complex if hasattr(each, "_spec") else isinstance(each, complex)
        for each in (self, exponent)
    )
    wanted = complex128 if is_complex else float64
    return aten.pow(*[each.to(wanted) if hasattr(each, "_spec") else each for each in (self, exponent)])


for _schema, _out in (
    ("float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", "Tensor_Tensor_out"),
    ("float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", "Scalar_out"),
    ("float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", "Tensor_Scalar_out"),
):
    native_function(
        _schema,
        composite=_float_power,
        inplace=_out.removeprefix("Tensor_").removesuffix("_out") if "Tensor self" in _schema else False,
        out=Out(_out, exact=True),
        doc="Computes ``pow`` in float64, or in complex128 if an operand is complex.",
    )


def _ldexp(self: Any, other: Any) -> Any:
    """With integral exponents the powers have the precision, and the result the dtype, of ``self``."""
    if self.dtype.category < 2 or other.dtype.category >= 2:
        return self * aten.pow.Scalar(2.0, other)
    powers = aten.pow.Scalar(2.0, other.to(float32 if self.dtype.itemsize == 2 else self.dtype))
    return (self * powers).to(self.dtype)


native_function(
    "ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
    composite=_ldexp,
    inplace="",
    out="out",
    doc="""Computes ``self * 2 ** other``.

    The operands broadcast and their dtypes promote; the result of integers is floating point.  Like
    PyTorch's, it is inf or 0 if ``2 ** other`` is, whatever ``self``.""",
)
