"""A model answer."""

from __future__ import annotations


def is_contiguous(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    if 0 in sizes:
        return True
    expected = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return True
