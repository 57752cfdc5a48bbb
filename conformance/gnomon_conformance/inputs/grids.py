"""Grids of numbers from the whole range of a dtype, and calls of pointwise operators with them.

Faults at large or small magnitudes (a subnormal result, a tail that is cut off, cancellation) do not show
with numbers between -2 and 2.  Each operator is called once with numbers of every magnitude, densely where
most functions bend, and operators of several tensors with every pair, or triple, of fewer numbers.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gnomon.backends.listing import kernel_operators

from ..samples import families_of
from .description import COMPLEX, INTEGERS, REAL_FLOATS, GivenTensor, Sample, given

# Smallest and largest binary exponent, and bits of the significand.
_FORMS = {
    "float16": (-24, 15, 11),
    "bfloat16": (-133, 127, 8),
    "float32": (-149, 127, 24),
    "float64": (-1074, 1023, 53),
}
_MAGNITUDES = 180  # exponents that are tested, for each sign


def rounded(number: float, dtype: str) -> float:
    """Round ``number`` to ``dtype``; infinity if it is too large."""
    least, greatest, bits = _FORMS[dtype]
    if number == 0 or not math.isfinite(number):
        return number
    unit = max(math.frexp(number)[1] - bits, least)
    if unit < -1000:  # the factor 2**1074 would overflow
        return number
    found = math.ldexp(round(math.ldexp(number, -unit)), unit)
    return found if abs(found) < 2.0 ** (greatest + 0.99999) * 2 or dtype == "float64" else math.inf


def _within(numbers: Iterable[float], dtype: str) -> list[float]:
    """These numbers rounded to ``dtype``, without NaN and without duplicates."""
    largest = greatest(dtype)
    found = [rounded(number, dtype) for number in numbers]
    kept = [number for number in found if math.isinf(number) or abs(number) <= largest]
    return list({struct.pack("d", number): number for number in kept}.values())


def greatest(dtype: str) -> float:
    """The largest finite number of ``dtype``."""
    _, exponent, bits = _FORMS[dtype]
    return (2 - 2.0 ** (1 - bits)) * 2.0**exponent


@functools.cache
def line(dtype: str) -> tuple[float, ...]:
    """Numbers from the whole range of ``dtype``, for operators of one tensor."""
    least, most, bits = _FORMS[dtype]
    step = max((most - least) // _MAGNITUDES, 1)
    made = [(1, 1.71, 1.37)[exponent % 3] * 2.0**exponent for exponent in range(least, most + 1, step)]
    made += [count / 8 for count in range(161)]  # the region where most functions bend
    made += [count / 2 for count in range(40, 220)]  # where exponentials overflow or vanish, in float32
    made += [1 + sign * 2.0**-place for place in range(1, bits) for sign in (1, -1)]
    made += [2 + sign * 2.0**-place for place in range(1, bits - 1, 3) for sign in (1, -1)]
    made += [count * math.pi / 2 for count in (*range(1, 12), 1000, 100_001, 10**7 + 3)]
    if dtype == "float64":
        made += [count * 3.7 for count in range(60, 210)]
    made += [greatest(dtype), 2.0**least, 2.0 ** (least + bits - 1), 0.0, math.inf]
    return (*_within([*made, *(-number for number in made)], dtype), math.nan)


@functools.cache
def few(dtype: str, count: int) -> tuple[Any, ...]:
    """About ``count`` of the most telling numbers, for operators of several tensors."""
    if dtype == "bool":
        return (False, True)
    if dtype in INTEGERS:
        return tuple(_few_integers(dtype))[: max(count, 12)]
    if dtype in COMPLEX:
        parts = (0.0, -0.0, 1.0, -2.5, 0.375, math.inf, 2.0**-10, 30.0)
        chosen = list(itertools.product(parts, parts))
        return tuple(complex(*pair) for pair in random.Random("complex").sample(chosen, count))
    least, most, bits = _FORMS[dtype]
    made = [0.0, 1.0, math.inf, 0.5, 2.0**least, greatest(dtype), 2.5, 2.0 ** (least + bits - 1), 20.0, 1e-3]
    made += [1 + 2.0 ** (1 - bits), 88.5, 3.0, 2.0 ** (most // 2 + 3), 2.0 ** (least // 2 - 3), 7.3, 5e3, 0.9]
    made = made[: max(count // 2, 5)]
    return (*_within([*made, *(-number for number in made)], dtype), math.nan)


def _few_integers(dtype: str) -> list[int]:
    bits = 8 if dtype == "uint8" else int(dtype[3:])
    low, high = (0, 2**bits - 1) if dtype == "uint8" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    made = [0, 1, high, low, -1, 2, 3, low + 1, high - 1, 7, -7, -3, 10, high // 2 + 1, low // 2 - 1, 100]
    # integers that float64, and float32, cannot represent
    made += [
        2**53 + 1,
        -(2**53) - 1,
        2**24 + 1,
        2**31 + 1,
        -(2**31) - 1,
        3 * 2**60 + 5,
        2**62 - 3,
        -(2**55) + 3,
    ]
    made += [2**32 + 1, 6_700_417, 10**15 + 37]
    return list(dict.fromkeys(number for number in made if low <= number <= high))


def column(numbers: Sequence[Any], dtype: str) -> GivenTensor:
    """A contiguous 1-D tensor of these numbers."""
    return given(numbers, (len(numbers),), (1,), 0, dtype)


def combined(
    dtypes: Sequence[str], counts: Sequence[int], wanted: Callable[..., bool] | None = None
) -> list[GivenTensor]:
    """One tensor per dtype; element by element they form all wanted combinations of ``few`` numbers."""
    lists = [few(dtype, count) for dtype, count in zip(dtypes, counts)]
    rows = [row for row in itertools.product(*lists) if wanted is None or wanted(*row)]
    return [column(numbers, dtype) for numbers, dtype in zip(zip(*rows), dtypes)]


# Operator -> lists of the arguments after its tensor.
ONE_AND_NUMBERS: dict[str, list[list[Any]]] = {
    "gelu": [["none"], ["tanh"]],
    "logit": [[None], [2.0**-10]],
    "nan_to_num": [[None, None, None], [0.5, 3.0, -2.0]],
    "elu": [[1.0, 1.0, 1.0], [1.5, 2.0, 0.5]],
    "softplus": [[1, 20], [2.0, 5]],
    "threshold": [[0.5, 20]],
    "hardshrink": [[0.5]],
    "softshrink": [[0.5]],
    "hardtanh": [[-1, 1]],
    "_smooth_l1": [[1.0], [0.3]],
    "_huber": [[1.0], [2.5]],
    "leaky_relu": [[0.01], [2.0]],
    "clamp": [[-1, 2], [0, None]],
    "round.decimals": [[0], [2], [-1]],
    "pow.Tensor_Scalar": [[2], [3], [0.5], [-1], [-0.5], [2.5], [0], [-2]],
}
TWO_AND_NUMBERS: dict[str, list[list[Any]]] = {
    "gelu_backward": [["none"], ["tanh"]],
    "softplus_backward": [[1, 20]],
    "elu_backward": [[1.0, 1.0, 1.0, False]],
    "threshold_backward": [[0.5]],
    "leaky_relu_backward": [[0.1, False]],
    "hardshrink_backward": [[0.5]],
    "softshrink_backward": [[0.5]],
    "hardtanh_backward": [[-1, 1]],
    "lerp.Scalar": [[0.25], [0.75]],
}
HUGE = 1e30  # beyond this, some formulas overflow in an intermediate result and others do not
# Operator -> which floating point inputs are tested; the others have results that depend on the formula.
SENSIBLE: dict[str, Callable[..., bool]] = {
    # the reference's recurrence takes long for large orders
    **dict.fromkeys(
        ("special_laguerre_polynomial_l", "special_legendre_polynomial_p"),
        lambda x, n: not 500 < n <= 2**14,
    ),
    "sigmoid_backward": lambda grad, result: 0 <= result <= 1,
    "tanh_backward": lambda grad, result: -1 <= result <= 1,
    "silu_backward": lambda grad, a: abs(grad) < HUGE or ((grad != grad or math.isinf(grad)) and abs(a) < 5),
    "gelu_backward": lambda grad, a: (abs(grad) < HUGE and abs(a) < 1e15) or grad != grad or abs(a) < 3,
    "lerp.Scalar": lambda a, b: abs(a) < HUGE or abs(b) < HUGE,
    "lerp.Tensor": lambda a, b, weight: not any(HUGE < abs(each) < math.inf for each in (a, b, weight)),
    "addcmul": lambda a, b, c: not any(HUGE < abs(each) < math.inf for each in (a, b, c)),
    "addcdiv": lambda a, b, c: (
        not any(HUGE < abs(each) < math.inf for each in (a, b, c)) and (c == 0 or abs(c) > 1 / HUGE or c != c)
    ),
}
DIVISIONS = ("div_floor", "div_trunc", "remainder.Tensor", "fmod.Tensor")
PAIRS, TRIPLES = 36, 11


# Files of samples/ whose operators are pointwise: one element of the result from one of each tensor.
_FAMILIES = {"pointwise", "elementary", "activations", "special"}
# Operators whose results are undefined for most numbers: a shift by more than the number of bits.
_UNDEFINED = {"bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor"}


@functools.cache
def plain(count: int) -> tuple[str, ...]:
    """The pointwise operators with exactly ``count`` tensors and no other required arguments."""
    return tuple(
        operator.name
        for operator in kernel_operators()
        if _FAMILIES.intersection(families_of(operator.name))
        and operator.name not in _UNDEFINED | ONE_AND_NUMBERS.keys() | TWO_AND_NUMBERS.keys()
        and not operator.record.written_positions
        and [str(each.type) for each in operator.schema.arguments if not each.kwarg_only]
        == ["Tensor"] * count
        and operator.name != "where.self"  # its first tensor has another dtype
    )


def calls(operator: Any, dtype: str) -> Iterator[Sample]:
    """The calls of a pointwise operator with such numbers; nothing for other operators."""
    name = operator.name
    if name in plain(1) or name in ONE_AND_NUMBERS:
        numbers = line(dtype) if dtype in REAL_FLOATS else few(dtype, 49)
        for rest in ONE_AND_NUMBERS.get(name, [[]]):
            if dtype in REAL_FLOATS or all(each is None or isinstance(each, (int, str)) for each in rest):
                yield _call(operator, [column(numbers, dtype)], rest)
    elif name in plain(2) or name in TWO_AND_NUMBERS:
        wanted = SENSIBLE.get(name) if dtype in REAL_FLOATS else None
        if name in DIVISIONS and dtype in INTEGERS:
            wanted = _is_divisor
        if name == "pow.Tensor_Tensor" and dtype in INTEGERS:
            wanted = _is_power
        tensors = combined([dtype] * 2, [PAIRS] * 2, wanted)
        for rest in TWO_AND_NUMBERS.get(name, [[]]):
            yield _call(operator, tensors, rest)
    elif name in plain(3):
        wanted = SENSIBLE.get(name) if dtype in REAL_FLOATS else None
        yield _call(operator, combined([dtype] * 3, [TRIPLES] * 3, wanted), [])
    elif name == "where.self":
        yield _call(operator, combined(["bool", dtype, dtype], [2, TRIPLES, TRIPLES]), [])


def _is_divisor(a: int, b: int) -> bool:
    return b != 0


def _is_power(a: int, b: int) -> bool:
    return b >= 0


def _call(operator: Any, tensors: Sequence[GivenTensor], rest: Sequence[Any]) -> Sample:
    return Sample((*tensors, *rest), {}, differentiable=False)


def operators() -> list[str]:
    """The operators that have such calls."""
    return [*plain(1), *ONE_AND_NUMBERS, *plain(2), *TWO_AND_NUMBERS, *plain(3), "where.self"]
