"""Scaled dot product attention and its gradients.

Computes all heads of all batches at once, in float64.  Several heads of queries may share one head of keys.
"""

from __future__ import annotations

import math

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, maybe_numbers, numbers, store
from .families import FLOATS, Family

family = Family()


def _shared(array: Array, heads: int) -> Array:
    """Repeats heads of keys for the heads of queries that share them."""
    return np.repeat(array, heads // max(array.shape[1], 1), axis=1)


def _joined(array: Array, heads: int) -> Array:
    """The transpose of ``_shared``: sums over the heads of queries that share one head of keys."""
    batch, all_heads, places, width = array.shape
    sharing = all_heads // max(heads, 1)
    return array.reshape(batch, heads, sharing, places, width).sum(axis=2)


def _product(weights: Array, rows: Array, seen: Array) -> Array:
    """``weights @ rows`` without the masked rows, which may be infinite or NaN."""
    if np.all(np.isfinite(rows)):
        return np.matmul(weights, rows)
    products = weights[..., None] * rows[..., None, :, :]
    return np.sum(np.where(seen[..., None], products, 0.0), axis=-2)


def _scores(
    query: Array, key: Array, attn_mask: Tensor | None, is_causal: bool, scale: float
) -> tuple[Array, Array]:
    """The scores of each query and key, -inf where the causal mask is false; and the causal mask."""
    places, keys = query.shape[2], key.shape[2]
    scores = np.matmul(query, np.swapaxes(key, 2, 3)) * scale
    mask = maybe_numbers(attn_mask, WIDE)
    if mask is not None:
        scores = scores + mask
    seen = np.ones((places, keys), bool)
    if is_causal:
        seen = np.tril(seen)
    return np.where(seen, scores, -np.inf), seen


def _scale_of(query: Array, scale: float | None) -> float:
    return 1 / math.sqrt(query.shape[3]) if scale is None else scale


@family.kernel("_scaled_dot_product_flash_attention_for_cpu", FLOATS)
def attention(
    output: Tensor,
    logsumexp: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Tensor | None,
    scale: float | None,
) -> None:
    """The mean of the values weighted by the softmax, and the logarithm of the softmax's denominator."""
    queries = numbers(query, WIDE)
    keys, values = (_shared(numbers(each, WIDE), queries.shape[1]) for each in (key, value))
    scores, seen = _scores(queries, keys, attn_mask, is_causal, _scale_of(queries, scale))
    ordered = np.where(np.isnan(scores), -np.inf, scores)
    largest = np.max(ordered, axis=3, keepdims=True, initial=-np.inf)
    is_blind = np.all(scores == -np.inf, axis=3, keepdims=True)
    shift = np.where(largest == -np.inf, 0.0, largest)
    powers = np.exp(scores - shift)
    total = np.sum(powers, axis=3, keepdims=True)
    logarithm = np.where(total > 0, shift + np.log(total), np.nan)
    store(logsumexp, np.where(is_blind, 0.0, logarithm)[..., 0])
    store(output, np.where(is_blind, 0.0, _product(powers, values, seen) / total))


@family.kernel("_scaled_dot_product_flash_attention_for_cpu_backward", FLOATS)
def attention_backward(
    grad_query: Tensor,
    grad_key: Tensor,
    grad_value: Tensor,
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Tensor | None,
    scale: float | None,
) -> None:
    """With p the weights, ds = p (dp - sum(p dp)) are the gradients of the scores."""
    queries, grad, result = (numbers(each, WIDE) for each in (query, grad_out, out))
    keys, values = (_shared(numbers(each, WIDE), queries.shape[1]) for each in (key, value))
    factor = _scale_of(queries, scale)
    scores, seen = _scores(queries, keys, attn_mask, is_causal, factor)
    weights = np.exp(scores - numbers(logsumexp, WIDE)[..., None])
    moved = np.matmul(grad, np.swapaxes(values, 2, 3)) - np.sum(grad * result, axis=3, keepdims=True)
    slopes = np.where(seen, weights * moved * factor, 0.0)
    store(grad_query, _product(slopes, keys, seen))
    turned = np.swapaxes(seen, 0, 1)
    heads = key._spec.sizes[1]
    for gradient, shares, rows in ((grad_key, slopes, queries), (grad_value, weights, grad)):
        store(gradient, _joined(_product(np.swapaxes(shares, 2, 3), rows, turned), heads))
