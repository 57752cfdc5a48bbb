"""Activations and their gradients."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from gnomon.values.dtype import dtype

from .elementary import exp, log1p, sigmoid, tanh
from .numbers import Array
from .pointwise import clamped, factor, held
from .programs import FLOATS, REAL, Family, wrapped

family = Family()


def threshold(a: Array, limit: Any, value: Any) -> Array:
    """``a`` where it is above the limit, else ``value``; NaN is preserved."""
    return jnp.where(a <= factor(limit, a), factor(value, a), a)


def threshold_backward(grad: Array, a: Array, limit: Any) -> Array:
    """The gradient where ``a`` is above the limit, else 0."""
    return jnp.where(a <= factor(limit, a), 0, grad)


def hardtanh(a: Array, low: Any, high: Any) -> Array:
    """Clamps to the bounds; NaN is preserved."""
    return clamped(a, factor(low, a), factor(high, a))


def softshrink(a: Array, lambd: float) -> Array:
    """``a`` moved towards 0 by lambd; 0 between -lambd and lambd."""
    return jnp.where(a > lambd, a - lambd, jnp.where(a < -lambd, a + lambd, a * 0))


def shrink_backward(grad: Array, a: Array, lambd: float) -> Array:
    """The gradient where ``a`` is outside -lambd to lambd, 0 elsewhere."""
    return jnp.where((a >= -lambd) & (a <= lambd), 0, grad)


def hardswish_backward(grad: Array, a: Array) -> Array:
    """0 up to -3, ``grad`` from 3 on, between them ``grad * (a / 3 + 1 / 2)``."""
    return jnp.where(a <= -3, 0, jnp.where(a < 3, grad * (a / 3 + 0.5), grad))


def silu_backward(grad: Array, a: Array) -> Array:
    """``grad * (s * (1 + a * (1 - s)))`` with s the sigmoid."""
    s = sigmoid(a)
    return grad * (s * (1 + a * (1 - s)))


def elu(a: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """``scale * a``; below 0, ``scale * alpha * (exp(input_scale * a) - 1)``."""
    return jnp.where(a < 0, jnp.expm1(a * input_scale) * alpha * scale, a * scale)


@family.elementwise("elu_backward", FLOATS, is_typed=True)
def elu_backward(
    kind: dtype, grad: Array, a: Array, alpha: float, scale: float, input_scale: float, is_result: bool
) -> Array:
    """At 0 it uses the derivative from the left."""
    alpha, scale, input_scale = (held(kind, each) for each in (alpha, scale, input_scale))
    slope = held(kind, alpha * scale)
    slope = a + slope if is_result else slope * held(kind, exp(held(kind, a * input_scale)))
    left = held(kind, grad * input_scale) * held(kind, slope)
    return jnp.where((a > 0) | jnp.isnan(a), grad * scale, left)


def softplus(a: Array, beta: float, limit: float) -> Array:
    """``log(1 + exp(beta * a)) / beta``, or ``a`` where ``beta * a`` is above the limit."""
    return jnp.where(a * beta > limit, a, log1p(jnp.exp(a * beta)) / jnp.float64(beta))


def softplus_backward(grad: Array, a: Array, beta: float, limit: float) -> Array:
    """The gradient of softplus."""
    return jnp.where(a * beta > limit, grad, grad * sigmoid(a * beta))


family.elementwise_table(
    {
        "relu": lambda a: jnp.where(a < 0, 0, a),
        "threshold": threshold,
        "threshold_backward": threshold_backward,
        "hardtanh": hardtanh,
    },
    REAL,
)
family.elementwise_table(
    {
        "hardtanh_backward": lambda grad, a, low, high: jnp.where((a <= low) | (a >= high), 0, grad),
        "sigmoid_backward": lambda grad, y: grad * ((1 - y) * y),
        "tanh_backward": lambda grad, y: grad * (1 - y * y),
        "hardsigmoid": lambda a: jnp.minimum(jnp.maximum(a + 3, 0), 6) / 6,
        "hardsigmoid_backward": lambda grad, a: jnp.where((a > -3) & (a < 3), grad / 6, 0),
        "hardswish": lambda a: a * jnp.minimum(jnp.maximum(a + 3, 0), 6) / 6,
        "hardswish_backward": hardswish_backward,
        "mish": lambda a: a * tanh(log1p(jnp.exp(a))),
        "leaky_relu": lambda a, slope: jnp.where(a > 0, a, a * slope),
        "leaky_relu_backward": lambda grad, a, slope, _: jnp.where(a > 0, grad, grad * slope),
        "_prelu_kernel": lambda a, weight: jnp.where(a > 0, a, a * weight),
        "hardshrink": lambda a, lambd: jnp.where((a >= -lambd) & (a <= lambd), 0, a),
        "hardshrink_backward": shrink_backward,
        "softshrink": softshrink,
        "softshrink_backward": shrink_backward,
        "silu_backward": silu_backward,
        "elu": elu,
        "softplus": softplus,
        "softplus_backward": softplus_backward,
    },
    FLOATS,
)


@family.kernel("glu", FLOATS)
def glu(a: Array, dim: int) -> Array:
    """The first half times the sigmoid of the second."""
    first, second = jnp.split(a, 2, wrapped(dim, a.ndim))
    return first * sigmoid(second)
