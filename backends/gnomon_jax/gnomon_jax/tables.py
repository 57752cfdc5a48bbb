"""Tables: for each output position along a dimension, its input positions and their weights.

Resampling and padding are linear and separable, and computed from them: a table has a row for each output
position and a column for each neighbour.  Tables are NumPy's arrays, found when a program is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from .numbers import Array


class Table(NamedTuple):
    """Along one dimension: positions, whether a neighbour exists there, and the weights, unless all are 1."""

    positions: Any  # (outputs, neighbours)
    exists: Any
    weights: Any = None


def _beside(column: Any, ndim: int, axis: int) -> Any:
    """A column of a table, reshaped to broadcast along ``axis``."""
    shape = [1] * ndim
    shape[axis] = -1
    return column.reshape(shape)


def picked(a: Array, tables: Sequence[Table]) -> Array:
    """The first neighbour of each position, along the last dimensions."""
    for axis, table in zip(range(a.ndim - len(tables), a.ndim), tables):
        a = _taken(a, table.positions[:, 0], axis)
    return a


def _taken(a: Array, positions: Any, axis: int) -> Array:
    if not a.size:
        return jnp.zeros((*a.shape[:axis], len(positions), *a.shape[axis + 1 :]), a.dtype)
    return jnp.take(a, positions, axis)


def summed(a: Array, tables: Sequence[Table]) -> Array:
    """The weighted sums over the neighbours along the last dimensions, one dimension after the other."""
    for axis, table in zip(range(a.ndim - len(tables), a.ndim), tables):
        shape = *a.shape[:axis], len(table.positions), *a.shape[axis + 1 :]
        total = jnp.full(shape, -0.0, a.dtype)  # the identity of addition
        for column in range(table.positions.shape[1]):
            found = _taken(a, table.positions[:, column], axis)
            if table.weights is not None:
                found = found * _beside(table.weights[:, column], a.ndim, axis)
            total = total + jnp.where(_beside(table.exists[:, column], a.ndim, axis), found, 0)
        a = total
    return a


def shared_out(grad: Array, tables: Sequence[Table], sizes: Sequence[int]) -> Array:
    """The transpose of ``summed``: adds each output's gradient, weighted, to all of its neighbours."""
    for axis, table, size in zip(range(grad.ndim - len(tables), grad.ndim), tables, sizes):
        lines = jnp.moveaxis(grad, axis, 0)
        total = jnp.zeros((size, *lines.shape[1:]), grad.dtype)
        for column in range(table.positions.shape[1]):
            share = lines
            if table.weights is not None:
                share = lines * _beside(table.weights[:, column], grad.ndim, 0)
            at = np.where(table.exists[:, column], table.positions[:, column], size)
            total = total.at[at].add(share, mode="drop")  # beyond the end: dropped
        grad = jnp.moveaxis(total, 0, axis)
    return grad
