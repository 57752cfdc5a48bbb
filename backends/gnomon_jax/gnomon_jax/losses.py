"""Losses: pointwise ones, and negative log likelihood."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .elementary import log1p
from .numbers import Array
from .programs import FLOATS, Family, refuse_if

family = Family()

NONE, MEAN = 0, 1  # reduction


@family.elementwise("_smooth_l1", FLOATS)
def smooth_l1(difference: Array, beta: float) -> Array:
    """A parabola within ``beta`` of 0, a line outside."""
    size = jnp.abs(difference)
    return jnp.where(size < beta, 0.5 * size * size / jnp.float64(beta), size - 0.5 * beta)


@family.elementwise("_huber", FLOATS)
def huber(difference: Array, delta: float) -> Array:
    """A parabola within ``delta`` of 0, a line of slope ``delta`` outside."""
    size = jnp.abs(difference)
    return jnp.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta))


@family.elementwise("_binary_cross_entropy", FLOATS)
def binary_cross_entropy(probability: Array, target: Array) -> Array:
    """Logarithms are clamped to -100, so that a wrong prediction of 0 or 1 has a finite loss."""
    for each in (probability, target):
        refuse_if(~((each >= 0) & (each <= 1)))
    no, yes = jnp.maximum(log1p(-probability), -100.0), jnp.maximum(jnp.log(probability), -100.0)
    return (target - 1) * no - target * yes


def _picked(classes: int, target: Array, weight: Array | None, ignored: int) -> tuple[Array, Array, Array]:
    """For each row its class, whether it counts, and its weight (0 if it is ignored)."""
    at = target.astype(jnp.int64).reshape(-1)
    counts = at != ignored
    refuse_if(counts & ((at < 0) | (at >= classes)))
    at = jnp.where(counts, at, 0)
    used = jnp.ones(at.shape) if weight is None or not classes else weight[at]
    return at, counts, jnp.where(counts, used, 0.0)


@family.kernel("nll_loss_forward", FLOATS, outputs=2)
def nll_loss(
    a: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    """Minus the target's element of each row times the class's weight; their sum, or their weighted mean."""
    at, counts, weights = _picked(a.shape[-1], target, weight, ignore_index)
    lines = jnp.atleast_2d(a)
    if lines.size:
        losses = jnp.where(counts, -jnp.take_along_axis(lines, at[:, None], 1)[:, 0] * weights, 0.0)
    else:
        losses = jnp.zeros(at.shape)
    if reduction == NONE and a.ndim == 2:
        return jnp.where(losses == 0, 0.0, losses), jnp.float64(0.0)
    total, used = jnp.sum(losses), jnp.sum(weights)
    return total / used if reduction == MEAN else total, used


@family.kernel("nll_loss_backward", FLOATS)
def nll_loss_backward(
    grad: Array,
    a: Array,
    target: Array,
    weight: Array | None,
    reduction: int,
    ignore_index: int,
    total_weight: Any,
) -> Array:
    """At each row's target, minus the weight (for a mean, over the total) times ``grad``; 0 elsewhere."""
    at, counts, weights = _picked(a.shape[-1], target, weight, ignore_index)
    values = -(grad.reshape(-1) * weights)  # one gradient for all rows, or one per row
    values = values / total_weight if reduction == MEAN else values
    lines = jnp.zeros((at.size, a.shape[-1]))
    at = jnp.where(counts, at, a.shape[-1])  # beyond the end: dropped
    return lines.at[jnp.arange(at.size), at].set(values, mode="drop").reshape(a.shape)
