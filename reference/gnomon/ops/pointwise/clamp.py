"""Elementwise maximum and minimum, and clamp.

Operands are compared in their common dtype, which is also the result's; no arithmetic is done.
Source: aten/src/ATen/native/BinaryOps.cpp, TensorCompare.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import refuse_dtype
from ...calls.iterator import TensorIterator, result_type
from ...calls.meta_functions import binary, build_iterator
from ...calls.native import native_function
from ...calls.record import Numbers, Out
from ...dispatch.dispatcher import OpOverload, aten
from ...memory.spec import Spec
from ...numerics import arithmetic
from ...numerics.loops import for_each, pointwise
from ...values.dtype import bool_, check_number_fits, real_number

maximum = native_function(
    "maximum(Tensor self, Tensor other) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(arithmetic.maximum),
    derivatives={
        "self": lambda grad, self, other: tie_grad(grad, self, other, ~(self < other)),
        "other": lambda grad, self, other: tie_grad(grad, self, other, ~(self > other)),
    },
    out="out",
    doc="""Returns the larger of each pair of elements; NaN if either is NaN.

    Equal elements get half the gradient each; if one is NaN, both get all of it.""",
)

minimum = native_function(
    "minimum(Tensor self, Tensor other) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(arithmetic.minimum),
    derivatives={
        "self": lambda grad, self, other: tie_grad(grad, self, other, ~(self > other)),
        "other": lambda grad, self, other: tie_grad(grad, self, other, ~(self < other)),
    },
    out="out",
    doc="""Returns the smaller of each pair of elements; NaN if either is NaN.

    Equal elements get half the gradient each; if one is NaN, both get all of it.""",
)


def tie_grad(grad: Any, self: Any, other: Any, chosen: Any) -> Any:
    """The gradient where ``chosen``, halved where both operands are equal; 0 elsewhere."""
    return aten.where(chosen, aten.where(self == other, grad / 2, grad), 0)


clamp = native_function(
    "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    meta=lambda self, min, max: _clamp_iterator(self, min, max),
    kernel=lambda iterator, min, max: _clamp_kernel(iterator, min, max),
    numbers=Numbers(held=("min", "max")),
    derivatives={"self": lambda grad, self, min, max: _clamp_grad(grad, self, min, max)},
    node_name="ClampBackward1",
    inplace=True,
    out=Out(exact=True),
    doc="""Clamps each element to the range from ``min`` to ``max``; NaN stays NaN.

    Raises RuntimeError if both bounds are None.""",
)


def _check_bounds(min: Any, max: Any) -> None:
    """Raises RuntimeError if neither is given."""
    if min is None and max is None:
        raise RuntimeError("At least one of 'min' or 'max' must not be None")


def _clamp_iterator(self: Spec, min: Any, max: Any) -> Any:
    _check_bounds(min, max)
    bounds = [bound for bound in (min, max) if bound is not None]
    if not self.dtype.is_complex:
        for bound in bounds:
            real_number(bound)
    common = result_type(self, *bounds)
    refuse_dtype(common, "complex", "bool")
    if all(bound == bound for bound in bounds):  # if a bound is NaN the result is NaN, whatever the other is
        for bound in bounds:
            check_number_fits(bound, common)
    return build_iterator([self], common, common)


def _clamp_kernel(iterator: Any, min: Any, max: Any) -> None:
    """``output = min(max(input, min), max)``, with the bounds cast to the common dtype."""
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
    out=Out(exact=True),
    doc="Clamps each element to at least ``min``.",
)

clamp_max = native_function(
    "clamp_max(Tensor self, Scalar max) -> Tensor",
    composite=lambda self, max: aten.clamp.default(self, None, max),
    inplace=True,
    out=Out(exact=True),
    doc="Clamps each element to at most ``max``.",
)

fmax = native_function(
    "fmax(Tensor self, Tensor other) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(lambda a, b: b if a != a or a < b else a),
    derivatives={
        "self": lambda grad, self, other: grad.masked_fill(~((self >= other) | other.isnan()), 0),
        "other": lambda grad, self, other: grad.masked_fill((self >= other) | other.isnan(), 0),
    },
    out="out",
    doc="""Returns the larger of each pair of elements; if one is NaN, the other.

    If they are equal, ``self`` gets the gradient.""",
)

fmin = native_function(
    "fmin(Tensor self, Tensor other) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(lambda a, b: b if a != a or b < a else a),
    derivatives={
        "self": lambda grad, self, other: grad.masked_fill(~((self <= other) | other.isnan()), 0),
        "other": lambda grad, self, other: grad.masked_fill((self <= other) | other.isnan(), 0),
    },
    out="out",
    doc="""Returns the smaller of each pair of elements; if one is NaN, the other.

    If they are equal, ``self`` gets the gradient.""",
)


def _grad_where(condition: Any, grad: Any) -> Any:
    """The gradient where ``condition`` is true, 0 elsewhere."""
    return aten.where.self(condition, grad, aten.zeros_like(grad))


clamp_min_tensor = native_function(
    "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(arithmetic.maximum),
    derivatives={
        "self": lambda grad, self, min: _grad_where(self >= min, grad),
        "min": lambda grad, self, min: _grad_where(self < min, grad),
    },
    node_name="ClampMinBackward1",
    inplace=True,
    out="Tensor_out",
    doc="Clamps each element to at least the corresponding element of ``min``; NaN if either is NaN.",
)

clamp_max_tensor = native_function(
    "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
    meta=binary("complex"),
    kernel=pointwise(arithmetic.minimum),
    derivatives={
        "self": lambda grad, self, max: _grad_where(self <= max, grad),
        "max": lambda grad, self, max: _grad_where(self > max, grad),
    },
    node_name="ClampMaxBackward1",
    inplace=True,
    out="Tensor_out",
    doc="Clamps each element to at most the corresponding element of ``max``; NaN if either is NaN.",
)


def _between_meta(self: Spec, min: Spec, max: Spec) -> TensorIterator:
    common = result_type(self, min, max)
    refuse_dtype(common, "bool", "complex")
    return build_iterator([self, min, max], common, common)


native_function(
    "_clamp(Tensor self, Tensor min, Tensor max) -> Tensor",
    meta=_between_meta,
    kernel=pointwise(lambda a, low, high: arithmetic.minimum(arithmetic.maximum(a, low), high)),
    derivatives={
        "self": lambda grad, self, min, max: _grad_where((self >= min) & (self <= max), grad),
        "min": lambda grad, self, min, max: _grad_where((min < max) & (self < min), grad),
        "max": lambda grad, self, min, max: _grad_where((max < min) | (self > max), grad),
    },
    node_name="ClampBackward0",
    doc="""The kernel of ``clamp.Tensor`` with both bounds.

    Where ``min`` exceeds ``max``, the result is ``max``, which also gets the gradient.""",
)


def _clamp_tensor(self: Any, min: Any, max: Any) -> Any:
    _check_bounds(min, max)
    if max is None:
        return aten.clamp_min.Tensor(self, min)
    return aten.clamp_max.Tensor(self, max) if min is None else aten._clamp.default(self, min, max)


clamp_tensor = native_function(
    "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    composite=_clamp_tensor,
    inplace=True,
    out="Tensor_out",
    doc="""Clamps each element to the range from ``min`` to ``max``, which are tensors; NaN if any is NaN.

    The operands broadcast and their dtypes promote.  Raises RuntimeError if both bounds are None.""",
)


def _alias(schema: str, operator: OpOverload, out: str) -> OpOverload:
    return native_function(
        schema,
        composite=lambda *arguments: operator(*arguments),
        inplace=True,
        out=Out(out, exact=operator.record.out.exact),
        doc="Alias for ``clamp``.",
    )


clip = _alias("clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", clamp, "out")
clip_tensor = _alias(
    "clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", clamp_tensor, "Tensor_out"
)
