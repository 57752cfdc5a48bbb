"""Pooling.  Source: aten/src/ATen/native/DilatedMaxPool2d.cpp, Pool.h."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.arithmetic import exact_sum
from ..kit.native import native_function
from ..kit.rules import refuse
from ..memory.accessor import TensorAccessor
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values.dtype import int64


def _pair(name: str, values: Any) -> tuple[int, int]:
    values = (values,) if isinstance(values, int) else tuple(values)
    if len(values) not in (1, 2):
        raise RuntimeError(f"{name} must either be a single int, or a tuple of two ints, got {list(values)}")
    return (values[0], values[-1])


def pooled_size(size: int, kernel: int, padding: int, stride: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows fit.  Source: pooling_output_shape."""
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (span + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1  # the last window must start inside the input or its left padding
    return count


def _max_pool_rule(
    self: Spec, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Spec, Spec]:
    kernel = _pair("kernel_size", kernel_size)
    strides = _pair("stride", stride) if not isinstance(stride, (list, tuple)) or stride else kernel
    paddings, dilations = _pair("padding", padding), _pair("dilation", dilation)
    refuse(self.dtype, "bool", "complex")
    if self.ndim not in (3, 4):
        raise RuntimeError(
            f"non-empty 3D or 4D (batch mode) tensor expected for input, but got sizes {list(self.sizes)}"
        )
    if any(size == 0 for size in self.sizes[1 if self.ndim == 4 else 0 :]):
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor with non-zero sizes for input, but got {list(self.sizes)}"
        )
    for name, values in (("kernel size", kernel), ("stride", strides), ("dilation", dilations)):
        if min(values) <= 0:
            raise RuntimeError(f"{name} should be greater than zero, but got {list(values)}")
    for pad, size, spread in zip(paddings, kernel, dilations):
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > ((size - 1) * spread + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={size}"
            )
    spatial = tuple(
        pooled_size(size, *window, ceil_mode)
        for size, window in zip(self.sizes[-2:], zip(kernel, paddings, strides, dilations))
    )
    if min(spatial) < 1:
        raise RuntimeError(
            f"Given input size: {list(self.sizes)}. Calculated output size: "
            f"{[*self.sizes[:-2], *spatial]}. Output size is too small"
        )
    sizes = (*self.sizes[:-2], *spatial)
    return self.contiguous(sizes), self.contiguous(sizes, int64)


def _windows(size: int, count: int, kernel: int, stride: int, padding: int, dilation: int) -> list[list[int]]:
    """For each output position, the input positions in its window."""
    windows = []
    for position in range(count):
        start = position * stride - padding
        windows.append([at for at in range(start, start + kernel * dilation, dilation) if 0 <= at < size])
    return windows


def _planes(sizes: Sequence[int]) -> Any:
    """The leading indices of an ([N,] C, H, W) tensor."""
    if len(sizes) == 3:
        return [(channel,) for channel in range(sizes[0])]
    return [(batch, channel) for batch in range(sizes[0]) for channel in range(sizes[1])]


def _max_pool_kernel(
    values: Tensor,
    indices: Tensor,
    self: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
) -> None:
    """The largest element of each window, the first of equals, NaN above all; and its position in the
    plane.
    """
    source, out, where = TensorAccessor(self), TensorAccessor(values), TensorAccessor(indices)
    kernel = _pair("", kernel_size)
    strides = _pair("", stride) if not isinstance(stride, (list, tuple)) or stride else kernel
    (height, width), (out_height, out_width) = source.sizes[-2:], out.sizes[-2:]
    paddings, dilations = _pair("", padding), _pair("", dilation)
    rows = _windows(height, out_height, kernel[0], strides[0], paddings[0], dilations[0])
    columns = _windows(width, out_width, kernel[1], strides[1], paddings[1], dilations[1])
    for plane in _planes(source.sizes):
        for i, window_rows in enumerate(rows):
            for j, window_columns in enumerate(columns):
                best: Any = -math.inf
                best_at = window_rows[0] * width + window_columns[0]
                for row in window_rows:
                    for column in window_columns:
                        number = source[(*plane, row, column)]
                        if number > best or number != number:
                            best, best_at = number, row * width + column
                out[(*plane, i, j)] = (
                    best if best != -math.inf else source[(*plane, best_at // width, best_at % width)]
                )
                where[(*plane, i, j)] = best_at


_WINDOW = "int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False"
_WINDOW_GIVEN = "int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode"

native_function(
    f"max_pool2d_with_indices(Tensor self, {_WINDOW}) -> (Tensor, Tensor)",
    python_module="nn",
    meta=_max_pool_rule,
    kernel=_max_pool_kernel,
    derivatives={
        "self": lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: (
            aten.max_pool2d_with_indices_backward.default(
                grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
            )
        )
    },
    non_differentiable_outputs=(1,),
    node_name="MaxPool2DWithIndicesBackward0",
    doc="The largest element of each window of ([N,] C, H, W), and its flat position in the plane (int64).",
)

native_function(
    f"max_pool2d(Tensor self, {_WINDOW}) -> Tensor",
    composite=lambda *arguments: aten.max_pool2d_with_indices.default(*arguments)[0],
    doc="The largest element of each window of ([N,] C, H, W); the stride is the kernel size unless given.",
)


def _backward_rule(grad_output: Spec, self: Spec, *arguments: Any) -> Spec:
    indices = arguments[-1]
    if grad_output.sizes != indices.sizes:
        raise RuntimeError(
            f"grad_output has sizes {list(grad_output.sizes)}, but indices have {list(indices.sizes)}"
        )
    return self.contiguous()


def _backward_kernel(
    grad_input: Tensor,
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: Tensor,
) -> None:
    """Add each gradient to the element that was chosen."""
    out, grad, where = TensorAccessor(grad_input), TensorAccessor(grad_output), TensorAccessor(indices)
    width = out.sizes[-1]
    for plane in _planes(out.sizes):
        sums: dict[int, list[Any]] = {}
        for i in range(grad.sizes[-2]):
            for j in range(grad.sizes[-1]):
                sums.setdefault(where[(*plane, i, j)], []).append(grad[(*plane, i, j)])  # type: ignore[arg-type]
        for i in range(out.sizes[-2]):
            for j in range(width):
                out[(*plane, i, j)] = exact_sum(sums.get(i * width + j, []))


def _pick(grad: Any, indices: Any) -> Any:
    """The elements of ``grad`` that max_pool had chosen."""
    flat = grad.reshape((*grad._spec.sizes[:-2], -1))
    chosen = indices.reshape((*indices._spec.sizes[:-2], -1))
    return flat.gather(-1, chosen).view(indices._spec.sizes)


native_function(
    f"max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, {_WINDOW_GIVEN}, Tensor indices) -> "
    "Tensor",
    python_module="nn",
    meta=_backward_rule,
    kernel=_backward_kernel,
    derivatives={
        "grad_output": lambda grad, indices: _pick(grad, indices),
        "self": lambda grad, self_spec: grad.new_zeros(self_spec.sizes),
    },
    doc="The gradient of max_pool2d: each output's gradient goes to the element that was chosen.",
)
