"""Random cases for the marks, with the corner cases: sizes of 0 and 1, no dimensions, strides of 0."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...values import geometry
from ...values.geometry import Ints


def random_sizes(rng: random.Random, dims: int = 4, largest: int = 4) -> Ints:
    """Sizes of up to ``dims`` dimensions; a size of 1 is frequent, one of 0 is not."""
    choices = [1, *range(largest + 1), *range(1, largest + 1)]
    return tuple(rng.choice(choices) for _ in range(rng.randint(0, dims)))


def random_view(rng: random.Random, dims: int = 4, largest: int = 4) -> tuple[Ints, Ints]:
    """Sizes and strides of a view: permuted, sliced with steps, expanded, or contiguous."""
    sizes = list(random_sizes(rng, dims, largest))
    steps = [rng.choice([1, 1, 1, 2]) for _ in sizes]
    whole = [max(size, 1) * step for size, step in zip(sizes, steps)]
    strides = [stride * step for stride, step in zip(geometry.contiguous_strides(whole), steps)]
    if rng.random() < 0.5:
        order = list(range(len(sizes)))
        rng.shuffle(order)
        sizes, strides = [sizes[dim] for dim in order], [strides[dim] for dim in order]
    for dim, size in enumerate(sizes):
        if rng.random() < 0.1:
            strides[dim] = 0
        elif size == 1 and rng.random() < 0.3:
            strides[dim] = rng.randint(0, 9)  # of no importance
    return tuple(sizes), tuple(strides)


def split(rng: random.Random, sizes: Sequence[int]) -> Ints:
    """Other sizes of as many elements: neighbors merged, sizes split, ones added."""
    numel = geometry.numel_of(sizes)
    if not numel:
        return tuple(rng.sample([0, *[rng.randint(1, 4) for _ in range(rng.randint(0, 3))]], k=1)) + (2,)
    found: list[int] = []
    rest = numel
    while rest > 1:
        size = rng.choice([each for each in range(1, rest + 1) if rest % each == 0])
        found.append(size)
        rest //= size
        if len(found) > 5:
            return (*found, rest)
    return tuple(found) + (1,) * rng.choice([0, 0, 1])
