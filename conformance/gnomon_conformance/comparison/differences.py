"""Compares two observations of the same call, and describes the differences in words."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from ..execution.runner import Failure, Gradients, Outcome, TensorOutcome
from . import error_measurement
from .tolerances import Tolerance, gradient_bounds, is_finite, ulp


def same_number(actual: Any, expected: Any, bound: float | None) -> bool:
    """Whether two numbers are equal, or within ``bound``.  NaN equals NaN; without a bound, -0.0 is not 0.0.

    With an infinite bound, any number is accepted.
    """
    if bound == math.inf:
        return True
    if isinstance(actual, complex) or isinstance(expected, complex):
        actual, expected = complex(actual), complex(expected)
        if bound is None or not (is_finite(actual) and is_finite(expected)):
            # all complex numbers that are not finite count as equal: C's rules for their parts differ
            if bound is not None and not is_finite(actual) and not is_finite(expected):
                return True
            # x86's vector units treat a complex number as two reals: the signs of zeros are unspecified
            return same_number(actual.real, expected.real, 0.0) and same_number(
                actual.imag, expected.imag, 0.0
            )
        return abs(actual - expected) <= bound
    if actual != actual or expected != expected:
        return actual != actual and expected != expected
    if actual == expected:
        is_zero = isinstance(actual, float) and actual == 0 and bound is None
        return not is_zero or math.copysign(1.0, actual) == math.copysign(1.0, expected)
    if bound is None:
        return False
    return math.isfinite(actual) and math.isfinite(expected) and abs(actual - expected) <= bound


def _agree(actual: Sequence[Any], expected: Sequence[Any], bounds: Sequence[float] | None) -> bool:
    """Whether a quick check finds no difference, which suffices for most comparisons."""
    if bounds is not None:
        try:
            return all(abs(mine - wanted) <= bound for mine, wanted, bound in zip(actual, expected, bounds))
        except OverflowError:  # abs of a complex NaN may raise it (comparison/tolerances.py)
            return False
    signs_count = bool(actual) and isinstance(actual[0], float) and 0.0 in actual
    return not signs_count and tuple(actual) == tuple(expected)


def _element_differences(
    actual: Sequence[Any],
    expected: Sequence[Any],
    bounds: Sequence[float] | None,
    what: str,
    exact: Sequence[Any] | None = None,
) -> list[str]:
    """Where elements differ by more than ``bounds`` from the expected, or from the ``exact`` numbers."""
    if len(actual) != len(expected):
        return [f"{what} has {len(actual)} elements, expected {len(expected)}"]
    if exact is not None:
        expected = exact
    if _agree(actual, expected, bounds):
        return []
    wrong = [
        position
        for position, (mine, wanted) in enumerate(zip(actual, expected))
        if not same_number(mine, wanted, None if bounds is None else bounds[position])
    ]
    messages = []
    for position in wrong:
        allowed = "" if bounds is None else f" (allowed difference {bounds[position]:.3g})"
        messages.append(
            f"{what}: element {position} is {actual[position]!r}, expected {expected[position]!r}{allowed}"
        )
    return messages


def _measure(
    actual: TensorOutcome,
    expected: TensorOutcome,
    bounds: Sequence[float],
    exact: Sequence[Any] | None,
    tolerance: Tolerance,
) -> None:
    """Record the largest error among finite elements of a result, for the report."""
    if len(actual.numbers or ()) != len(expected.numbers or ()):
        return
    targets = expected.numbers if exact is None else exact
    for place, (mine, wanted, bound) in enumerate(zip(actual.numbers or (), targets or (), bounds)):
        if is_finite(mine) and is_finite(wanted) and math.isfinite(bound):
            unit = ulp(abs(wanted), expected.dtype)
            error = abs(mine - wanted) / unit
            where = functools.partial(tolerance.where, expected, place)
            error_measurement.current().note(error, bound / unit, where)


def result_differences(
    actual: Any,
    expected: Any,
    bounds: Sequence[float] | None,
    what: str,
    values: bool = True,
    strides: bool = True,
    exact: Sequence[Any] | None = None,
) -> list[str]:
    """Where one result differs from the expected one, or from its ``exact`` numbers."""
    if not isinstance(actual, TensorOutcome) or not isinstance(expected, TensorOutcome):
        same = type(actual) is type(expected) and (
            same_number(actual, expected, None)
            if isinstance(actual, (int, float, complex))
            else actual == expected
        )
        return [] if same else [f"{what} is {actual!r}, expected {expected!r}"]
    found = []
    names = ["dtype", "sizes", *(["strides"] if strides else []), "alias"]
    for name in names:
        mine, wanted = getattr(actual, name), getattr(expected, name)
        if mine != wanted:
            found.append(f"{what} has {name} {mine}, expected {wanted}")
    if actual.alias is not None and actual.offset != expected.offset:
        found.append(f"{what} has storage offset {actual.offset}, expected {expected.offset}")
    if values and not found and actual.numbers is not None and expected.numbers is not None:
        found.extend(_element_differences(actual.numbers, expected.numbers, bounds, what, exact))
    return found


def renamed_device(text: str, device_type: str) -> str:
    """The text of an error with the device name replaced by the reference's.

    A word before a dot is not a device: an error may name ``torch.hsplit``.  Errors of sparse layouts write
    the layout and the device as one word, such as SparseCsrCUDA, and of the reference SparseCsrCPU.
    """
    text = re.sub(rf"\b(Sparse\w*?){re.escape(device_type.upper())}\b", r"\1CPU", text)
    return re.sub(rf"\b{re.escape(device_type)}\b(?!\.\w)", "reference", text)


AnyOutcome = TypeVar("AnyOutcome", Outcome, Gradients)


def renamed(outcome: AnyOutcome, device_type: str) -> AnyOutcome:
    """The outcome with the device name in its exception replaced by the reference's."""
    if outcome.failure is None:
        return outcome
    text = renamed_device(outcome.failure.text, device_type)
    return outcome._replace(failure=outcome.failure._replace(text=text))


def failure_differences(actual: Failure | None, expected: Failure | None, texts: bool) -> list[str]:
    """Where one exception (or none) differs from the expected one (or none)."""
    if expected is None:
        return [] if actual is None else [f"raised {actual.kinds[0]}: {actual.text}"]
    if actual is None:
        return [f"raised nothing, expected {expected.kinds[0]}: {expected.text}"]
    if expected.kinds[0] not in actual.kinds and actual.kinds[0] not in expected.kinds[:-1]:
        return [f"raised {actual.kinds[0]}: {actual.text}\nexpected {expected.kinds[0]}: {expected.text}"]
    if texts and actual.text != expected.text:
        return [f"raised {actual.text!r}\nexpected {expected.text!r}"]
    return []


def differences(
    actual: Outcome,
    expected: Outcome,
    tolerance: Tolerance,
    *,
    texts: bool = True,
    values: bool = True,
    storages: bool = True,
) -> list[str]:
    """Where an outcome differs from the expected one: exception, results, effects on the arguments.

    ``texts``: compare the texts of exceptions.  ``values``: compare numbers (random numbers come from
    another stream in PyTorch, and those of uninitialized memory are arbitrary).
    """
    found = failure_differences(actual.failure, expected.failure, texts)
    if found or expected.failure is not None:
        return found
    if len(actual.results) != len(expected.results):
        return [f"gave {len(actual.results)} results, expected {len(expected.results)}"]
    for position, (mine, wanted) in enumerate(zip(actual.results, expected.results)):
        bounds = exact = None
        # Equal results need no bounds, which take several calls of the reference.
        if isinstance(wanted, TensorOutcome) and values and not _is_identical(mine, wanted):
            bounds = tolerance.bounds(wanted, position)
            exact = tolerance.exact(wanted, position) if bounds is not None else None
            if bounds is not None and isinstance(mine, TensorOutcome):
                _measure(mine, wanted, bounds, exact, tolerance)
        what = "result" if len(expected.results) == 1 else f"result {position}"
        found.extend(result_differences(mine, wanted, bounds, what, values, exact=exact))
    if values and storages and not found:
        written = [wanted.alias[1] for wanted in expected.results if _is_same(wanted)]
        for position, (mine, wanted) in enumerate(zip(actual.storages, expected.storages)):
            if mine is None or wanted is None or position in written:
                continue
            found.extend(_element_differences(mine, wanted, None, f"argument {position} afterwards"))
    if actual.bumps != expected.bumps:
        found.append(f"versions of the arguments went up by {actual.bumps}, expected {expected.bumps}")
    if sorted(set(actual.warnings)) != sorted(set(expected.warnings)):
        found.append(f"warned {list(actual.warnings)}, expected {list(expected.warnings)}")
    return found


def _is_identical(mine: Any, wanted: TensorOutcome) -> bool:
    numbers = mine.numbers if isinstance(mine, TensorOutcome) else None
    return numbers is not None and wanted.numbers is not None and _agree(numbers, wanted.numbers, None)


def _is_same(result: Any) -> bool:
    return isinstance(result, TensorOutcome) and result.alias is not None and result.alias[0] == "same"


def unchanged(
    outcome: Outcome,
    contents: Sequence[Any],
    written: Sequence[bool],
    storages: Sequence[Any] | None = None,
) -> list[str]:
    """Where a call changed memory that its schema does not say it writes to.

    That is every element of every storage except those of the tensors marked in ``written``; tensors with
    equal keys in ``storages`` share a storage.  A resized output counts with its new sizes and strides.
    """
    storages = range(len(contents)) if storages is None else storages
    resized = {
        each.alias[1]: each
        for each in outcome.results
        if _is_same(each) and len(each.strides) == len(each.sizes)  # a compressed tensor has no strides
    }
    found = []
    for position, (after, before) in enumerate(zip(outcome.storages, contents)):
        if after is None:
            continue
        views = [
            resized.get(number, each)
            for number, (each, storage, is_written) in enumerate(zip(contents, storages, written))
            if is_written and storage == storages[position]
        ]
        if not views:
            what = f"argument {position} was changed: it"
            found.extend(_element_differences(after, before.numbers, None, what))
        elif len(after) == len(before.numbers):  # the storage was not resized
            reached = {place for view in views for place in _reached(view)}
            found.extend(
                f"memory around argument {position} was written to: element {place} of its storage is "
                f"{after[place]!r}, and was {number!r}"
                for place, number in enumerate(before.numbers)
                if place not in reached and not same_number(after[place], number, None)
            )
    return found


def _reached(contents: Any) -> set[int]:
    """The positions of a tensor's elements in its storage."""
    reached = {contents.offset} if all(contents.sizes) else set()
    for size, stride in zip(contents.sizes, contents.strides):
        reached = {start + index * stride for start in reached for index in range(size)}
    return reached


def gradient_differences(
    actual: Gradients, expected: Gradients, texts: bool = True, strides: bool = True
) -> list[str]:
    """Where gradients differ from the expected ones."""
    found = failure_differences(actual.failure, expected.failure, texts)
    if found or expected.failure is not None:
        return found
    if actual.requires_grad != expected.requires_grad:
        return [f"results require grad {actual.requires_grad}, expected {expected.requires_grad}"]
    dtypes = [each.dtype for each in expected.gradients if each is not None]
    for position, (mine, wanted) in enumerate(zip(actual.gradients, expected.gradients)):
        what = f"the gradient of tensor {position}"
        if mine is None or wanted is None:
            if mine is not wanted:
                found.append(
                    f"{what} is {'missing' if mine is None else 'there'}, and should "
                    f"{'not ' if wanted is None else ''}be"
                )
            continue
        bounds = gradient_bounds(wanted, dtypes)
        found.extend(result_differences(mine, wanted, bounds, what, strides=strides))
    return found
