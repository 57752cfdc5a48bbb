"""Sizes and steps for which an algorithm gives different results in float64 and in float32.

For resampling, pairs of sizes where ``floor(place * size / size)`` differs between float32, float64 and
integer arithmetic; for ranges, steps that no dtype represents exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .description import INTEGERS, REAL_FLOATS, Sample, sample, tensor

SIZES = ((4, 82), (8, 82), (12, 74), (14, 46), (26, 22), (30, 22), (30, 26), (7, 3), (3, 23))
# Scale factors that contradict the sizes: 1 / 0.6 and others are rounded.
FACTORS = ((7, 5, 0.7), (5, 8, 1.6), (9, 30, 3.3333333), (11, 7, 0.6), (5, 15, 3.1))
_Range = tuple[float, float, float]  # start, end, step
RANGES: tuple[_Range, ...] = (
    (0, 1, 0.1), (0, 70, 0.7), (-1, 5, 0.01), (1, 2, 1 / 3), (0, 16_777_230, 4099.7), (5, -5, -0.3),
)  # fmt: skip
INTEGER_RANGES: tuple[_Range, ...] = (
    (0, 100, 3), (-7, 60, 7), (2**40, 2**40 + 50, 7), (2**53 + 1, 2**53 + 9, 1), (50, -50, -9),
)  # fmt: skip
LINES = ((0, 1, 11), (-1, 1, 50), (0, 1e6, 97), (3, 10, 65), (-3.3, 7.7, 130), (0.1, 0.7, 3), (5, 5, 4))

_DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3}


def calls(operator: Any, dtype: str) -> Iterator[Sample]:
    """The calls of an operator at such sizes; nothing for other operators."""
    name = operator.name
    if name == "arange.start_step":
        for start, end, step in INTEGER_RANGES if dtype in INTEGERS else RANGES:
            if dtype not in ("float16", "bfloat16", "uint8", "int8", "int16", "int32"):
                yield sample(start, end, step, dtype=dtype)
    elif name in ("linspace", "logspace"):
        for start, end, steps in LINES:
            if name == "linspace":
                yield sample(start, end, steps, dtype=dtype)
            elif abs(start) + abs(end) < 20:
                yield sample(start, end, steps, 2.0, dtype=dtype)
    elif dtype in REAL_FLOATS:
        yield from _resampled(name)


def _resampled(name: str) -> Iterator[Sample]:
    dims = next(count for word, count in _DIMENSIONS.items() if word in name)
    is_backward = name.endswith("_backward")
    align: list[list[Any]] = [[]] if "nearest" in name else [[False], [True]]
    # of two or three dimensions, only the last is resampled
    for short, long, *factor in (*SIZES, *FACTORS):
        sizes, target = [1] * (dims - 1) + [short], [1] * (dims - 1) + [long]
        factors = [1.0] * (dims - 1) + factor if factor else []
        for aligned in align:
            if factors and aligned == [True]:
                continue
            if is_backward:
                yield sample(tensor(1, 1, *target), target, [1, 1, *sizes], *aligned, *factors)
            else:
                yield sample(tensor(1, 1, *sizes), target, *aligned, *factors)


def operators(names: Any) -> list[str]:
    """Those of these operators that have such calls."""
    resampling = [
        name
        for name in names
        if "upsample_" in name and name.split(".")[0] == name and any(word in name for word in _DIMENSIONS)
    ]
    return [*resampling, "arange.start_step", "linspace", "logspace"]
