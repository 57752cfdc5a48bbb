"""Comparisons, predicates such as ``isnan``, and selection (``where``).

Operands are compared in their common dtype; comparisons return bool.  Only ``isclose`` does arithmetic.
Source: aten/src/ATen/native/BinaryOps.cpp, TensorCompare.cpp.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from ...calls.checks import device_of, refuse_dtype, refuse_limited
from ...calls.iterator import TensorIterator, result_type
from ...calls.meta_functions import comparison, dense_like, documented, unary_bool
from ...calls.native import native_function
from ...calls.record import Numbers, Out
from ...dispatch.dispatcher import OpOverload, aten
from ...memory.spec import Spec
from ...numerics import arithmetic
from ...numerics.loops import for_each, pointwise
from ...values.dtype import (
    FLOAT8,
    LIMITED,
    UNSIGNED,
    bfloat16,
    bool_,
    check_number_fits,
    dtype_of_number,
    float16,
    float32,
    float64,
    get_default_dtype,
    uint8,
)
from ...values.errors import warn


def _comparison(name: str, function: Any, meaning: str, *refused: str) -> Any:
    return native_function(
        f"{name}.Tensor(Tensor self, Tensor other) -> Tensor",
        numbers="other",
        meta=comparison(*refused),
        kernel=pointwise(function),
        limited=() if refused else LIMITED,
        inplace=True,
        out="Tensor_out",
        doc=f"Tests whether each element of ``self`` is {meaning} that of ``other``, in their common dtype.",
    )


eq = _comparison("eq", operator.eq, "equal to")
ne = _comparison("ne", operator.ne, "not equal to")
lt = _comparison("lt", operator.lt, "less than", "complex")
le = _comparison("le", operator.le, "less than or equal to", "complex")
gt = _comparison("gt", operator.gt, "greater than", "complex")
ge = _comparison("ge", operator.ge, "greater than or equal to", "complex")


def _alias(name: str, operator: OpOverload) -> OpOverload:
    """Defines an alias of a comparison, with in-place and ``out=`` variants."""
    return native_function(
        f"{name}.Tensor(Tensor self, Tensor other) -> Tensor",
        composite=lambda *arguments: operator(*arguments),
        numbers="other",
        inplace=True,
        out=operator.record.out,
        doc=f"Alias for ``{operator.schema.name}``.\n\n{operator.record.doc}",
    )


not_equal = _alias("not_equal", ne)
less = _alias("less", lt)
less_equal = _alias("less_equal", le)
greater = _alias("greater", gt)
greater_equal = _alias("greater_equal", ge)


def _logical(name: str, function: Any) -> Any:
    return native_function(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        meta=comparison(),
        kernel=pointwise(function),
        inplace=True,
        out="out",
        doc=f"{name.replace('_', ' ').capitalize()} of the operands, whose nonzero elements count as true.",
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
    doc="Returns the logical not of each element: true if it is 0.",
)


isnan = native_function(
    "isnan(Tensor self) -> Tensor",
    meta=unary_bool,
    kernel=pointwise(lambda a: a != a),
    limited=LIMITED,
    doc="Tests whether each element is NaN.",
)


def _isinf_meta(self: Spec) -> TensorIterator:
    """For integers the result is all false, with the strides of ``zeros_like(self)``."""
    outputs = [dense_like(self, bool_)] if self.dtype.category < 2 else None
    return TensorIterator("", [self], [bool_], self.dtype, self.device, outputs=outputs)


isinf = native_function(
    "isinf(Tensor self) -> Tensor",
    meta=documented(_isinf_meta, "The result has the operand's sizes and the dtype bool"),
    kernel=pointwise(lambda a: arithmetic.absolute(a) == math.inf),
    limited=LIMITED,
    doc="Tests whether each element is infinite.",
)

isfinite = native_function(
    "isfinite(Tensor self) -> Tensor",
    composite=lambda self: (
        aten.ones_like(self, dtype=bool_)
        if self.dtype.category < 2
        else aten.logical_not(aten.logical_or(self.isnan(), self.isinf()))
    ),
    doc="Tests whether each element is finite: neither NaN nor infinite.",
)


def _infinity(name: str, infinity: float) -> Any:
    def meta(self: Spec) -> TensorIterator:
        if self.dtype.is_complex:
            raise RuntimeError(f"{name} does not support complex inputs.")
        return unary_bool(self)

    return native_function(
        f"{name}(Tensor self) -> Tensor",
        meta=meta,
        kernel=pointwise(lambda a: a == infinity),
        limited=UNSIGNED,
        out=Out(exact=True),
        doc=f"Tests whether each element is {infinity}.  Raises RuntimeError for complex dtypes.",
    )


isposinf = _infinity("isposinf", math.inf)
isneginf = _infinity("isneginf", -math.inf)


def _signbit_meta(self: Spec) -> TensorIterator:
    refuse_dtype(self.dtype, "complex")
    return unary_bool(self)


signbit = native_function(
    "signbit(Tensor self) -> Tensor",
    meta=_signbit_meta,
    kernel=pointwise(lambda a: math.copysign(1.0, a) < 0),
    limited=UNSIGNED,
    out=Out(exact=True),
    doc="""Tests whether the sign bit of each element is set; it is for -0.0.  Raises NotImplementedError for
    complex dtypes.""",
)

isreal = native_function(
    "isreal(Tensor self) -> Tensor",
    composite=lambda self: (
        aten.imag(self) == 0 if self._spec.dtype.is_complex else aten.ones_like(self, dtype=bool_)
    ),
    doc="Tests whether the imaginary part of each element is 0; always true for real dtypes.",
)

_LARGEST = {
    float16: 65504.0,
    bfloat16: (2 - 2.0**-7) * 2.0**127,
    float32: (2 - 2.0**-23) * 2.0**127,
    float64: (2 - 2.0**-52) * 2.0**1023,
}


def _nan_to_num(
    iterator: TensorIterator, nan: float | None, posinf: float | None, neginf: float | None
) -> None:
    """Replaces numbers that are not finite; real and imaginary parts are replaced independently."""
    largest = _LARGEST.get(iterator.common_dtype.to_real(), 0.0)
    replaced = {
        math.inf: largest if posinf is None else posinf,
        -math.inf: -largest if neginf is None else neginf,
    }

    def finite(a: Any) -> Any:
        if isinstance(a, complex):
            return complex(finite(a.real), finite(a.imag))
        return (0.0 if nan is None else nan) if a != a else replaced.get(a, a)

    for_each(iterator, finite)


def _nan_to_num_meta(self: Spec, *numbers: Any) -> TensorIterator:
    return TensorIterator("", [self], [self.dtype], self.dtype, self.device, outputs=[dense_like(self)])


nan_to_num = native_function(
    "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
    meta=_nan_to_num_meta,
    kernel=_nan_to_num,
    limited=UNSIGNED,
    derivatives={"self": lambda grad, self: grad * self.isfinite()},
    inplace=True,
    out=Out(row_major=lambda self, *numbers: self.dtype.category < 2, exact=True),
    doc="""Replaces NaN by ``nan``, inf by ``posinf`` and -inf by ``neginf``.

    These default to 0 and to the largest and smallest finite numbers of the dtype.  Integers are
    unchanged.""",
)


def _is_among(elements: Any, test_elements: Any) -> Any:
    """Binary search of each element in sorted ``test_elements``: it is present if the first one that is not
    less is equal.
    """
    elements = elements.detach()
    ordered = aten.sort.stable(test_elements.detach().reshape((-1,)), True, 0, False)[0]
    # searchsorted needs values without NaN; sorting has put NaN last, where infinity keeps the order
    ends = ordered.nan_to_num(math.inf, math.inf, -math.inf) if ordered.is_floating_point() else ordered
    places = aten.searchsorted.Tensor(ends, elements, False, False, None, None)
    return aten.take.default(ordered, places.clamp(max=ordered.numel() - 1)) == elements


def _isin(elements: Any, test_elements: Any, assume_unique: bool, invert: bool) -> Any:
    """Compares all pairs if ``test_elements`` is small, else sorts it; either argument may be a number.

    Source: TensorCompare.cpp, for the size at which it sorts.
    """
    for each in (elements, test_elements):
        dtype = each._spec.dtype if hasattr(each, "_spec") else dtype_of_number(each, get_default_dtype())
        refuse_limited(dtype)
        if dtype.category in (0, 3):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {dtype.name}")
    are_tensors = hasattr(elements, "_spec") and hasattr(test_elements, "_spec")
    if are_tensors and test_elements.numel() >= 10 * elements.numel() ** 0.145 and elements.numel():
        found = _is_among(elements, test_elements)
    else:
        column = elements.unsqueeze(-1) if hasattr(elements, "_spec") else elements
        row = test_elements.reshape(-1) if hasattr(test_elements, "_spec") else test_elements
        found = (column == row).any(-1)
    return ~found if invert else found


for _schema, _out in (
    ("isin.Tensor_Tensor(Tensor elements, Tensor test_elements", "Tensor_Tensor_out"),
    ("isin.Tensor_Scalar(Tensor elements, Scalar test_element", "Tensor_Scalar_out"),
    ("isin.Scalar_Tensor(Scalar element, Tensor test_elements", "Scalar_Tensor_out"),
):
    native_function(
        f"{_schema}, *, bool assume_unique=False, bool invert=False) -> Tensor",
        composite=_isin,
        out=Out(_out, exact=True),
        doc="""Tests whether each element is among the test elements; ``invert`` negates the result.

        ``assume_unique`` has no effect.  Raises RuntimeError for bool and complex dtypes,
        NotImplementedError for dtypes without arithmetic.""",
    )


def where_meta(condition: Spec, self: Any, other: Any) -> TensorIterator:
    """The condition must be bool (or uint8); all three broadcast, ``self`` and ``other`` promote."""
    if condition.dtype not in (bool_, uint8):
        raise RuntimeError(
            f"expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.name}"
        )
    if condition.dtype is uint8:
        warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
            "future version. Use a boolean condition instead.",
            UserWarning,
        )
    common = result_type(self, other)
    for each in (self, other):
        if not isinstance(each, Spec) and common not in (float16, bfloat16, *FLOAT8):  # which overflow
            check_number_fits(each, common)
    inputs = [condition, self, other]
    return TensorIterator(
        "", inputs, [common], None, device_of(condition), input_dtypes=[bool_, common, common]
    )


where = native_function(
    "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
    numbers=Numbers("either", fit=True),
    meta=where_meta,
    kernel=pointwise(lambda condition, a, b: a if condition else b),
    limited=LIMITED,
    derivatives={
        "self": lambda grad, condition: aten.where.self(condition, grad, 0),
        "other": lambda grad, condition: aten.where.self(condition, 0, grad),
    },
    linear=("self other",),
    out=Out("self_out", exact=True),
    doc="""Selects elements of ``self`` where ``condition`` is true, else of ``other``.

    ``condition`` is bool (uint8 is deprecated); all three broadcast, and the dtypes of ``self`` and ``other``
    promote.  Raises RuntimeError for a condition of another dtype.""",
)

native_function(
    "where(Tensor condition) -> Tensor[]",
    composite=lambda condition: aten.unbind.int(
        aten.nonzero.default(condition if condition._spec.ndim else condition.unsqueeze(0)), 1
    ),
    doc="Returns the indices (int64) of the nonzero elements of ``condition``: one tensor per dimension.",
)

equal = native_function(
    "equal(Tensor self, Tensor other) -> bool",
    composite=lambda self, other: self.shape == other.shape and bool((self == other).all().item()),
    doc="Returns True if both tensors have the same sizes and equal elements.",
)

allclose = native_function(
    "allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool",
    composite=lambda self, other, rtol, atol, equal_nan: bool(
        aten.isclose(self, other, rtol, atol, equal_nan).all().item()
    ),
    doc="Returns True if all pairs of elements are close: ``|self - other| <= atol + rtol * |other|``.",
)


def _isclose(self: Any, other: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    for name, bound in (("rtol", rtol), ("atol", atol)):
        if not bound >= 0:
            raise RuntimeError(f"isclose: {name} must be greater than or equal to zero, but got {bound}")
    if self.dtype is not other.dtype:
        raise RuntimeError(f"isclose: {self.dtype.name} did not match {other.dtype.name}")
    close = self == other
    if equal_nan and self.dtype.category >= 2:
        close = close | (self.isnan() & other.isnan())
    if rtol == atol == 0:
        return close  # also of integers that floating point numbers cannot tell apart
    if self.dtype.category < 2:  # differences of integers would wrap around
        self, other = self.to(get_default_dtype()), other.to(get_default_dtype())
    allowed = atol + (rtol * other).abs()
    difference = (self - other).abs()
    return close | (difference.isfinite() & (difference <= allowed))


isclose = native_function(
    "isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
    composite=_isclose,
    doc="Tests whether each pair of elements is close: ``|self - other| <= atol + rtol * |other|``.",
)
