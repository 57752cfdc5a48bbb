"""Indexing: gather, scatter and their relatives; cat, masks, triangles, embedding.

Kernels that only move elements move them in stored form.  For an index out of range the reference raises the
error.  Of several values for one position the last one wins, as in NumPy's assignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import check_number_fits, dtype

from .arrays import Array, at_least_1d, numbers, put, raw, scalar, store, wrapped
from .families import ALL, EVERY, Family, as_number, refuse_if

family = Family()


def positions(index: Tensor, size: int, from_end: bool = False) -> Array:
    """An index's elements, checked against ``size``, as non-negative numbers."""
    at = raw(index).astype(np.intp)
    refuse_if(np.any(at >= size) or np.any(at < (-size if from_end else 0)))
    return np.where(at < 0, at + size, at) if from_end else at


# ---------------------------------------------------------------------------------------------------------
# self[indices]


def _index_of(self: Tensor, indices: Sequence[Tensor | None]) -> Any:
    """The index for NumPy, and whether it selects nothing."""
    sizes = self._spec.sizes
    shape = next((each._spec.sizes for each in indices if each is not None), ())
    is_empty = 0 in shape or any(size == 0 for size, each in zip(sizes, indices) if each is None)
    found: list[Any] = []
    for size, index in zip(sizes, indices):
        if index is None:
            found.append(slice(None))
        elif is_empty:  # nothing is read, so indices are not checked
            found.append(np.zeros(index._spec.sizes, np.intp))
        else:
            found.append(positions(index, size, from_end=True))
    return tuple(found), is_empty


@family.kernel("_index", EVERY)
def index(output: Tensor, self: Tensor, indices: Sequence[Tensor | None]) -> None:
    """``output = self[indices]``."""
    where, is_empty = _index_of(self, indices)
    if not is_empty:
        raw(output)[...] = raw(self)[where]


@family.kernel("_index_put", ALL)
def index_put(
    output: Tensor, self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool
) -> None:
    """``output = self``, then ``output[indices] = values`` (or ``+=``; repeated indices accumulate)."""
    where, is_empty = _index_of(self, indices)
    if is_empty:
        raw(output)[...] = raw(self)
    elif accumulate:
        _add_at(output, self, where, numbers(values))
    else:
        given = raw(values)
        given = given.copy() if np.shares_memory(given, raw(output)) else given
        raw(output)[...] = raw(self)
        raw(output)[where] = given


def _add_at(output: Tensor, self: Tensor, where: Any, values: Array) -> None:
    """``output = self``, then adds each value at its position.

    In an expanded output, which is written in place, many positions share one element, to which all their
    values are added.
    """
    before, (result,) = raw(output), _counted(np.array(numbers(self)))
    distinct = tuple(slice(1) if step == 0 else slice(None) for step in before.strides)
    elements = result[distinct]
    places = np.broadcast_to(np.arange(elements.size).reshape(elements.shape), result.shape)
    flat = elements.reshape(-1).copy()
    np.add.at(flat, places[where], *_counted(values))
    put(before[distinct], output._spec.dtype, flat.reshape(elements.shape))


# ---------------------------------------------------------------------------------------------------------
# An index for each element, along one dimension.


def _along(self: Tensor, dim: int, index: Tensor) -> Any:
    """The NumPy index of the elements that ``index`` selects along ``dim``."""
    sizes = self._spec.sizes or (1,)
    dim = wrapped(dim, len(sizes))
    at = at_least_1d(positions(index, sizes[dim]))
    where: list[Any] = list(np.indices(at.shape, sparse=True))
    where[dim] = at
    return tuple(where)


@family.kernel("gather", ALL)
def gather(output: Tensor, self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> None:
    """``output[i][j] = self[index[i][j]][j]`` for dim 0, and so on."""
    if index._spec.numel:
        found = at_least_1d(raw(self))[_along(self, dim, index)]
        raw(output)[...] = found.reshape(output._spec.sizes)


def _source(src: Any, index: Tensor, is_stored: bool, kind: dtype) -> Any:
    """The values to write: as many elements of ``src`` as the index has, or a number."""
    if not isinstance(src, Tensor):
        return scalar(src, kind) if is_stored else np.asarray(as_number(src, kind))
    array = at_least_1d(raw(src) if is_stored else numbers(src))
    return array[tuple(slice(size) for size in (index._spec.sizes or (1,)))]


def _counted(*arrays: Array) -> tuple[Array, ...]:
    """The arrays for accumulation: bool becomes integer, because a bool sum is true if it is not 0."""
    return tuple(each.astype(np.int64) if each.dtype.kind == "b" else each for each in arrays)


def _scatter(
    output: Tensor, self: Tensor, dim: int, index: Tensor, src: Any, reduce: str | None = None
) -> None:
    """``output = self``, then ``output[index[i][j]][j] = src[i][j]`` for dim 0 (or ``+=``, ``*=``)."""
    if not index._spec.numel:
        raw(output)[...] = raw(self)
        return
    where = _along(self, dim, index)
    given = _source(src, index, reduce is None, output._spec.dtype)
    if reduce is None:
        raw(output)[...] = raw(self)
        at_least_1d(raw(output))[where] = given
        return
    result, values = _counted(np.array(at_least_1d(numbers(self))), given)
    function = np.add if reduce == "add" else np.multiply
    function.at(result, where, values.astype(result.dtype))
    store(output, result.reshape(output._spec.sizes))


for _name in ("scatter.src", "scatter.value", "scatter.reduce", "scatter.value_reduce"):
    family.add(_name, ALL, _scatter)


@family.kernel("scatter_add", ALL)
def scatter_add(output: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
    """``self`` with each element of ``src`` added where ``index`` says."""
    _scatter(output, self, dim, index, src, "add")


_REDUCTIONS: dict[str, tuple[Any, Any]] = {  # the function of two elements, and its identity
    "sum": (np.add, 0),
    "mean": (np.add, 0),
    "prod": (np.multiply, 1),
    "amax": (np.maximum, None),
    "amin": (np.minimum, None),
}


@family.kernel("scatter_reduce.two", ALL)
def scatter_reduce(
    output: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool
) -> None:
    """Reduces each element of ``self`` with the elements of ``src`` that are scattered to it."""
    if not index._spec.numel:
        raw(output)[...] = raw(self)
        return
    where = _along(self, dim, index)
    given = _source(src, index, False, output._spec.dtype)
    result, values = _counted(np.array(at_least_1d(numbers(self))), given)
    _reduce_at(result, where, values, reduce, include_self)
    store(output, result.reshape(output._spec.sizes))


def _reduce_at(result: Array, where: Any, values: Array, reduce: str, include_self: bool) -> None:
    """Reduces the elements of ``result`` at ``where``, which may name one several times, with ``values``."""
    function, first = _REDUCTIONS[reduce]
    counts = np.full(result.shape, int(include_self))
    np.add.at(counts, where, 1)
    if not include_self:
        # amax and amin have no identity: start with one of the values, which does not change the result
        result[where] = values if first is None else first
    function.at(result, where, values)
    if reduce == "mean":
        if result.dtype.kind in "iu":
            counts = counts.astype(result.dtype)  # wraps around, as the sum did
        counts = np.where(counts == 0, 1, counts)
        result[...] = np.floor_divide(result, counts) if result.dtype.kind in "iu" else result / counts


# ---------------------------------------------------------------------------------------------------------
# An index for each slice along one dimension.


def _slices(array: Array, dim: int) -> Array:
    """The array with ``dim`` moved to the front."""
    array = at_least_1d(array)
    return np.moveaxis(array, wrapped(dim, array.ndim), 0)


def _size(self: Tensor, dim: int) -> int:
    sizes = self._spec.sizes or (1,)
    return sizes[wrapped(dim, len(sizes))]


@family.kernel("index_select", EVERY)
def index_select(output: Tensor, self: Tensor, dim: int, index: Tensor) -> None:
    """``output[..., i, ...] = self[..., index[i], ...]``."""
    at = at_least_1d(positions(index, _size(self, dim)))
    _slices(raw(output), dim)[...] = _slices(raw(self), dim)[at]


@family.kernel("index_add", ALL)
def index_add(output: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> None:
    """``output = self``, then ``output[..., index[i], ...] += alpha * source[..., i, ...]``."""
    at = at_least_1d(positions(index, _size(self, dim)))
    factor = self._spec.dtype.cast(alpha)
    result, given = _counted(np.array(at_least_1d(numbers(self))), _slices(numbers(source), dim))
    np.add.at(_slices(result, dim), at, given if factor == 1 else (factor * given).astype(result.dtype))
    store(output, result.reshape(output._spec.sizes))


@family.kernel("index_reduce", ALL)
def index_reduce(
    output: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> None:
    """Reduces each slice of ``self`` with the slices of ``source`` that the index adds to it."""
    at = at_least_1d(positions(index, _size(self, dim)))
    result, given = _counted(np.array(at_least_1d(numbers(self))), _slices(numbers(source), dim))
    _reduce_at(_slices(result, dim), at, given, reduce, include_self)
    store(output, result.reshape(output._spec.sizes))


@family.kernel("index_copy", ALL)
def index_copy(output: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """``output = self``, then ``output[..., index[i], ...] = source[..., i, ...]``."""
    at = at_least_1d(positions(index, _size(self, dim)))
    raw(output)[...] = raw(self)
    _slices(raw(output), dim)[at] = _slices(raw(source), dim)


def _index_fill(output: Tensor, self: Tensor, dim: int, index: Tensor, value: Any) -> None:
    """``output = self``, then ``output[..., index[i], ...] = value``."""
    at = at_least_1d(positions(index, _size(self, dim), from_end=True))
    number = numbers(value, {}).reshape(-1)[0].item() if isinstance(value, Tensor) else value
    check_number_fits(number, output._spec.dtype)
    raw(output)[...] = raw(self)
    _slices(raw(output), dim)[at] = scalar(number, output._spec.dtype)


for _name in ("index_fill.int_Scalar", "index_fill.int_Tensor"):
    family.add(_name, ALL, _index_fill)


# ---------------------------------------------------------------------------------------------------------
# By position in the flattened tensor.


@family.kernel("take", ALL)
def take(output: Tensor, self: Tensor, index: Tensor) -> None:
    """``output[i] = self.flatten()[index[i]]``."""
    flat = raw(self).reshape(-1)
    at = positions(index, flat.size, from_end=True)
    raw(output)[...] = flat[at]


@family.kernel("put", ALL)
def put_at(output: Tensor, self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> None:
    """``output = self``, then ``output.flatten()[index[i]] = source[i]`` (or ``+=``)."""
    at = positions(index, self._spec.numel, from_end=True).reshape(-1)
    kept = numbers(self) if accumulate else raw(self)
    flat = np.array(kept).reshape(-1)
    if not accumulate:
        flat[at] = raw(source).reshape(-1)
        raw(output)[...] = flat.reshape(output._spec.sizes)
        return
    flat, values = _counted(flat, numbers(source).reshape(-1))
    np.add.at(flat, at, values)
    store(output, flat.reshape(output._spec.sizes))


# ---------------------------------------------------------------------------------------------------------
# Masks.


@family.kernel("nonzero_static", ALL)
def nonzero(output: Tensor, self: Tensor, size: int, fill_value: int) -> None:
    """Row i is the index of the i-th element that is not 0."""
    a = numbers(self)
    found = np.argwhere(a != 0)[:size] if a.ndim else np.zeros((int(a != 0), 0), np.int64)[:size]
    rows = np.full((size, a.ndim), fill_value, np.int64)
    rows[: len(found)] = found
    store(output, rows)


@family.kernel("_masked_select", ALL)
def masked_select(output: Tensor, self: Tensor, mask: Tensor, size: int) -> None:
    """The elements where the mask is true."""
    array, chosen = np.broadcast_arrays(raw(self), raw(mask) != 0)
    found = array[chosen]
    refuse_if(found.size != size)
    raw(output)[...] = found


@family.kernel("masked_scatter", ALL)
def masked_scatter(output: Tensor, self: Tensor, mask: Tensor, source: Tensor) -> None:
    """``output = self``, with the elements of ``source`` in order where ``mask`` is true."""
    chosen = np.broadcast_to(raw(mask) != 0, output._spec.sizes)
    count, given = np.count_nonzero(chosen), raw(source).reshape(-1)
    refuse_if(count > given.size)
    result = np.array(np.broadcast_to(raw(self), output._spec.sizes))
    result[chosen] = given[:count]
    raw(output)[...] = result


# ---------------------------------------------------------------------------------------------------------
# cat, flip, tril and triu.


@family.kernel("cat", EVERY)
def cat(output: Tensor, tensors: Sequence[Tensor], dim: int) -> None:
    """Copies each tensor into its part of the output; empty 1-D tensors are skipped."""
    out = raw(output)
    if not out.ndim:
        return
    start, parts = 0, _slices(out, dim)
    for tensor in tensors:
        if tensor._spec.sizes == (0,):
            continue
        part = _slices(raw(tensor), dim)
        parts[start : start + len(part)] = part
        start += len(part)


@family.kernel("flip", EVERY)
def flip(output: Tensor, self: Tensor, dims: Sequence[int]) -> None:
    """Reverses each dimension in ``dims``."""
    a = raw(self)
    raw(output)[...] = np.flip(a, tuple(wrapped(dim, a.ndim) for dim in dims)) if a.ndim else a


def _triangle_kernel(name: str, function: Any) -> None:
    @family.kernel(name, ALL)
    def kernel(output: Tensor, self: Tensor, diagonal: int) -> None:
        """Writes 0 on the other side of the diagonal."""
        a = raw(self)
        raw(output)[...] = function(a, max(min(diagonal, a.shape[-1]), -a.shape[-2]))


_triangle_kernel("tril", np.tril)
_triangle_kernel("triu", np.triu)


# ---------------------------------------------------------------------------------------------------------
# embedding.


@family.kernel("embedding", EVERY)
def embedding(
    output: Tensor, weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> None:
    """``output[..., :] = weight[indices[...], :]``."""
    table = raw(weight)
    raw(output)[...] = table[positions(indices, table.shape[0])]


@family.kernel("embedding_dense_backward", ALL)
def embedding_backward(
    grad_weight: Tensor,
    grad_output: Tensor,
    indices: Tensor,
    num_weights: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
) -> None:
    """Each row's gradient is the sum (with ``scale_grad_by_freq`` the mean) of the gradients of its uses."""
    grad = numbers(grad_output)
    at = raw(indices).astype(np.intp).reshape(-1)
    rows = grad.reshape(at.size, grad_weight._spec.sizes[1])
    is_used = (at != padding_idx) & (at >= 0) & (at < num_weights)
    total = np.zeros((num_weights, rows.shape[1]), rows.dtype)
    np.add.at(total, at[is_used], rows[is_used])
    if scale_grad_by_freq:
        counts = np.bincount(at[is_used], minlength=num_weights)
        total = total / np.maximum(counts, 1).astype(total.real.dtype)[:, None]
    store(grad_weight, total)
