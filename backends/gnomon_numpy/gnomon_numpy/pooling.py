"""Max and average pooling, and their gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, numbers, store
from .families import ALL, FLOATS, REAL, Family, refuse_if
from .tables import Table, adaptive_table, neighbours, shared_out, strided_table, summed
from .windows import spread

family = Family()


# ---------------------------------------------------------------------------------------------------------
# Max pooling.


def _largest(a: Array, tables: Sequence[Table], best: Any, first: Array) -> tuple[Array, Array]:
    """The maximum of each window (NaN is the largest), and the index in the plane of its first occurrence.

    ``best`` and ``first`` are the value and the index for windows without elements.
    """
    shape = (*a.shape[: a.ndim - len(tables)], *(len(table.positions) for table in tables))
    values = np.full(shape, best, a.dtype)
    places = np.broadcast_to(first, shape).copy()
    is_new = np.ones(shape[len(shape) - len(tables) :], bool)
    for found, exists, flat in neighbours(a, tables):
        is_better = exists & (is_new | (found > values) | (found != found))
        values = np.where(is_better, found, values)
        places = np.where(is_better, flat, places)
        is_new = is_new & ~exists
    return values, places


def _window(spatial: int, kernel_size: Any, stride: Any, *others: Any) -> list[tuple[int, ...]]:
    """Expands each list to all spatial dimensions; the default stride is the kernel size."""
    kernel = spread(kernel_size, spatial)
    steps = kernel if not stride and not isinstance(stride, int) else spread(stride, spatial)
    return [kernel, steps, *(spread(each, spatial) for each in others)]


def _max_pool_kernel(name: str, spatial: int) -> None:
    @family.kernel(name, REAL)
    def kernel(
        values: Tensor,
        indices: Tensor,
        self: Tensor,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        ceil_mode: bool,
    ) -> None:
        """The largest element of each window, and where it is."""
        a = numbers(self)
        sizes, pooled = a.shape[-spatial:], values._spec.sizes[-spatial:]
        window = _window(spatial, kernel_size, stride, padding, dilation)
        tables = [strided_table(*each) for each in zip(sizes, pooled, *window)]
        lowest = -np.inf if a.dtype.kind == "f" else np.iinfo(a.dtype).min
        # the index for a window that misses the input by dilation: its first position that is not negative
        first = np.zeros([1] * spatial, np.int64)
        starts = [np.arange(count) * step - pad for count, step, pad in zip(pooled, window[1], window[2])]
        for start, spacing, size in zip(np.ix_(*starts), window[3], sizes):
            first = first * size + np.where(start >= 0, start, start % spacing)
        largest, places = _largest(a, tables, lowest, first)
        store(values, largest)
        store(indices, places)


def _adaptive_max_kernel(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS)
    def kernel(values: Tensor, indices: Tensor, self: Tensor, output_size: Any) -> None:
        """The largest element of each window, and where it is."""
        a = numbers(self)
        pooled = values._spec.sizes[-spatial:]
        tables = [adaptive_table(*each) for each in zip(a.shape[-spatial:], pooled)]
        largest, places = _largest(a, tables, -np.inf, np.zeros([1] * spatial, np.int64))
        store(values, largest)
        store(indices, places)


def _max_backward_kernel(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS)
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor, *arguments: Any) -> None:
        """Adds each gradient to the element that was the maximum."""
        sizes = grad_input._spec.sizes
        planes, size = math.prod(sizes[:-spatial]), math.prod(sizes[-spatial:])
        grad = numbers(grad_output, WIDE)
        count = math.prod(grad.shape[-spatial:])
        chosen = numbers(arguments[-1]).reshape(planes, count)
        is_inside = (chosen >= 0) & (chosen < size)
        at = (np.arange(planes)[:, None] * size + chosen)[is_inside]
        result = np.zeros(planes * size)
        np.add.at(result, at, grad.reshape(planes, count)[is_inside])
        store(grad_input, result.reshape(sizes))


for _dims in (2, 3):
    _max_pool_kernel(f"max_pool{_dims}d_with_indices", _dims)
    _max_backward_kernel(f"max_pool{_dims}d_with_indices_backward", _dims)
    _adaptive_max_kernel(f"adaptive_max_pool{_dims}d", _dims)
    _max_backward_kernel(f"adaptive_max_pool{_dims}d_backward", _dims)


# ---------------------------------------------------------------------------------------------------------
# Average pooling.


def _quotient(total: Array, by: Any) -> Array:
    """The quotient, for int64 rounded towards zero; a divisor of 0 is replaced by 1."""
    by = np.where(by == 0, 1, by)
    if total.dtype.kind not in "iu":
        return total / by
    quotient = np.floor_divide(total, by)
    return quotient + ((quotient * by != total) & ((total < 0) != (by < 0)))


def _average_tables(
    sizes: Sequence[int],
    pooled: Sequence[int],
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> tuple[list[Table], Any]:
    """The tables of the windows, and the divisors of their sums."""
    refuse_if(divisor_override == 0)
    kernel, steps, pads = _window(len(sizes), kernel_size, stride, padding)
    tables = [strided_table(*each) for each in zip(sizes, pooled, kernel, steps, pads)]
    if divisor_override:
        return tables, np.asarray(divisor_override)
    lengths = []
    for table, size, count, taps, step, pad in zip(tables, sizes, pooled, kernel, steps, pads):
        starts = np.arange(count) * step - pad
        padded = np.minimum(starts + taps, size + pad) - starts
        lengths.append(padded if count_include_pad else np.count_nonzero(table.exists, axis=1))
    divisors = np.ones([1] * len(sizes), np.int64)
    for each in np.ix_(*lengths):
        divisors = divisors * each
    return tables, divisors


def _average_kernel(name: str, spatial: int) -> None:
    @family.kernel(name, ALL)
    def kernel(output: Tensor, self: Tensor, *window: Any) -> None:
        """The sum of each window, divided by its divisor; for int64 rounded towards zero."""
        a = numbers(self, WIDE)
        tables, divisors = _average_tables(a.shape[-spatial:], output._spec.sizes[-spatial:], *window)
        store(output, _quotient(summed(a, tables), divisors))


def _average_backward_kernel(name: str, spatial: int) -> None:
    @family.kernel(name, ALL)
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor, *window: Any) -> None:
        """Each element's gradient is the sum of its windows' gradients, each divided as the window was."""
        grad = numbers(grad_output, WIDE)
        sizes = grad_input._spec.sizes[-spatial:]
        tables, divisors = _average_tables(sizes, grad.shape[-spatial:], *window)
        store(grad_input, shared_out(_quotient(grad, divisors), tables, sizes))


def _adaptive_tables(sizes: Sequence[int], pooled: Sequence[int]) -> tuple[list[Table], Any]:
    tables = [adaptive_table(*each) for each in zip(sizes, pooled)]
    counts = np.ones([1] * len(sizes), np.int64)
    for each in np.ix_(*(np.count_nonzero(table.exists, axis=1) for table in tables)):
        counts = counts * each
    return tables, counts


def _adaptive_average_kernel(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS)
    def kernel(output: Tensor, self: Tensor, output_size: Any) -> None:
        """The mean of each window."""
        a = numbers(self, WIDE)
        tables, counts = _adaptive_tables(a.shape[-spatial:], output._spec.sizes[-spatial:])
        store(output, summed(a, tables) / counts)


def _adaptive_average_backward_kernel(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS)
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor) -> None:
        """Each element's gradient is the sum of its windows' gradients, each divided by the window's size."""
        grad, sizes = numbers(grad_output, WIDE), grad_input._spec.sizes[-spatial:]
        tables, counts = _adaptive_tables(sizes, grad.shape[-spatial:])
        store(grad_input, shared_out(grad / counts, tables, sizes))


for _dims in (2, 3):
    _average_kernel(f"avg_pool{_dims}d", _dims)
    _average_backward_kernel(f"avg_pool{_dims}d_backward", _dims)
    _adaptive_average_kernel(f"_adaptive_avg_pool{_dims}d", _dims)
    _adaptive_average_backward_kernel(f"_adaptive_avg_pool{_dims}d_backward", _dims)
