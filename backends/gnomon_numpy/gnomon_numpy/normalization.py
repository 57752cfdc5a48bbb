"""Normalization: softmax, batch, layer, group and RMS norm, and their gradients.

Everything is computed in float64, so that stored means and variances equal the reference's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, at_least_1d, maybe_numbers, numbers, store, wrapped
from .families import FLOATS, Family

family = Family()


# ---------------------------------------------------------------------------------------------------------
# Softmax.


def _along(name: str, function: Any, inputs: int) -> None:
    """Registers ``function(*arrays, axis)`` as a kernel whose dimension follows the ``inputs`` tensors."""

    @family.kernel(name, FLOATS)
    def kernel(output: Tensor, *arguments: Any) -> None:
        arrays = [at_least_1d(numbers(each, WIDE)) for each in arguments[:inputs]]
        axis = wrapped(arguments[inputs], arrays[0].ndim)
        store(output, function(*arrays, axis).reshape(output._spec.sizes))


def _shifted(a: Array, axis: int) -> Array:
    """``a`` minus its maximum along ``axis``; NaN if the maximum is infinite or NaN."""
    largest = np.max(a, axis=axis, keepdims=True, initial=-np.inf)
    return np.where(np.isinf(largest), np.nan, a - largest)


def _softmax(a: Array, axis: int) -> Array:
    powers = np.exp(_shifted(a, axis))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def _log_softmax(a: Array, axis: int) -> Array:
    shifted = _shifted(a, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def _softmax_backward(grad: Array, y: Array, axis: int) -> Array:
    return y * (grad - np.sum(grad * y, axis=axis, keepdims=True))


def _log_softmax_backward(grad: Array, y: Array, axis: int) -> Array:
    return grad - np.exp(y) * np.sum(grad, axis=axis, keepdims=True)


_along("_softmax", _softmax, 1)
_along("_log_softmax", _log_softmax, 1)
_along("_softmax_backward_data", _softmax_backward, 2)
_along("_log_softmax_backward_data", _log_softmax_backward, 2)


# ---------------------------------------------------------------------------------------------------------
# Shared by the norms.  ``axes`` are the axes of one group of elements; statistics keep them with size 1;
# ``weight`` broadcasts to the input.


def _mean(a: Array, axes: tuple[int, ...]) -> Array:
    """The mean over ``axes``, with keepdims; 0 if there are no elements."""
    count = math.prod(a.shape[axis] for axis in axes)
    return np.sum(a, axis=axes, keepdims=True) / max(count, 1)


def _moments(a: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """The mean and the biased variance; 0 and NaN if there are no elements."""
    mean = _mean(a, axes)
    variance = _mean((a - mean) ** 2, axes)
    is_empty = any(a.shape[axis] == 0 for axis in axes)
    return mean, np.full_like(variance, np.nan) if is_empty else variance


def _rsqrt(a: Any) -> Any:
    return 1.0 / np.sqrt(a)


def _normalize(
    output: Tensor, a: Array, mean: Any, rstd: Any, weight: Array | None, bias: Array | None
) -> None:
    """``(a - mean) * rstd * weight + bias``."""
    result = (a - mean) * rstd
    result = result if weight is None else result * weight
    result = result if bias is None else result + bias
    store(output, result.reshape(output._spec.sizes))


def _normalize_backward(
    grads: Sequence[Tensor | None],
    grad: Array,
    a: Array,
    mean: Array,
    rstd: Array,
    weight: Array | None,
    axes: tuple[int, ...],
    outer: tuple[int, ...],
    is_constant: bool = False,
) -> None:
    """The three gradients; ``is_constant``: mean and rstd do not depend on the input (running statistics).

    With g = grad * weight, the input's gradient is rstd * (g - mean(g) - x̂ * mean(g * x̂)).  ``outer`` are
    the axes that share a weight.
    """
    grad_input, grad_weight, grad_bias = grads
    normalized = (a - mean) * rstd
    scaled = grad if weight is None else grad * weight
    if grad_input is not None:
        if is_constant:
            result = rstd * scaled
        else:
            moved = _mean(scaled, axes) + normalized * _mean(scaled * normalized, axes)
            result = rstd * (scaled - moved)
        store(grad_input, result.reshape(grad_input._spec.sizes))
    for gradient, terms in ((grad_weight, grad * normalized), (grad_bias, grad)):
        if gradient is not None:
            store(gradient, np.sum(terms, axis=outer).reshape(gradient._spec.sizes))


def _reshaped(tensor: Tensor | None, shape: Sequence[int]) -> Any:
    found = maybe_numbers(tensor, WIDE)
    return None if found is None else found.reshape(shape)


def _store_flat(tensor: Tensor | None, values: Array) -> None:
    if tensor is not None:
        store(tensor, values.reshape(tensor._spec.sizes))


# ---------------------------------------------------------------------------------------------------------
# Batch norm: one group for each channel of (N, C, *).


def _channels(input: Tensor) -> tuple[Array, tuple[int, ...], tuple[int, ...]]:
    """The numbers, the axes of a group, and the shape of one number per channel."""
    a = numbers(input, WIDE)
    axes = (0, *range(2, a.ndim))
    return a, axes, (1, a.shape[1], *(1,) * (a.ndim - 2))


def _batch_norm(
    output: Tensor,
    save_mean: Tensor,
    save_invstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> None:
    """Batch norm by the batch's statistics."""
    a, axes, shape = _channels(input)
    mean, variance = _moments(a, axes)
    rstd = np.where((variance == 0) & (eps == 0), 0.0, _rsqrt(variance + eps))
    _normalize(output, a, mean, rstd, _reshaped(weight, shape), _reshaped(bias, shape))
    _store_flat(save_mean, mean)
    _store_flat(save_invstd, rstd)


def _batch_norm_running(
    output: Tensor,
    save_mean: Tensor,
    save_invstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> None:
    """Batch norm by the running statistics."""
    a, _, shape = _channels(input)
    mean, variance = (numbers(each, WIDE).reshape(shape) for each in (running_mean, running_var))
    _normalize(output, a, mean, _rsqrt(variance + eps), _reshaped(weight, shape), _reshaped(bias, shape))


def _batch_norm_moving(*arguments: Any) -> None:
    """Batch norm: in training by the batch's statistics, which update the running ones, else by the latter.

    Arguments that are written to are passed a second time, after the outputs.
    """
    output, save_mean, save_invstd = arguments[:3]
    input, weight, bias, running_mean, running_var, training, momentum, eps = arguments[-8:]
    outputs = (output, save_mean, save_invstd, input, weight, bias)
    if not training:
        _batch_norm_running(*outputs, running_mean, running_var, momentum, eps)
        return
    a, axes, _ = _channels(input)
    mean, variance = _moments(a, axes)
    _batch_norm(*outputs, training, momentum, eps)
    count = math.prod(a.shape[axis] for axis in axes)
    unbiased = variance * np.float64(count) / np.float64(count - 1)
    for running, found in ((running_mean, mean), (running_var, unbiased)):
        old = numbers(running, WIDE)
        store(running, old * (1 - momentum) + found.reshape(old.shape) * momentum)


family.add("_native_batch_norm_legit.no_stats", FLOATS, _batch_norm)
family.add("_native_batch_norm_legit_no_training", FLOATS, _batch_norm_running)
family.add("_native_batch_norm_legit", FLOATS, _batch_norm_moving)


@family.kernel("native_batch_norm_backward", FLOATS)
def batch_norm_backward(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: bool,
    eps: float,
    output_mask: Any,
) -> None:
    """The three gradients of batch norm."""
    a, axes, shape = _channels(input)
    if train:
        mean, rstd = _reshaped(save_mean, shape), _reshaped(save_invstd, shape)
    else:
        mean, variance = _reshaped(running_mean, shape), _reshaped(running_var, shape)
        rstd = _rsqrt(variance + eps)
    grads = (grad_input, grad_weight, grad_bias)
    grad = numbers(grad_out, WIDE)
    _normalize_backward(grads, grad, a, mean, rstd, _reshaped(weight, shape), axes, axes, not train)


# ---------------------------------------------------------------------------------------------------------
# Layer norm and RMS norm: one group for each position outside the last dimensions, as a row of a matrix.


def _matrix(tensor: Tensor, normalized_shape: Sequence[int]) -> Array:
    size = math.prod(normalized_shape)
    outer = math.prod(tensor._spec.sizes[: tensor._spec.ndim - len(normalized_shape)])
    return numbers(tensor, WIDE).reshape(outer, size)


@family.kernel("native_layer_norm", FLOATS)
def layer_norm(
    output: Tensor,
    mean: Tensor,
    rstd: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> None:
    """Normalizes each row by its mean and 1 / sqrt(variance + eps), and stores both."""
    a = _matrix(input, normalized_shape)
    means, variances = _moments(a, (1,))
    roots = _rsqrt(variances + eps)
    _normalize(output, a, means, roots, _reshaped(weight, (-1,)), _reshaped(bias, (-1,)))
    _store_flat(mean, means)
    _store_flat(rstd, roots)


@family.kernel("native_layer_norm_backward", FLOATS)
def layer_norm_backward(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: Any,
) -> None:
    """The three gradients of layer norm."""
    a, grad = _matrix(input, normalized_shape), _matrix(grad_out, normalized_shape)
    means, roots = (numbers(each, WIDE).reshape(-1, 1) for each in (mean, rstd))
    grads = (grad_input, grad_weight, grad_bias)
    _normalize_backward(grads, grad, a, means, roots, _reshaped(weight, (-1,)), (1,), (0,))


@family.kernel("_fused_rms_norm", FLOATS)
def rms_norm(
    output: Tensor,
    rstd: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    eps: float | None,
) -> None:
    """Divides each row by its root mean square."""
    a = _matrix(input, normalized_shape)
    if eps is None:
        eps = float(np.finfo(np.float64 if input._spec.dtype.name == "float64" else np.float32).eps)
    squares = np.sum(a * a, axis=1, keepdims=True) / np.float64(a.shape[1])
    roots = _rsqrt(squares + eps)
    _normalize(output, a, 0.0, roots, _reshaped(weight, (-1,)), None)
    _store_flat(rstd, roots)


@family.kernel("_fused_rms_norm_backward", FLOATS)
def rms_norm_backward(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    rstd: Tensor,
    weight: Tensor | None,
    output_mask: Any,
) -> None:
    """With x̂ = x * rstd and g = grad * weight, the input's gradient is rstd * (g - x̂ * mean(g * x̂))."""
    a, grad = _matrix(input, normalized_shape), _matrix(grad_out, normalized_shape)
    roots = numbers(rstd, WIDE).reshape(-1, 1)
    normalized, scales = a * roots, _reshaped(weight, (-1,))
    scaled = grad if scales is None else grad * scales
    _store_flat(grad_input, roots * (scaled - normalized * _mean(scaled * normalized, (1,))))
    _store_flat(grad_weight, np.sum(grad * normalized, axis=0))


# ---------------------------------------------------------------------------------------------------------
# Group norm: (N, groups, channels of a group, positions), one group for each of the first two.


def _groups(tensor: Tensor, N: int, C: int, HxW: int, group: int) -> Array:
    return numbers(tensor, WIDE).reshape(N, group, C // group, HxW)


@family.kernel("native_group_norm", FLOATS)
def group_norm(
    output: Tensor,
    mean: Tensor,
    rstd: Tensor,
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> None:
    """Normalizes each group of channels by its mean and 1 / sqrt(variance + eps), and stores both."""
    a = _groups(input, N, C, HxW, group)
    means, variances = _moments(a, (2, 3))
    roots = _rsqrt(variances + eps)
    shape = (1, group, C // group, 1)
    _normalize(output, a, means, roots, _reshaped(weight, shape), _reshaped(bias, shape))
    _store_flat(mean, means)
    _store_flat(rstd, roots)


@family.kernel("native_group_norm_backward", FLOATS)
def group_norm_backward(
    grad_input: Tensor | None,
    grad_weight: Tensor | None,
    grad_bias: Tensor | None,
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    output_mask: Any,
) -> None:
    """The three gradients of group norm."""
    a, grad = _groups(input, N, C, HxW, group), _groups(grad_out, N, C, HxW, group)
    means, roots = (numbers(each, WIDE).reshape(N, group, 1, 1) for each in (mean, rstd))
    scales = _reshaped(weight, (1, group, C // group, 1))
    grads = (grad_input, grad_weight, grad_bias)
    _normalize_backward(grads, grad, a, means, roots, scales, (2, 3), (0, 3))
