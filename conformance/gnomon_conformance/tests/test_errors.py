"""Invalid input: the kind of exception that the samples name, and on a backend the reference's text."""

import functools
import re

import pytest

from ..collection import selection
from ..collection.selection import operators
from ..comparison.differences import failure_differences, renamed_device, unchanged
from ..execution.runner import Gnomon, prepare, run, run_call
from ..reporting.reproduction import explain
from ..samples import bad_samples

OPERATOR = re.compile(r"^\w+: ")  # the beginning of an error's text


def pytest_generate_tests(metafunc):
    found = {name: operator for name, operator in operators().items() if bad_samples(name)}
    selection.parametrize_operators(metafunc, found)


def test_errors(operator):
    """On the reference: the expected kind of exception, with a text of at least ten characters."""
    for _, sample in bad_samples(operator.name):
        assert sample.dtypes is not None, "an invalid sample names its dtypes"
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
    """A backend raises the reference's kind of exception with its text, and leaves the arguments unchanged.

    An asynchronous backend may report an invalid value as late as at the next synchronization.  Then it knows
    which of its kernels found the value, but not which operator was called, so the operator's name may differ
    or be missing; and an in-place call has already incremented the version counter.
    """
    tells_late = "streams" in backend.traits
    for _, sample in bad_samples(operator.name):
        assert sample.dtypes is not None, "an invalid sample names its dtypes"
        for dtype in sample.dtypes:
            expected = run(Gnomon("reference"), operator, sample, dtype, "contiguous").failure
            framework = Gnomon(backend.device_type)
            call = prepare(framework, operator.schema, sample, dtype, "contiguous")
            waiting = functools.partial(framework.call_and_wait, operator, call.values)
            outcome = run_call(framework, operator, call, waiting)
            actual = outcome.failure
            if actual is not None and expected is not None:
                text = renamed_device(actual.text, backend.device_type)
                if tells_late and OPERATOR.sub("", text) == OPERATOR.sub("", expected.text):
                    text = expected.text
                actual = actual._replace(text=text)
            problems = failure_differences(actual, expected, True)
            problems += unchanged(outcome, call.contents, [False] * len(call.contents))
            if any(outcome.bumps) and not tells_late:
                problems.append(f"versions of the arguments went up by {outcome.bumps} in a call that failed")
            if problems:
                devices = ("reference", backend.device_type)
                pytest.fail(explain(problems, operator, sample, dtype, "contiguous", devices), pytrace=False)
