"""A model answer."""

from __future__ import annotations


def should_swap(dim0: int, dim1: int, shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> int:
    for each in strides:
        if each[dim0] == 0 or each[dim1] == 0:
            continue
        if each[dim0] != each[dim1]:
            return -1 if each[dim0] < each[dim1] else 1
        if shape[dim0] > shape[dim1]:
            return 1
    return 0


def reorder_dimensions(shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> list[int]:
    order = list(reversed(range(len(shape))))
    for position in range(1, len(order)):
        moving = position
        for earlier in reversed(range(position)):
            answer = should_swap(order[earlier], order[moving], shape, strides)
            if answer == 1:
                order[earlier], order[moving] = order[moving], order[earlier]
                moving = earlier
            elif answer == -1:
                break
    return order
