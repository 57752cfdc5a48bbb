"""Windows over the spatial dimensions of ([N,] C, *spatial), and the memory format of results.

Shared by pooling, adaptive pooling and im2col: along each spatial dimension, the input positions in the
window of each output position.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ..memory.spec import Spec, spec_of
from ..values import geometry
from ..values.dtype import dtype
from ..values.geometry import Ints

Positions = Sequence[Sequence[int]]  # along one dimension: input positions by output position


def spatial_ints(name: str, values: int | Sequence[int], count: int) -> Ints:
    """One value for all ``count`` spatial dimensions, or one for each.

    Raises RuntimeError for any other number of values.
    """
    values = (values,) if isinstance(values, int) else tuple(values)
    if len(values) not in (1, count):
        raise RuntimeError(
            f"{name} must either be a single int, or a tuple of {count} ints, got {list(values)}"
        )
    return values * count if len(values) == 1 else values


def planes(sizes: Sequence[int], spatial: int) -> Iterator[Ints]:
    """The indices of the dimensions before the last ``spatial`` ones: one per channel of each image."""
    return itertools.product(*(range(size) for size in sizes[: len(sizes) - spatial]))


def windows(along: Sequence[Positions]) -> list[tuple[Ints, list[Ints]]]:
    """Each output position with the input positions in its window, over all spatial dimensions."""
    return [
        (position, list(itertools.product(*(each[at] for each, at in zip(along, position)))))
        for position in itertools.product(*(range(len(each)) for each in along))
    ]


def flat_position(position: Sequence[int], sizes: Sequence[int]) -> int:
    """The row-major position of an element of a plane."""
    number = 0
    for at, size in zip(position, sizes):
        number = number * size + at
    return number


def like(spec: Spec, sizes: Ints | None = None, dtype: dtype | None = None) -> Spec:
    """The spec of a new tensor of ``sizes``: channels last if ``spec`` is, else contiguous.

    Source: suggest_memory_format.
    """
    sizes = spec.sizes if sizes is None else sizes
    if geometry.lies_channels_last(spec.sizes, spec.strides):
        return spec_of(sizes, geometry.channels_last_strides(sizes), dtype or spec.dtype, spec.device)
    return spec.contiguous(sizes, dtype)
