"""Shared by operators that index with tensors: checked positions, and offsets along a dimension.

Source: aten/src/ATen/native/ScatterGatherChecks.h, TensorAdvancedIndexingUtils.h.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import copysign
from typing import Any

from ..memory.accessor import TensorAccessor
from ..memory.tensor import Tensor
from ..values import geometry
from .arithmetic import exact_sum


def from_front(index: int, size: int, dim: int) -> int:
    """``index`` as a nonnegative index.  Raises IndexError if it is out of range."""
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index + size if index < 0 else index


def not_from_end(index: int, size: int, dim: int) -> int:
    """``index``, which must not be negative, as for gather and scatter.

    Raises RuntimeError if it is out of range.
    """
    if not 0 <= index < size:
        raise RuntimeError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index


def flat_index(index: int, count: int) -> int:
    """``index`` of one of ``count`` elements, counted from their end if it is negative, as for take and put.

    Raises IndexError if it is out of range.
    """
    if not -count <= index < count:
        raise IndexError(f"out of range: tried to access index {index} on a tensor of {count} elements.")
    return index


def positions_along(
    index: Tensor, sizes: Sequence[int], strides: Sequence[int], offset: int, dim: int
) -> Iterator[int]:
    """For each element of ``index``, row-major: the offset of the element that it selects along ``dim``.

    ``sizes``, ``strides`` and ``offset`` are those of the indexed tensor.
    """
    where = TensorAccessor(index)
    size, along = (sizes[dim], strides[dim]) if sizes else (1, 0)
    others = [0 if each == dim else stride for each, stride in enumerate(strides)] or [0]
    starts = geometry.offsets(where.sizes, others[: len(where.sizes)], offset)
    for at, start in zip(where.offsets(), starts):
        yield start + not_from_end(where.read(at), size, dim) * along


def slice_offsets(tensor: TensorAccessor, dim: int, position: int) -> Iterator[int]:
    """The offset of each element of the slice at ``position`` of ``dim``; a 0-dim tensor has one slice."""
    if not tensor.sizes:
        return iter((tensor.offset,))
    return geometry.offsets(
        (*tensor.sizes[:dim], *tensor.sizes[dim + 1 :]),
        (*tensor.strides[:dim], *tensor.strides[dim + 1 :]),
        tensor.offset + position * tensor.strides[dim],
    )


def copy_elements(output: TensorAccessor, source: TensorAccessor) -> None:
    """Write all elements of ``source`` to ``output``, which has its sizes."""
    write, read = output.write, source.read
    for target, offset in zip(output.offsets(), source.offsets()):
        write(target, read(offset))


def add_at(output: TensorAccessor, pairs: Iterable[tuple[int, Any]]) -> None:
    """Add the values of pairs (offset, value) at their offsets, each by one exactly rounded sum."""
    sums: dict[int, list[Any]] = {}
    for offset, value in pairs:
        sums.setdefault(offset, [output.read(offset)]).append(value)
    for offset, numbers in sums.items():
        is_negative = all(number == 0 and copysign(1.0, number.real) < 0 for number in numbers)
        output.write(offset, numbers[0] if is_negative else exact_sum(numbers))  # all -0.0: the sum is -0.0
