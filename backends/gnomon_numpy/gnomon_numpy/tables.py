"""Tables: for each output position along a dimension, its input positions.

Separable linear operators (averages, resampling), and those with windows of varying length, are computed from
them: a table has a row for each output position and a column for each neighbour, and only the columns are
looped over.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .arrays import Array


class Table(NamedTuple):
    """Along one dimension: positions, whether a neighbour exists there, and the weights, unless all are 1."""

    positions: Array  # (outputs, neighbours)
    exists: Array
    weights: Array | None = None


def strided_table(size: int, count: int, taps: int, stride: int, padding: int, dilation: int = 1) -> Table:
    """Windows of ``taps`` elements; columns that are outside the input for all windows are left out."""
    starts = np.arange(count) * stride - padding
    before = np.where(starts < 0, -(starts // dilation), 0)  # the number of taps before the input
    first = starts + before * dilation
    inside = np.clip(np.minimum(taps - before, -((first - size) // dilation)), 0, None)
    taken = np.arange(np.max(inside, initial=0))
    exists = taken < inside[:, None]
    return Table(np.where(exists, first[:, None] + taken * dilation, 0), exists)


def adaptive_table(size: int, count: int) -> Table:
    """The windows of adaptive pooling."""
    at = np.arange(count)
    starts, ends = at * size // max(count, 1), -(-(at + 1) * size // max(count, 1))
    longest = int(np.max(ends - starts, initial=0))
    positions = starts[:, None] + np.arange(longest)
    exists = positions < ends[:, None]
    return Table(np.where(exists, positions, 0), exists)


def _beside(column: Array, ndim: int, axis: int) -> Array:
    """A column of a table, reshaped to broadcast along ``axis``."""
    shape = [1] * ndim
    shape[axis] = -1
    return column.reshape(shape)


def summed(a: Array, tables: Sequence[Table]) -> Array:
    """The (weighted) sums over the neighbours along the last dimensions, one dimension after the other."""
    for axis, table in zip(range(a.ndim - len(tables), a.ndim), tables):
        total = np.zeros((*a.shape[:axis], len(table.positions), *a.shape[axis + 1 :]), a.dtype)
        if table.weights is not None:
            total = -total  # -0.0, the identity of addition
        for column in range(table.positions.shape[1]):
            found = np.take(a, table.positions[:, column], axis)
            if table.weights is not None:
                found = found * _beside(table.weights[:, column], a.ndim, axis)
            total += np.where(_beside(table.exists[:, column], a.ndim, axis), found, 0)
        a = total
    return a


def shared_out(grad: Array, tables: Sequence[Table], sizes: Sequence[int]) -> Array:
    """The transpose of ``summed``: adds each output's gradient, weighted, to all of its neighbours."""
    for axis, table, size in zip(range(grad.ndim - len(tables), grad.ndim), tables, sizes):
        lines = np.moveaxis(grad, axis, 0)
        total = np.zeros((size, *lines.shape[1:]), grad.dtype)
        for column in range(table.positions.shape[1]):
            share = lines
            if table.weights is not None:
                share = lines * _beside(table.weights[:, column], grad.ndim, 0)
            exists = table.exists[:, column]
            np.add.at(total, table.positions[exists, column], share[exists])
        grad = np.moveaxis(total, 0, axis)
    return grad


def neighbours(a: Array, tables: Sequence[Table]) -> Iterator[tuple[Array, Array, Array]]:
    """Each combination of columns: the elements there, whether they exist, and their flat positions."""
    sizes = a.shape[a.ndim - len(tables) :]
    for columns in itertools.product(*(range(table.positions.shape[1]) for table in tables)):
        count, where, exists = len(tables), [], np.ones([1] * len(tables), bool)
        for axis, (table, column) in enumerate(zip(tables, columns)):
            where.append(_beside(table.positions[:, column], count, axis))
            exists = exists & _beside(table.exists[:, column], count, axis)
        flat = np.zeros([1] * len(tables), np.int64)
        for position, size in zip(where, sizes):
            flat = flat * size + position
        yield a[(...,) + tuple(where)], exists, flat
