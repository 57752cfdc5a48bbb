"""softmax and log_softmax.

Accumulation: exponentials in float64, their sum exactly rounded; one rounding to the dtype at the end.
Source: aten/src/ATen/native/SoftMax.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...calls.checks import check_same_dtype, check_same_size, refuse_dtype
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum, exp, log
from ...values import geometry
from ...values.geometry import wrap_dim


def _meta(self: Spec, dim: int, half_to_float: bool) -> Spec:
    wrap_dim(dim, self.ndim)
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on this device")
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    return self.contiguous()


def _rows(dim: int, *tensors: Tensor) -> Any:
    """For each position outside ``dim``, one list of offsets along ``dim`` per tensor; sizes are equal."""
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


def _along_dim(function: Callable[..., list[float]], inputs: int) -> Callable[..., None]:
    """A kernel that applies ``function`` to the elements along ``dim`` of the first ``inputs`` arguments."""

    def kernel(output: Tensor, *arguments: Any) -> None:
        tensors, dim = arguments[:inputs], arguments[inputs]
        write, reads = TensorAccessor(output).write, [TensorAccessor(each).read for each in tensors]
        for targets, *sources in _rows(dim, output, *tensors):
            rows = [[read(offset) for offset in offsets] for read, offsets in zip(reads, sources)]
            for target, number in zip(targets, function(*rows)):
                write(target, number)

    return kernel


def _softmax(numbers: list[float]) -> list[float]:
    """``exp(x - max) / sum(exp(x - max))``."""
    if _has_no_distribution(numbers):
        return [math.nan] * len(numbers)
    largest = max(numbers)
    powers = [exp(number - largest) for number in numbers]
    total = exact_sum(powers)
    return [power / total for power in powers]


def _log_softmax(numbers: list[float]) -> list[float]:
    """``x - max - log(sum(exp(x - max)))``."""
    if _has_no_distribution(numbers):
        return [math.nan] * len(numbers)
    largest = max(numbers)
    shift = log(exact_sum([exp(number - largest) for number in numbers]))
    return [number - largest - shift for number in numbers]


def _has_no_distribution(numbers: list[float]) -> bool:
    """Are there no numbers, or a NaN among them, or is the largest infinite (inf - inf)?"""
    if not numbers or any(number != number for number in numbers):
        return True
    return math.isinf(max(numbers))


def _softmax_gradient(grads: list[float], outputs: list[float]) -> list[float]:
    """``y * (grad - sum(grad * y))``."""
    total = exact_sum([grad * output for grad, output in zip(grads, outputs)])
    return [output * (grad - total) for grad, output in zip(grads, outputs)]


def _log_softmax_gradient(grads: list[float], outputs: list[float]) -> list[float]:
    """``grad - exp(y) * sum(grad)``."""
    total = exact_sum(grads)
    return [grad - exp(output) * total for grad, output in zip(grads, outputs)]


native_function(
    "_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    meta=_meta,
    kernel=_along_dim(_softmax, 1),
    derivatives={
        "self": lambda grad, dim, result, self_spec: aten._softmax_backward_data.default(
            grad, result, dim, self_spec.dtype
        )
    },
    node_name="SoftmaxBackward0",
    out=Out(exact=True),
    doc="""softmax along ``dim`` of a floating point tensor; the result is contiguous, with its sizes and
    dtype.

    Raises RuntimeError for ``half_to_float``, NotImplementedError for other dtypes.""",
)

native_function(
    "_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    meta=_meta,
    kernel=_along_dim(_log_softmax, 1),
    derivatives={
        "self": lambda grad, dim, result, self_spec: aten._log_softmax_backward_data.default(
            grad, result, dim, self_spec.dtype
        )
    },
    node_name="LogSoftmaxBackward0",
    out=Out(exact=True),
    doc="""log_softmax along ``dim`` of a floating point tensor; the result is contiguous, with its sizes and
    dtype.

    Raises RuntimeError for ``half_to_float``, NotImplementedError for other dtypes.""",
)


def _backward_meta(grad_output: Spec, output: Spec, dim: int, input_dtype: Any) -> Spec:
    wrap_dim(dim, output.ndim)
    check_same_size(output=output, grad_output=grad_output)
    check_same_dtype(output=output, grad_output=grad_output)
    return output.contiguous()


native_function(
    "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    meta=_backward_meta,
    kernel=_along_dim(_softmax_gradient, 2),
    derivatives={
        "grad_output": lambda grad, output, dim, input_dtype: aten._softmax_backward_data.default(
            grad, output, dim, input_dtype
        ),
        "output": lambda grad, grad_output, output, dim: _softmax_double(grad, grad_output, output, dim),
    },
    doc="""The gradient of softmax from its output, ``output * (grad_output - sum(grad_output * output))``
    along ``dim``.

    Raises RuntimeError if the sizes of ``grad_output`` and ``output`` differ.""",
)


def _softmax_double(grad: Any, grad_output: Any, output: Any, dim: int) -> Any:
    """The derivative of sum(grad * y * (g - sum(g * y))) by y.  Source: softmax_double_backward."""
    return (
        grad * grad_output
        - (output * grad_output).sum(dim, True) * grad
        - grad_output * (grad * output).sum(dim, True)
    )


native_function(
    "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> "
    "Tensor",
    meta=_backward_meta,
    kernel=_along_dim(_log_softmax_gradient, 2),
    derivatives={
        "grad_output": lambda grad, output, dim: grad - (grad * output.exp()).sum(dim, True),
        "output": lambda grad, grad_output, output, dim: -(grad_output.sum(dim, True) * output.exp() * grad),
    },
    doc="""The gradient of log_softmax from its output, ``grad_output - exp(output) * sum(grad_output)`` along
    ``dim``.

    Raises RuntimeError if the sizes of ``grad_output`` and ``output`` differ.""",
)


def _converted(self: Any, dtype: Any) -> Any:
    return self if dtype is None or dtype is self.dtype else self.to(dtype)


native_function(
    "softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    composite=lambda self, dim, dtype: aten._softmax.default(_converted(self, dtype), dim, False),
    out=Out("int_out", exact=True),
    doc="""``exp(x)`` divided by its sum along ``dim``.  ``dtype`` converts the input first.

    The result has the sizes of x and a floating point dtype.  Raises NotImplementedError for other dtypes,
    IndexError for a dim out of range.""",
)

native_function(
    "log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    composite=lambda self, dim, dtype: aten._log_softmax.default(_converted(self, dtype), dim, False),
    out=Out("int_out", exact=True),
    doc="""The logarithm of softmax along ``dim``.  ``dtype`` converts the input first.

    The result has the sizes of x and a floating point dtype.  Raises NotImplementedError for other dtypes,
    IndexError for a dim out of range.""",
)
