"""The exercises of chapter 6: TensorIterator."""

from __future__ import annotations

import itertools
import random
from types import ModuleType
from typing import Any

import gnomon as gn

from ...calls.iterator import TensorIterator
from ...memory.backend import resolve_device
from ...memory.spec import spec_of
from ...values import geometry
from ...values.geometry import Ints
from .cases import random_sizes
from .comparing import compare, differences, wanted
from .record import Exercise

_DTYPES = {1: gn.int8, 4: gn.float32, 8: gn.float64}


def mark_broadcast(module: ModuleType) -> list[str]:
    """Against gnomon's own function, which takes two shapes."""
    rng = random.Random("broadcast")

    def broadcast(shapes: list[Ints]) -> Ints:
        sizes: Ints = ()
        for each in shapes:
            sizes = geometry.broadcast_sizes(sizes, each)
        return sizes

    cases: list[list[Ints]] = [[], [()], [(2,), (3,)], [(0,), (1,)], [(0,), (2,)], [(1, 3), (2, 1), (3,)]]
    for _ in range(500):
        whole = random_sizes(rng, 4, 3)
        shapes = []
        for _ in range(rng.randint(1, 3)):
            sizes = [size if rng.random() < 0.6 else 1 for size in whole]
            if rng.random() < 0.1 and sizes:
                sizes[rng.randrange(len(sizes))] = rng.randint(0, 3)
            shapes.append(tuple(sizes[rng.randint(0, len(sizes)) if rng.random() < 0.4 else 0 :]))
        cases.append(shapes)
    return compare(module, "broadcast", broadcast, [(each,) for each in cases])


def _iterator(operands: list[tuple[Ints, Ints, int]]) -> TensorIterator:
    """gnomon's TensorIterator of inputs of these sizes, strides and itemsizes."""
    device = resolve_device("reference")
    specs = [spec_of(sizes, strides, _DTYPES[size], device) for sizes, strides, size in operands]
    kinds = [_DTYPES[size] for _, _, size in operands]
    return TensorIterator("exercise", specs, [], None, device, input_dtypes=kinds)


def mark_reorder_dimensions(module: ModuleType) -> list[str]:
    """Against TensorIterator, for operands of the same sizes."""
    rng = random.Random("reorder_dimensions")

    def order(shape: Ints, strides: list[Ints]) -> list[int]:
        return _iterator([(shape, each, 1) for each in strides]).order

    cases: list[tuple[Any, ...]] = [((), [()]), ((2, 3), [(3, 1)]), ((2, 3), [(1, 2)]), ((3, 2), [(1, 1)])]
    cases += [((2, 3), [(0, 1), (1, 2)]), ((2, 3, 2), [(1, 0, 2), (0, 1, 0)])]
    for _ in range(600):
        shape = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 4)))
        strides = []
        for _ in range(rng.randint(1, 3)):
            lie = list(geometry.contiguous_strides(shape))
            if rng.random() < 0.7:
                rng.shuffle(lie)
            lie = [rng.choice([0, 1, 2]) if rng.random() < 0.25 else each for each in lie]
            strides.append(tuple(0 if rng.random() < 0.2 else each for each in lie))
        cases.append((shape, strides))
    return compare(module, "reorder_dimensions", order, cases)


def _walk(shape: list[int], strides: list[list[int]]) -> list[tuple[int, ...]]:
    """The offsets of all operands at each step; dimension 0 is the fastest."""
    ranges = [range(size) for size in reversed(shape)]
    backwards = [each[::-1] for each in strides]
    return [
        tuple(sum(map(int.__mul__, index, each)) for each in backwards)
        for index in itertools.product(*ranges)
    ]


def mark_tensor_iterator(module: ModuleType) -> list[str]:
    """Against TensorIterator: the shape, the strides in bytes, and the walk."""
    rng = random.Random("tensor_iterator")

    def oracle(operands: list[tuple[Ints, Ints, int]]) -> Any:
        iterator = _iterator(operands)
        strides = [list(operand.strides) for operand in iterator.operands]
        return list(iterator.shape), strides, _walk(iterator.shape, strides)

    def own(operands: list[tuple[Ints, Ints, int]]) -> Any:
        shape, strides = wanted(module, "tensor_iterator")(list(operands))
        return list(shape), [list(each) for each in strides], list(wanted(module, "loop")(shape, strides))

    cases: list[list[tuple[Ints, Ints, int]]] = [[((), (), 4)], [((2, 3), (3, 1), 4)], [((2, 3), (1, 2), 8)]]
    cases += [[((2, 3), (3, 1), 1), ((3,), (1,), 4)], [((2,), (1,), 1), ((3,), (1,), 1)]]
    for _ in range(400):
        whole = random_sizes(rng, 4, 3)
        operands = []
        for _ in range(rng.randint(1, 3)):
            sizes = [size if rng.random() < 0.75 else 1 for size in whole]
            sizes = sizes[rng.randint(0, len(sizes)) if rng.random() < 0.2 else 0 :]
            if rng.random() < 0.03:
                sizes = [*sizes, 5]
            strides = list(geometry.contiguous_strides([max(size, 1) for size in sizes]))
            if rng.random() < 0.3:
                strides = [2 * each for each in strides]
            if rng.random() < 0.4:
                order = rng.sample(range(len(sizes)), len(sizes))
                lie = geometry.contiguous_strides([sizes[dim] for dim in order])
                strides = [lie[order.index(dim)] for dim in range(len(sizes))]
            operands.append((tuple(sizes), tuple(strides), rng.choice([1, 4, 8])))
        cases.append(operands)
    cases.sort(key=lambda case: len(repr(case)))
    return differences(
        module,
        cases,
        own,
        oracle,
        lambda case: (
            f"tensor_iterator({case}): the shape, the strides in bytes, "
            "and the offsets of loop(shape, strides)"
        ),
    )


EXERCISES = (
    Exercise(
        "broadcast",
        "the shape that several shapes broadcast to",
        """
        Shapes are aligned at their last dimensions: put ones before the shorter ones.

        In each dimension, all sizes that are not 1 must be the same; it is the result's size. If
        all are 1, it is 1.

        A size of 0 is a size like any other: 0 with 1 gives 0, and 0 with 2 is an error. So max()
        is wrong.
        """,
        mark_broadcast,
        ("broadcast_sizes", "broadcast_shapes"),
    ),
    Exercise(
        "reorder_dimensions",
        "the order of dimensions in which memory is walked through forwards",
        """
        should_swap compares two dimensions; write it first. The operands are asked in their order,
        and the first that has an opinion decides.

        An operand has no opinion if one of the two strides is 0 (it is broadcast there), or if both
        strides are equal and the size of dim0 is not larger.

        For each position from 1 on, let moving = position. Go through the earlier positions
        backwards with their dimension dim0 and that of moving: if should_swap is 1, swap both and
        let moving be that position; if it is -1, stop; if it is 0, only go on.
        """,
        mark_reorder_dimensions,
        ("TensorIterator",),
    ),
    Exercise(
        "tensor_iterator",
        "broadcast, reorder, coalesce, loop",
        """
        Write one function for each step, each taking and returning a shape and the strides of all
        operands. The first two are the exercises broadcast and reorder_dimensions; in your folder
        you can import them.

        After broadcasting, an operand's stride is 0 in dimensions that it does not have, and where
        its size is 1 but the shape's is not. Multiply strides by the itemsize: two operands of
        different dtypes can only be compared in bytes.

        Coalescing goes through the reordered dimensions with the last one kept: if that one has
        size 1, the new one takes its place (size and strides); a new one of size 1 is dropped; if
        for every operand stride_of_kept * size_of_kept == stride_of_new, the kept size is
        multiplied by the new one; else the new one is kept, too. A shape of one dimension remains
        as it is.

        The loop: itertools.product counts with the last index fastest, but dimension 0 is the
        fastest here: reverse shape and strides.
        """,
        mark_tensor_iterator,
        ("TensorIterator",),
    ),
)
