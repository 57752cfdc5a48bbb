"""Max and average pooling in two and three dimensions, and their gradients.

The windows' elements are gathered as one more dimension, from positions that are found when the program is
made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from .convolution import spread
from .numbers import Array
from .pointwise import is_float
from .programs import FLOATS, REAL, Family, refuse_if

family = Family()

Windows = tuple[Any, Any]  # of each window: the flat positions of its elements in the plane, and which exist


def _windows(
    starts: Sequence[Any], ends: Sequence[Any], spacings: Sequence[int], sizes: Sequence[int]
) -> Windows:
    """The windows that begin and end there along each dimension; NumPy's arrays (windows, elements)."""
    flat: Any = np.zeros((1, 1), np.int64)
    exists: Any = np.ones((1, 1), bool)
    for start, end, spacing, size in zip(starts, ends, spacings, sizes):
        longest = max(int(np.max(-(-(end - start) // spacing), initial=0)), 0)
        at = start[:, None] + np.arange(longest) * spacing
        is_there = (at >= 0) & (at < np.minimum(end, size)[:, None])
        shape = flat.shape[0] * len(start), flat.shape[1] * longest
        inner = np.where(is_there, at, 0)[None, :, None, :]
        flat = (flat[:, None, :, None] * size + inner).reshape(shape)
        exists = (exists[:, None, :, None] & is_there[None, :, None, :]).reshape(shape)
    return flat, exists


def _strided(sizes: Sequence[int], pooled: Sequence[int], kernel: Any, stride: Any, *others: Any) -> Any:
    """The expanded arguments of a pool, and its windows: kernel, steps, pads, and spacings if given."""
    count = len(sizes)
    kernel = spread(kernel, count)
    steps = kernel if not stride and not isinstance(stride, int) else spread(stride, count)
    pads, *more = (spread(each, count) for each in others)
    spacings = more[0] if more else (1,) * count
    starts = [np.arange(each) * step - pad for each, step, pad in zip(pooled, steps, pads)]
    ends = [start + taps * spacing for start, taps, spacing in zip(starts, kernel, spacings)]
    return (kernel, steps, pads, spacings, starts), _windows(starts, ends, spacings, sizes)


def _adaptive(sizes: Sequence[int], pooled: Sequence[int]) -> Windows:
    """The windows of adaptive pooling."""
    ranges = [np.arange(each) for each in pooled]
    starts = [at * size // max(each, 1) for at, size, each in zip(ranges, sizes, pooled)]
    ends = [-(-(at + 1) * size // max(each, 1)) for at, size, each in zip(ranges, sizes, pooled)]
    return _windows(starts, ends, (1,) * len(sizes), sizes)


def _planes(a: Array, spatial: int) -> Array:
    return a.reshape(math.prod(a.shape[:-spatial]), math.prod(a.shape[-spatial:]))


# ---------------------------------------------------------------------------------------------------------
# Max pooling.


def _largest(a: Array, spatial: int, windows: Windows, empty: Any) -> tuple[Array, Array]:
    """The maximum of each window, of NaN the last, and its place; ``empty``: of windows without elements."""
    flat, exists = windows
    lowest = -math.inf if is_float(a) else int(jnp.iinfo(a.dtype).min)
    if not flat.size or not a.size:
        shape = (math.prod(a.shape[:-spatial]), flat.shape[0])
        return jnp.full(shape, lowest, a.dtype), jnp.broadcast_to(empty, shape)
    found = jnp.where(exists, _planes(a, spatial)[:, flat], jnp.asarray(lowest, a.dtype))
    number = np.arange(flat.shape[1])
    is_nan = found != found
    is_best = ((found == jnp.max(found, -1, keepdims=True)) & exists) | is_nan
    first = jnp.min(jnp.where(is_best, number, flat.shape[1]), -1)
    last_nan = jnp.max(jnp.where(is_nan, number, -1), -1)
    chosen = jnp.where(last_nan >= 0, last_nan, jnp.minimum(first, flat.shape[1] - 1))
    values = jnp.take_along_axis(found, chosen[..., None], -1)[..., 0]
    places = jnp.take_along_axis(jnp.broadcast_to(flat, found.shape), chosen[..., None], -1)[..., 0]
    return values, jnp.where(exists.any(-1), places, empty)


def _max_pool(name: str, spatial: int) -> None:
    @family.kernel(name, REAL, outputs=2, is_sized=True)
    def kernel(sizes: Any, a: Array, *window: Any) -> tuple[Array, Array]:
        """The largest element of each window, and where it is."""
        plane = a.shape[-spatial:]
        (_, _, _, spacings, starts), windows = _strided(plane, sizes[0][-spatial:], *window[:4])
        # the index for a window that misses the input by dilation: its first position that is not negative
        empty = np.zeros([1] * spatial, np.int64)
        for start, spacing, size in zip(np.ix_(*starts), spacings, plane):
            empty = empty * size + np.where(start >= 0, start, start % spacing)
        found = _largest(a, spatial, windows, empty.reshape(-1))
        return found[0].reshape(sizes[0]), found[1].reshape(sizes[1])


def _adaptive_max_pool(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS, outputs=2, is_sized=True)
    def kernel(sizes: Any, a: Array, output_size: Any) -> tuple[Array, Array]:
        """The largest element of each window, and where it is."""
        windows = _adaptive(a.shape[-spatial:], sizes[0][-spatial:])
        found = _largest(a, spatial, windows, np.zeros(len(windows[0]), np.int64))
        return found[0].reshape(sizes[0]), found[1].reshape(sizes[1])


def _max_backward(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS)
    def kernel(grad: Array, a: Array, *arguments: Any) -> Array:
        """Adds each gradient to the element that was the maximum."""
        size = math.prod(a.shape[-spatial:])
        chosen, given = (_planes(each, spatial) for each in (arguments[-1], grad))
        at = jnp.where((chosen >= 0) & (chosen < size), chosen, size)  # beyond the end: dropped
        total = jnp.zeros((at.shape[0], size))
        rows = jnp.arange(at.shape[0])[:, None]
        return total.at[rows, at].add(given, mode="drop").reshape(a.shape)


# ---------------------------------------------------------------------------------------------------------
# Average pooling.


def _divisors(windows: Windows, plain: Any, sizes: Sequence[int], *rest: Any) -> Any:
    """What the sum of each window is divided by."""
    count_include_pad, override = rest
    if override:
        return np.full(len(windows[0]), override)
    if not count_include_pad:
        return np.maximum(windows[1].sum(-1), 1)
    kernel, _, pads, _, starts = plain
    lengths = [
        np.minimum(start + taps, size + pad) - start
        for start, taps, size, pad in zip(starts, kernel, sizes, pads)
    ]
    total = np.ones([1] * len(sizes), np.int64)
    for each in np.ix_(*lengths):
        total = total * each
    return np.where(total == 0, 1, total).reshape(-1)


def _averaged(a: Array, spatial: int, windows: Windows, divisors: Any) -> Array:
    flat, exists = windows
    if not flat.size or not a.size:
        return jnp.zeros((math.prod(a.shape[:-spatial]), flat.shape[0]))
    return jnp.sum(jnp.where(exists, _planes(a, spatial)[:, flat], 0), -1) / divisors


def _shared_out(grad: Array, a: Array, spatial: int, windows: Windows, divisors: Any) -> Array:
    """The transpose of ``_averaged``."""
    flat, exists = windows
    size = math.prod(a.shape[-spatial:])
    share = _planes(grad, spatial) / divisors
    total = jnp.zeros((share.shape[0], size))
    at = np.where(exists, flat, size)  # beyond the end: dropped
    shares = jnp.broadcast_to(share[..., None], (*share.shape, at.shape[1]))
    return total.at[:, at].add(shares, mode="drop").reshape(a.shape) if at.size else total.reshape(a.shape)


def _average(sizes: Sequence[int], pooled: Sequence[int], window: Sequence[Any]) -> tuple[Windows, Any]:
    kernel, stride, padding, _, include, override = window
    refuse_if(override == 0)
    plain, windows = _strided(sizes, pooled, kernel, stride, padding)
    return windows, _divisors(windows, plain, sizes, include, override)


def _average_pool(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS, is_sized=True)
    def kernel(sizes: Any, a: Array, *window: Any) -> Array:
        """The sum of each window, divided by its divisor."""
        found = _average(a.shape[-spatial:], sizes[0][-spatial:], window)
        return _averaged(a, spatial, *found).reshape(sizes[0])


def _average_backward(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS)
    def kernel(grad: Array, a: Array, *window: Any) -> Array:
        """Each element's gradient is the sum of its windows' gradients, each divided as the window was."""
        found = _average(a.shape[-spatial:], grad.shape[-spatial:], window)
        return _shared_out(grad, a, spatial, *found)


def _adaptive_average(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS, is_sized=True)
    def kernel(sizes: Any, a: Array, output_size: Any) -> Array:
        """The mean of each window."""
        windows = _adaptive(a.shape[-spatial:], sizes[0][-spatial:])
        return _averaged(a, spatial, windows, windows[1].sum(-1)).reshape(sizes[0])


def _adaptive_average_backward(name: str, spatial: int) -> None:
    @family.kernel(name, FLOATS)
    def kernel(grad: Array, a: Array) -> Array:
        """Each element's gradient is the sum of its windows' gradients, each divided by the window's size."""
        windows = _adaptive(a.shape[-spatial:], grad.shape[-spatial:])
        return _shared_out(grad, a, spatial, windows, windows[1].sum(-1))


for _dims in (2, 3):
    _max_pool(f"max_pool{_dims}d_with_indices", _dims)
    _max_backward(f"max_pool{_dims}d_with_indices_backward", _dims)
    _adaptive_max_pool(f"adaptive_max_pool{_dims}d", _dims)
    _max_backward(f"adaptive_max_pool{_dims}d_backward", _dims)
    _average_pool(f"avg_pool{_dims}d", _dims)
    _average_backward(f"avg_pool{_dims}d_backward", _dims)
    _adaptive_average(f"_adaptive_avg_pool{_dims}d", _dims)
    _adaptive_average_backward(f"_adaptive_avg_pool{_dims}d_backward", _dims)
