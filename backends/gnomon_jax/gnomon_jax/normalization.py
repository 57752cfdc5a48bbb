"""Normalization: softmax, batch, layer, group and RMS norm, and their gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from gnomon.values.dtype import dtype, float64

from .numbers import Array
from .programs import FLOATS, Family, at_least_1d, wrapped

family = Family()

Grads = tuple[Array, Array, Array]
Weight = Array | None

# ---------------------------------------------------------------------------------------------------------
# Softmax.


def _along(name: str, function: Any, inputs: int) -> None:
    """Registers ``function(*arrays, axis)`` as a kernel whose dimension follows the ``inputs`` arrays."""

    @family.kernel(name, FLOATS)
    def kernel(*arguments: Any) -> Array:
        arrays = [at_least_1d(each) for each in arguments[:inputs]]
        axis = wrapped(arguments[inputs], arrays[0].ndim)
        return function(*arrays, axis).reshape(arguments[0].shape)


def _shifted(a: Array, axis: int) -> Array:
    """``a`` minus its maximum along ``axis``; NaN if the maximum is infinite or NaN."""
    largest = jnp.max(a, axis=axis, keepdims=True, initial=-math.inf)
    return jnp.where(jnp.isinf(largest), jnp.nan, a - largest)


def _softmax(a: Array, axis: int) -> Array:
    powers = jnp.exp(_shifted(a, axis))
    return powers / jnp.sum(powers, axis=axis, keepdims=True)


def _log_softmax(a: Array, axis: int) -> Array:
    shifted = _shifted(a, axis)
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis=axis, keepdims=True))


def _softmax_backward(grad: Array, y: Array, axis: int) -> Array:
    return y * (grad - jnp.sum(grad * y, axis=axis, keepdims=True))


def _log_softmax_backward(grad: Array, y: Array, axis: int) -> Array:
    return grad - jnp.exp(y) * jnp.sum(grad, axis=axis, keepdims=True)


_along("_softmax", _softmax, 1)
_along("_log_softmax", _log_softmax, 1)
_along("_softmax_backward_data", _softmax_backward, 2)
_along("_log_softmax_backward_data", _log_softmax_backward, 2)


# ---------------------------------------------------------------------------------------------------------
# Shared by the norms.  ``axes`` are the axes of one group of elements; statistics keep them with size 1;
# ``weight`` broadcasts to the input.


def _mean(a: Array, axes: Sequence[int]) -> Array:
    """The mean over ``axes``, with keepdims; 0 if there are no elements."""
    count = math.prod(a.shape[axis] for axis in axes)
    return jnp.sum(a, axis=tuple(axes), keepdims=True) / max(count, 1)


def _moments(a: Array, axes: Sequence[int]) -> tuple[Array, Array]:
    """The mean and the biased variance; 0 and NaN if there are no elements."""
    mean = _mean(a, axes)
    variance = _mean((a - mean) ** 2, axes)
    is_empty = any(a.shape[axis] == 0 for axis in axes)
    return mean, jnp.full_like(variance, jnp.nan) if is_empty else variance


def _rsqrt(a: Any) -> Array:
    return 1.0 / jnp.sqrt(a)


def _reshaped(a: Weight, shape: Sequence[int]) -> Any:
    return None if a is None else a.reshape(tuple(shape))


def _scaled(a: Array, mean: Any, rstd: Any, weight: Weight, bias: Weight) -> Array:
    """``(a - mean) * rstd * weight + bias``."""
    result = (a - mean) * rstd
    result = result if weight is None else result * weight
    return result if bias is None else result + bias


def _backward(
    grad: Array,
    a: Array,
    mean: Any,
    rstd: Array,
    weight: Weight,
    axes: Sequence[int],
    outer: Sequence[int],
    is_constant: bool = False,
) -> Grads:
    """The three gradients; ``is_constant``: mean and rstd do not depend on the input (running statistics).

    With g = grad * weight, the input's gradient is rstd * (g - mean(g) - x̂ * mean(g * x̂)).  ``outer`` are
    the axes that share a weight.
    """
    normalized = (a - mean) * rstd
    scaled = grad if weight is None else grad * weight
    moved = 0.0 if is_constant else _mean(scaled, axes) + normalized * _mean(scaled * normalized, axes)
    of_input = rstd * (scaled if is_constant else scaled - moved)
    return of_input, jnp.sum(grad * normalized, axis=tuple(outer)), jnp.sum(grad, axis=tuple(outer))


def _fit(results: Sequence[Array], sizes: Sequence[Any]) -> list[Array]:
    """The results in the sizes of the outputs; those of absent outputs are not used."""
    return [each if size is None else each.reshape(size) for each, size in zip(results, sizes)]


# ---------------------------------------------------------------------------------------------------------
# Batch norm: one group for each channel of (N, C, *).


def _channels(a: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of a group, and the shape of one number per channel."""
    return (0, *range(2, a.ndim)), (1, a.shape[1], *(1,) * (a.ndim - 2))


@family.kernel("_native_batch_norm_legit.no_stats", FLOATS, outputs=3, is_sized=True)
def batch_norm(
    sizes: Any, a: Array, weight: Weight, bias: Weight, training: bool, momentum: float, eps: float
) -> Sequence[Array]:
    """Batch norm by the batch's statistics."""
    axes, shape = _channels(a)
    mean, variance = _moments(a, axes)
    rstd = jnp.where((variance == 0) & (eps == 0), 0.0, _rsqrt(variance + eps))
    result = _scaled(a, mean, rstd, _reshaped(weight, shape), _reshaped(bias, shape))
    return _fit((result, mean, rstd), sizes)


@family.kernel("_native_batch_norm_legit_no_training", FLOATS, outputs=3, is_sized=True)
def batch_norm_running(
    sizes: Any, a: Array, weight: Weight, bias: Weight, mean: Array, var: Array, momentum: float, eps: float
) -> Sequence[Array]:
    """Batch norm by the running statistics."""
    _, shape = _channels(a)
    rstd = _rsqrt(var.reshape(shape) + eps)
    result = _scaled(a, mean.reshape(shape), rstd, _reshaped(weight, shape), _reshaped(bias, shape))
    return result, jnp.zeros(sizes[1]), jnp.zeros(sizes[2])


@family.kernel("_native_batch_norm_legit", FLOATS, outputs=5, is_sized=True)
def batch_norm_moving(
    sizes: Any,
    a: Array,
    weight: Weight,
    bias: Weight,
    running_mean: Array,
    running_var: Array,
    training: bool,
    momentum: float,
    eps: float,
) -> Sequence[Array]:
    """In training by the batch's statistics, which update the running ones, else by the latter."""
    running = running_mean, running_var
    if not training:
        return (*batch_norm_running(sizes, a, weight, bias, *running, momentum, eps), *running)
    axes, _ = _channels(a)
    mean, variance = _moments(a, axes)
    count = math.prod(a.shape[axis] for axis in axes)
    unbiased = variance * jnp.float64(count) / jnp.float64(count - 1)
    moved = [
        old * (1 - momentum) + found.reshape(old.shape) * momentum
        for old, found in zip(running, (mean, unbiased))
    ]
    return (*batch_norm(sizes, a, weight, bias, training, momentum, eps), *moved)


@family.kernel("native_batch_norm_backward", FLOATS, outputs=3, is_sized=True)
def batch_norm_backward(
    sizes: Any,
    grad: Array,
    a: Array,
    weight: Weight,
    running_mean: Weight,
    running_var: Weight,
    save_mean: Weight,
    save_invstd: Weight,
    train: bool,
    eps: float,
    output_mask: Any,
) -> Sequence[Array]:
    """The three gradients of batch norm."""
    axes, shape = _channels(a)
    if train:
        mean, rstd = _reshaped(save_mean, shape), _reshaped(save_invstd, shape)
    else:
        mean, rstd = _reshaped(running_mean, shape), _rsqrt(_reshaped(running_var, shape) + eps)
    return _fit(_backward(grad, a, mean, rstd, _reshaped(weight, shape), axes, axes, not train), sizes)


# ---------------------------------------------------------------------------------------------------------
# Layer norm and RMS norm: one group for each position outside the last dimensions, as a row of a matrix.


def _matrix(a: Array, normalized_shape: Sequence[int]) -> Array:
    outer = math.prod(a.shape[: a.ndim - len(normalized_shape)])
    return a.reshape(outer, math.prod(normalized_shape))


@family.kernel("native_layer_norm", FLOATS, outputs=3, is_sized=True)
def layer_norm(
    sizes: Any, a: Array, shape: Sequence[int], weight: Weight, bias: Weight, eps: float
) -> Sequence[Array]:
    """Normalizes each row by its mean and 1 / sqrt(variance + eps), and returns both."""
    a = _matrix(a, shape)
    means, variances = _moments(a, (1,))
    roots = _rsqrt(variances + eps)
    result = _scaled(a, means, roots, _reshaped(weight, (-1,)), _reshaped(bias, (-1,)))
    return _fit((result, means, roots), sizes)


@family.kernel("native_layer_norm_backward", FLOATS, outputs=3, is_sized=True)
def layer_norm_backward(
    sizes: Any,
    grad: Array,
    a: Array,
    shape: Sequence[int],
    mean: Array,
    rstd: Array,
    weight: Weight,
    bias: Weight,
    output_mask: Any,
) -> Sequence[Array]:
    """The three gradients of layer norm."""
    a, grad, means, roots = _matrix(a, shape), _matrix(grad, shape), mean.reshape(-1, 1), rstd.reshape(-1, 1)
    return _fit(_backward(grad, a, means, roots, _reshaped(weight, (-1,)), (1,), (0,)), sizes)


@family.kernel("_fused_rms_norm", FLOATS, outputs=2, is_sized=True, is_typed=True)
def rms_norm(
    sizes: Any, kind: dtype, a: Array, shape: Sequence[int], weight: Weight, eps: float | None
) -> Sequence[Array]:
    """Divides each row by its root mean square.

    Without ``eps`` that of float64 or, for all other dtypes, float32 is added to the square.
    """
    a = _matrix(a, shape)
    squares = jnp.sum(a * a, axis=1, keepdims=True) / jnp.float64(a.shape[1])
    if eps is None:
        eps = 2.0 ** (-52 if kind is float64 else -23)
    roots = _rsqrt(squares + eps)
    return _fit((_scaled(a, 0.0, roots, _reshaped(weight, (-1,)), None), roots), sizes)


@family.kernel("_fused_rms_norm_backward", FLOATS, outputs=2, is_sized=True)
def rms_norm_backward(
    sizes: Any,
    grad: Array,
    a: Array,
    shape: Sequence[int],
    rstd: Array,
    weight: Weight,
    output_mask: Any,
) -> Sequence[Array]:
    """With x̂ = x * rstd and g = grad * weight, the input's gradient is rstd * (g - x̂ * mean(g * x̂))."""
    a, grad, roots = _matrix(a, shape), _matrix(grad, shape), rstd.reshape(-1, 1)
    normalized = a * roots
    scaled = grad if weight is None else grad * weight.reshape(-1)
    of_input = roots * (scaled - normalized * _mean(scaled * normalized, (1,)))
    return _fit((of_input, jnp.sum(grad * normalized, axis=0)), sizes)


# ---------------------------------------------------------------------------------------------------------
# Group norm: (N, groups, channels of a group, positions), one group for each of the first two.


@family.kernel("native_group_norm", FLOATS, outputs=3, is_sized=True)
def group_norm(
    sizes: Any, a: Array, weight: Weight, bias: Weight, n: int, c: int, positions: int, group: int, eps: float
) -> Sequence[Array]:
    """Normalizes each group of channels by its mean and 1 / sqrt(variance + eps), and returns both."""
    a = a.reshape(n, group, c // group, positions)
    means, variances = _moments(a, (2, 3))
    roots = _rsqrt(variances + eps)
    shape = (1, group, c // group, 1)
    result = _scaled(a, means, roots, _reshaped(weight, shape), _reshaped(bias, shape))
    return _fit((result, means, roots), sizes)


@family.kernel("native_group_norm_backward", FLOATS, outputs=3, is_sized=True)
def group_norm_backward(
    sizes: Any,
    grad: Array,
    a: Array,
    mean: Array,
    rstd: Array,
    weight: Weight,
    n: int,
    c: int,
    positions: int,
    group: int,
    output_mask: Any,
) -> Sequence[Array]:
    """The three gradients of group norm."""
    a, grad = (each.reshape(n, group, c // group, positions) for each in (a, grad))
    means, roots = (each.reshape(n, group, 1, 1) for each in (mean, rstd))
    scales = _reshaped(weight, (1, group, c // group, 1))
    return _fit(_backward(grad, a, means, roots, scales, (2, 3), (0, 3)), sizes)
