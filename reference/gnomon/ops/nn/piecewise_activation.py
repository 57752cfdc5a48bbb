"""Piecewise linear activations: relu, hardtanh, leaky_relu and the like.

Results are computed in float64 and rounded once; thresholds are first cast to the tensor's dtype (float32 for
half precision).  At a threshold the gradient is that of PyTorch.
Source: aten/src/ATen/native/Activation.cpp, cpu/Activation.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import check_same_dtype, refuse_dtype
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import (
    binary,
    binary_in_second_order,
    build_iterator,
    computed_in,
    dense_like,
    unary,
    with_numbers,
)
from ...calls.native import native_function
from ...calls.record import Numbers, Out
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec
from ...numerics.loops import pointwise, pointwise_with_numbers
from ...values.dtype import bool_, check_number_fits, int64, real_number
from ...values.library_name import LIBRARY


def _relu(a: Any) -> Any:
    """``max(a, 0)``; NaN and -0.0 are returned unchanged."""
    return type(a)(0) if a < 0 else a


def _relu_meta(self: Spec) -> TensorIterator:
    if self.dtype is bool_:
        raise RuntimeError(f"not supported for bool; x.to({LIBRARY}.int64) converts it")
    refuse_dtype(self.dtype, "complex")
    return build_iterator([self], self.dtype, self.dtype)


relu = native_function(
    "relu(Tensor self) -> Tensor",
    meta=_relu_meta,
    kernel=pointwise(_relu),
    derivatives={"self": lambda grad, result: aten.threshold_backward.default(grad, result, 0)},
    inplace=True,
    out=Out(row_major=True, exact=True),
    doc="""Computes ``max(x, 0)``, with the sizes and dtype of x.  Its gradient at 0 is 0.

    Raises RuntimeError for bool, NotImplementedError for complex dtypes.""",
)

threshold_backward = native_function(
    "threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
    meta=with_numbers(binary_in_second_order("bool", "complex")),
    kernel=pointwise_with_numbers(lambda grad, a, threshold: type(grad)(0) if a <= threshold else grad),
    derivatives={
        "grad_output": lambda grad, self, threshold: aten.threshold_backward.default(grad, self, threshold),
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="The gradient of relu and threshold: 0 where ``self <= threshold``, else ``grad_output``.",
)

leaky_relu = native_function(
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    python_module="nn",
    meta=with_numbers(unary("bool", "integer", "complex")),
    kernel=pointwise_with_numbers(lambda a, slope: a if a > 0 else a * slope),
    derivatives={
        "self": lambda grad, self, negative_slope: aten.leaky_relu_backward.default(
            grad, self, negative_slope, False
        )
    },
    inplace=True,
    out=Out(exact=True),
    doc="Returns x where it is positive, else ``x * negative_slope``.",
)


def _leaky_relu_backward_meta(
    grad_output: Spec, self: Spec, negative_slope: Any, self_is_result: bool
) -> TensorIterator:
    if self_is_result and not real_number(negative_slope) >= 0:
        raise RuntimeError(
            "In-place leaky_relu backward calculation is triggered with a negative slope which is not "
            f"supported: negative_slope is {negative_slope}. Please call the out-of-place version of the "
            "forward function instead."
        )
    return binary_in_second_order("bool", "integer", "complex")(grad_output, self)


leaky_relu_backward = native_function(
    "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) "
    "-> Tensor",
    python_module="nn",
    meta=with_numbers(_leaky_relu_backward_meta),
    kernel=pointwise_with_numbers(
        lambda grad, a, slope, self_is_result: grad if a > 0 else type(grad)(grad * slope)
    ),
    derivatives={
        "grad_output": lambda grad, self, negative_slope: aten.leaky_relu_backward.default(
            grad, self, negative_slope, False
        ),
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="""The gradient of leaky_relu: ``grad_output``, times ``negative_slope`` where ``self`` is not
    positive.""",
)


def _threshold_meta(self: Spec, threshold: Any, value: Any) -> TensorIterator:
    refuse_dtype(self.dtype, "bool", "complex")
    check_number_fits(threshold, computed_in(self.dtype))
    check_number_fits(value, self.dtype)
    return build_iterator([self], self.dtype, self.dtype)


threshold = native_function(
    "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
    variants="function",
    meta=_threshold_meta,
    kernel=pointwise_with_numbers(lambda a, threshold, value: value if a <= threshold else a),
    derivatives={
        "self": lambda grad, self, threshold: aten.threshold_backward.default(grad, self, threshold)
    },
    inplace=True,
    out="out",
    doc="Returns ``value`` where x is at most ``threshold``, else x; NaN stays NaN.",
)


def _between(a: float, lambd: float) -> bool:
    return -lambd <= a <= lambd


def _shrink_meta(self: Spec, lambd: Any) -> TensorIterator:
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    check_number_fits(lambd, self.dtype)
    return build_iterator([self], self.dtype, self.dtype)


hardshrink = native_function(
    "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    meta=_shrink_meta,
    kernel=pointwise_with_numbers(lambda a, lambd: 0.0 if _between(a, lambd) else a),
    numbers=Numbers(held=("lambd",)),
    derivatives={"self": lambda grad, self, lambd: aten.hardshrink_backward.default(grad, self, lambd)},
    out=Out(exact=True),
    doc="""Returns 0 where x is in [-lambd, lambd], else x.

    The result has the sizes and dtype of x, which is floating point.  Raises NotImplementedError for other
    dtypes, RuntimeError for a lambd that the dtype cannot represent.""",
)

hardshrink_backward = native_function(
    "hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
    meta=with_numbers(binary("bool", "integer", "complex"), as_halves=True),
    kernel=pointwise_with_numbers(lambda grad, a, lambd: 0.0 if _between(a, lambd) else grad),
    numbers=Numbers(held=("lambd",)),
    derivatives={
        "grad_out": lambda grad, self, lambd: aten.hardshrink_backward.default(grad, self, lambd),
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="The gradient of hardshrink: 0 where ``self`` is in [-lambd, lambd], else ``grad_out``.",
)


def _softshrink_meta(self: Spec, lambd: Any) -> TensorIterator:
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    lambd = real_number(lambd)
    if not lambd >= 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    if not math.isfinite(self.dtype.cast(lambd)):
        raise RuntimeError(f"lambda has to be a number that {self.dtype.name} holds, but found {lambd}")
    return _shrink_meta(self, lambd)


def _softshrink(a: float, lambd: float) -> float:
    return a - lambd if a > lambd else a + lambd if a < -lambd else a * 0


softshrink = native_function(
    "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    python_module="nn",
    meta=_softshrink_meta,
    kernel=pointwise_with_numbers(_softshrink),
    derivatives={"self": lambda grad, self, lambd: aten.softshrink_backward.default(grad, self, lambd)},
    out=Out(exact=True),
    doc="""Returns x moved towards 0 by ``lambd``, and 0 where x is in [-lambd, lambd].

    The result has the sizes and dtype of x, which is floating point.  Raises NotImplementedError for other
    dtypes, RuntimeError for a negative lambd.""",
)

softshrink_backward = native_function(
    "softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
    python_module="nn",
    meta=with_numbers(binary("bool", "integer", "complex"), as_halves=True),
    kernel=pointwise_with_numbers(lambda grad, a, lambd: 0.0 if _between(a, lambd) else grad),
    numbers=Numbers(held=("lambd",)),
    derivatives={
        "grad_output": lambda grad, self, lambd: aten.softshrink_backward.default(grad, self, lambd),
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="The gradient of softshrink: 0 where ``self`` is in [-lambd, lambd], else ``grad_output``.",
)


def _hardtanh_meta(self: Spec, min_val: Any, max_val: Any) -> TensorIterator:
    if self.dtype is bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    refuse_dtype(self.dtype, "complex")
    bounds: tuple[Any, ...] = (min_val, max_val)
    if not self.dtype.is_signed:  # PyTorch truncates the bounds to int64
        for bound in bounds:
            check_number_fits(bound, int64)
        bounds = tuple(int(real_number(bound)) for bound in bounds)
        if min(bounds) < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    for bound in bounds:
        check_number_fits(bound, self.dtype)
    # PyTorch allocates the result by empty_like, so it also has the input's strides of dimensions of size 1
    return build_iterator([self], self.dtype, self.dtype, outputs=[dense_like(self)])


def _hardtanh(a: Any, low: Any, high: Any) -> Any:
    """``min(max(a, low), high)``, or NaN if any of the three is NaN."""
    if a == a and (low != low or a < low):
        a = low
    return high if a == a and (high != high or a > high) else a


hardtanh = native_function(
    "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    python_module="nn",
    meta=_hardtanh_meta,
    kernel=pointwise_with_numbers(_hardtanh),
    numbers=Numbers(held=("min_val", "max_val")),
    derivatives={
        "self": lambda grad, self, min_val, max_val: aten.hardtanh_backward.default(
            grad, self, min_val, max_val
        )
    },
    inplace=True,
    out=Out(exact=True),
    doc="Clamps each element to [min_val, max_val], in the tensor's dtype.",
)

hardtanh_backward = native_function(
    "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
    python_module="nn",
    meta=with_numbers(binary("bool", "integer", "complex")),
    kernel=pointwise_with_numbers(lambda grad, a, low, high: 0.0 if a <= low or a >= high else grad),
    derivatives={
        "grad_output": lambda grad, self, min_val, max_val: aten.hardtanh_backward.default(
            grad, self, min_val, max_val
        ),
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="The gradient of hardtanh: 0 where ``self <= min_val`` or ``self >= max_val``, else ``grad_output``.",
)


def _relu6(self: Any) -> Any:
    if self._spec.dtype is bool_:
        raise RuntimeError("Boolean inputs not supported for relu6")
    return aten.hardtanh.default(self, 0, 6)


relu6 = native_function(
    "relu6(Tensor self) -> Tensor",
    python_module="nn",
    composite=_relu6,
    inplace=True,
    doc="Computes ``min(max(x, 0), 6)``.",
)

hardsigmoid = native_function(
    "hardsigmoid(Tensor self) -> Tensor",
    python_module="nn",
    meta=unary("bool", "integer", "complex"),
    kernel=pointwise(lambda a: _hardtanh(a + 3, 0.0, 6.0) / 6),
    derivatives={"self": lambda grad, self: aten.hardsigmoid_backward.default(grad, self)},
    inplace=True,
    out=Out(exact=True),
    doc="Computes ``min(max(x + 3, 0), 6) / 6``.",
)

hardsigmoid_backward = native_function(
    "hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
    python_module="nn",
    meta=binary("bool", "integer", "complex"),
    kernel=pointwise(lambda grad, a: grad / 6 if -3 < a < 3 else 0.0),
    derivatives={
        "grad_output": lambda grad, self: aten.hardsigmoid_backward.default(grad, self),
        "self": lambda grad: aten.zeros_like(grad),
    },
    doc="The gradient of hardsigmoid: ``grad_output / 6`` where -3 < x < 3, else 0.",
)

hardswish = native_function(
    "hardswish(Tensor self) -> Tensor",
    python_module="nn",
    meta=unary("bool", "integer", "complex"),
    kernel=pointwise(lambda a: a * _hardtanh(a + 3, 0.0, 6.0) / 6),
    derivatives={"self": lambda grad, self: aten.hardswish_backward.default(grad, self)},
    inplace=True,
    out=Out(exact=True),
    doc="Computes ``x * hardsigmoid(x)`` (Howard et al., 2019).",
)


def _hardswish_backward(grad: float, a: float) -> float:
    if a <= -3:
        return 0.0
    return grad * (a / 3 + 0.5) if a < 3 else grad


hardswish_backward = native_function(
    "hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
    python_module="nn",
    meta=binary("bool", "integer", "complex"),
    kernel=pointwise(_hardswish_backward),
    derivatives={
        "grad_output": lambda grad, self: aten.hardswish_backward.default(grad, self),
        "self": lambda grad, grad_output, self: (grad * grad_output / 3).masked_fill(
            ~((self > -3) & (self < 3)), 0
        ),
    },
    doc="The gradient of hardswish: 0 where x <= -3, ``grad_output`` where x >= 3.",
)


def _same_dtype_meta(self: Spec, weight: Spec) -> TensorIterator:
    check_same_dtype(self=self, weight=weight)
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    return build_iterator([self, weight], self.dtype, self.dtype)


native_function(
    "_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
    meta=_same_dtype_meta,
    kernel=pointwise(lambda a, weight: a if a > 0 else a * weight),
    derivatives={
        "self, weight": lambda grad, self, weight: aten._prelu_kernel_backward.default(grad, self, weight)
    },
    doc="Returns x where it is positive, else ``weight * x``; the weight broadcasts.",
)


def _prelu_backward(grad_output: Any, self: Any, weight: Any) -> tuple[Any, Any]:
    check_same_dtype(self=self, grad_output=grad_output, weight=weight)
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    positive = self > 0
    # the values that where() does not select must not reach derivatives, even if they are infinite
    slope, negative = aten.where.self(positive, 1.0, weight), self.masked_fill(positive, 0)
    of_input = aten.where.self(positive, grad_output, grad_output * slope)
    zero = aten.zeros_like(grad_output if grad_output.shape == of_input.shape else of_input)
    return of_input, aten.where.self(positive, zero, grad_output * negative)


native_function(
    "_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
    composite=_prelu_backward,
    doc="The gradients of prelu's input and weight.",
)


def _prelu(self: Any, weight: Any) -> Any:
    spec, other = self._spec, weight._spec
    if spec.dtype is not other.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported: {spec.dtype.name} and {other.dtype.name}")
    if other.numel != 1:
        if not spec.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = spec.sizes[1] if spec.ndim > 1 else 1
        if channels != other.numel:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{other.numel} and channel size = {channels}."
            )
    if other.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {other.ndim}"
        )
    if spec.ndim != other.ndim:
        weight = weight.reshape([other.numel if dim == 1 else 1 for dim in range(spec.ndim)])
    return aten._prelu_kernel.default(self, weight)


prelu = native_function(
    "prelu(Tensor self, Tensor weight) -> Tensor",
    composite=_prelu,
    doc="""Returns x where it is positive, else ``weight * x`` (He et al., 2015).

    ``weight`` has one element, or one for each channel (dimension 1).  Raises RuntimeError for another number
    of weights, and for a weight of another dtype.""",
)
