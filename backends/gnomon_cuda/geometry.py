"""The geometry of operands that are iterated together, and the views of them that kernels take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .direct import Work

# Kernels that only move elements depend on the itemsize, so they are compiled for one dtype.
MOVED_DTYPE = "uint8"
VECTOR_BYTES = 16
_ELEMENTS = {size: f"uint{size * 8}_t" for size in (1, 2, 4, 8)} | {16: "gn_uint128"}
FEW_NUMBERS = 2**32  # below, elements are indexed by 32 bits


class Operand:
    """A tensor or a part of one: its address and geometry.

    address, code, itemsize   its memory and its dtype
    sizes, strides            by dimension; strides are in bytes
    """

    def __init__(self, address: int, code: int, itemsize: int, sizes: Sequence[int], strides: Sequence[int]):
        self.address = address
        self.code = code
        self.itemsize = itemsize
        self.sizes = list(sizes)
        self.strides = list(strides)

    @classmethod
    def of(cls, tensor: Any) -> Operand:
        """The operand of a tensor; a 0-dim tensor gets one dimension of size 1."""
        spec = tensor._spec
        itemsize = spec.dtype.itemsize
        strides = [stride * itemsize for stride in spec.strides]
        return cls(
            int(tensor._address),
            spec.dtype.code,
            itemsize,
            spec.sizes if spec.ndim else [1],
            strides if spec.ndim else [itemsize],
        )

    def seen(self, sizes: Sequence[int], strides: Sequence[int]) -> Operand:
        """The same memory with other sizes and strides."""
        return Operand(self.address, self.code, self.itemsize, sizes, strides)

    def chosen(self, dims: Iterable[int]) -> Operand:
        """A view of some of its dimensions, at index 0 of the others."""
        chosen = list(dims)
        return self.seen([self.sizes[dim] for dim in chosen], [self.strides[dim] for dim in chosen])

    def narrowed(self, sizes: Sequence[int]) -> Operand:
        """A view of its first elements along each dimension."""
        return self.seen(sizes, self.strides)

    def view(self, work: Work) -> Any:
        """The kernel parameter ``gn_view``."""
        content = (self.address, self.code, len(self.sizes), self.sizes, self.strides)
        return work.structure("gn_view", content)

    @property
    def numel(self) -> int:
        """The number of elements."""
        return product(self.sizes)


def product(sizes: Iterable[int]) -> int:
    """The product of all sizes."""
    found = 1
    for each in sizes:
        found *= each
    return found


def merged(*operands: Operand) -> list[Operand]:
    """Coalesces operands of the same sizes: drops dimensions of size 1, and merges dimensions that are
    contiguous with their predecessor in all operands.
    """
    sizes: list[int] = []
    strides: list[list[int]] = [[] for _ in operands]
    for dim, size in enumerate(operands[0].sizes):
        if size == 1:
            continue
        here = [operand.strides[dim] for operand in operands]
        if sizes and all(kept[-1] == stride * size for kept, stride in zip(strides, here)):
            sizes[-1] *= size
            for kept, stride in zip(strides, here):
                kept[-1] = stride
        else:
            sizes.append(size)
            for kept, stride in zip(strides, here):
                kept.append(stride)
    return [operand.seen(sizes, kept) for operand, kept in zip(operands, strides)]


def in_vectors(operands: Sequence[Operand], others: Iterable[int] = ()) -> tuple[list[Operand], int]:
    """Views with wider elements, each of which combines several adjacent ones, if all operands allow it, and
    how many; ``others`` are further numbers of bytes that must be multiples of the wider element.
    """
    itemsize = operands[0].itemsize
    sizes = operands[0].sizes
    if not sizes or any(operand.strides[-1] != itemsize for operand in operands):
        return list(operands), 1
    aligned = [sizes[-1] * itemsize, *others]
    for operand in operands:
        aligned += [operand.address, *operand.strides[:-1]]
    nbytes = VECTOR_BYTES
    while nbytes > itemsize and any(each % nbytes for each in aligned):
        nbytes //= 2
    if nbytes <= itemsize:
        return list(operands), 1
    count = nbytes // itemsize
    shorter = [*sizes[:-1], sizes[-1] // count]
    return [
        Operand(each.address, each.code, nbytes, shorter, [*each.strides[:-1], nbytes]) for each in operands
    ], count


ELEMENT_BYTES = tuple(_ELEMENTS)
NUMBERS = ("uint32_t", "uint64_t")


def element(itemsize: int) -> str:
    """The C++ type for moving elements of this size."""
    return _ELEMENTS[itemsize]


def number(count: int) -> str:
    """The C++ type for indices of ``count`` elements."""
    return NUMBERS[count >= FEW_NUMBERS]
