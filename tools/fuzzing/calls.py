"""Random calls of operators: the conformance suite's samples with hostile arguments, numbers and layouts."""

from __future__ import annotations

import functools
import json
import math
import random
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from gnomon_conformance.collection.selection import called, operators
from gnomon_conformance.comparison.differences import differences
from gnomon_conformance.comparison.tolerances import eps_of
from gnomon_conformance.execution import runner
from gnomon_conformance.execution.runner import TensorOutcome
from gnomon_conformance.inputs.description import (
    DTYPES,
    FLOATS,
    HURTING,
    LAYOUTS,
    MORE_LAYOUTS,
    GivenTensor,
    OnDevice,
    Sample,
    TensorDescription,
    complete,
    descriptions,
    given,
    sample,
    tensor,
)
from gnomon_conformance.pytorch.against_pytorch import compares_numbers
from gnomon_conformance.pytorch.departures import OWN_OPERATORS, unlisted
from gnomon_conformance.pytorch.oracle import Torch
from gnomon_conformance.samples import good_samples

MOST_NUMBERS = (
    4000  # elements of a result whose numbers are compared; of a larger one only sizes and strides are
)
HOSTILE_INTEGERS = (
    *(2**31 - 1, 2**31, 2**31 + 1, 2**62, 2**63 - 1, 2**16, 2**40),
    *(-1, -2, 0, 1, 2, 3, -(2**31), -(2**31) - 1, -(2**62)),  # PyTorch takes smaller ones for symbolic ints
)
HOSTILE_FLOATS = (math.nan, math.inf, -math.inf, 0.0, -0.0, 3e38, -3e38, 1e-45, 1e308, 2.5, 65504.0, -1.0)
# Operators that create as many tensors as an argument says, which takes PyTorch minutes.
MANY = re.compile(r"tensor_split|(unsafe_)?chunk")
# In PyTorch these write out of bounds for an invalid index, and then gnomon crashes later.
CORRUPTS = re.compile(
    r"(adaptive_)?max_pool\dd(_with_indices)?_backward|_?embedding_bag.*|embedding_dense_backward"
)
WORDS = ("", "mean", "sum", "none", "reflect", "constant", "trunc", "floor", "backward", "sideways")
ROUNDINGS = {"float16": 8, "bfloat16": 4}  # allowed difference in eps; 64 for other dtypes
# Operators whose numbers are not compared: uninitialized memory, and random numbers.
NOT_CALLED = re.compile(r"empty|resize_|new_empty|rrelu")


class Case(NamedTuple):
    """A call: an operator or one of its variants, with a sample's arguments, some of them changed.

    ``original`` are the sample's arguments; ``changed`` are the positions of those that were changed.
    """

    operator: Any
    sample: Sample
    dtype: str
    layout: str
    original: tuple[Any, ...] = ()
    changed: tuple[int, ...] = ()

    def __str__(self) -> str:
        words = [*map(_text, self.sample.args)]
        words += [f"{name}={_text(value)}" for name, value in self.sample.kwargs.items()]
        return f"{self.operator.name}({', '.join(words)})  # {self.dtype}, {self.layout}"

    def name(self) -> str:
        """The operator's name."""
        return self.operator.name

    def without(self, place: int) -> Case:
        """The case with one of its changes undone."""
        values = complete(self.operator.schema, self.sample)
        values[self.changed[place]] = self.original[self.changed[place]]
        left = (*self.changed[:place], *self.changed[place + 1 :])
        return self._replace(sample=_sample_of(self.operator, values), changed=left)


def parse(text: str) -> Case:
    """The case with this text."""
    call, _, where = text.rpartition("  # ")
    name, _, arguments = call.partition("(")
    dtype, _, layout = where.partition(", ")
    operator = called(name)
    if operator is None:
        raise ValueError(f"there is no operator {name!r}")
    names = {
        "inf": math.inf,
        "nan": math.nan,
        "tensor": tensor,
        "given": given,
        "OnDevice": OnDevice,
        "sample": sample,
    }
    return Case(operator, eval(f"sample({arguments}", names), dtype, layout)


def _text(value: Any) -> str:
    if isinstance(value, GivenTensor):
        return f"given({', '.join(map(_text, (*value.contents, value.storage)))})"
    if isinstance(value, TensorDescription):
        words = [str(size) for size in value.sizes]
        for name, own, usual in zip(value._fields[1:], value[1:], TensorDescription(())[1:]):
            words += [f"{name}={_text(own)}"] if own != usual else []
        return f"tensor({', '.join(words)})"
    if type(value) in (list, tuple):
        return f"[{', '.join(map(_text, value))}]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _sample_of(operator: Any, values: Sequence[Any]) -> Sample:
    pairs = list(zip(operator.schema.arguments, values))
    args = tuple(value for argument, value in pairs if not argument.kwarg_only)
    return sample(*args, **{argument.name: value for argument, value in pairs if argument.kwarg_only})


@functools.cache
def names(only: str) -> list[str]:
    """The operators that may be called."""
    return [name for name in sorted(operators()) if re.search(only, name) and name not in OWN_OPERATORS]


def draw(rng: random.Random, only: str) -> Case | None:
    """Generate a case; None if the chosen operator and dtype have no samples."""
    operator = operators()[rng.choice(names(only))]
    dtype = rng.choice(DTYPES)
    samples = good_samples(operator.name, dtype)
    if not samples:
        return None
    _, chosen = rng.choice(samples)
    layout = rng.choice((*LAYOUTS, *MORE_LAYOUTS))
    changes = 0 if CORRUPTS.fullmatch(operator.name) else rng.choice((0, 1, 1, 1, 2, 3))
    original = complete(operator.schema, chosen)
    values = list(original)
    places = rng.sample(range(len(values)), min(changes, len(values)))  # at most one change per argument
    for place in places:
        values[place] = _changed(rng, operator.schema.arguments[place], values[place])
    if MANY.match(operator.name):
        values = [2**16 if isinstance(each, int) and each > 2**16 else each for each in values]
    forms = [operator, operator]
    forms += [each for each in operator.variants if each.schema.is_inplace]
    form = rng.choice(forms)
    made = _sample_of(form, values)
    return Case(form, made, dtype, layout, tuple(original), tuple(sorted(set(places))))


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
    if argument.name == "reduction":  # other numbers are invalid, and treated differently by each loss
        return rng.choice((0, 1, 2))
    if argument.type in ("int", "SymInt"):
        if isinstance(value, (list, tuple)) or argument.is_list:
            return _changed_list(rng, value, HOSTILE_INTEGERS)
        return rng.choice(HOSTILE_INTEGERS)
    if argument.type == "float" and argument.is_list:
        return _changed_list(rng, value, HOSTILE_FLOATS)
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


def _changed_list(rng: random.Random, value: Any, hostile: Sequence[Any]) -> Any:
    if value is None:
        return [rng.choice(hostile)]
    found = list(value) if isinstance(value, (list, tuple)) else [value]
    way = rng.random()
    if found and way < 0.7:
        found[rng.randrange(len(found))] = rng.choice(hostile)
    elif found and way < 0.8:
        found = [rng.choice(hostile)] * len(found)
    elif way < 0.9:
        found.append(rng.choice(hostile))
    elif found:
        found.pop()
    return found


def _changed_tensor(rng: random.Random, value: TensorDescription) -> TensorDescription:
    if isinstance(value, GivenTensor):  # its contents have its sizes and its dtype
        value = TensorDescription(value.sizes, value.contents.dtype, rng.choice(("special", "below 3")))
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


class BoundedTorch(Torch):
    """PyTorch without reading the numbers of large results, which may be a view of one number 2**62 times."""

    def numbers(self, tensor: Any) -> tuple[Any, ...] | None:
        return None if tensor.numel() > MOST_NUMBERS else super().numbers(tensor)


class BoundedGnomon(runner.Gnomon):
    """gnomon on a device, with the same limit as BoundedTorch."""

    def numbers(self, tensor: Any) -> tuple[Any, ...] | None:
        return None if tensor.numel() > MOST_NUMBERS else super().numbers(tensor)


class _Tolerance:
    """The rounding error of a long computation: anything larger is a difference."""

    def __init__(self, given: Sequence[str]):
        self.given = [each for each in given if each in FLOATS]

    def bounds(self, expected: Any, position: int) -> list[float] | None:
        if expected.dtype not in FLOATS:
            return None
        least = max([expected.dtype, *self.given], key=eps_of)
        bound = ROUNDINGS.get(least, 64) * eps_of(least)
        finite = [size for size in map(magnitude, expected.numbers or ()) if math.isfinite(size)]
        return [bound * max([1.0, *finite])] * len(expected.numbers or ())

    def exact(self, expected: Any, position: int) -> None:
        return None

    def where(self, expected: Any, element: int) -> str:
        return ""


def magnitude(number: Any) -> float:
    """The absolute value; infinity for a complex number for which abs raises OverflowError."""
    return math.hypot(number.real, number.imag)


def outcome(framework: Any, case: Case) -> Any:
    """The Outcome of a case in a framework."""
    return runner.run(framework, case.operator, case.sample, case.dtype, case.layout)


def compare(case: Case, actual: Any, expected: Any) -> list[str]:
    """The differences between the outcomes of a case."""
    given = [case.dtype, *(each.dtype for each in _tensors(case) if each.dtype)]
    numbers = compares_numbers(case.operator.name) and not NOT_CALLED.match(case.operator.name)
    actual, expected = (
        each._replace(results=tuple(map(_telling, each.results))) for each in (actual, expected)
    )
    tolerance: Any = _Tolerance(given)
    problems = differences(actual, expected, tolerance, texts=False, values=numbers, storages=False)
    base = case.operator.record.base or case.operator
    return unlisted(base.name, case.dtype, problems)


def _telling(result: Any) -> Any:
    return (
        result._replace(strides=telling_strides(result.sizes, result.strides))
        if isinstance(result, TensorOutcome)
        else result
    )


def telling_strides(sizes: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The strides that determine where elements are: without dimensions of size one, and none if empty.

    In PyTorch the other strides depend on the operand that a kernel takes first; the suite's samples compare
    them.
    """
    return () if 0 in sizes else tuple(0 if size == 1 else each for size, each in zip(sizes, strides))


def _tensors(case: Case) -> list[TensorDescription]:
    return list(descriptions(complete(case.operator.schema, case.sample)))
