"""Checking: one call on a backend, held against the reference; what is wrong with it, or nothing."""

from __future__ import annotations

from typing import Any

from .comparing import differences, unchanged
from .description import Sample, complete, descriptions
from .reproduction import explain
from .running import Call, Gnomon, Outcome, prepare, run, run_call
from .selection import UNDETERMINED
from .tolerances import Tolerance


def written_tensors(schema: Any, sample: Sample) -> list[bool]:
    """For each tensor of the call: does the schema say that it, or one over the same storage, is written?"""
    marks: dict[Any, tuple[bool, int | None]] = {}  # a given tensor that stands in two places is one tensor
    for argument, value in zip(schema.arguments, complete(schema, sample)):
        for each in descriptions([value]):
            storage = getattr(each, "storage", None)
            key = id(each) if storage is not None else len(marks)
            marks[key] = (argument.is_written or marks.get(key, (False,))[0], storage)
    written = {storage for is_written, storage in marks.values() if is_written and storage is not None}
    return [is_written or storage in written for is_written, storage in marks.values()]


def check_forward(operator: Any, sample: Sample, dtype: str, layout: str, device: str) -> str:
    """Call ``operator`` on ``device`` and on the reference; the message of what differs, "" where nothing.

    Compared are the results (values, dtype, sizes, strides, aliasing), what the call did to its arguments and
    to the memory around them, their versions, warnings, and the exception.
    """
    reference, candidate = Gnomon("reference"), Gnomon(device)
    expected = run(reference, operator, sample, dtype, layout)
    # twice: a call of a kind that was seen before takes a shortcut, which must mean the same
    for _ in ("first", "again"):
        call = prepare(candidate, operator.schema, sample, dtype, layout)
        actual = run_call(candidate, operator, call)
        problems = problems_of(operator, sample, dtype, layout, device, call, actual, expected)
        if problems:
            return explain(problems, operator, sample, dtype, layout, ("reference", device))
    return ""


def problems_of(
    operator: Any,
    sample: Sample,
    dtype: str,
    layout: str,
    device: str,
    call: Call,
    actual: Outcome,
    expected: Outcome,
) -> list[str]:
    """Where the outcome of ``call`` on ``device`` differs from the reference's."""
    tolerance = Tolerance(operator, sample, dtype, layout)
    problems = differences(actual, expected, tolerance, values=not UNDETERMINED.match(operator.name))
    problems += unchanged(actual, call.contents, written_tensors(operator.schema, sample))
    problems += [
        f"a result is on {result.device}, not on {device}"
        for result in actual.results
        if hasattr(result, "device") and result.device != device
    ]
    return problems
