"""Bad input: the kind of exception that the samples name, and on a backend the reference's text."""

import pytest

from . import selection
from .comparing import failure_differences, renamed_device
from .reproduction import explain
from .running import Gnomon, run
from .samples import bad_samples
from .selection import operators


def pytest_generate_tests(metafunc):
    found = {name: operator for name, operator in operators().items() if bad_samples(name)}
    selection.parametrize_operators(metafunc, found)


def test_errors(operator):
    """On the reference: the right kind, and a text that names an operator and says something."""
    for _, sample in bad_samples(operator.name):
        for dtype in sample.dtypes:
            failure = run(Gnomon("reference"), operator, sample, dtype, "contiguous").failure
            problems = []
            if failure is None:
                problems.append(f"raised nothing, expected {sample.fails}")
            elif sample.fails not in failure.kinds:
                problems.append(f"raised {failure.kinds[0]}: {failure.text}, expected {sample.fails}")
            elif len(failure.text) < 10:
                problems.append(f"the text says too little: {failure.text!r}")
            if problems:
                pytest.fail(
                    explain(problems, operator, sample, dtype, "contiguous", ("reference",)), pytrace=False
                )


def test_errors_agree(operator, backend):
    for _, sample in bad_samples(operator.name):
        for dtype in sample.dtypes:
            expected = run(Gnomon("reference"), operator, sample, dtype, "contiguous").failure
            actual = run(Gnomon(backend.device_type), operator, sample, dtype, "contiguous").failure
            renamed = (
                None
                if actual is None
                else actual._replace(text=renamed_device(actual.text, backend.device_type))
            )
            problems = failure_differences(actual, expected, False) or failure_differences(
                renamed, expected, True
            )
            if problems:
                devices = ("reference", backend.device_type)
                pytest.fail(explain(problems, operator, sample, dtype, "contiguous", devices), pytrace=False)
