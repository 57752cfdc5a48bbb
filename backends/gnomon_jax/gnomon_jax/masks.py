"""Elements chosen by a mask, and reductions of elements that an index brings together; index_fill."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from gnomon.values.dtype import check_number_fits, dtype

from .indexing import along, back, counted, positions, slices_of
from .numbers import Array
from .pointwise import factor, is_complex, is_float
from .programs import ALL, REAL_AND_BOOL, Family, at_least_1d, refuse_if, wrapped

family = Family()


# ---------------------------------------------------------------------------------------------------------
# Masks.


@family.kernel("nonzero_static", ALL)
def nonzero(a: Array, size: int, fill_value: int) -> Array:
    """Row i is the index of the i-th element that is not 0."""
    if not a.ndim:
        return jnp.zeros((size, 0))
    if not a.size:
        return jnp.full((size, a.ndim), fill_value)
    return (
        jnp.stack(jnp.nonzero(a != 0, size=size, fill_value=fill_value), 1)
        if size
        else jnp.zeros((0, a.ndim))
    )


@family.kernel("_masked_select", ALL)
def masked_select(a: Array, mask: Array, size: int) -> Array:
    """The elements where the mask is true."""
    a, chosen = (each.reshape(-1) for each in jnp.broadcast_arrays(a, mask != 0))
    refuse_if(jnp.sum(chosen) != size)
    if not a.size or not size:
        return jnp.zeros(size, a.dtype)
    return a[jnp.nonzero(chosen, size=size, fill_value=0)[0]]


@family.kernel("masked_scatter", ALL, is_sized=True)
def masked_scatter(sizes: Any, a: Array, mask: Array, source: Array) -> Array:
    """``a``, with the elements of ``source`` in order where ``mask`` is true."""
    a, chosen = jnp.broadcast_to(a, sizes[0]), jnp.broadcast_to(mask != 0, sizes[0])
    given = source.reshape(-1)
    refuse_if(jnp.sum(chosen) > given.size)
    if not given.size or not a.size:
        return a
    number = jnp.cumsum(chosen.reshape(-1).astype(jnp.int64)) - 1
    return jnp.where(chosen, given[jnp.clip(number, 0, given.size - 1)].reshape(chosen.shape), a)


# ---------------------------------------------------------------------------------------------------------
# Reductions at an index.


def _lowest(a: Array) -> Any:
    return -jnp.inf if is_float(a) else jnp.iinfo(a.dtype).min


def _highest(a: Array) -> Any:
    return jnp.inf if is_float(a) else jnp.iinfo(a.dtype).max


def _reduced_at(a: Array, where: Any, given: Array, reduce: str, include_self: bool) -> Array:
    """``a`` with its elements at ``where``, which may name one several times, reduced with ``given``."""
    if not include_self:
        first = {"prod": 1, "amax": _lowest(a), "amin": _highest(a)}.get(reduce, 0)
        a = a.at[where].set(jnp.asarray(first, a.dtype))
    at = a.at[where]
    change = {"prod": at.multiply, "amax": at.max, "amin": at.min}.get(reduce, at.add)
    found = change(given)
    if reduce == "mean":
        counts = jnp.full(a.shape, int(include_self), jnp.int64).at[where].add(1)
        if not is_float(a) and not is_complex(a):
            counts = counts.astype(a.dtype)  # wraps around, as the sum did
        counts = jnp.where(counts == 0, 1, counts)
        found = found / counts if is_float(a) or is_complex(a) else jnp.floor_divide(found, counts)
    return found


@family.kernel("scatter_reduce.two", REAL_AND_BOOL)
def scatter_reduce(a: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool) -> Array:
    """Reduces each element of ``a`` with the elements of ``src`` that are scattered to it."""
    if not index.size:
        return a
    rows = at_least_1d(a)
    where = along(rows, dim, index)
    given = at_least_1d(src)[tuple(slice(size) for size in where[0].shape)]
    return _reduced_at(counted(rows), where, counted(given), reduce, include_self).reshape(a.shape)


@family.kernel("index_reduce", REAL_AND_BOOL)
def index_reduce(a: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool) -> Array:
    """Reduces each slice of ``a`` with the slices of ``source`` that the index adds to it."""
    parts, given = slices_of(counted(a), dim), slices_of(counted(source), dim)
    at = at_least_1d(positions(index, parts.shape[0]))
    return back(_reduced_at(parts, at, given, reduce, include_self), dim, a) if given.size else a


# ---------------------------------------------------------------------------------------------------------
# index_fill.


def _index_fill(name: str) -> None:
    @family.kernel(name, ALL, is_typed=True)
    def kernel(kind: dtype, a: Array, dim: int, index: Array, value: Any) -> Array:
        """``a`` with ``a[..., index[i], ...] = value``."""
        if not isinstance(value, (bool, int, float, complex)):
            refuse_if(jnp.asarray(value.dtype != a.dtype))  # it may not fit
            number = value.reshape(-1)[0].astype(a.dtype)
        else:
            try:
                check_number_fits(value, kind)
            except RuntimeError:
                refuse_if(jnp.asarray(True))
                value = 0
            number = factor(value.real if isinstance(value, complex) and not is_complex(a) else value, a)
        parts = slices_of(a, dim)
        at = at_least_1d(positions(index, a.shape[wrapped(dim, a.ndim)] if a.ndim else 1, from_end=True))
        return back(parts.at[at].set(number), dim, a) if parts.size and at.size else a


for _name in ("index_fill.int_Scalar", "index_fill.int_Tensor"):
    _index_fill(_name)
