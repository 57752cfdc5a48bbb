"""A model answer."""

from __future__ import annotations


def element_offset(
    index: tuple[int, ...], sizes: tuple[int, ...], strides: tuple[int, ...], storage_offset: int
) -> int:
    if len(index) > len(sizes):
        raise IndexError(f"{len(index)} indices for {len(sizes)} dimensions")
    offset = storage_offset
    for position, size, stride in zip(index, sizes, strides):
        if not -size <= position < size:
            raise IndexError(f"index {position} is not in a dimension of size {size}")
        offset += (position + size if position < 0 else position) * stride
    return offset
