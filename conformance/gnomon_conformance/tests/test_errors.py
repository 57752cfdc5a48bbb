"""Bad input: the kind of exception that the samples name, and on a backend the reference's text."""

import functools
import re

import pytest

from ..collection import selection
from ..collection.selection import operators
from ..comparison.differences import failure_differences, renamed_device, unchanged
from ..execution.runner import Gnomon, prepare, run, run_call
from ..reporting.reproduction import explain
from ..samples import bad_samples

OPERATOR = re.compile(r"^\w+: ")  # what the text of an error begins with


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
    """The reference's kind and text; what a failing call was given is as it was before.

    An asynchronous backend may tell of a wrong number as late as when somebody waits for it.  It knows then
    which of its kernels met the number, and not which operator was called, so the operator's name may be
    another or missing; and an in-place call has counted its version by then.
    """
    tells_late = "streams" in backend.traits
    for _, sample in bad_samples(operator.name):
        for dtype in sample.dtypes:
            expected = run(Gnomon("reference"), operator, sample, dtype, "contiguous").failure
            framework = Gnomon(backend.device_type)
            call = prepare(framework, operator.schema, sample, dtype, "contiguous")
            waiting = functools.partial(framework.call_and_wait, operator, call.values)
            outcome = run_call(framework, operator, call, waiting)
            actual = outcome.failure
            if actual is not None:
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
