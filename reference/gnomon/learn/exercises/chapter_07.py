"""The exercises of chapter 7: writing a kernel."""

from __future__ import annotations

import itertools
import math
import operator
import random
from types import ModuleType
from typing import Any

import gnomon as gn

from ...values import geometry
from .cases import random_sizes, random_view
from .comparing import compare, differences, wanted
from .record import Exercise

_FUNCTIONS = {
    "operator.add": (operator.add, gn.add),
    "operator.mul": (operator.mul, gn.mul),
    "max": (max, gn.maximum),
}


def _random_operand(rng: random.Random, shape: Any, dtype: str, is_output: bool) -> tuple[Any, ...]:
    """Numbers of a memory, with the offset and the strides of an operand in elements, and its dtype."""
    order = rng.sample(range(len(shape)), len(shape))
    step = rng.choice([1, 1, 2])
    strides = [0] * len(shape)
    for dim in order:
        if is_output or rng.random() < 0.8:
            strides[dim] = step
            step *= max(shape[dim], 1)
    offset = rng.choice([0, 0, 1, 3])
    count = geometry.extent(tuple(shape), tuple(strides)) + offset + rng.randint(0, 2)
    numbers = [rng.randint(-9, 9) for _ in range(count)]
    if dtype.startswith("float"):
        numbers = [number / 4 for number in numbers]  # type: ignore[misc]
    return [bool(each) for each in numbers] if dtype == "bool" else numbers, offset, tuple(strides), dtype


def mark_pointwise_kernel(module: ModuleType) -> list[str]:
    """Against gnomon's operators, with ``out=``, on the same memory."""
    rng = random.Random("pointwise_kernel")
    dtypes = ["float32", "float64", "int32", "int64"]

    def tensors_of(case: Any) -> list[Any]:
        memories = [gn.tensor(numbers, dtype=getattr(gn, dtype)) for numbers, _, _, dtype in case[2]]
        return [
            memory.as_strided(case[1], strides, offset)
            for memory, (_, offset, strides, _) in zip(memories, case[2])
        ]

    def whole(tensor: Any) -> Any:
        return tensor.as_strided((tensor.untyped_storage().nbytes() // tensor.itemsize,), (1,), 0).tolist()

    def oracle(case: Any) -> Any:
        output, *inputs = tensors_of(case)
        _FUNCTIONS[case[0]][1](*inputs, out=output)
        return [whole(each) for each in (output, *inputs)]

    def own(case: Any) -> Any:
        operand = wanted(module, "Operand")
        given, made = [], []
        for numbers, offset, strides, dtype in case[2]:
            kind = getattr(gn, dtype)
            made.append((bytearray(kind.packed(numbers)), kind))
            size = kind.itemsize
            given.append(operand(made[-1][0], offset * size, tuple(each * size for each in strides), dtype))
        wanted(module, "pointwise_kernel")(_FUNCTIONS[case[0]][0], tuple(case[1]), *given)
        readers = [(kind.reader(memoryview(memory)), len(memory) // kind.itemsize) for memory, kind in made]
        return [[read(place) for place in range(count)] for read, count in readers]

    def describe(case: Any) -> str:
        lines = [
            f"  {name}: {dtype} numbers {numbers}, offset {offset}, strides {strides} (both in elements)"
            for name, (numbers, offset, strides, dtype) in zip(("output", "a", "b"), case[2])
        ]
        return "\n".join(
            [
                f"pointwise_kernel({case[0]}, {case[1]}, output, a, b)",
                *lines,
                "the numbers of all memories after it",
            ]
        )

    cases = []
    for _ in range(150):
        name, shape = rng.choice(list(_FUNCTIONS)), random_sizes(rng, 3, 3)
        kinds = [rng.choice(dtypes), rng.choice(dtypes)]
        if name == "max" or rng.random() < 0.5:
            kinds[1] = kinds[0]
        if name == "max" and rng.random() < 0.2:
            kinds = ["bool", "bool"]
        result = gn.promote_types(*(getattr(gn, each) for each in kinds)).name
        operands = [
            _random_operand(rng, shape, dtype, not place) for place, dtype in enumerate([result, *kinds])
        ]
        cases.append((name, shape, operands))
    cases.sort(key=lambda case: len(repr(case)))
    return differences(module, cases, own, oracle, describe)


def mark_reduce_kernel(module: ModuleType) -> list[str]:
    """Against ``gn.sum``."""
    rng = random.Random("reduce_kernel")

    def reduced(numbers: Any, sizes: Any, strides: Any, dtype: str, dims: Any, keepdim: bool) -> Any:
        tensor = gn.tensor(numbers, dtype=getattr(gn, dtype)).as_strided(sizes, strides)
        result = tensor.sum(dims, keepdim)
        return tuple(result.shape), result.reshape(-1).tolist()

    values: dict[str, list[Any]] = {
        "float16": [2048.0, 1.0, 0.5, -3.0],
        "float32": [2.0**24, 1.0, -1.0, 0.25],
        "int8": [100, 127, -128, 1],
        "bool": [True, False],
    }
    cases: list[tuple[Any, ...]] = [([2048.0, 1.0, 1.0], (3,), (1,), "float16", (0,), False)]
    cases += [([65504.0, 65504.0], (2,), (1,), "float16", (0,), True), ([3], (), (), "int8", (-1,), True)]
    for _ in range(400):
        sizes, strides = random_view(rng, 3, 3)
        dtype = rng.choice(list(values))
        special = [math.inf, math.nan] if dtype == "float32" and rng.random() < 0.1 else []
        count = geometry.extent(sizes, strides) or 1
        numbers = [rng.choice(values[dtype] + special) for _ in range(count)]
        dims = rng.sample(range(-len(sizes), len(sizes)), rng.randint(0, len(sizes)))
        if rng.random() < 0.9:
            dims = list({dim % len(sizes): dim for dim in dims}.values())
        cases.append((numbers, sizes, strides, dtype, tuple(dims), rng.random() < 0.5))
    return compare(module, "reduce_kernel", reduced, cases)


def mark_parallel_ranges(module: ModuleType) -> list[str]:
    """Against what gnomon's C library does (csrc/c/threads.c)."""
    rng = random.Random("parallel_ranges")

    def ranges(begin: int, end: int, grain: int, threads: int) -> list[tuple[int, int]]:
        count = end - begin
        if count <= 0:
            return []
        parts = max(min(count // grain, threads), 1)
        quotient, rest = divmod(count, parts)
        sizes = [quotient + (part < rest) for part in range(parts)]
        ends = list(itertools.accumulate(sizes, initial=begin))
        return list(itertools.pairwise(ends))

    cases = [(0, 0, 1, 1), (5, 3, 1, 2), (0, 1, 1, 4), (0, 10, 4, 8), (0, 10, 3, 8), (0, 10, 1, 4)]
    for _ in range(400):
        begin = rng.choice([0, 0, 7])
        cases.append((begin, begin + rng.randint(0, 40), rng.randint(1, 12), rng.randint(1, 8)))
    return compare(module, "parallel_ranges", ranges, cases)


EXERCISES = (
    Exercise(
        "pointwise_kernel",
        "one loop for all strides, dtypes and shapes",
        """
        memoryview(memory).cast(format) reads and writes numbers of a dtype: FORMATS has the format,
        and the place of a number is its offset in bytes, divided by the view's itemsize.

        Go through all indices with itertools.product(*map(range, shape)): for a shape of () it
        gives one index, the empty one, and for a size of 0 none. Do you need anything else for
        these cases?

        The offset of an operand is offset + sum(index * stride). Read from both inputs, call the
        function, and write to the output. The view rounds to float32 by itself; a float32 and an
        int64 need no conversion in Python, but an output of integers or bools only takes numbers of
        its kind, which the function gives.
        """,
        mark_pointwise_kernel,
        ("add", "mul"),
    ),
    Exercise(
        "reduce_kernel",
        "a sum over dimensions, in a dtype that can hold it",
        """
        Normalize dims first: negative ones count from the end, none means all, and a dimension may
        appear only once. A tensor without dimensions has the dimensions 0 and -1, too.

        For each element of the result, go through all indices of the reduced dimensions; the offset
        is the sum over all dimensions. Without elements the sum is 0.

        Sum in Python's float (float64) or int, and round once, at the end, with rounded. Integers
        and bools give ints, which are int64: they do not wrap around at 127.
        """,
        mark_reduce_kernel,
        ("sum_to_size",),
    ),
    Exercise(
        "parallel_ranges",
        "the split of work among threads",
        """
        How many parts are there? As many as there are threads, but not more than the number of
        whole grains.

        If there are fewer than two grains of work, one part does everything. Without work there are
        no parts.

        divmod(count, parts) gives the size of a part, and how many of the first parts get one more.
        """,
        mark_parallel_ranges,
    ),
)
