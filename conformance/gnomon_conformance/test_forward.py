"""Every operator on the backend, against the reference: the results, and what happens to the arguments."""

import pytest

from . import selection
from .comparing import differences, unchanged
from .description import complete, descriptions, layouts_for
from .reproduction import explain
from .running import Gnomon, prepare, run, run_call
from .samples import good_samples
from .selection import UNDETERMINED, operators
from .tolerances import Tolerance


def pytest_generate_tests(metafunc):
    selection.parametrize_operators(metafunc, operators())


def test_forward(operator, dtype, backend):
    reference, candidate = Gnomon("reference"), Gnomon(backend.device_type)
    for _, sample in good_samples(operator.name, dtype):
        for layout in layouts_for(sample, operator.schema, dtype):
            expected = run(reference, operator, sample, dtype, layout)
            # twice: a call of a kind that was seen before takes a shortcut, which must mean the same
            for _ in ("first", "again"):
                call = prepare(candidate, operator.schema, sample, dtype, layout)
                actual = run_call(candidate, operator, call)
                problems = differences(
                    actual,
                    expected,
                    Tolerance(operator, sample, dtype, layout),
                    values=not UNDETERMINED.match(operator.name),
                )
                written = written_tensors(operator.schema, sample)
                problems += unchanged(actual, call.contents, written)
                problems += [
                    f"a result is on {result.device}, not on {backend.device_type}"
                    for result in actual.results
                    if hasattr(result, "device") and result.device != backend.device_type
                ]
                if problems:
                    devices = ("reference", backend.device_type)
                    pytest.fail(explain(problems, operator, sample, dtype, layout, devices), pytrace=False)


def written_tensors(schema, sample):
    """For each tensor of the call: does the schema say that it is written to?"""
    marks = []
    for argument, value in zip(schema.arguments, complete(schema, sample)):
        marks.extend(argument.is_written for _ in descriptions([value]))
    return marks
