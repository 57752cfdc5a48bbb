"""Max and average pooling over windows that slide along the spatial dimensions.

The operators take (C, *spatial) or (N, C, *spatial); 1-D pooling is 2-D pooling with a height of 1.
Accumulation: the sum of a window is exactly rounded in float64, divided, and rounded once to the dtype; so is
the sum of the gradients of one element.

Source: aten/src/ATen/native/Pool.h, DilatedMaxPool2d.cpp, DilatedMaxPool3d.cpp, AveragePool2d.cpp,
AveragePool3d.cpp, MaxPooling.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...calls.checks import (
    check_batch_mode,
    check_dim_range,
    check_dtype,
    check_length,
    check_positive,
    check_same_dtype,
    check_size,
    refuse_dtype,
    refuse_half,
)
from ...calls.native import native_function
from ...calls.record import Batching, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide, exact_sum, trunc_divide
from ...numerics.windows import flat_position, like, planes, spatial_ints, windows
from ...values import geometry
from ...values.dtype import int64, uint8
from ...values.geometry import Ints, wrap_dim


def pooled_size(size: int, kernel: int, padding: int, stride: int, dilation: int, ceil_mode: bool) -> int:
    """The number of windows that fit.  Source: pooling_output_shape."""
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (span + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1  # the last window must start inside the input or its left padding
    return count


def _window(
    spatial: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any
) -> tuple[Ints, Ints, Ints, Ints]:
    """Expands the four lists to all spatial dimensions; the default stride is the kernel size."""
    kernel = spatial_ints("kernel_size", kernel_size, spatial)
    steps = kernel if not stride and not isinstance(stride, int) else spatial_ints("stride", stride, spatial)
    return (
        kernel,
        steps,
        spatial_ints("padding", padding, spatial),
        spatial_ints("dilation", dilation, spatial),
    )


def _pooled_sizes(
    self: Spec, spatial: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> Ints:
    """The result's sizes.  Raises RuntimeError for windows that do not fit.  Source: pool2d_shape_check."""
    kernel, stride, padding, dilation = _window(spatial, kernel_size, stride, padding, dilation)
    check_positive(kernel_size=kernel, stride=stride, dilation=dilation)
    check_batch_mode(spatial + 1, self)
    for pad, size in zip(padding, kernel):
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > size // 2:
            raise RuntimeError(
                f"pad should be at most half of kernel size, but got pad={pad} and kernel_size={size}"
            )
    pooled = tuple(
        pooled_size(size, *window, ceil_mode)
        for size, window in zip(self.sizes[-spatial:], zip(kernel, padding, stride, dilation))
    )
    sizes = (*self.sizes[:-spatial], *pooled)
    if min(pooled) < 1:
        raise RuntimeError(
            f"Given input size: {list(self.sizes)}. Calculated output size: {list(sizes)}. Output size is "
            "too small"
        )
    return sizes


def _check_gradient(grad_output: Spec, self: Spec, sizes: Ints) -> None:
    """Raises RuntimeError for a gradient whose dtype or sizes are not the result's."""
    check_same_dtype(self=self, grad_output=grad_output)
    check_size(sizes, grad_output=grad_output)


# ---------------------------------------------------------------------------------------------------------
# Max pooling.


def _max_pool_meta(spatial: int) -> Callable[..., Any]:
    def meta(self: Spec, *window: Any) -> tuple[Spec, Spec]:
        sizes = _pooled_sizes(self, spatial, *window)
        refuse_dtype(self.dtype, "bool", "complex")
        return _max_pool_spec(self, spatial, sizes), _max_pool_spec(self, spatial, sizes, int64)

    return meta


def _max_pool_spec(self: Spec, spatial: int, sizes: Ints, dtype: Any = None) -> Spec:
    """Preserves channels last, for 3-D pooling also without a batch dimension."""
    if spatial == 3 and self.ndim == 4:
        if geometry.lies_channels_last(self.sizes, self.strides):
            raise RuntimeError("Unsupported memory format. Supports only ChannelsLast3d, Contiguous")
        batched = like(
            self.with_geometry((1, *self.sizes), (self.numel * max(self.strides, default=1), *self.strides)),
            (1, *sizes),
            dtype,
        )
        return batched.with_geometry(sizes, batched.strides[1:])
    return like(self, sizes, dtype)


def _dilated_windows(
    size: int, count: int, kernel: int, stride: int, padding: int, dilation: int
) -> list[Any]:
    """For each output position along a dimension, the input positions in its window."""
    starts = [position * stride - padding for position in range(count)]
    return [
        # the first position of the window that is not negative: start modulo dilation
        list(range(max(start, start % dilation), min(start + kernel * dilation, size), dilation))
        for start in starts
    ]


def _lowest(dtype: Any) -> float:
    """The result of a window without elements; with dilation a whole window can miss the input."""
    if dtype.is_floating_point:
        return -math.inf
    return 0 if dtype is uint8 else -(1 << (8 * dtype.itemsize - 1))


def _first_places(position: Ints, along: Sequence[Any]) -> Ints:
    """The index reported for a window without elements: its first position that is not negative."""
    places = []
    for at, (_, _, _, stride, padding, dilation) in zip(position, along):
        start = at * stride - padding
        places.append(start if start >= 0 else start % dilation)
    return tuple(places)


def _max_pool_kernel(spatial: int) -> Callable[..., None]:
    def kernel(values: Tensor, indices: Tensor, self: Tensor, *window: Any) -> None:
        """The maximum of each window and its index; the first of equal elements, and NaN is the largest."""
        source, out, where = TensorAccessor(self), TensorAccessor(values), TensorAccessor(indices)
        sizes, pooled = source.sizes[-spatial:], out.sizes[-spatial:]
        *four, _ceil_mode = window
        along = list(zip(sizes, pooled, *_window(spatial, *four)))
        found = windows([_dilated_windows(*each) for each in along])
        lowest = _lowest(self._spec.dtype)
        for plane in planes(source.sizes, spatial):
            for position, members in found:
                best: Any = lowest
                best_at = members[0] if members else _first_places(position, along)
                if members:
                    best = source[plane + best_at]
                for member in members:
                    number = source[plane + member]
                    if number > best or number != number:
                        best, best_at = number, member
                out[plane + position] = best
                where[plane + position] = flat_position(best_at, sizes)

    return kernel


def _max_pool_backward_meta(spatial: int) -> Callable[..., Spec]:
    def meta(grad_output: Spec, self: Spec, *arguments: Any) -> Spec:
        *window, indices = arguments
        sizes = _pooled_sizes(self, spatial, *window)
        _check_gradient(grad_output, self, sizes)
        check_size(sizes, indices=indices)
        check_dtype(int64, indices=indices)
        refuse_dtype(self.dtype, "bool", "integer", "complex")
        return like(self)

    return meta


def _max_pool_backward_kernel(spatial: int) -> Callable[..., None]:
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor, *arguments: Any) -> None:
        """Adds each gradient to the element that was the maximum."""
        out, grad, where = (TensorAccessor(each) for each in (grad_input, grad_output, arguments[-1]))
        for plane in planes(out.sizes, spatial):
            terms: dict[Any, list[Any]] = {}
            for (position,) in _positions(grad.sizes[-spatial:]):
                terms.setdefault(where[plane + position], []).append(grad[plane + position])
            for number, (position,) in enumerate(_positions(out.sizes[-spatial:])):
                out[plane + position] = exact_sum(terms.get(number, []))

    return kernel


def _positions(sizes: Sequence[int]) -> list[tuple[Ints]]:
    """All positions in a plane, in row-major order."""
    return [(position,) for position, _ in windows([[()] * size for size in sizes])]


def _chosen(grad: Any, indices: Any, spatial: int) -> Any:
    """The elements of ``grad`` at the maxima's indices.  Source: max_pool_double_backward."""
    if not indices.numel():
        return grad.new_zeros(indices._spec.sizes)
    flat, chosen = grad.flatten(-spatial), indices.flatten(-spatial)
    return flat.gather(-1, chosen).view(indices._spec.sizes)


def _define_max_pool(spatial: int) -> None:
    n = f"int[{spatial}]"
    window = f"{n} kernel_size, {n} stride=[], {n} padding=0, {n} dilation=1, bool ceil_mode=False"
    given = f"{n} kernel_size, {n} stride, {n} padding, {n} dilation, bool ceil_mode"
    name = f"max_pool{spatial}d_with_indices"
    native_function(
        f"{name}(Tensor self, {window}) -> (Tensor, Tensor)",
        python_module="nn",
        meta=_max_pool_meta(spatial),
        kernel=_max_pool_kernel(spatial),
        derivatives={
            "self": lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: getattr(
                aten, f"{name}_backward"
            ).default(grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1)
        },
        non_differentiable_outputs=(1,),
        node_name=f"MaxPool{spatial}DWithIndicesBackward0",
        batching=Batching("folded", spatial + 2),
        out=Out(
            f"{name}.out(Tensor self, {window}, *, Tensor(a!) out, Tensor(b!) indices) -> "
            "(Tensor(a!), Tensor(b!))",
            exact=True,
        ),
        doc="""Returns the maximum of each window of ([N,] C, *spatial), and its flattened index in the
        spatial dimensions (int64).

        NaN counts as the maximum; of equal elements, the first is taken.  ``stride`` defaults to
        ``kernel_size``; ``padding``, at most half the kernel size, adds -inf.  Raises RuntimeError for other
        numbers of dimensions and for windows that do not fit, NotImplementedError for bool and complex.""",
    )
    forward = getattr(aten, name)
    native_function(
        f"max_pool{spatial}d(Tensor self, {window}) -> Tensor",
        composite=lambda *arguments: forward.default(*arguments)[0],
        variants="function",
        doc="Returns the maximum of each window of ([N,] C, *spatial); ``stride`` defaults to "
        "``kernel_size``.",
    )
    native_function(
        f"{name}_backward(Tensor grad_output, Tensor self, {given}, Tensor indices) -> Tensor",
        python_module="nn",
        meta=_max_pool_backward_meta(spatial),
        kernel=_max_pool_backward_kernel(spatial),
        derivatives={
            "grad_output": lambda grad, indices: _chosen(grad, indices, spatial),
            "self": lambda self: aten.zeros_like(self),
        },
        batching=Batching("folded", spatial + 2),
        doc=f"The gradient of max_pool{spatial}d: each output gradient is added to the element that was the "
        "maximum.",
    )


_define_max_pool(2)
_define_max_pool(3)

_WINDOW_1D = "int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False"


def _max_pool1d_with_indices(
    self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Any, Any]:
    """Max pooling of a plane of height 1."""
    _check_one_dimension(self, stride, kernel_size=kernel_size, padding=padding, dilation=dilation)
    steps = stride or kernel_size
    wide = (self.unsqueeze(-2), (1, *kernel_size), (1, *steps), (0, *padding), (1, *dilation), ceil_mode)
    values, indices = aten.max_pool2d_with_indices.default(*wide)
    return values.squeeze(-2), indices.squeeze(-2)


def _check_one_dimension(self: Any, stride: Any, **window: Any) -> None:
    """Raises RuntimeError for inputs other than ([N,] C, L), and for windows that are not 1-D; the stride may
    be empty.
    """
    check_dim_range(2, 4, self=self)
    check_length(1, stride=stride or (1,), **window)


native_function(
    f"max_pool1d_with_indices(Tensor self, {_WINDOW_1D}) -> (Tensor, Tensor)",
    composite=_max_pool1d_with_indices,
    variants="function",
    doc="""Returns the maximum of each window of ([N,] C, L), and its index (int64).

    Raises RuntimeError for other numbers of dimensions.""",
)


def _max_pool1d(self: Any, *window: Any) -> Any:
    """The values of max_pool1d_with_indices.  Raises NotImplementedError for integers."""
    refuse_dtype(self._spec.dtype, "integer")
    return _max_pool1d_with_indices(self, *window)[0].contiguous()


native_function(
    f"max_pool1d(Tensor self, {_WINDOW_1D}) -> Tensor",
    composite=_max_pool1d,
    variants="function",
    doc="""Returns the maximum of each window of ([N,] C, L).

    Floating point only.  Raises RuntimeError for other numbers of dimensions.""",
)


# ---------------------------------------------------------------------------------------------------------
# Average pooling.


def _check_average_dtype(dtype: Any, spatial: int) -> None:
    """Refuses dtypes that PyTorch has no kernel for: integers other than int64, and half precision in 3-D."""
    if dtype is not int64:
        refuse_dtype(dtype, "bool", "integer", "complex")
    if spatial == 3:
        refuse_half(dtype)


def _average_meta(spatial: int) -> Callable[..., Spec]:
    def meta(
        self: Spec,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ) -> Spec:
        kernel, *_ = _average_window(spatial, kernel_size, stride, padding, divisor_override)
        if spatial == 2:
            wrap_dim(-3, self.ndim)  # PyTorch looks up the channels first: an IndexError
        sizes = _pooled_sizes(self, spatial, kernel_size, stride, padding, 1, ceil_mode)
        _check_smaller(self, spatial, kernel)
        _check_average_dtype(self.dtype, spatial)
        return like(self, sizes) if spatial == 2 else self.contiguous(sizes)

    return meta


def _average_window(
    spatial: int, kernel_size: Any, stride: Any, padding: Any, divisor_override: int | None
) -> tuple[Ints, Ints, Ints]:
    """Kernel sizes, strides and padding.  Raises RuntimeError for a divisor of 0."""
    kernel, steps, pads, _ = _window(spatial, kernel_size, stride, padding, 1)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    return kernel, steps, pads


def _check_smaller(self: Spec, spatial: int, kernel: Ints) -> None:
    """Raises RuntimeError, as PyTorch does in 3-D only, if the unpadded input is smaller than a window."""
    if spatial == 3 and any(size < taps for size, taps in zip(self.sizes[-3:], kernel)):
        raise RuntimeError(f"input image {list(self.sizes[-3:])} smaller than kernel size {list(kernel)}")


def _average_windows(
    sizes: Ints,
    pooled: Ints,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    _ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> list[tuple[Ints, list[Ints], int]]:
    """Each output position with the input positions in its window, and the divisor of their sum."""
    along, lengths = [], []
    window = _average_window(len(sizes), kernel_size, stride, padding, divisor_override)
    for size, count, taps, step, pad in zip(sizes, pooled, *window):
        starts = [position * step - pad for position in range(count)]
        along.append([list(range(max(at, 0), min(at + taps, size))) for at in starts])
        lengths.append([min(at + taps, size + pad) - at for at in starts])
    divisors = []
    for position, members in windows(along):
        padded = math.prod(each[at] for each, at in zip(lengths, position))
        divisors.append(divisor_override or (padded if count_include_pad else len(members)))
    return [(position, members, by) for (position, members), by in zip(windows(along), divisors)]


def _wrapped_quotient(total: int, by: int) -> int:
    """The quotient of an int64 sum, which wraps around, rounded towards zero."""
    return trunc_divide((total + 2**63) % 2**64 - 2**63, by)


def _average_kernel(spatial: int) -> Callable[..., None]:
    def kernel(output: Tensor, self: Tensor, *window: Any) -> None:
        """The sum of each window, divided by its divisor; for int64 rounded towards zero."""
        source, out = TensorAccessor(self), TensorAccessor(output)
        quotient = _wrapped_quotient if self._spec.dtype is int64 else divide
        found = _average_windows(source.sizes[-spatial:], out.sizes[-spatial:], *window)
        for plane in planes(source.sizes, spatial):
            for position, members, by in found:
                total = exact_sum([source[plane + member] for member in members])
                out[plane + position] = quotient(total, by) if members else 0

    return kernel


def _average_backward_meta(spatial: int) -> Callable[..., Spec]:
    def meta(
        grad_output: Spec,
        self: Spec,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ) -> Spec:
        kernel, *_ = _average_window(spatial, kernel_size, stride, padding, divisor_override)
        sizes = _pooled_sizes(self, spatial, kernel_size, stride, padding, 1, ceil_mode)
        _check_smaller(self, spatial, kernel)
        _check_gradient(grad_output, self, sizes)
        _check_average_dtype(self.dtype, spatial)
        return like(self) if spatial == 2 else self.contiguous()

    return meta


def _average_backward_kernel(spatial: int) -> Callable[..., None]:
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor, *window: Any) -> None:
        """Each element's gradient is the sum of its windows' gradients, each divided as the window was."""
        out, grad = TensorAccessor(grad_input), TensorAccessor(grad_output)
        quotient = trunc_divide if self._spec.dtype is int64 else divide
        found = _average_windows(out.sizes[-spatial:], grad.sizes[-spatial:], *window)
        for plane in planes(out.sizes, spatial):
            terms: dict[Ints, list[Any]] = {position: [] for (position,) in _positions(out.sizes[-spatial:])}
            for position, members, by in found:
                share = quotient(grad[plane + position], by)
                for member in members:
                    terms[member].append(share)
            for position, numbers in terms.items():
                out[plane + position] = exact_sum(numbers)

    return kernel


def _define_average_pool(spatial: int) -> None:
    n = f"int[{spatial}]"
    rest = "bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None"
    given = "bool ceil_mode, bool count_include_pad, int? divisor_override"
    name = f"avg_pool{spatial}d"

    def backward(
        grad: Any,
        self: Any,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ) -> Any:
        window = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return getattr(aten, f"{name}_backward").default(grad, self, *window)

    def forward(
        grad: Any,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ) -> Any:
        window = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return getattr(aten, name).default(grad, *window)

    native_function(
        f"{name}(Tensor self, {n} kernel_size, {n} stride=[], {n} padding=0, {rest}) -> Tensor",
        python_module="nn",
        meta=_average_meta(spatial),
        kernel=_average_kernel(spatial),
        derivatives={"self": backward},
        node_name=f"AvgPool{spatial}DBackward0",
        batching=Batching("folded", spatial + 2),
        out=Out(exact=True),
        doc="""Returns the mean of each window of ([N,] C, *spatial), padded with zeros.

        The divisor is ``divisor_override`` if given, otherwise the number of elements in the window,
        including padding if ``count_include_pad``.  ``stride`` defaults to ``kernel_size``.  Floating point
        and int64.""",
    )
    native_function(
        f"{name}_backward(Tensor grad_output, Tensor self, {n} kernel_size, {n} stride, {n} padding, "
        f"{given}) -> Tensor",
        python_module="nn",
        meta=_average_backward_meta(spatial),
        kernel=_average_backward_kernel(spatial),
        derivatives={
            "grad_output": forward,
            "self": lambda self: aten.zeros_like(self),
        },
        batching=Batching("folded", spatial + 2),
        doc=f"The gradient of {name}: each output gradient, over its divisor, is added to its window's "
        "elements.",
    )


_define_average_pool(2)
_define_average_pool(3)


def _avg_pool1d(
    self: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool
) -> Any:
    """Average pooling of a plane of height 1."""
    _check_one_dimension(self, stride, kernel_size=kernel_size, padding=padding)
    wide = ((1, *kernel_size), (1, *(stride or kernel_size)), (0, *padding))
    return aten.avg_pool2d.default(self.unsqueeze(-2), *wide, ceil_mode, count_include_pad, None).squeeze(-2)


native_function(
    "avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, "
    "bool count_include_pad=True) -> Tensor",
    composite=_avg_pool1d,
    variants="function",
    doc="""Returns the mean of each window of ([N,] C, L), padded with zeros.

    The result has the dtype of the input.  Raises RuntimeError for other numbers of dimensions and for
    windows that do not fit.""",
)
