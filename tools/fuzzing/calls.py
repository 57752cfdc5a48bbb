"""Random calls of operators: the conformance suite's samples with hostile arguments, numbers and layouts."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from gnomon_conformance import running
from gnomon_conformance.against_torch import compares_numbers
from gnomon_conformance.comparing import differences
from gnomon_conformance.departures import OWN_OPERATORS, unlisted
from gnomon_conformance.description import (
    DTYPES,
    FLOATS,
    HURTING,
    LAYOUTS,
    MORE_LAYOUTS,
    Sample,
    TensorDescription,
    complete,
    descriptions,
)
from gnomon_conformance.oracle import Torch
from gnomon_conformance.samples import good_samples
from gnomon_conformance.selection import operators
from gnomon_conformance.tolerances import eps_of

from .known import CALLS

MOST_NUMBERS = (
    4000  # elements of a result that are looked at; of a larger one its sizes and strides are compared
)
HOSTILE_INTEGERS = (
    *(2**31 - 1, 2**31, 2**31 + 1, 2**62, 2**63 - 1, 2**16, 2**24, 2**40),
    *(-1, -2, 0, 1, 2, 3, -(2**31), -(2**31) - 1, -(2**62), -(2**63)),
)
HOSTILE_FLOATS = (math.nan, math.inf, -math.inf, 0.0, -0.0, 3e38, -3e38, 1e-45, 1e308, 2.5, 65504.0, -1.0)
WORDS = ("", "mean", "sum", "none", "reflect", "constant", "trunc", "floor", "backward", "sideways")
ROUNDINGS = {"float16": 8, "bfloat16": 4}  # eps by which two right results may differ; of other dtypes 64
# What the sizes of a result follow from, and so how much memory is asked for: PyTorch asks for it, too.
NOT_CALLED = re.compile(r"empty|resize_|new_empty")


class Case(NamedTuple):
    """A call: an operator or one of its variants, with a sample's arguments, some of them changed."""

    operator: Any
    sample: Sample
    dtype: str
    layout: str

    def __str__(self) -> str:
        words = [*map(_text, self.sample.args)]
        words += [f"{name}={_text(value)}" for name, value in self.sample.kwargs.items()]
        return f"{self.operator.name}({', '.join(words)})  # {self.dtype}, {self.layout}"


def _text(value: Any) -> str:
    if isinstance(value, TensorDescription):
        extra = "".join(f", {each}" for each in (value.dtype, value.values) if each not in (None, "normal"))
        return f"tensor({', '.join(map(str, value.sizes))}{extra})"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    return repr(value)


def draw(rng: random.Random, only: str) -> Case | None:
    """A case; None where what was drawn has no samples."""
    found = operators()
    names = [name for name in sorted(found) if re.search(only, name) and name not in OWN_OPERATORS]
    operator = found[rng.choice(names)]
    dtype = rng.choice(DTYPES)
    samples = good_samples(operator.name, dtype)
    if not samples:
        return None
    _, sample = rng.choice(samples)
    layout = rng.choice((*LAYOUTS, *MORE_LAYOUTS))
    changes = rng.choice((0, 1, 1, 1, 2, 3))
    values = complete(operator.schema, sample)
    arguments = operator.schema.arguments
    for _ in range(changes):
        place = rng.randrange(len(values)) if values else 0
        if values:
            values[place] = _changed(rng, arguments[place], values[place])
    args = tuple(value for value, argument in zip(values, arguments) if not argument.kwarg_only)
    kwargs = {argument.name: value for value, argument in zip(values, arguments) if argument.kwarg_only}
    forms = [operator, operator]
    forms += [each for each in operator.record.variants if each.schema.is_inplace]
    return Case(rng.choice(forms), sample._replace(args=args, kwargs=kwargs), dtype, layout)


def _changed(rng: random.Random, argument: Any, value: Any) -> Any:
    """Another value for an argument."""
    if isinstance(value, TensorDescription):
        return _changed_tensor(rng, value)
    if argument.type == "Tensor" and isinstance(value, (list, tuple)):
        found = [
            _changed_tensor(rng, each) if isinstance(each, TensorDescription) else each for each in value
        ]
        if found and rng.random() < 0.3:
            found.pop()
        return found
    if argument.type in ("int", "SymInt"):
        if isinstance(value, (list, tuple)) or argument.is_list:
            return _changed_list(rng, value)
        return rng.choice(HOSTILE_INTEGERS)
    if argument.type == "float" or (argument.type == "Scalar" and not argument.is_list):
        if argument.type == "Scalar" and rng.random() < 0.4:
            return rng.choice((*HOSTILE_INTEGERS, True, 1 + 2j))
        return rng.choice(HOSTILE_FLOATS)
    if argument.type == "bool" and isinstance(value, bool):
        return not value
    if argument.type == "str":
        return rng.choice(WORDS)
    if argument.type == "ScalarType":
        return rng.choice(DTYPES)
    return value


def _changed_list(rng: random.Random, value: Any) -> Any:
    if value is None:
        return [rng.choice(HOSTILE_INTEGERS)]
    found = list(value) if isinstance(value, (list, tuple)) else [value]
    way = rng.random()
    if found and way < 0.7:
        found[rng.randrange(len(found))] = rng.choice(HOSTILE_INTEGERS)
    elif found and way < 0.8:
        found = [rng.choice(HOSTILE_INTEGERS)] * len(found)
    elif way < 0.9:
        found.append(rng.choice(HOSTILE_INTEGERS))
    elif found:
        found.pop()
    return found


def _changed_tensor(rng: random.Random, value: TensorDescription) -> TensorDescription:
    way = rng.random()
    if way < 0.3:
        return value._replace(dtype=rng.choice(DTYPES), values="normal")
    if way < 0.55 and not value.values.startswith("below "):
        return value._replace(values=rng.choice(("special", *HURTING)))
    if way < 0.55:
        return value._replace(values=rng.choice(("special", "normal")))
    sizes = list(value.sizes)
    if sizes and way < 0.85:
        sizes[rng.randrange(len(sizes))] = rng.choice((0, 1, 2, 3, 5))
    elif sizes and way < 0.92:
        sizes.pop()
    else:
        sizes.insert(0, rng.choice((0, 1, 2)))
    return value._replace(sizes=tuple(sizes))


class _Bounded:
    """Of a large result no numbers are read: it may be the view of one number 2**62 times."""

    def numbers(self, tensor: Any) -> tuple[Any, ...] | None:
        return None if tensor.numel() > MOST_NUMBERS else super().numbers(tensor)  # type: ignore[misc]


class BoundedTorch(_Bounded, Torch):
    """PyTorch."""


class BoundedGnomon(_Bounded, running.Gnomon):
    """gnomon on a device."""


class _Tolerance:
    """Rounding of a long computation: whatever is more is a difference."""

    def __init__(self, given: Sequence[str]):
        self.given = [each for each in given if each in FLOATS]

    def bounds(self, expected: Any, position: int) -> list[float] | None:
        if expected.dtype not in FLOATS:
            return None
        least = max([expected.dtype, *self.given], key=eps_of)
        bound = ROUNDINGS.get(least, 64) * eps_of(least)
        finite = [abs(each) for each in expected.numbers or () if _is_finite(each)]
        return [bound * max([1.0, *finite])] * len(expected.numbers or ())

    def exact(self, expected: Any, position: int) -> None:
        return None

    def where(self, expected: Any, element: int) -> str:
        return ""


def _is_finite(number: Any) -> bool:
    return math.isfinite(number.real) and math.isfinite(number.imag)


def outcome(framework: Any, case: Case) -> Any:
    """What a framework makes of a case."""
    return running.run(framework, case.operator, case.sample, case.dtype, case.layout)


def compare(case: Case, actual: Any, expected: Any) -> list[str]:
    """What differs, and is not known to."""
    given = [case.dtype, *(each.dtype for each in _tensors(case) if each.dtype)]
    numbers = compares_numbers(case.operator.name) and not NOT_CALLED.match(case.operator.name)
    problems = differences(actual, expected, _Tolerance(given), texts=False, values=numbers, storages=False)
    base = case.operator.record.base or case.operator
    problems = unlisted(base.name, case.dtype, problems)
    return [each for each in problems if not any(known.covers(str(case), each) for known in CALLS)]


def _tensors(case: Case) -> list[TensorDescription]:
    return list(descriptions(complete(case.operator.schema, case.sample)))
