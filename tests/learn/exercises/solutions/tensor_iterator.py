"""A model answer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

Operand = tuple[tuple[int, ...], tuple[int, ...], int]
Strides = list[list[int]]


def tensor_iterator(operands: list[Operand]) -> tuple[list[int], Strides]:
    shape = broadcast([sizes for sizes, _, _ in operands])
    strides = [expanded(operand, shape) for operand in operands]
    order = reordered(shape, strides)
    return coalesced([shape[dim] for dim in order], [[each[dim] for dim in order] for each in strides])


def broadcast(shapes: list[tuple[int, ...]]) -> list[int]:
    """The common shape."""
    ndim = max(map(len, shapes))
    columns = zip(*((1,) * (ndim - len(shape)) + shape for shape in shapes))
    different = [set(column) - {1} for column in columns]
    if any(len(each) > 1 for each in different):
        raise RuntimeError(f"{shapes} do not broadcast")
    return [each.pop() if each else 1 for each in different]


def expanded(operand: Operand, shape: list[int]) -> list[int]:
    """The strides of an operand for the shape, in bytes."""
    sizes, strides, itemsize = operand
    missing = len(shape) - len(sizes)
    own = zip(sizes, strides, shape[missing:])
    return [0] * missing + [0 if size != wanted else stride * itemsize for size, stride, wanted in own]


def reordered(shape: list[int], strides: Strides) -> list[int]:
    """The dimensions, the fastest first."""
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


def should_swap(dim0: int, dim1: int, shape: list[int], strides: Strides) -> int:
    """1 if dim0 must come after dim1, -1 if before, 0 if no operand says so."""
    for each in strides:
        if each[dim0] == 0 or each[dim1] == 0:
            continue
        if each[dim0] != each[dim1]:
            return -1 if each[dim0] < each[dim1] else 1
        if shape[dim0] > shape[dim1]:
            return 1
    return 0


def coalesced(shape: list[int], strides: Strides) -> tuple[list[int], Strides]:
    """Neighboring dimensions merged where a single stride goes through both."""
    kept_shape = shape[:1]
    kept = [each[:1] for each in strides]
    for dim in range(1, len(shape)):
        if kept_shape[-1] == 1:
            kept_shape[-1] = shape[dim]
            for mine, each in zip(kept, strides):
                mine[-1] = each[dim]
        elif shape[dim] == 1:
            continue
        elif all(mine[-1] * kept_shape[-1] == each[dim] for mine, each in zip(kept, strides)):
            kept_shape[-1] *= shape[dim]
        else:
            kept_shape.append(shape[dim])
            for mine, each in zip(kept, strides):
                mine.append(each[dim])
    return kept_shape, kept


def loop(shape: list[int], strides: Strides) -> Iterator[tuple[int, ...]]:
    for index in itertools.product(*(range(size) for size in reversed(shape))):
        backwards = index[::-1]
        yield tuple(sum(i * stride for i, stride in zip(backwards, each)) for each in strides)
