"""Sorting, topk, medians, mode, and searchsorted.

NaN sorts after all other numbers; equal elements keep their order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from gnomon.calls.iterator import result_type
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import dtype

from .numbers import Array, decoded, encoded
from .pointwise import is_float
from .programs import REAL, REAL_AND_BOOL, Call, Family, at_least_1d, refuse_if, wrapped
from .reductions import rows

family = Family()


def _keys(a: Array, descending: bool) -> Array:
    """Integers in the order of the elements, equal for equal ones; NaN is the largest."""
    if is_float(a):
        a = jnp.where(a == 0, 0.0, jnp.where(a != a, jnp.nan, a))  # one zero and one NaN
        bits = lax.bitcast_convert_type(a, jnp.int64)
        keys = jnp.where(a != a, jnp.iinfo(jnp.int64).max, jnp.where(bits < 0, bits ^ (2**63 - 1), bits))
    else:
        keys = a.astype(jnp.int64)
    return ~keys if descending else keys


def ordered(a: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    """The elements in order along ``axis``, equal ones in their old order, and where each was."""
    number = lax.broadcasted_iota(jnp.int64, a.shape, axis)
    _, places = lax.sort((_keys(a, descending), number), dimension=axis, is_stable=True, num_keys=1)
    return jnp.take_along_axis(a, places, axis), places


@family.kernel("sort.stable", REAL_AND_BOOL, outputs=2)
def sort(a: Array, stable: Any, dim: int, descending: bool) -> tuple[Array, Array]:
    """The elements in order, and where each was."""
    values, places = ordered(at_least_1d(a), wrapped(dim, a.ndim), descending)
    return values.reshape(a.shape), places.reshape(a.shape)


@family.kernel("topk", REAL, outputs=2, is_sized=True)
def topk(sizes: Any, a: Array, k: int, dim: int, largest: bool, is_sorted: bool) -> tuple[Array, Array]:
    """The first k elements in order, and where each was; of a 0-dim tensor always its element."""
    k = k if a.ndim else 1
    axis = wrapped(dim, a.ndim)
    values, places = ordered(at_least_1d(a), axis, largest)
    first, where = (lax.slice_in_dim(each, 0, k, axis=axis) for each in (values, places))
    return first.reshape(sizes[0]), where.reshape(sizes[0])


# ---------------------------------------------------------------------------------------------------------
# Selecting one element of each row.


def _in_order(lines: Array, number: Any) -> Array:
    """For each row, the position of its ``number``-th element in ascending order."""
    _, order = ordered(lines, lines.ndim - 1, False)
    where = jnp.broadcast_to(jnp.asarray(number), lines.shape[:-1])[..., None]
    return jnp.take_along_axis(order, where, -1)[..., 0]


def _median(lines: Array) -> Array:
    """The position of the lower median, or of the first NaN if there is one."""
    is_nan = lines != lines
    middle = _in_order(lines, (lines.shape[-1] - 1) // 2)
    return jnp.where(jnp.any(is_nan, -1), jnp.argmax(is_nan, -1), middle)


def _nanmedian(lines: Array) -> Array:
    """The position of the lower median among the elements that are not NaN."""
    count = jnp.sum(lines == lines, axis=-1)
    return _in_order(lines, jnp.maximum(count - 1, 0) // 2)


def _mode(lines: Array) -> Array:
    """The last position of the most frequent number (of several, the smallest).  NaN equals nothing."""
    sorted_lines, order = ordered(lines, lines.ndim - 1, False)
    places = lax.broadcasted_iota(jnp.int64, lines.shape, lines.ndim - 1)
    is_new = jnp.ones(lines.shape, bool)
    is_new = is_new.at[..., 1:].set(sorted_lines[..., 1:] != sorted_lines[..., :-1])
    run = places - lax.cummax(jnp.where(is_new, places, 0), axis=lines.ndim - 1)
    return jnp.take_along_axis(order, jnp.argmax(run, -1)[..., None], -1)[..., 0]


def _choosing(name: str, choose: Callable[..., Array]) -> None:
    @family.kernel(name, REAL if name == "kthvalue" else REAL_AND_BOOL, outputs=2, is_sized=True)
    def kernel(sizes: Any, a: Array, *arguments: Any) -> tuple[Array, Array]:
        """The element of each row at position ``choose(rows, *arguments)``, and the position."""
        *rest, dim, _ = arguments
        a, axis = rows(a, dim)
        lines = jnp.moveaxis(a, axis, -1)
        if not lines.size:
            return jnp.zeros(sizes[0]), jnp.zeros(sizes[1])
        position = choose(lines, *rest)[..., None]
        values = jnp.take_along_axis(lines, position, -1)
        return values.reshape(sizes[0]), position.reshape(sizes[1])


_choosing("kthvalue", lambda lines, k: _in_order(lines, k - 1))
_choosing("median.dim", _median)
_choosing("nanmedian.dim", _nanmedian)
_choosing("mode", _mode)


def _flat_median(name: str, choose: Callable[[Array], Array]) -> None:
    @family.kernel(name, REAL_AND_BOOL)
    def kernel(a: Array) -> Array:
        """The median of all elements; NaN if there are none."""
        flat = a.reshape(-1)
        return flat[choose(flat)] if flat.size else jnp.float64(jnp.nan)


_flat_median("median", _median)
_flat_median("nanmedian", _nanmedian)


# ---------------------------------------------------------------------------------------------------------
# searchsorted.


def _bisected(
    outputs: Any, lines: Array, values: Array, kind: dtype, is_right: bool, order: Array | None
) -> tuple[Array]:
    """Bisection, for all values at once; comparisons with NaN are false."""
    lines, values = (decoded(encoded(each, kind), kind) for each in (lines, values))
    count = lines.shape[-1]
    if order is not None:
        refuse_if((order < 0) | (order >= count))
    if not count or not values.size:
        return (jnp.zeros(values.shape),)
    if order is not None:
        lines = jnp.take_along_axis(lines, jnp.clip(order, 0, count - 1).astype(jnp.int64), -1)
    low, high = jnp.zeros(values.shape, jnp.int64), jnp.full(values.shape, count, jnp.int64)
    for _ in range(count.bit_length()):
        middle = (low + high) // 2
        at = jnp.minimum(middle, count - 1)
        found = jnp.take_along_axis(lines, at, -1) if lines.ndim > 1 else lines[at]
        goes_left = found > values if is_right else found >= values
        is_open = low < high
        high = jnp.where(is_open & goes_left, middle, high)
        low = jnp.where(is_open & ~goes_left, middle + 1, low)
    return (low,)


def searchsorted(
    output: Tensor,
    sorted_sequence: Tensor,
    self: Tensor,
    out_int32: bool,
    right: bool,
    side: str | None,
    sorter: Tensor | None,
) -> None:
    """Both tensors are converted to their common dtype, which the program has to know."""
    call = Call()
    kind = result_type(sorted_sequence._spec, self._spec)
    arguments = [sorted_sequence, self, kind, right or side == "right", sorter]
    call.run(_bisected, [call.view(output)], [call.viewed(each) for each in arguments])


family.add("searchsorted.Tensor", REAL, _bisected, searchsorted)
