"""Adaptive pooling: the output size is given, and determines the windows.

Along a dimension of n elements, window i of m goes from floor(i * n / m) to ceil((i + 1) * n / m): windows
may overlap and differ in length.  Accumulation: the sum of a window is exactly rounded in float64, divided,
and rounded once to the dtype; so is the sum of the gradients of one element.

Source: aten/src/ATen/native/AdaptivePooling.h, AdaptiveAveragePooling.cpp, AdaptiveAveragePooling3d.cpp,
AdaptiveMaxPooling2d.cpp, AdaptiveMaxPooling3d.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...calls.checks import (
    check_dim_range,
    check_dtype,
    check_length,
    check_same_dim,
    check_same_dtype,
    check_same_size,
    check_size,
    refuse_dtype,
)
from ...calls.native import native_function
from ...calls.record import Batching, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum
from ...numerics.windows import flat_position, like, planes, windows
from ...values import geometry
from ...values.dtype import int64
from ...values.geometry import Ints


def _adaptive_windows(sizes: Sequence[int], pooled: Sequence[int]) -> list[tuple[Ints, list[Ints]]]:
    """Each output position with the input positions in its window."""
    along = [
        [range(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        for size, count in zip(sizes, pooled)
    ]
    return windows(along)


def _adaptive_sizes(self: Spec, output_size: Any, spatial: int, checked: int) -> Ints:
    """The result's sizes.  Raises RuntimeError if one of the ``checked`` last dimensions is empty."""
    if len(output_size) != spatial:
        raise RuntimeError(f"output_size must be {spatial} ints, but got {list(output_size)}")
    if self.ndim not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"Expected {spatial + 1}D or {spatial + 2}D tensor, but got sizes {list(self.sizes)}"
        )
    if 0 in self.sizes[-checked:]:
        raise RuntimeError(
            "Expected input to have non-zero size for non-batch dimensions, but input has sizes "
            f"{list(self.sizes)}"
        )
    if min(output_size) < 0:
        raise RuntimeError(
            f"elements of output_size must be greater than or equal to 0, but got {list(output_size)}"
        )
    return (*self.sizes[:-spatial], *output_size)


def _check_gradient(grad_output: Spec, self: Spec, spatial: int) -> None:
    """Raises RuntimeError for a gradient whose dtype or sizes can not be those of a result."""
    if 0 in grad_output.sizes[1:]:
        raise RuntimeError(
            "Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has sizes "
            f"{list(grad_output.sizes)}"
        )
    check_dim_range(spatial + 1, spatial + 3, self=self)
    check_same_dim(self=self, grad_output=grad_output)
    check_same_dtype(self=self, grad_output=grad_output)
    check_size((*self.sizes[:-spatial], *grad_output.sizes[-spatial:]), grad_output=grad_output)


def _result(self: Spec, spatial: int, sizes: Ints, dtype: Any = None) -> Spec:
    """2-D pooling preserves channels last; the result of 3-D pooling is contiguous."""
    return like(self, sizes, dtype) if spatial == 2 else self.contiguous(sizes, dtype)


# ---------------------------------------------------------------------------------------------------------
# Means.


def _average_kernel(spatial: int) -> Callable[..., None]:
    def kernel(output: Tensor, self: Tensor, output_size: Any) -> None:
        """The mean of each window."""
        source, out = TensorAccessor(self), TensorAccessor(output)
        found = _adaptive_windows(source.sizes[-spatial:], out.sizes[-spatial:])
        for plane in planes(source.sizes, spatial):
            for position, members in found:
                total = exact_sum([source[plane + member] for member in members])
                out[plane + position] = total / len(members)

    return kernel


def _average_backward_kernel(spatial: int) -> Callable[..., None]:
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor) -> None:
        """Each element's gradient is the sum of its windows' gradients, each divided by the window's size."""
        out, grad = TensorAccessor(grad_input), TensorAccessor(grad_output)
        terms: dict[Ints, list[tuple[Ints, int]]] = {}
        for position, members in _adaptive_windows(out.sizes[-spatial:], grad.sizes[-spatial:]):
            for member in members:
                terms.setdefault(member, []).append((position, len(members)))
        for plane in planes(out.sizes, spatial):
            for member, positions in terms.items():
                shares = [grad[plane + position] / count for position, count in positions]
                out[plane + member] = exact_sum(shares)

    return kernel


def _adaptive_avg_pool(spatial: int) -> Callable[..., Any]:
    def pool(self: Any, output_size: Any) -> Any:
        """mean() if the output size is 1 in all dimensions, as in PyTorch; else the kernel."""
        if len(output_size) == spatial and all(size == 1 for size in output_size):
            if self.ndim < spatial:
                raise RuntimeError(f"Expected at least {spatial} dimensions, but got {list(self.shape)}")
            mean = aten.mean.dim(self, tuple(range(-spatial, 0)), True, None)
            if not geometry.lies_channels_last(self._spec.sizes, self._spec.strides) or (
                self.ndim != spatial + 2
            ):
                return mean
            channels = self._spec.sizes[1]
            strides = (channels, 1, *[channels] * spatial)
            return aten.as_strided.default(mean, mean._spec.sizes, strides, None)
        return getattr(aten, f"_adaptive_avg_pool{spatial}d").default(self, output_size)

    return pool


def _define_average(spatial: int) -> None:
    name = f"_adaptive_avg_pool{spatial}d"

    def meta(self: Spec, output_size: Any) -> Spec:
        sizes = _adaptive_sizes(self, output_size, spatial, spatial)
        refuse_dtype(self.dtype, "bool", "integer", "complex")
        return _result(self, spatial, sizes)

    def backward_meta(grad_output: Spec, self: Spec) -> Spec:
        _check_gradient(grad_output, self, spatial)
        refuse_dtype(self.dtype, "bool", "integer", "complex")
        return _result(self, spatial, self.sizes)

    native_function(
        f"{name}(Tensor self, SymInt[{spatial}] output_size) -> Tensor",
        meta=meta,
        kernel=_average_kernel(spatial),
        derivatives={"self": lambda grad, self: getattr(aten, f"{name}_backward").default(grad, self)},
        node_name=f"AdaptiveAvgPool{spatial}DBackward0",
        batching=Batching("folded", spatial + 2),
        doc="Returns the mean of each window of ([N,] C, *spatial), ``output_size`` windows per dimension.",
    )
    native_function(
        f"{name}_backward(Tensor grad_output, Tensor self) -> Tensor",
        python_module="nn",
        meta=backward_meta,
        kernel=_average_backward_kernel(spatial),
        derivatives={
            "grad_output": lambda grad, grad_output_sizes: getattr(aten, name).default(
                grad, grad_output_sizes[-spatial:]
            ),
            "self": lambda self: aten.zeros_like(self),
        },
        node_name=f"AdaptiveAvgPool{spatial}DBackwardBackward0",
        batching=Batching("folded", spatial + 2),
        doc=f"The gradient of adaptive_avg_pool{spatial}d.",
    )
    native_function(
        f"adaptive_avg_pool{spatial}d(Tensor self, SymInt[{spatial}] output_size) -> Tensor",
        python_module="nn",
        composite=_adaptive_avg_pool(spatial),
        out=Out(exact=True),
        doc="""Returns the mean of each window of ([N,] C, *spatial), ``output_size`` windows per dimension.

        Floating point only; with output size 1 in all dimensions it is ``mean``, also for complex dtypes.""",
    )


_define_average(2)
_define_average(3)


# ---------------------------------------------------------------------------------------------------------
# Maxima.


def _max_kernel(spatial: int) -> Callable[..., None]:
    def kernel(values: Tensor, indices: Tensor, self: Tensor, output_size: Any) -> None:
        """The maximum of each window and its index; the first of equal elements, and NaN is the largest."""
        source, out, where = TensorAccessor(self), TensorAccessor(values), TensorAccessor(indices)
        sizes = source.sizes[-spatial:]
        found = _adaptive_windows(sizes, out.sizes[-spatial:])
        for plane in planes(source.sizes, spatial):
            for position, members in found:
                best_at, best = members[0], source[plane + members[0]]
                for member in members:
                    number = source[plane + member]
                    if number > best or number != number:
                        best_at, best = member, number
                out[plane + position] = best
                where[plane + position] = flat_position(best_at, sizes)

    return kernel


def _max_backward_kernel(spatial: int) -> Callable[..., None]:
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor, indices: Tensor) -> None:
        """Adds each gradient to the element that was the maximum."""
        out, grad, where = (TensorAccessor(each) for each in (grad_input, grad_output, indices))
        outputs = windows([[()] * size for size in grad.sizes[-spatial:]])
        inputs = windows([[()] * size for size in out.sizes[-spatial:]])
        for plane in planes(out.sizes, spatial):
            terms: dict[Any, list[Any]] = {}
            for position, _ in outputs:
                terms.setdefault(where[plane + position], []).append(grad[plane + position])
            for number, (position, _) in enumerate(inputs):
                out[plane + position] = exact_sum(terms.get(number, []))

    return kernel


def _chosen(grad: Any, indices: Any, spatial: int) -> Any:
    """The elements of ``grad`` at the maxima's indices.  Source: max_pool_double_backward."""
    if not indices.numel():
        return grad.new_zeros(indices._spec.sizes)
    return grad.flatten(-spatial).gather(-1, indices.flatten(-spatial)).view(indices._spec.sizes)


def _define_max(spatial: int) -> None:
    name = f"adaptive_max_pool{spatial}d"

    def meta(self: Spec, output_size: Any) -> tuple[Spec, Spec]:
        sizes = _adaptive_sizes(self, output_size, spatial, self.ndim - 1)
        refuse_dtype(self.dtype, "bool", "integer", "complex")
        return _result(self, spatial, sizes), _result(self, spatial, sizes, int64)

    def backward_meta(grad_output: Spec, self: Spec, indices: Spec) -> Spec:
        _check_gradient(grad_output, self, spatial)
        check_same_size(grad_output=grad_output, indices=indices)
        check_dtype(int64, indices=indices)
        refuse_dtype(self.dtype, "bool", "integer", "complex")
        return _result(self, spatial, self.sizes)

    native_function(
        f"{name}(Tensor self, int[{spatial}] output_size) -> (Tensor, Tensor)",
        python_module="nn",
        meta=meta,
        kernel=_max_kernel(spatial),
        derivatives={
            "self": lambda grad, self, result1: getattr(aten, f"{name}_backward").default(grad, self, result1)
        },
        non_differentiable_outputs=(1,),
        node_name=f"AdaptiveMaxPool{spatial}DBackward0",
        batching=Batching("folded", spatial + 2),
        out=Out(
            f"{name}.out(Tensor self, int[{spatial}] output_size, *, Tensor(a!) out, Tensor(b!) indices) -> "
            "(Tensor(a!), Tensor(b!))",
            exact=True,
        ),
        doc="""Returns the maximum of each window of ([N,] C, *spatial), ``output_size`` windows per
        dimension, and its flattened index in the spatial dimensions (int64).

        Raises RuntimeError for other numbers of dimensions, and for empty non-batch dimensions.""",
    )
    native_function(
        f"{name}_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
        python_module="nn",
        meta=backward_meta,
        kernel=_max_backward_kernel(spatial),
        derivatives={
            "grad_output": lambda grad, indices: _chosen(grad, indices, spatial),
            "self": lambda self: aten.zeros_like(self),
        },
        batching=Batching("folded", spatial + 2),
        doc=f"The gradient of {name}: each output gradient is added to the element that was the maximum.",
    )


_define_max(2)
_define_max(3)


# ---------------------------------------------------------------------------------------------------------
# One dimension: a plane of height 1.


def _adaptive_avg_pool1d(self: Any, output_size: Any) -> Any:
    check_dim_range(2, 4, self=self)
    check_length(1, output_size=output_size)
    return aten.adaptive_avg_pool2d.default(self.unsqueeze(-2), (1, *output_size)).squeeze(-2)


def _adaptive_max_pool1d(self: Any, output_size: Any) -> tuple[Any, Any]:
    check_dim_range(2, 4, self=self)
    check_length(1, output_size=output_size)
    values, indices = aten.adaptive_max_pool2d.default(self.unsqueeze(-2), (1, *output_size))
    return values.squeeze(-2), indices.squeeze(-2)


native_function(
    "adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor",
    composite=_adaptive_avg_pool1d,
    variants="function",
    doc="""Returns the mean of each of ``output_size`` windows of ([N,] C, L).

    Raises RuntimeError for other numbers of dimensions.""",
)

native_function(
    "adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)",
    composite=_adaptive_max_pool1d,
    variants="function",
    doc="""Returns the maximum of each of ``output_size`` windows of ([N,] C, L), and its index (int64).

    Raises RuntimeError for other numbers of dimensions.""",
)
