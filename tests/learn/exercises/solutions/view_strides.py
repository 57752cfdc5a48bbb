"""A model answer."""

from __future__ import annotations

import math


def view_strides(
    sizes: tuple[int, ...], strides: tuple[int, ...], to: tuple[int, ...]
) -> tuple[int, ...] | None:
    if 0 in sizes:
        if sizes == to:
            return strides
        return tuple(math.prod(max(size, 1) for size in to[dim + 1 :]) for dim in range(len(to)))
    if not sizes:
        return (1,) * len(to)
    found: list[int] = []  # from the last dimension on
    left = list(to)
    chunk_stride = strides[-1]
    chunk_numel = view_numel = 1
    for dim in reversed(range(len(sizes))):
        chunk_numel *= sizes[dim]
        goes_on = dim > 0 and (sizes[dim - 1] == 1 or strides[dim - 1] == chunk_numel * chunk_stride)
        if goes_on:
            continue
        while left and (view_numel < chunk_numel or left[-1] == 1):
            found.append(view_numel * chunk_stride)
            view_numel *= left.pop()
        if view_numel != chunk_numel:
            return None
        chunk_stride = strides[dim - 1]
        chunk_numel = view_numel = 1
    return tuple(reversed(found))
