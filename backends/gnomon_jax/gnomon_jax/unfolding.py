"""im2col and col2im: the windows of an image as columns, and the sum of columns as an image."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import jax.numpy as jnp

from .convolution import meeting
from .numbers import Array
from .pointwise import is_bool
from .programs import ALL, Family

family = Family()


def _columns(a: Array, kernel: Sequence[int], blocks: Sequence[int]) -> Array:
    """(*, channels * taps, blocks) as (*, channels, *kernel, *blocks)."""
    channels = a.shape[-2] // (kernel[0] * kernel[1])
    return a.reshape(*a.shape[:-2], channels, *kernel, *blocks)


def _blocks(sizes: Sequence[int], kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[int, ...]:
    """The number of windows that fit, vertically and horizontally."""
    return tuple(
        (size + 2 * pad - spacing * (taps - 1) - 1) // step + 1
        for size, taps, spacing, pad, step in zip(sizes, kernel, dilation, padding, stride)
    )


def _meetings(
    large: Sequence[int], small: Sequence[int], kernel: Any, dilation: Any, padding: Any, stride: Any
) -> Iterator[tuple[Any, Any, Any]]:
    """Each tap, with the windows that have an element there, and these elements: slices."""
    for tap in itertools.product(*(range(taps) for taps in kernel)):
        starts = [at * spacing - pad for at, spacing, pad in zip(tap, dilation, padding)]
        pairs = [meeting(*each) for each in zip(large, small, starts, stride)]
        if all(pair[0].stop > pair[0].start for pair in pairs):
            yield tap, tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


@family.kernel("im2col", ALL, is_sized=True)
def im2col(output_sizes: Any, a: Array, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Array:
    """Copies the elements of each window into its column; 0 in the padding."""
    sizes = a.shape[-2:]
    blocks = _blocks(sizes, kernel, dilation, padding, stride)
    columns = _columns(jnp.zeros(output_sizes[0], a.dtype), kernel, blocks)
    for tap, small, large in _meetings(sizes, blocks, kernel, dilation, padding, stride):
        columns = columns.at[(...,) + tap + small].set(a[(...,) + large])
    return columns.reshape(output_sizes[0])


@family.kernel("col2im", ALL, is_sized=True)
def col2im(
    output_sizes: Any, a: Array, output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> Array:
    """Each element is the sum of its elements in all windows."""
    a = a.astype(jnp.int64) if is_bool(a) else a
    blocks = _blocks(output_size, kernel, dilation, padding, stride)
    columns, found = _columns(a, kernel, blocks), jnp.zeros(output_sizes[0], a.dtype)
    for tap, small, large in _meetings(output_size, blocks, kernel, dilation, padding, stride):
        found = found.at[(...,) + large].add(columns[(...,) + tap + small])
    return found
