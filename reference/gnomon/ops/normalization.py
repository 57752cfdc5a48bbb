"""softmax and log_softmax.

Accumulation: exponentials in float64, their sum exactly rounded; one rounding to the dtype at the end.
Source: aten/src/ATen/native/SoftMax.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.arithmetic import exact_sum, exp, log
from ..kit.native import native_function
from ..kit.rules import refuse
from ..memory.accessor import TensorAccessor
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.geometry import wrap_dim


def _rule(self: Spec, dim: int, half_to_float: bool) -> Spec:
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on this device")
    wrap_dim(dim, self.ndim)
    refuse(self.dtype, "bool", "integer", "complex")
    return self.contiguous()


def _rows(dim: int, *tensors: Tensor) -> Any:
    """The tensors' offsets along ``dim``, one list a tensor, for each position outside it; sizes are
    equal.
    """
    spec = tensors[0]._spec
    if not spec.ndim:
        yield [[tensor._storage_offset] for tensor in tensors]
        return
    dim = wrap_dim(dim, spec.ndim)
    kept = [each for each in range(spec.ndim) if each != dim]
    sizes = [spec.sizes[each] for each in kept]
    starts = [
        geometry.offsets(sizes, [tensor._spec.strides[each] for each in kept], tensor._storage_offset)
        for tensor in tensors
    ]
    for each in zip(*starts):
        yield [
            [start + index * tensor._spec.strides[dim] for index in range(spec.sizes[dim])]
            for start, tensor in zip(each, tensors)
        ]


def _softmax_kernel(output: Tensor, self: Tensor, dim: int, half_to_float: bool) -> None:
    """``exp(x - max) / sum(exp(x - max))`` along ``dim``."""
    read, write = TensorAccessor(self).read, TensorAccessor(output).write
    for targets, sources in _rows(dim, output, self):
        for target, value in zip(targets, _normalized([read(source) for source in sources], False)):
            write(target, value)


def _log_softmax_kernel(output: Tensor, self: Tensor, dim: int, half_to_float: bool) -> None:
    """``x - max - log(sum(exp(x - max)))`` along ``dim``."""
    read, write = TensorAccessor(self).read, TensorAccessor(output).write
    for targets, sources in _rows(dim, output, self):
        for target, value in zip(targets, _normalized([read(source) for source in sources], True)):
            write(target, value)


def _normalized(numbers: list[float], logarithm: bool) -> list[float]:
    if not numbers:
        return []
    if any(number != number for number in numbers):
        return [math.nan] * len(numbers)
    largest = max(numbers)
    if largest in (math.inf, -math.inf):
        return [math.nan] * len(numbers)  # inf - inf: such a row has no distribution
    powers = [exp(number - largest) for number in numbers]
    total = exact_sum(powers)
    if logarithm:
        return [number - largest - log(total) for number in numbers]
    return [power / total for power in powers]


native_function(
    "_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    meta=_rule,
    kernel=_softmax_kernel,
    derivatives={
        "self": lambda grad, dim, result, self_spec: aten._softmax_backward_data.default(
            grad, result, dim, self_spec.dtype
        )
    },
    node_name="SoftmaxBackward0",
    out="out",
    exact_out=True,
    doc="softmax along ``dim`` of a floating point tensor.",
)

native_function(
    "_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    meta=_rule,
    kernel=_log_softmax_kernel,
    derivatives={
        "self": lambda grad, dim, result, self_spec: aten._log_softmax_backward_data.default(
            grad, result, dim, self_spec.dtype
        )
    },
    node_name="LogSoftmaxBackward0",
    out="out",
    exact_out=True,
    doc="The logarithm of softmax along ``dim`` of a floating point tensor.",
)


def _backward_rule(grad_output: Spec, output: Spec, dim: int, input_dtype: Any) -> Spec:
    wrap_dim(dim, output.ndim)
    if grad_output.sizes != output.sizes:
        raise RuntimeError(
            f"grad_output has sizes {list(grad_output.sizes)}, but output has {list(output.sizes)}"
        )
    return output.contiguous()


def _softmax_backward_kernel(grad_input: Tensor, grad_output: Tensor, output: Tensor, dim: int) -> None:
    """``y * (grad - sum(grad * y))`` along ``dim``."""
    read_grad, read, write = (
        TensorAccessor(grad_output).read,
        TensorAccessor(output).read,
        TensorAccessor(grad_input).write,
    )
    for targets, grads, outputs in _rows(dim, grad_input, grad_output, output):
        gradients = [read_grad(offset) for offset in grads]
        values = [read(offset) for offset in outputs]
        total = exact_sum([gradient * value for gradient, value in zip(gradients, values)])
        for target, gradient, value in zip(targets, gradients, values):
            write(target, value * (gradient - total))


def _log_softmax_backward_kernel(grad_input: Tensor, grad_output: Tensor, output: Tensor, dim: int) -> None:
    """``grad - exp(y) * sum(grad)`` along ``dim``."""
    read_grad, read, write = (
        TensorAccessor(grad_output).read,
        TensorAccessor(output).read,
        TensorAccessor(grad_input).write,
    )
    for targets, grads, outputs in _rows(dim, grad_input, grad_output, output):
        gradients = [read_grad(offset) for offset in grads]
        total = exact_sum(gradients)
        for target, gradient, offset in zip(targets, gradients, outputs):
            write(target, gradient - exp(read(offset)) * total)


native_function(
    "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    meta=_backward_rule,
    kernel=_softmax_backward_kernel,
    derivatives={
        "grad_output": lambda grad, output, dim, input_dtype: aten._softmax_backward_data.default(
            grad, output, dim, input_dtype
        ),
        "output": lambda grad, grad_output, output, dim: _softmax_double(grad, grad_output, output, dim),
    },
    doc="The gradient of softmax, from its output.",
)


def _softmax_double(grad: Any, grad_output: Any, output: Any, dim: int) -> Any:
    """d/dy of sum(grad * y * (g - sum(g * y))).  Source: softmax_double_backward."""
    return (
        grad * grad_output
        - (output * grad_output).sum(dim, True) * grad
        - grad_output * (grad * output).sum(dim, True)
    )


native_function(
    "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> "
    "Tensor",
    meta=_backward_rule,
    kernel=_log_softmax_backward_kernel,
    derivatives={
        "grad_output": lambda grad, output, dim: grad - (grad * output.exp()).sum(dim, True),
        "output": lambda grad, grad_output, output, dim: -(grad_output.sum(dim, True) * output.exp() * grad),
    },
    doc="The gradient of log_softmax, from its output.",
)


def _converted(self: Any, dtype: Any) -> Any:
    return self if dtype is None or dtype is self.dtype else self.to(dtype)


native_function(
    "softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    composite=lambda self, dim, dtype: aten._softmax.default(_converted(self, dtype), dim, False),
    out="int_out",
    exact_out=True,
    doc="exp(x) over its sum along ``dim``.  ``dtype`` converts the input first.",
)

native_function(
    "log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    composite=lambda self, dim, dtype: aten._log_softmax.default(_converted(self, dtype), dim, False),
    out="int_out",
    exact_out=True,
    doc="The logarithm of softmax along ``dim``.  ``dtype`` converts the input first.",
)


def _logsumexp(self: Any, dim: Any, keepdim: bool) -> Any:
    if self._spec.dtype.category < 2:
        self = self.to(aten.result_type.Scalar_Tensor(1.0, self))
    if not self.numel():
        return self.exp().sum(dim, keepdim).log()
    largest = aten.amax.default(self.detach(), dim, True)
    shift = aten.where(largest.abs() == math.inf, aten.zeros_like(largest), largest)
    total = (self - shift).exp().sum(dim, True).log() + shift
    if keepdim or not self.ndim:
        return total
    return aten.squeeze.dims(
        total, [wrap_dim(each, self.ndim) for each in (dim if isinstance(dim, (list, tuple)) else [dim])]
    )


native_function(
    "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
    composite=_logsumexp,
    out="out",
    doc="log(sum(exp(x))) over dimensions ``dim``, without overflow.",
)
