"""Activations and their gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from . import special
from .arrays import WIDE, WIDE_COMPLEX, Array, numbers, store, wrapped
from .families import ALL, FLOATS, INEXACT, REAL, Family
from .pointwise import clamped, sigmoid

family = Family()

_SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)
_CUBIC = 0.044715  # the constant of gelu's tanh approximation

family.elementwise_table(
    {
        "sigmoid_backward": lambda grad, y: grad * np.conjugate((1 - y) * y),
        "tanh_backward": lambda grad, y: grad * np.conjugate(1 - y * y),
    },
    ALL,
    WIDE,
)
family.elementwise_table(
    {
        "hardsigmoid": lambda a: np.minimum(np.maximum(a + 3, 0), 6) / 6,
        "hardsigmoid_backward": lambda grad, a: np.where((a > -3) & (a < 3), grad / 6, 0),
        "hardswish": lambda a: a * np.minimum(np.maximum(a + 3, 0), 6) / 6,
        "mish": lambda a: a * np.tanh(np.log1p(np.exp(a))),
        "_prelu_kernel": lambda a, weight: np.where(a > 0, a, a * weight),
    },
    FLOATS,
    WIDE,
)


@family.elementwise("relu", REAL)
def relu(a: Array) -> Array:
    """``max(a, 0)``; NaN and -0.0 are returned unchanged."""
    return np.where(a < 0, 0, a)


@family.elementwise("threshold", REAL, casts_numbers=True)
def threshold(a: Array, threshold: Any, value: Any) -> Array:
    """``a`` where it is above the threshold, else ``value``; NaN is preserved."""
    return np.where(a <= threshold, np.asarray(value, a.dtype), a)


@family.elementwise("threshold_backward", REAL, casts_numbers=True)
def threshold_backward(grad: Array, a: Array, threshold: Any) -> Array:
    """The gradient where ``a`` is above the threshold, else 0."""
    return np.where(a <= threshold, 0, grad)


@family.elementwise("hardtanh", REAL, casts_numbers=True)
def hardtanh(a: Array, low: Any, high: Any) -> Array:
    """Clamps to the bounds; NaN is preserved."""
    return clamped(a, np.asarray(low, a.dtype), np.asarray(high, a.dtype))


@family.elementwise("hardtanh_backward", FLOATS, casts_numbers=True)
def hardtanh_backward(grad: Array, a: Array, low: Any, high: Any) -> Array:
    """The gradient inside the bounds, 0 elsewhere."""
    return np.where((a <= low) | (a >= high), 0, grad)


@family.elementwise("leaky_relu", FLOATS, WIDE, casts_numbers=True)
def leaky_relu(a: Array, slope: Any) -> Array:
    """``a`` where it is positive, else ``a * slope``."""
    return np.where(a > 0, a, a * slope)


@family.elementwise("leaky_relu_backward", FLOATS, WIDE, casts_numbers=True)
def leaky_relu_backward(grad: Array, a: Array, slope: Any, self_is_result: bool) -> Array:
    """``grad`` where ``a`` is positive, else ``grad * slope``."""
    return np.where(a > 0, grad, grad * slope)


def _is_between(a: Array, lambd: Any) -> Array:
    return (a >= -lambd) & (a <= lambd)


@family.elementwise("hardshrink", FLOATS, casts_numbers=True)
def hardshrink(a: Array, lambd: Any) -> Array:
    """``a``, but 0 where it is between -lambd and lambd."""
    return np.where(_is_between(a, lambd), 0, a)


@family.elementwise("softshrink", FLOATS, WIDE, casts_numbers=True)
def softshrink(a: Array, lambd: Any) -> Array:
    """``a`` moved towards 0 by lambd; 0 between -lambd and lambd."""
    return np.where(a > lambd, a - lambd, np.where(a < -lambd, a + lambd, a * 0))


def _shrink_backward(grad: Array, a: Array, lambd: Any) -> Array:
    """The gradient where ``a`` is outside -lambd to lambd, 0 elsewhere."""
    return np.where(_is_between(a, lambd), 0, grad)


for _name in ("hardshrink_backward", "softshrink_backward"):
    family.elementwise(_name, FLOATS, casts_numbers=True)(_shrink_backward)


@family.elementwise("hardswish_backward", FLOATS, WIDE)
def hardswish_backward(grad: Array, a: Array) -> Array:
    """0 up to -3, ``grad`` from 3 on, between them ``grad * (a / 3 + 1 / 2)``."""
    return np.where(a <= -3, 0, np.where(a < 3, grad * (a / 3 + 0.5), grad))


@family.elementwise("silu_backward", INEXACT, WIDE)
def silu_backward(grad: Array, a: Array) -> Array:
    """``grad * (s * (1 + a * (1 - s)))`` with s the sigmoid."""
    s = sigmoid(a)
    return grad * (s * (1 + a * (1 - s)))


@family.elementwise("gelu", FLOATS, WIDE)
def gelu(a: Array, approximate: str) -> Array:
    """``a`` times the normal distribution's cumulative distribution function, or its tanh approximation."""
    if approximate == "tanh":
        inner = np.where(np.abs(a) < 1e100, a + _CUBIC * a**3, a)
        result = 0.5 * a * (1.0 + np.tanh(_SQRT_2_OVER_PI * inner))
    else:
        result = 0.5 * a * special.erfc(-a * math.sqrt(0.5))
    return np.where(a == -np.inf, np.nan, result)


@family.elementwise("gelu_backward", FLOATS, WIDE)
def gelu_backward(grad: Array, a: Array, approximate: str) -> Array:
    """The gradient of gelu."""
    if approximate == "tanh":
        t = np.tanh(_SQRT_2_OVER_PI * (a + _CUBIC * a * a * a))
        slope = 0.5 * a * (1 - t * t) * _SQRT_2_OVER_PI * (1 + 3 * _CUBIC * a * a)
        return grad * (0.5 * (1 + t) + slope)
    density = np.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi)
    return grad * (0.5 * special.erfc(-a * math.sqrt(0.5)) + a * density)


@family.elementwise("elu", FLOATS, WIDE, casts_numbers=True)
def elu(a: Array, alpha: Any, scale: Any, input_scale: Any) -> Array:
    """``scale * a``; below 0, ``scale * alpha * (exp(input_scale * a) - 1)``."""
    return np.where(a < 0, np.expm1(a * input_scale) * alpha * scale, a * scale)


@family.elementwise("elu_backward", FLOATS, WIDE, casts_numbers=True)
def elu_backward(grad: Array, a: Array, alpha: Any, scale: Any, input_scale: Any, is_result: bool) -> Array:
    """At 0 it uses the derivative from the left."""
    if is_result:
        left = grad * input_scale * (a + alpha * scale)
    else:
        left = grad * input_scale * alpha * scale * np.exp(a * input_scale)
    return np.where((a > 0) | np.isnan(a), grad * scale, left)


@family.elementwise("softplus", FLOATS, WIDE, casts_numbers=True)
def softplus(a: Array, beta: Any, threshold: Any) -> Array:
    """``log(1 + exp(beta * a)) / beta``, or ``a`` where ``beta * a`` is above the threshold."""
    return np.where(a * beta > threshold, a, np.log1p(np.exp(a * beta)) / np.float64(beta))


@family.elementwise("softplus_backward", FLOATS, WIDE, casts_numbers=True)
def softplus_backward(grad: Array, a: Array, beta: Any, threshold: Any) -> Array:
    """The gradient of softplus."""
    return np.where(a * beta > threshold, grad, grad * sigmoid(a * beta))


@family.kernel("log_sigmoid_forward", FLOATS)
def log_sigmoid(output: Tensor, buffer: Tensor, self: Tensor) -> None:
    """``min(a, 0) - log(1 + exp(-|a|))``, and ``exp(-|a|)`` for the gradient."""
    a = numbers(self, WIDE)
    decayed = np.exp(-np.abs(a))
    store(output, np.where((a < 0) | np.isnan(a), a, 0.0) - np.log1p(decayed))
    store(buffer, decayed)


@family.elementwise("log_sigmoid_backward", FLOATS, WIDE)
def log_sigmoid_backward(grad: Array, a: Array, buffer: Array) -> Array:
    """``grad * sigmoid(-a)``, computed from the saved ``exp(-|a|)``."""
    share = buffer / (1 + buffer)
    return np.where(a < 0, grad * (1 - share), grad * share)


@family.kernel("glu", FLOATS)
def glu(output: Tensor, self: Tensor, dim: int) -> None:
    """The first half times the sigmoid of the second."""
    a = numbers(self, WIDE_COMPLEX)
    first, second = np.split(a, 2, wrapped(dim, a.ndim))
    store(output, first * sigmoid(second))
