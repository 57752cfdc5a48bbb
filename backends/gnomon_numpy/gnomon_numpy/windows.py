"""Windows over the last dimensions: pairs of positions of a small and a large side.

``large = small * stride - padding + tap * dilation``: a convolution's input is large and its output small, a
transposed one's the other way round; a pool's input is large.  For one tap both are slices, so that only the
kernel's taps are looped over.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

Slices = tuple[Any, ...]  # an index


def spread(values: int | Sequence[int], count: int) -> tuple[int, ...]:
    """Expands a single value to all spatial dimensions."""
    values = (values,) if isinstance(values, int) else tuple(values)
    return values * count if len(values) == 1 else values


def _meeting(
    large: int, small: int, tap: int, stride: int, padding: int, dilation: int
) -> tuple[slice, slice]:
    """The slices of the small and the large side that belong to a tap, along one dimension."""
    start = tap * dilation - padding
    first = max(0, -(start // stride))  # the first position with start + position * stride >= 0
    last = min(small - 1, (large - 1 - start) // stride)
    if last < first:
        return slice(0, 0), slice(0, 0)
    begin = start + first * stride
    return slice(first, last + 1), slice(begin, start + last * stride + 1, stride)


def meetings(
    large: Sequence[int],
    small: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Iterator[tuple[tuple[int, ...], Slices, Slices]]:
    """Each tap with elements, with the slices of the last dimensions of the small and the large side."""
    for tap in itertools.product(*(range(taps) for taps in kernel)):
        pairs = [_meeting(*each) for each in zip(large, small, tap, stride, padding, dilation)]
        if all(pair[0].stop > pair[0].start for pair in pairs):
            yield tap, tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
