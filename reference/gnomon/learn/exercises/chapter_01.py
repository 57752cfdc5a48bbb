"""The exercises of chapter 1: tensor, storage, strides."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import gnomon as gn

from ...values import geometry
from .cases import random_sizes, random_view
from .comparing import compare
from .record import Exercise


def mark_contiguous_strides(module: ModuleType) -> list[str]:
    """Against gnomon's own function."""
    rng = random.Random("contiguous_strides")
    cases = [(), (0,), (1,), (3,), (2, 3), (2, 0, 3), *(random_sizes(rng, 5) for _ in range(300))]
    return compare(
        module, "contiguous_strides", geometry.contiguous_strides, [(tuple(each),) for each in cases]
    )


def mark_element_offset(module: ModuleType) -> list[str]:
    """Against the offset of a tensor that is indexed."""
    rng = random.Random("element_offset")
    memory = gn.empty(3000, dtype=gn.uint8)

    def offset_of(index: Any, sizes: Any, strides: Any, storage_offset: int) -> int:
        view = memory.as_strided(sizes, strides, storage_offset)
        for dim, position in enumerate(index):
            if dim == len(sizes):
                raise IndexError(f"too many indices for a tensor of {len(sizes)} dimensions")
            view = view.select(0, position)
        return view.storage_offset()

    cases = [((), (), (), 5), ((0,), (), (), 0), ((0,), (0,), (1,), 0), ((-1,), (3,), (1,), 0)]
    for _ in range(400):
        sizes, strides = random_view(rng)
        lowest = -1 if rng.random() < 0.2 else 0  # a bit too far
        index = [rng.randint(lowest - size, max(size - 1 - lowest, 0)) for size in sizes]
        if rng.random() < 0.05:
            index.append(0)
        cases.append((tuple(index), sizes, strides, rng.randint(0, 3)))
    return compare(module, "element_offset", offset_of, cases)


def mark_is_contiguous(module: ModuleType) -> list[str]:
    """Against ``is_contiguous`` of tensors."""
    rng = random.Random("is_contiguous")
    memory = gn.empty(3000, dtype=gn.uint8)

    def is_contiguous(sizes: Any, strides: Any) -> bool:
        return memory.as_strided(sizes, strides).is_contiguous()

    cases = [((), ()), ((0, 3), (7, 7)), ((1, 3), (9, 1)), ((2, 1, 2), (2, 0, 1)), ((3, 2), (1, 3))]
    for _ in range(400):
        sizes, strides = random_view(rng)
        if rng.random() < 0.5:
            strides = geometry.contiguous_strides(sizes)
            changed = list(strides)
            for dim, size in enumerate(sizes):
                if (size == 1 and rng.random() < 0.7) or rng.random() < 0.1:
                    changed[dim] = rng.randint(0, 9)
            strides = tuple(changed)
        cases.append((sizes, strides))
    return compare(module, "is_contiguous", is_contiguous, cases)


EXERCISES = (
    Exercise(
        "contiguous_strides",
        "the strides of a tensor whose elements are in row-major order",
        """
        Which dimension has the smallest stride? Write down the strides of sizes (2, 3, 4) by hand.

        A stride is the product of all sizes to its right. Go through the sizes from the last to the
        first, and keep the product so far.

        A size of 0 would make every stride to its left 0. gnomon counts such a size as 1: multiply
        by max(size, 1).
        """,
        mark_contiguous_strides,
        ("contiguous_strides", "stride", "_row_major"),
    ),
    Exercise(
        "element_offset",
        "where in the storage an element is, and which indices are refused",
        """
        The offset is storage_offset, and for each dimension the index times the stride.

        A negative index counts from the end: -1 is size - 1. Convert it before you multiply.

        An index is right if -size <= index < size, which no index is if the size is 0. All others,
        and an index with more numbers than there are dimensions, raise IndexError.
        """,
        mark_element_offset,
        ("storage_offset",),
    ),
    Exercise(
        "is_contiguous",
        "whether strides are those of row-major order, where sizes of 0 and 1 make a difference",
        """
        Compare each stride with the one that a contiguous tensor of these sizes would have.

        Is there a dimension in which no index but 0 exists? Then its stride is never multiplied by
        anything else, and may be any number.

        If a size is 0, there are no elements, and the answer is yes. Otherwise go from the last
        dimension to the first with the expected stride, skip sizes of 1, and compare the others.
        """,
        mark_is_contiguous,
        ("is_contiguous",),
    ),
)
