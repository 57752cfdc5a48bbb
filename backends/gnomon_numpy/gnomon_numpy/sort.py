"""sort, topk, medians, mode, and searchsorted.

NaN sorts after all other numbers; equal elements keep their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.calls.iterator import result_type
from gnomon.memory.tensor import Tensor

from .arrays import Array, decoded, encoded, numbers, raw, store
from .families import ALL, REAL, REAL_AND_BOOL, Family, refuse_if
from .reduce import rows

family = Family()


def ascending(a: Array, axis: int) -> Array:
    """The positions of the elements along ``axis`` in ascending order."""
    return np.argsort(a, axis=axis, kind="stable")


def descending(a: Array, axis: int) -> Array:
    """The positions in descending order, also stable, so it is not the reverse of ``ascending``."""
    turned = np.flip(ascending(np.flip(a, axis), axis), axis)
    return a.shape[axis] - 1 - turned


def _store_both(values: Tensor, indices: Tensor, a: Array, order: Array, axis: int) -> None:
    """Stores the elements at these positions, and the positions."""
    store(values, np.take_along_axis(a, order, axis).reshape(values._spec.sizes))
    store(indices, order.reshape(indices._spec.sizes))


@family.kernel("sort.stable", REAL_AND_BOOL)
def sort(values: Tensor, indices: Tensor, self: Tensor, stable: Any, dim: int, is_descending: bool) -> None:
    """Sorts each row along ``dim``; also writes the original position of each element."""
    a, axis = rows(numbers(self), dim)
    order = descending(a, axis) if is_descending else ascending(a, axis)
    _store_both(values, indices, a, order, axis)


@family.kernel("topk", REAL)
def topk(
    values: Tensor, indices: Tensor, self: Tensor, k: int, dim: int, largest: bool, sorted: bool
) -> None:
    """The first ``k`` elements of each row in sorted order."""
    a, axis = rows(numbers(self), dim)
    order = descending(a, axis) if largest else ascending(a, axis)
    count = k if self._spec.ndim else 1  # a 0-dim tensor has one element, whatever k is
    _store_both(values, indices, a, np.take(order, np.arange(count), axis), axis)


# ---------------------------------------------------------------------------------------------------------
# Selecting one element of each row.


def _choosing(name: str, dtypes: Any, choose: Any) -> None:
    @family.kernel(name, dtypes)
    def kernel(values: Tensor, indices: Tensor, self: Tensor, *arguments: Any) -> None:
        """The element of each row at position ``choose(rows, *arguments)``, and the position."""
        *rest, dim, _ = arguments
        a, axis = rows(numbers(self), dim)
        lines = np.moveaxis(a, axis, -1)
        position = choose(lines, *rest)[..., None]
        store(values, np.take_along_axis(lines, position, -1).reshape(values._spec.sizes))
        store(indices, position.reshape(indices._spec.sizes))


def _in_order(lines: Array, number: Any) -> Array:
    """For each row, the position of its ``number``-th element in ascending order."""
    order = ascending(lines, -1)
    where = np.broadcast_to(np.asarray(number), lines.shape[:-1])[..., None]
    return np.take_along_axis(order, where, -1)[..., 0]


def _median(lines: Array) -> Array:
    """The position of the lower median, or of the first NaN if there is one."""
    is_nan = lines != lines
    middle = _in_order(lines, (lines.shape[-1] - 1) // 2)
    return np.where(np.any(is_nan, -1), np.argmax(is_nan, -1), middle)


def _nanmedian(lines: Array) -> Array:
    """The position of the lower median among the elements that are not NaN."""
    count = np.count_nonzero(lines == lines, axis=-1)
    return _in_order(lines, np.maximum(count - 1, 0) // 2)


def _mode(lines: Array) -> Array:
    """The last position of the most frequent number (of several, the smallest).  NaN equals nothing."""
    order = ascending(lines, -1)
    ordered = np.take_along_axis(lines, order, -1)
    places = np.arange(lines.shape[-1])
    is_new = np.ones(lines.shape, bool)
    is_new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    run = places - np.maximum.accumulate(np.where(is_new, places, 0), axis=-1)
    return np.take_along_axis(order, np.argmax(run, -1)[..., None], -1)[..., 0]


_choosing("kthvalue", REAL, lambda lines, k: _in_order(lines, k - 1))
_choosing("median.dim", REAL, _median)
_choosing("nanmedian.dim", REAL, _nanmedian)
_choosing("mode", ALL, _mode)


def _flat_median(name: str, choose: Any) -> None:
    @family.kernel(name, ALL)
    def kernel(output: Tensor, self: Tensor) -> None:
        """The median of all elements; NaN if there are none."""
        flat = numbers(self).reshape(-1)
        store(output, flat[choose(flat)] if flat.size else np.nan)


_flat_median("median", _median)
_flat_median("nanmedian", _nanmedian)


# ---------------------------------------------------------------------------------------------------------
# searchsorted.


@family.kernel("searchsorted.Tensor", ALL)
def searchsorted(
    output: Tensor,
    sorted_sequence: Tensor,
    self: Tensor,
    out_int32: bool,
    right: bool,
    side: Any,
    sorter: Tensor | None,
) -> None:
    """Bisection, vectorized over values; comparisons with NaN are false."""
    kind = result_type(sorted_sequence._spec, self._spec)
    lines, values = (_converted(each, kind) for each in (sorted_sequence, self))
    if sorter is not None:
        order = raw(sorter)
        refuse_if(np.any(order < 0) or np.any(order >= lines.shape[-1]))
        lines = np.take_along_axis(lines, order, -1)
    is_behind = np.greater if right or side == "right" else np.greater_equal
    low = np.zeros(values.shape, np.intp)
    high = np.full(values.shape, lines.shape[-1], np.intp)
    while np.any(low < high):
        middle = (low + high) // 2
        at = np.minimum(middle, max(lines.shape[-1] - 1, 0))
        if lines.ndim > 1:
            found = np.take_along_axis(lines, at, -1)
        else:
            found = lines[at]
        goes_left = is_behind(found, values)
        is_open = low < high
        high = np.where(is_open & goes_left, middle, high)
        low = np.where(is_open & ~goes_left, middle + 1, low)
    store(output, low)


def _converted(tensor: Tensor, kind: Any) -> Array:
    """The elements cast to another dtype."""
    return decoded(encoded(numbers(tensor, {}), kind), kind)
