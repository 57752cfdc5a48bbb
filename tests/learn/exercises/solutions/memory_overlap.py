"""A model answer."""

from __future__ import annotations


def memory_overlap(sizes: tuple[int, ...], strides: tuple[int, ...]) -> str:
    if 0 in sizes:
        return "no"
    walked = sorted((stride, size) for stride, size in zip(strides, sizes) if size > 1)
    if walked and walked[0][0] == 0:
        return "yes"
    reach = 0
    for stride, size in walked:
        if stride <= reach:
            return "maybe"
        reach += (size - 1) * stride
    return "no"
