"""Embedding bags: sums, means and maxima of bags of a table's rows, and the gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, maybe_numbers, numbers, put, raw, store
from .families import FLOATS, Family, refuse_if

family = Family()

SUM, MEAN, MAX = 0, 1, 2  # mode


def _store_prefix(tensor: Tensor, values: Array) -> None:
    """Writes ``values`` to the tensor, as many as it has elements."""
    count = min(tensor._spec.numel, len(values))
    put(raw(tensor)[:count], tensor._spec.dtype, values[:count])


def _integers(tensor: Tensor) -> Array:
    return raw(tensor).astype(np.intp).reshape(-1)


def _bags_of(starts: Array, bags: int, count: int) -> Array:
    """The bag that each of ``count`` positions is in."""
    return np.minimum(np.searchsorted(starts, np.arange(count), "right"), bags) - 1


@family.kernel("_embedding_bag", FLOATS)
def embedding_bag(
    output: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
    padding_idx: int,
) -> None:
    """Reduces the rows of each bag; ``padding_idx`` is ignored."""
    table, rows, starts = numbers(weight, WIDE), _integers(indices), _integers(offsets)
    bags, width = output._spec.sizes
    refuse_if(starts.size and (starts[0] != 0 or starts[-1] > rows.size))
    refuse_if(np.any(np.diff(starts) < 0))
    if not bags:
        _store_prefix(offset2bag, np.full(rows.size, -1))
        rows = rows[:0]
    refuse_if(np.any((rows < 0) | (rows >= table.shape[0])))
    where = _bags_of(starts, bags, rows.size)
    held = np.flatnonzero(rows != padding_idx)
    counts = np.bincount(where[held], minlength=bags)
    _store_prefix(offset2bag, where if bags else np.full(indices._spec.numel, -1))
    _store_prefix(bag_size, np.zeros(bags) if mode == SUM else counts)
    if mode == MAX:
        _largest(output, maximum_indices, table, rows[held], where[held], counts)
        return
    _store_prefix(maximum_indices, np.zeros(bags) if mode == SUM else counts)
    found = table[rows[held]]
    if per_sample_weights is not None:
        found = found * numbers(per_sample_weights, WIDE).reshape(-1)[held, None]
    total = np.zeros((bags, width))
    np.add.at(total, where[held], found)
    store(output, total / np.maximum(counts, 1)[:, None] if mode == MEAN else total)


def _largest(output: Tensor, chosen: Tensor, table: Array, rows: Array, where: Array, counts: Array) -> None:
    """The maximum of each column of a bag, the first of equal elements; NaN wins only if it comes first."""
    best = np.zeros(output._spec.sizes)
    best_row = np.zeros(output._spec.sizes, np.int64)
    begins = np.cumsum(counts) - counts  # the start of each bag: bags are contiguous
    for number in range(int(np.max(counts, initial=0))):
        bags = np.flatnonzero(counts > number)
        row = rows[begins[bags] + number]
        found = table[row]
        is_better = found > best[bags] if number else np.ones(found.shape, bool)
        best[bags] = np.where(is_better, found, best[bags])
        best_row[bags] = np.where(is_better, row[:, None], best_row[bags])
    store(output, best)
    store(chosen, best_row)


@family.kernel("_embedding_bag_dense_backward", FLOATS)
def embedding_bag_backward(
    output: Tensor,
    grad: Tensor,
    indices: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Tensor | None,
    padding_idx: int,
) -> None:
    """Each row's gradient is the sum of the gradients of its uses, scaled as in the forward pass."""
    gradients, sizes = numbers(grad, WIDE), _integers(bag_size)
    total = np.zeros(output._spec.sizes)
    if mode == MAX:
        bags = np.flatnonzero(sizes)
        chosen = raw(maximum_indices)[bags].astype(np.intp)
        refuse_if(np.any((chosen < 0) | (chosen >= num_weights)))
        np.add.at(total, (chosen, np.arange(total.shape[1])), gradients[bags])
        store(output, total)
        return
    where = _integers(offset2bag)
    rows = _integers(indices)[: where.size]
    held = rows != padding_idx
    rows, where = rows[held], where[held]
    refuse_if(np.any((rows < 0) | (rows >= num_weights) | (where < 0) | (where >= gradients.shape[0])))
    scale = np.ones(rows.size)
    if scale_grad_by_freq:
        scale = scale / np.bincount(rows, minlength=num_weights)[rows]
    if mode == MEAN:
        scale = scale / sizes[where]
    if (samples := maybe_numbers(per_sample_weights, WIDE)) is not None:
        scale = scale * samples.reshape(-1)[held]
    np.add.at(total, rows, gradients[where] * scale[:, None])
    store(output, total)


@family.kernel("_embedding_bag_per_sample_weights_backward", FLOATS)
def samples_backward(
    output: Tensor,
    grad: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    offset2bag: Tensor,
    mode: int,
    padding_idx: int,
) -> None:
    """The dot product of the bag's gradient and the row."""
    gradients, table, rows = numbers(grad, WIDE), numbers(weight, WIDE), _integers(indices)
    bags: Any = _integers(offset2bag)
    if not bags.size:
        refuse_if(np.any(np.diff(_integers(offsets)) < 0))
        bags = _bags_of(_integers(offsets), gradients.shape[0], rows.size)
    held = rows != padding_idx
    is_none = (rows < 0) | (rows >= table.shape[0]) | (bags < 0) | (bags >= gradients.shape[0])
    refuse_if(np.any(is_none & held))
    products = np.zeros(rows.size)
    products[held] = np.sum(gradients[bags[held]] * table[rows[held]], axis=1)
    _store_prefix(output, products)
