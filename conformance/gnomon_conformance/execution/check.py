"""Check one call on a backend against the reference, and report what is wrong."""

from __future__ import annotations

from typing import Any

from ..collection.selection import UNDETERMINED
from ..comparison.differences import differences, renamed, unchanged
from ..comparison.tolerances import Tolerance
from ..inputs.description import Sample, complete, descriptions
from ..inputs.placements import Place
from ..reporting.reproduction import explain
from .runner import Call, Gnomon, Outcome, prepare, run, run_call


def written_tensors(schema: Any, sample: Sample) -> tuple[list[bool], list[Any]]:
    """For each tensor of the call: whether the schema says that it is written to, and a key of its storage.

    Tensors that share a storage have equal keys.
    """
    marks: dict[Any, tuple[bool, Any]] = {}  # a GivenTensor that is passed twice is one tensor
    for argument, value in zip(schema.arguments, complete(schema, sample)):
        for each in descriptions([value]):
            storage = getattr(each, "storage", None)
            key = ("given", id(each)) if storage is not None else ("own", len(marks))
            is_written = argument.is_written or marks.get(key, (False,))[0]
            marks[key] = (is_written, key if storage is None else storage)
    return [is_written for is_written, _ in marks.values()], [storage for _, storage in marks.values()]


def check_forward(
    operator: Any, sample: Sample, dtype: str, layout: str, device: str, tolerance: Tolerance | None = None
) -> str:
    """Call ``operator`` on ``device`` and on the reference; return a message of the differences, or "".

    The comparison covers the results (values, dtype, sizes, strides, aliasing), what the call did to its
    arguments, their version counters and the memory around them, warnings, and the exception.
    ``tolerance`` replaces the operator's own.
    """
    reference, candidate = Gnomon("reference"), Gnomon(device)
    expected = run(reference, operator, sample, dtype, layout)
    tolerance = tolerance or Tolerance(operator, sample, dtype, layout)
    # twice: the second call may run a cached plan, which must do the same
    for _ in ("first", "again"):
        call = prepare(candidate, operator.schema, sample, dtype, layout)
        actual = run_call(candidate, operator, call)
        problems = problems_of(operator, sample, tolerance, device, call, actual, expected)
        if problems:
            return explain(problems, operator, sample, dtype, layout, ("reference", device))
    return ""


def check_place(variant: Any, place: Place, dtype: str, device: str) -> str:
    """As ``check_forward``, for an in-place or ``out=`` variant whose output may share memory with inputs."""
    reference, candidate = Gnomon("reference"), Gnomon(device)
    expected = run(reference, variant, place.sample, dtype, "contiguous")
    tolerance = Tolerance(variant.record.base, place.functional, dtype, "contiguous")
    marks = written_tensors(variant.schema, place.sample)
    for _ in ("first", "again"):
        call = prepare(candidate, variant.schema, place.sample, dtype, "contiguous")
        actual = run_call(candidate, variant, call)
        # a tensor that shares a storage with the output is compared within a tolerance, as the output is
        problems = differences(renamed(actual, device), expected, tolerance, storages=False)
        if expected.failure is None:
            problems += unchanged(actual, call.contents, *marks)
        else:  # a call that failed may not have changed anything
            problems += unchanged(actual, call.contents, [False] * len(call.contents))
        if problems:
            heading = f"what is written to {place.name}"
            devices = ("reference", device)
            return explain([heading, *problems], variant, place.sample, dtype, "contiguous", devices)
    return ""


def problems_of(
    operator: Any,
    sample: Sample,
    tolerance: Tolerance,
    device: str,
    call: Call,
    actual: Outcome,
    expected: Outcome,
) -> list[str]:
    """Where the outcome of ``call`` on ``device`` differs from the reference's."""
    problems = differences(
        renamed(actual, device), expected, tolerance, values=not UNDETERMINED.match(operator.name)
    )
    problems += unchanged(actual, call.contents, *written_tensors(operator.schema, sample))
    problems += [
        f"a result is on {result.device}, not on {device}"
        for result in actual.results
        if hasattr(result, "device") and result.device != device
    ]
    return problems
