"""Embedding bags: sums, means and maxima of bags of a table's rows, and the gradients."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .numbers import Array
from .programs import FLOATS, Family, refuse_if

family = Family()

SUM, MEAN, MAX = 0, 1, 2  # mode


def _prefix(sizes: Any, values: Array) -> Array:
    """As many of the values as the output has elements; 0 after them."""
    count = sizes[0]
    return jnp.pad(values[:count], (0, max(count - values.shape[0], 0)))


def _integers(a: Array) -> Array:
    return a.astype(jnp.int64).reshape(-1)


def _bags_of(starts: Array, bags: int, count: int) -> Array:
    """The bag that each of ``count`` positions is in."""
    number = jnp.arange(count, dtype=jnp.int64)
    if not starts.size:
        return jnp.zeros(count, jnp.int64) - 1
    return jnp.minimum(jnp.sum(starts[None, :] <= number[:, None], axis=1), bags) - 1


@family.kernel("_embedding_bag", FLOATS, outputs=4, is_sized=True)
def embedding_bag(
    sizes: Any,
    table: Array,
    indices: Array,
    offsets: Array,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    samples: Array | None,
    include_last_offset: bool,
    padding_idx: int,
) -> tuple[Array, Array, Array, Array]:
    """Reduces the rows of each bag; ``padding_idx`` is ignored."""
    rows, starts = _integers(indices), _integers(offsets)
    bags, width = sizes[0]
    if starts.size:
        refuse_if((starts[0] != 0) | (starts[-1] > rows.size))
        refuse_if(jnp.diff(starts) < 0)
    if not bags:
        return jnp.zeros(sizes[0]), jnp.full(sizes[1], -1), jnp.zeros(sizes[2]), jnp.zeros(sizes[3])
    refuse_if((rows < 0) | (rows >= table.shape[0]))
    where = _bags_of(starts, bags, rows.size)
    is_held = rows != padding_idx
    rows = jnp.clip(rows, 0, max(table.shape[0] - 1, 0))
    into = jnp.where(is_held, where, bags)  # beyond the end: dropped
    counts = jnp.zeros(bags, jnp.int64).at[into].add(1, mode="drop")
    found = table[rows] if table.size and rows.size else jnp.zeros((rows.size, width))
    bag_of = _prefix(sizes[1], where)
    bag_sizes = _prefix(sizes[2], jnp.zeros(bags) if mode == SUM else counts)
    if mode == MAX:
        best, chosen = _largest(found, rows, into, bags)
        return best, bag_of, bag_sizes, chosen
    if samples is not None:
        found = found * samples.reshape(-1)[:, None]
    total = jnp.zeros((bags, width)).at[into].add(found, mode="drop")
    if mode == MEAN:
        total = total / jnp.maximum(counts, 1)[:, None]
    return total, bag_of, bag_sizes, _prefix(sizes[3], jnp.zeros(bags) if mode == SUM else counts)


def _largest(found: Array, rows: Array, into: Array, bags: int) -> tuple[Array, Array]:
    """The maximum of each column of a bag, the first of equal elements; NaN wins only if it comes first."""
    count, width = found.shape
    number = jnp.arange(count, dtype=jnp.int64)
    first = jnp.full(bags, count).at[into].min(number, mode="drop")
    is_first = number == jnp.append(first, -1)[jnp.minimum(into, bags)]
    # a NaN is above all others where it comes first, and below all others elsewhere
    ranked = jnp.where(found != found, jnp.where(is_first[:, None], jnp.inf, -jnp.inf), found)
    best = jnp.full((bags, width), -jnp.inf).at[into].max(ranked, mode="drop")
    is_best = ranked == jnp.concatenate([best, jnp.zeros((1, width))])[jnp.minimum(into, bags)]
    places = jnp.where(is_best, number[:, None], count)
    place = jnp.full((bags, width), count).at[into].min(places, mode="drop")
    if not count:
        return jnp.zeros((bags, width)), jnp.zeros((bags, width))
    at = jnp.minimum(place, count - 1)
    values = jnp.take_along_axis(found, at, 0)
    return jnp.where(place < count, values, 0.0), jnp.where(place < count, rows[at], 0)


@family.kernel("_embedding_bag_dense_backward", FLOATS, is_sized=True)
def embedding_bag_backward(
    sizes: Any,
    grad: Array,
    indices: Array,
    offset2bag: Array,
    bag_size: Array,
    maximum_indices: Array,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    samples: Array | None,
    padding_idx: int,
) -> Array:
    """Each row's gradient is the sum of the gradients of its uses, scaled as in the forward pass."""
    total, counts = jnp.zeros(sizes[0]), _integers(bag_size)
    if not grad.size or not total.size:
        return total
    if mode == MAX:
        is_used = (counts != 0)[:, None]
        chosen = maximum_indices.astype(jnp.int64)
        refuse_if(is_used & ((chosen < 0) | (chosen >= num_weights)))
        at = jnp.where(is_used, chosen, num_weights)  # beyond the end: dropped
        return total.at[at, jnp.arange(total.shape[1])].add(grad, mode="drop")
    bags = _integers(offset2bag)
    rows = _integers(indices)[: bags.size]
    is_held = rows != padding_idx
    is_none = (rows < 0) | (rows >= num_weights) | (bags < 0) | (bags >= grad.shape[0])
    refuse_if(is_held & is_none)
    at = jnp.where(is_held, rows, num_weights)
    bags = jnp.clip(bags, 0, grad.shape[0] - 1)
    scale = jnp.ones(rows.size)
    if scale_grad_by_freq:
        uses = jnp.zeros(num_weights, jnp.int64).at[at].add(1, mode="drop")
        scale = scale / uses[jnp.minimum(at, num_weights - 1)]
    if mode == MEAN:
        scale = scale / counts[bags]
    if samples is not None:
        scale = scale * samples.reshape(-1)[: rows.size]
    return total.at[at].add(grad[bags] * scale[:, None], mode="drop")


@family.kernel("_embedding_bag_per_sample_weights_backward", FLOATS, is_sized=True)
def samples_backward(
    sizes: Any,
    grad: Array,
    table: Array,
    indices: Array,
    offsets: Array,
    offset2bag: Array,
    mode: int,
    padding_idx: int,
) -> Array:
    """The dot product of the bag's gradient and the row."""
    rows, bags = _integers(indices), _integers(offset2bag)
    if not bags.size:
        refuse_if(jnp.diff(_integers(offsets)) < 0)
        bags = _bags_of(_integers(offsets), grad.shape[0], rows.size)
    is_held = rows != padding_idx
    is_none = (rows < 0) | (rows >= table.shape[0]) | (bags < 0) | (bags >= grad.shape[0])
    refuse_if(is_none & is_held)
    if not grad.size or not table.size or not rows.size:
        return jnp.zeros(sizes[0])
    at, bags = jnp.clip(rows, 0, table.shape[0] - 1), jnp.clip(bags, 0, grad.shape[0] - 1)
    return _prefix(sizes[0], jnp.where(is_held, jnp.sum(grad[bags] * table[at], axis=1), 0.0))
