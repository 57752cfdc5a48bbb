"""Indexing: gather, scatter and their relatives; cat, triangles, embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .pointwise import factor, is_bool, multiply
from .programs import ALL, MOVED, REAL, Family, at_least_1d, refuse_if, wrapped

family = Family()


def positions(index: Array, size: int, from_end: bool = False) -> Array:
    """An index's elements as non-negative numbers; refuses those outside of ``size``."""
    at = index.astype(jnp.int64)
    refuse_if((at >= size) | (at < (-size if from_end else 0)))
    return jnp.where(at < 0, at + size, at)


def counted(a: Array) -> Array:
    """For accumulation, bool as integers: a bool sum is true if it is not 0."""
    return a.astype(jnp.int64) if is_bool(a) else a


# ---------------------------------------------------------------------------------------------------------
# self[indices]


def _where(a: Array, indices: Sequence[Array | None]) -> tuple[Any, ...] | None:
    """The index, or None if it selects nothing, and is not looked at."""
    shape = next((each.shape for each in indices if each is not None), ())
    if 0 in shape or any(size == 0 for size, each in zip(a.shape, indices) if each is None):
        return None
    return tuple(
        slice(None) if each is None else positions(each, size, from_end=True)
        for size, each in zip(a.shape, indices)
    )


@family.kernel("_index", MOVED, is_sized=True)
def index(sizes: Any, a: Array, indices: Sequence[Array | None]) -> Array:
    """``a[indices]``."""
    where = _where(a, indices)
    return jnp.zeros(sizes[0], a.dtype) if where is None else a[where]


@family.kernel("_index_put", ALL)
def index_put(a: Array, indices: Sequence[Array | None], values: Array, accumulate: bool) -> Array:
    """``a`` with ``a[indices] = values``, or ``+=``; repeated indices accumulate."""
    where = _where(a, indices)
    if where is None:
        return a
    return counted(a).at[where].add(counted(values)) if accumulate else a.at[where].set(values)


# ---------------------------------------------------------------------------------------------------------
# An index for each element, along one dimension.


def along(a: Array, dim: int, index: Array) -> tuple[Array, ...]:
    """The index of the elements that ``index`` selects along ``dim``."""
    dim, at = wrapped(dim, a.ndim), at_least_1d(index)
    where = [lax.broadcasted_iota(jnp.int64, at.shape, each) for each in range(at.ndim)]
    where[dim] = positions(at, a.shape[dim])
    return tuple(where)


@family.kernel("gather", ALL)
def gather(a: Array, dim: int, index: Array, sparse_grad: bool) -> Array:
    """``output[i][j] = a[index[i][j]][j]`` for dim 0, and so on."""
    if not index.size:
        return jnp.zeros(index.shape, a.dtype)
    rows = at_least_1d(a)
    return rows[along(rows, dim, index)].reshape(index.shape)


def scatter(a: Array, dim: int, index: Array, src: Any, reduce: str | None = None) -> Array:
    """``a`` with ``a[index[i][j]][j] = src[i][j]`` for dim 0, or ``+=``, ``*=``."""
    if not index.size:
        return a
    rows = at_least_1d(a)
    where = along(rows, dim, index)
    if isinstance(src, (bool, int, float, complex)):
        given = factor(src, a)
    else:
        given = at_least_1d(src)[tuple(slice(size) for size in where[0].shape)]
    if reduce is None:
        return rows.at[where].set(given.astype(a.dtype)).reshape(a.shape)
    at = counted(rows).at[where]
    changed = at.add if reduce == "add" else at.multiply
    return changed(counted(given)).reshape(a.shape)


for _name in ("scatter.src", "scatter.value", "scatter.reduce", "scatter.value_reduce"):
    family.kernel(_name, ALL if "reduce" not in _name else REAL)(scatter)


@family.kernel("scatter_add", ALL)
def scatter_add(a: Array, dim: int, index: Array, src: Array) -> Array:
    """``a`` with each element of ``src`` added where ``index`` says."""
    return scatter(a, dim, index, src, "add")


# ---------------------------------------------------------------------------------------------------------
# An index for each slice along one dimension.


def slices_of(a: Array, dim: int) -> Array:
    """The array with ``dim`` moved to the front."""
    a = at_least_1d(a)
    return jnp.moveaxis(a, wrapped(dim, a.ndim), 0)


def back(slices: Array, dim: int, a: Array) -> Array:
    """The array whose ``slices_of`` these are, in the shape of ``a``."""
    return jnp.moveaxis(slices, 0, wrapped(dim, a.ndim)).reshape(a.shape)


@family.kernel("index_select", ALL, is_sized=True)
def index_select(sizes: Any, a: Array, dim: int, index: Array) -> Array:
    """``output[..., i, ...] = a[..., index[i], ...]``."""
    slices = slices_of(a, dim)
    at = at_least_1d(positions(index, slices.shape[0]))
    if not slices.size:
        return jnp.zeros(sizes[0], a.dtype)
    return jnp.moveaxis(slices[at], 0, wrapped(dim, a.ndim)).reshape(sizes[0])


@family.kernel("index_add", ALL)
def index_add(a: Array, dim: int, index: Array, source: Array, alpha: Any) -> Array:
    """``a`` with ``a[..., index[i], ...] += alpha * source[..., i, ...]``."""
    slices, given = slices_of(a, dim), slices_of(source, dim)
    at = at_least_1d(positions(index, slices.shape[0]))
    if not given.size:
        return a
    given = given if alpha == 1 else multiply(factor(alpha, given), given)
    return back(counted(slices).at[at].add(counted(given)), dim, a)


@family.kernel("index_copy", ALL)
def index_copy(a: Array, dim: int, index: Array, source: Array) -> Array:
    """``a`` with ``a[..., index[i], ...] = source[..., i, ...]``."""
    slices, given = slices_of(a, dim), slices_of(source, dim)
    at = at_least_1d(positions(index, slices.shape[0]))
    return back(slices.at[at].set(given), dim, a) if given.size else a


# ---------------------------------------------------------------------------------------------------------
# By position in the flattened tensor; cat, flip, triangles.


@family.kernel("take", ALL)
def take(a: Array, index: Array) -> Array:
    """``a.flatten()[index[i]]``."""
    at = positions(index, a.size, from_end=True)
    return a.reshape(-1)[at] if index.size and a.size else jnp.zeros(index.shape, a.dtype)


@family.kernel("put", ALL)
def put(a: Array, index: Array, source: Array, accumulate: bool) -> Array:
    """``a`` with ``a.flatten()[index[i]] = source[i]``, or ``+=``."""
    at = positions(index, a.size, from_end=True).reshape(-1)
    if not (index.size and a.size):
        return a
    given = source.reshape(-1)
    flat = a.reshape(-1)
    changed = counted(flat).at[at].add(counted(given)) if accumulate else flat.at[at].set(given)
    return changed.reshape(a.shape)


@family.kernel("cat", MOVED, is_sized=True)
def cat(sizes: Any, arrays: Sequence[Array], dim: int) -> Array:
    """Each array in its part of the output; empty 1-D ones are skipped."""
    parts = [each for each in arrays if each.shape != (0,)]
    if not parts:
        return jnp.zeros(sizes[0], arrays[0].dtype)
    return jnp.concatenate(parts, wrapped(dim, parts[0].ndim))


@family.kernel("flip", ALL)
def flip(a: Array, dims: Sequence[int]) -> Array:
    """Reverses each dimension in ``dims``."""
    return jnp.flip(a, tuple(wrapped(dim, a.ndim) for dim in dims)) if a.ndim else a


def _triangle(name: str, is_lower: bool) -> None:
    @family.kernel(name, ALL)
    def kernel(a: Array, diagonal: int) -> Array:
        """0 on the other side of the diagonal."""
        row, column = (lax.broadcasted_iota(jnp.int64, a.shape, a.ndim + at) for at in (-2, -1))
        diagonal = max(min(diagonal, a.shape[-1]), -a.shape[-2])
        is_kept = column - row <= diagonal if is_lower else column - row >= diagonal
        return jnp.where(is_kept, a, jnp.zeros_like(a))


_triangle("tril", True)
_triangle("triu", False)


# ---------------------------------------------------------------------------------------------------------
# embedding.


@family.kernel("embedding", MOVED)
def embedding(weight: Array, indices: Array, padding_idx: int, by_frequency: bool, sparse: bool) -> Array:
    """``weight[indices[...], :]``."""
    at = positions(indices, weight.shape[0])
    if not weight.size or not indices.size:
        return jnp.zeros((*indices.shape, *weight.shape[1:]), weight.dtype)
    return weight[at]


@family.kernel("embedding_dense_backward", ALL)
def embedding_backward(
    grad: Array, indices: Array, num_weights: int, padding_idx: int, by_frequency: bool
) -> Array:
    """Each row's gradient is the sum (with ``by_frequency`` the mean) of the gradients of its uses."""
    at = indices.astype(jnp.int64).reshape(-1)
    rows = counted(grad.reshape(at.size, grad.shape[-1]))
    is_used = (at != padding_idx) & (at >= 0) & (at < num_weights)
    at = jnp.where(is_used, at, num_weights)  # beyond the end: dropped
    total = jnp.zeros((num_weights, rows.shape[1]), rows.dtype).at[at].add(rows, mode="drop")
    if by_frequency:
        counts = jnp.zeros(num_weights, jnp.int64).at[at].add(1, mode="drop")
        total = total / jnp.maximum(counts, 1)[:, None]
    return total
