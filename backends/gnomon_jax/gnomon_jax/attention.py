"""Scaled dot product attention and its gradients.

Computes all heads of all batches at once, in float64.  Several heads of queries may share one head of keys.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .programs import FLOATS, Family

family = Family()


def _shared(a: Array, heads: int) -> Array:
    """Repeats heads of keys for the heads of queries that share them."""
    return jnp.repeat(a, heads // max(a.shape[1], 1), axis=1)


def _joined(a: Array, heads: int) -> Array:
    """The transpose of ``_shared``: sums over the heads of queries that share one head of keys."""
    batch, all_heads, places, width = a.shape
    return jnp.sum(a.reshape(batch, heads, all_heads // max(heads, 1), places, width), axis=2)


def _product(weights: Array, rows: Array, seen: Array, is_causal: bool) -> Array:
    """``weights @ rows`` without the masked rows, which may be infinite or NaN."""

    def usual() -> Array:
        return jnp.matmul(weights, rows)

    def masked() -> Array:
        products = weights[..., None] * rows[..., None, :, :]
        return jnp.sum(jnp.where(seen[..., None], products, 0.0), axis=-2)

    return lax.cond(jnp.all(jnp.isfinite(rows)), usual, masked) if is_causal else usual()


def _scores(
    query: Array, key: Array, mask: Array | None, is_causal: bool, scale: float
) -> tuple[Array, Array]:
    """The scores of each query and key, -inf where the causal mask is false; and the causal mask."""
    scores = jnp.matmul(query, jnp.swapaxes(key, 2, 3)) * scale
    if mask is not None:
        scores = scores + mask
    seen = jnp.ones((query.shape[2], key.shape[2]), bool)
    if is_causal:
        seen = jnp.tril(seen)
    return jnp.where(seen, scores, -jnp.inf), seen


def _scale_of(query: Array, scale: float | None) -> float:
    return 1 / math.sqrt(query.shape[3]) if scale is None else scale


@family.kernel("_scaled_dot_product_flash_attention_for_cpu", FLOATS, outputs=2)
def attention(
    query: Array,
    key: Array,
    value: Array,
    dropout_p: float,
    is_causal: bool,
    mask: Array | None,
    scale: float | None,
) -> tuple[Array, Array]:
    """The mean of the values weighted by the softmax, and the logarithm of the softmax's denominator."""
    keys, values = (_shared(each, query.shape[1]) for each in (key, value))
    scores, seen = _scores(query, keys, mask, is_causal, _scale_of(query, scale))
    ordered = jnp.where(jnp.isnan(scores), -jnp.inf, scores)
    largest = jnp.max(ordered, axis=3, keepdims=True, initial=-jnp.inf)
    is_blind = jnp.all(scores == -jnp.inf, axis=3, keepdims=True)
    shift = jnp.where(largest == -jnp.inf, 0.0, largest)
    powers = jnp.exp(scores - shift)
    total = jnp.sum(powers, axis=3, keepdims=True)
    logarithm = jnp.where(total > 0, shift + jnp.log(total), jnp.nan)
    found = jnp.where(is_blind, 0.0, _product(powers, values, seen, is_causal) / total)
    return found, jnp.where(is_blind, 0.0, logarithm)[..., 0]


@family.kernel("_scaled_dot_product_flash_attention_for_cpu_backward", FLOATS, outputs=3)
def attention_backward(
    grad: Array,
    query: Array,
    key: Array,
    value: Array,
    out: Array,
    logsumexp: Array,
    dropout_p: float,
    is_causal: bool,
    mask: Array | None,
    scale: float | None,
) -> tuple[Array, Array, Array]:
    """With p the weights, ds = p (dp - sum(p dp)) are the gradients of the scores."""
    keys, values = (_shared(each, query.shape[1]) for each in (key, value))
    factor = _scale_of(query, scale)
    scores, seen = _scores(query, keys, mask, is_causal, factor)
    weights = jnp.exp(scores - logsumexp[..., None])
    moved = jnp.matmul(grad, jnp.swapaxes(values, 2, 3)) - jnp.sum(grad * out, axis=3, keepdims=True)
    slopes = jnp.where(seen, weights * moved * factor, 0.0)
    turned, heads = jnp.swapaxes(seen, 0, 1), key.shape[1]
    of_key, of_value = (
        _joined(_product(jnp.swapaxes(shares, 2, 3), rows, turned, is_causal), heads)
        for shares, rows in ((slopes, query), (weights, grad))
    )
    return _product(slopes, keys, seen, is_causal), of_key, of_value
