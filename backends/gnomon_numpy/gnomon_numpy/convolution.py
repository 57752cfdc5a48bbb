"""Convolutions and their gradients, by one matrix product for each tap of the kernel; im2col and col2im.

16-bit floats are computed in float32, as in matmul; integers wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import Array, numbers, raw, store, zeros_for
from .families import ALL, NUMBERS, Family
from .windows import meetings, spread

family = Family()


def _grouped(array: Array, groups: int) -> Array:
    """(N, channels, *) as (N, groups, channels of a group, *)."""
    return array.reshape(array.shape[0], groups, array.shape[1] // max(groups, 1), *array.shape[2:])


_CHANNELS = (slice(None), slice(None))  # indexes all channels of a weight


def _at_tap(weight: Array, tap: tuple[int, ...], groups: int) -> Array:
    """One tap's matrices (groups, channels of small, channels of large)."""
    matrix = weight[_CHANNELS + tap]
    return matrix.reshape(groups, matrix.shape[0] // groups, matrix.shape[1])


def _flat(array: Array) -> Array:
    """Merges the spatial dimensions."""
    return array.reshape(*array.shape[:3], int(np.prod(array.shape[3:])))


class _Meetings:
    """The slices that a convolution of these sizes multiplies with each other."""

    def __init__(self, large: Any, small: Any, weight: Any, stride: Any, padding: Any, dilation: Any):
        count = len(weight) - 2
        window = [spread(each, count) for each in (stride, padding, dilation)]
        self.windows: list[tuple[Any, ...]] = [
            (tap, (..., *in_small), (..., *in_large))
            for tap, in_small, in_large in meetings(large[2:], small[2:], weight[2:], *window)
        ]


def _to_small(large: Array, weight: Array, small: Array, found: _Meetings, groups: int) -> None:
    """Adds to the small side: each tap's weights times the large side."""
    for tap, in_small, in_large in found.windows:
        part = large[in_large]
        product = np.matmul(_at_tap(weight, tap, groups), _flat(part))
        small[in_small] += product.reshape(*product.shape[:3], *part.shape[3:])


def _to_large(small: Array, weight: Array, large: Array, found: _Meetings, groups: int) -> None:
    """Adds to the large side: each tap's weights, transposed, times the small side."""
    for tap, in_small, in_large in found.windows:
        part = small[in_small]
        product = np.matmul(np.swapaxes(_at_tap(weight, tap, groups), 1, 2), _flat(part))
        large[in_large] += product.reshape(*product.shape[:3], *part.shape[3:])


def _to_weight(small: Array, large: Array, weight: Array, found: _Meetings, groups: int) -> None:
    """Adds to the weight: the small side times the large side, at each tap."""
    for tap, in_small, in_large in found.windows:
        left, right = _flat(small[in_small]), _flat(large[in_large])
        products = np.sum(np.matmul(left, np.swapaxes(right, 2, 3)), axis=0)
        weight[_CHANNELS + tap] += products.reshape(weight.shape[:2])


def _countable(array: Array) -> Array:
    """Converts bool to integers: a bool sum of products is true if it is not 0."""
    return array.astype(np.int64) if array.dtype.kind == "b" else array


@family.kernel("convolution", NUMBERS)
def convolution(
    output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> None:
    """``out[n, o, p] = bias[o] + sum of input[n, i, p * stride - padding + k * dilation] * weight[o, i, k]``

    over the input channels i of o's group and the taps k.
    """
    source, kernel, result = numbers(input), numbers(weight), zeros_for(output)
    outer, inner = (result.shape, source.shape) if transposed else (source.shape, result.shape)
    found = _Meetings(outer, inner, kernel.shape, stride, padding, dilation)
    function = _to_large if transposed else _to_small
    if source.size and kernel.size and result.size:
        function(_grouped(source, groups), kernel, _grouped(result, groups), found, groups)
    if bias is not None:
        result += numbers(bias).reshape(-1, *(1,) * (result.ndim - 2))
    store(output, result)


@family.kernel("convolution_backward", ALL)
def convolution_backward(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Sequence[bool],
) -> None:
    """The products of the forward pass, with one factor replaced by the output's gradient."""
    grad, source, kernel = (_countable(numbers(each)) for each in (grad_output, input, weight))
    if grad_bias is not None:
        store(grad_bias, np.sum(grad, axis=(0, *range(2, grad.ndim))))
    outer, inner = (grad.shape, source.shape) if transposed else (source.shape, grad.shape)
    found = _Meetings(outer, inner, kernel.shape, stride, padding, dilation)
    is_empty = not (grad.size and source.size and kernel.size)
    if grad_input is not None:
        result = _countable(zeros_for(grad_input))
        function = _to_small if transposed else _to_large
        if not is_empty:
            function(_grouped(grad, groups), np.conjugate(kernel), _grouped(result, groups), found, groups)
        store(grad_input, result)
    if grad_weight is not None:
        result = _countable(zeros_for(grad_weight))
        small, large = (np.conjugate(source), grad) if transposed else (grad, np.conjugate(source))
        if not is_empty:
            _to_weight(_grouped(small, groups), _grouped(large, groups), result, found, groups)
        store(grad_weight, result)


# ---------------------------------------------------------------------------------------------------------
# im2col and col2im.


def _columns(array: Array, kernel: Sequence[int], blocks: Sequence[int]) -> Array:
    """(*, channels * taps, blocks) as (*, channels, *kernel, *blocks)."""
    channels = array.shape[-2] // (kernel[0] * kernel[1])
    return array.reshape(*array.shape[:-2], channels, *kernel, *blocks)


def _blocks(sizes: Sequence[int], kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[int, ...]:
    """The number of windows that fit, vertically and horizontally."""
    return tuple(
        (size + 2 * pad - spacing * (taps - 1) - 1) // step + 1
        for size, taps, spacing, pad, step in zip(sizes, kernel, dilation, padding, stride)
    )


@family.kernel("im2col", ALL)
def im2col(output: Tensor, self: Tensor, kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
    """Copies the elements of each window into its column; 0 in the padding."""
    source = raw(self)
    sizes = source.shape[-2:]
    blocks = _blocks(sizes, kernel, dilation, padding, stride)
    result = np.zeros(output._spec.sizes, source.dtype)
    columns = _columns(result, kernel, blocks)
    for tap, in_small, in_large in meetings(sizes, blocks, kernel, stride, padding, dilation):
        columns[(...,) + tap + in_small] = source[(...,) + in_large]
    raw(output)[...] = result


@family.kernel("col2im", ALL)
def col2im(
    output: Tensor, self: Tensor, output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> None:
    """Each element is the sum of its elements in all windows."""
    blocks = _blocks(output_size, kernel, dilation, padding, stride)
    columns, result = _columns(numbers(self), kernel, blocks), zeros_for(output)
    for tap, in_small, in_large in meetings(output_size, blocks, kernel, stride, padding, dilation):
        result[(...,) + in_large] += columns[(...,) + tap + in_small]
    store(output, result)
