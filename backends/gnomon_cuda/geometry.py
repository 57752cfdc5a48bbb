"""Geometry: how several tensors lie that are walked together, and the views of them that kernels take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .direct import Work

# Elements are moved by their size, as those of one dtype.
MOVED_DTYPE = "uint8"
VECTOR_BYTES = 16
_ELEMENTS = {size: f"uint{size * 8}_t" for size in (1, 2, 4, 8)} | {16: "gn_uint128"}
FEW_NUMBERS = 2**32  # below, elements have numbers of 32 bits


class Operand:
    """A tensor, or a part of one: where it begins, and how many bytes it is from element to element.

    address, code, itemsize   of its memory and its dtype
    sizes, strides            by dimension; strides in bytes
    """

    def __init__(self, address: int, code: int, itemsize: int, sizes: Sequence[int], strides: Sequence[int]):
        self.address = address
        self.code = code
        self.itemsize = itemsize
        self.sizes = list(sizes)
        self.strides = list(strides)

    @classmethod
    def of(cls, tensor: Any) -> Operand:
        """That of a tensor; one without dimensions has one of a single element."""
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
        """The same memory in another way."""
        return Operand(self.address, self.code, self.itemsize, sizes, strides)

    def chosen(self, dims: Iterable[int]) -> Operand:
        """Some of its dimensions, the others at 0."""
        chosen = list(dims)
        return self.seen([self.sizes[dim] for dim in chosen], [self.strides[dim] for dim in chosen])

    def narrowed(self, sizes: Sequence[int]) -> Operand:
        """Its first elements along each dimension."""
        return self.seen(sizes, self.strides)

    def view(self, work: Work) -> Any:
        """The parameter of a kernel."""
        content = (self.address, self.code, len(self.sizes), self.sizes, self.strides)
        return work.structure("gn_view", content)

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return product(self.sizes)


def product(sizes: Iterable[int]) -> int:
    """All of them multiplied."""
    found = 1
    for each in sizes:
        found *= each
    return found


def merged(*operands: Operand) -> list[Operand]:
    """Operands of the same sizes with as few dimensions as there need be: those of size 1 are left out, and
    one that its predecessor continues in all operands is one with it.
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
    """Operands whose elements are several of theirs, where these lie side by side in all of them, and how
    many; ``others`` are more numbers of bytes that have to be whole vectors.
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
    """The C++ type that elements of so many bytes are moved by."""
    return _ELEMENTS[itemsize]


def number(count: int) -> str:
    """The C++ type of numbers of so many elements."""
    return NUMBERS[count >= FEW_NUMBERS]
