"""Tolerances of pointwise operators for each element: small results are tested as strictly as large ones.

A result may be off by ULPS units in the last place of its own, even if it is subnormal, plus an error
relative to what is subtracted in an intermediate step where PyTorch's own formula cancels: SLACK gives its
size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..execution.runner import TensorOutcome
from ..inputs.description import (
    COMPLEX,
    REAL_FLOATS,
    Sample,
    TensorDescription,
    complete,
    descriptions,
    stored,
)
from .tolerances import ELEMENTARY_ULPS, PRECISION, Tolerance, eps_of, is_finite, ulp

COMPOSED_ULPS = 16  # for a formula of several functions, each with ELEMENTARY_ULPS
DOUBLE_ULPS = 64  # for float64, where the expected results have errors of this kind themselves
COMPLEX_ULPS = 64  # relative to the absolute value
SUBNORMAL = 1100.0  # arguments up to this may multiply an intermediate result that is subnormal

# Operator -> the size of what is subtracted in an intermediate step, from the elements of the inputs.
SLACK: dict[str, Callable[..., float]] = {
    "gelu": lambda a: abs(a),  # x (1 + erf(x / √2)) / 2: below -5 it cancels completely
    "gelu_backward": lambda grad, a: abs(grad) * (1 + abs(a)),
    "silu_backward": lambda grad, a: abs(grad) * (1 + abs(a)) if a > -1.5 else 0.0,  # where it changes sign
    "sigmoid_backward": lambda grad, a: abs(grad),
    "tanh_backward": lambda grad, a: abs(grad),
    "hardswish_backward": lambda grad, a: abs(grad),
    "logaddexp": lambda a, b: max(abs(a), abs(b), 1.0) if min(abs(a), abs(b)) < 30 else 1.0,
    "logaddexp2": lambda a, b: 1.0,
    "logit": lambda a, *_: 1.0,
    "lerp.Scalar": lambda a, b: abs(a) + abs(b),
    "lerp.Tensor": lambda a, b, weight: (abs(a) + abs(b)) * (1 + abs(weight)),
    "addcmul": lambda a, b, c: abs(a) + abs(b * c),
    "addcdiv": lambda a, b, c: abs(a) + (abs(b / c) if c else 0.0),
    "digamma": lambda a: 1.0 + abs(a) * (math.inf if _is_near_a_pole(a) else 1.0),
}
# For float64 alone, where the expected results are Python's.
DOUBLE_SLACK: dict[str, Callable[..., float]] = {
    "lgamma": lambda a: 4.0,
    # near zeros of an oscillating function, of its amplitude
    **dict.fromkeys(
        (f"special_{each}" for each in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai")),
        lambda a: 4.0,
    ),
}
# Operators that multiply by an exponential that may be subnormal or zero.
MULTIPLYING = ("silu", "hardswish")
# In PyTorch's formula for an inverse square the square overflows: a subnormal result may be 0.
OVERFLOWING = ("pow.Tensor_Scalar",)


def _is_near_a_pole(a: float) -> bool:
    return a < 0 and abs(a - round(a)) < 1e-2


class Elementwise(Tolerance):
    """The tolerance of a call whose tensors are all 1-D and of the same length."""

    def __init__(self, operator: Any, sample: Sample, dtype: str, layout: str):
        super().__init__(operator, sample, dtype, layout)
        values = complete(operator.schema, sample)
        given: list[TensorDescription] = list(descriptions(values))
        self._rows = list(
            zip(*(stored(each, dtype, layout, place).numbers for place, each in enumerate(given)))
        )

    def _derived_bounds(self, expected: TensorOutcome, position: int) -> Sequence[float] | None:
        kind = self.kind(expected.dtype)
        numbers = expected.numbers or ()
        if kind == "exact" or (kind == "choice" and expected.dtype not in COMPLEX):
            return super()._derived_bounds(expected, position)
        if expected.dtype in COMPLEX:
            return self._complex_bounds(expected)
        ulps = ELEMENTARY_ULPS if kind == "elementary" else COMPOSED_ULPS
        if expected.dtype == "float64":
            ulps = DOUBLE_ULPS
        elif expected.dtype in ("float16", "bfloat16"):
            ulps = 1  # computed in float32 and rounded once
        eps = min(eps_of(expected.dtype), eps_of("float32"))
        least = 2.0 ** PRECISION[expected.dtype][1]
        slack = SLACK.get(self.operator.name)
        if expected.dtype == "float64":
            slack = DOUBLE_SLACK.get(self.operator.name, slack)
        bounds = []
        for number, row in zip(numbers, self._rows):
            bound = ulps * ulp(abs(number), expected.dtype)
            if kind != "elementary" or self.operator.name in MULTIPLYING:
                size = max((abs(each) for each in row if abs(each) < SUBNORMAL), default=1.0)
                bound += least * max(size, 1.0) if expected.dtype != "float16" else 0.0
            if slack is not None and self.dtype in REAL_FLOATS and all(map(math.isfinite, row)):
                bound += 2 * eps * slack(*row)
            if self.operator.name in OVERFLOWING and abs(number) < 2.0**-126:
                bound += abs(number)
            bounds.append(bound)
        return bounds

    def _complex_bounds(self, expected: TensorOutcome) -> list[float]:
        eps = COMPLEX_ULPS * eps_of(expected.dtype)
        bounds = []
        for number, row in zip(expected.numbers or (), self._rows):
            size = math.hypot(number.real, number.imag) if is_finite(number) else 0.0
            given = max((math.hypot(each.real, each.imag) for each in row if is_finite(each)), default=0.0)
            bounds.append(eps * max(size, min(given, 1e2) ** 2, 1.0))
        return bounds
