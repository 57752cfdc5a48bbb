"""Comparisons, logic and choice.

Operands are compared in their common dtype; the result is bool.
Source: aten/src/ATen/native/BinaryOps.cpp, TensorCompare.cpp.
"""

from __future__ import annotations

import operator
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.iterator import TensorIterator, result_type
from ..kit.loops import pointwise
from ..kit.native import native_function
from ..kit.rules import comparison, device_of, unary_bool
from ..memory.spec import Spec
from ..values.dtype import bool_, get_default_dtype, uint8


def _comparison(name: str, function: Any, meaning: str, *refused: str) -> Any:
    return native_function(
        f"{name}.Tensor(Tensor self, Tensor other) -> Tensor",
        meta=comparison(*refused),
        kernel=pointwise(function),
        inplace=True,
        out="Tensor_out",
        doc=f"Is each element of ``self`` {meaning} that of ``other``?  Compared in their common dtype; the "
        "result is bool.",
    )


eq = _comparison("eq", operator.eq, "equal to")
ne = _comparison("ne", operator.ne, "different from")
lt = _comparison("lt", operator.lt, "less than", "complex")
le = _comparison("le", operator.le, "less than or equal to", "complex")
gt = _comparison("gt", operator.gt, "greater than", "complex")
ge = _comparison("ge", operator.ge, "greater than or equal to", "complex")


def _logical(name: str, function: Any) -> Any:
    return native_function(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        meta=comparison(),
        kernel=pointwise(function),
        inplace=True,
        out="out",
        doc=f"{name.replace('_', ' ').capitalize()} of elements taken as true where they are not 0; the "
        "result is bool.",
    )


logical_and = _logical("logical_and", lambda a, b: bool(a) and bool(b))
logical_or = _logical("logical_or", lambda a, b: bool(a) or bool(b))
logical_xor = _logical("logical_xor", lambda a, b: bool(a) != bool(b))

logical_not = native_function(
    "logical_not(Tensor self) -> Tensor",
    meta=unary_bool,
    kernel=pointwise(lambda a: not a),
    inplace=True,
    out="out",
    doc="Is each element 0?",
)


def where_rule(condition: Spec, self: Any, other: Any) -> TensorIterator:
    """The condition is bool (or uint8); the choices are broadcast and promoted."""
    if condition.dtype not in (bool_, uint8):
        raise RuntimeError(
            f"expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.name}"
        )
    common = result_type(self, other)
    inputs = [condition, self, other]
    return TensorIterator(
        "", inputs, [common], None, device_of(condition), input_dtypes=[bool_, common, common]
    )


where = native_function(
    "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
    meta=where_rule,
    kernel=pointwise(lambda condition, a, b: a if condition else b),
    derivatives={
        "self": lambda grad, condition: aten.where.self(condition, grad, 0),
        "other": lambda grad, condition: aten.where.self(condition, 0, grad),
    },
    out="self_out",
    doc="""``self`` where ``condition`` is true, else ``other``.

    The condition is a bool tensor; all three broadcast, the choices promote.  Raises RuntimeError for a
    condition of another dtype.""",
)

masked_fill = native_function(
    "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
    composite=lambda self, mask, value: _masked_fill(self, mask, value),
    inplace=True,
    doc="""``self``, with ``value`` where ``mask`` is true.  The mask is bool and broadcasts; the dtype stays
    that of ``self``.""",
)


def _masked_fill(self: Any, mask: Any, value: Any) -> Any:
    if mask.dtype is not bool_:
        raise RuntimeError(
            f"masked_fill only supports boolean masks, but got mask with dtype {mask.dtype.name}"
        )
    return aten.where.self(
        mask, aten.scalar_tensor(value, dtype=self.dtype, device=self.device), self
    ).contiguous()


equal = native_function(
    "equal(Tensor self, Tensor other) -> bool",
    composite=lambda self, other: self.shape == other.shape and bool((self == other).all().item()),
    doc="Do both tensors have the same sizes and equal elements?",
)

allclose = native_function(
    "allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool",
    composite=lambda self, other, rtol, atol, equal_nan: bool(
        aten.isclose(self, other, rtol, atol, equal_nan).all().item()
    ),
    doc="Are all elements close: ``|self - other| <= atol + rtol * |other|``?",
)


def _isclose(self: Any, other: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    if self.dtype is not other.dtype:
        raise RuntimeError(f"isclose: {self.dtype.name} did not match {other.dtype.name}")
    close = self == other
    if equal_nan and self.dtype.category >= 2:
        close = close | (self.isnan() & other.isnan())
    if self.dtype.category < 2:  # differences of integers would wrap around
        self, other = self.to(get_default_dtype()), other.to(get_default_dtype())
    allowed = atol + (rtol * other).abs()
    difference = (self - other).abs()
    return close | (difference.isfinite() & (difference <= allowed))


isclose = native_function(
    "isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
    composite=_isclose,
    doc="Is each pair of elements close: ``|self - other| <= atol + rtol * |other|``?",
)
