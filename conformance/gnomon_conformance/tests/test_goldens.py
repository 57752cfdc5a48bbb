"""The reference compared with PyTorch's recorded results."""

import pytest

from .. import goldens
from ..collection import selection
from ..collection.selection import operators
from ..comparison.differences import failure_differences
from ..execution.runner import Gnomon, run
from ..pytorch import against_pytorch
from ..pytorch.departures import unlisted
from ..reporting.reproduction import explain
from ..samples import all_samples, bad_samples


def pytest_generate_tests(metafunc):
    found = operators()
    if metafunc.function is test_golden_errors:
        found = {name: operator for name, operator in found.items() if bad_samples(name)}
    selection.parametrize_operators(metafunc, found, goldens.DTYPES)


def test_goldens_are_fresh():
    recorded = goldens.load()
    assert recorded["digest"] == goldens.digest(), (
        "the samples, or which numbers are recorded, were changed since the goldens were recorded: run "
        f"python -m gnomon_conformance.goldens where PyTorch {recorded['torch']} is installed"
    )


def calls(kind, operator, dtype):
    """The recorded calls: the sample, its layout, and PyTorch's outcome."""
    for number, layout, recorded in goldens.load()[kind].get(f"{operator.name}-{dtype}", ()):
        yield all_samples()[operator.name][number], layout, recorded


def test_golden(operator, dtype):
    assert f"{operator.name}-{dtype}" in goldens.load()["forward"], (
        "not recorded: python -m gnomon_conformance.goldens"
    )
    for sample, layout, recorded in calls("forward", operator, dtype):
        expected = goldens.decode_outcome(recorded)
        problems = unlisted(
            operator.name, dtype, against_pytorch.check_forward(operator, sample, dtype, layout, expected)
        )
        if problems:
            pytest.fail(explain(problems, operator, sample, dtype, layout, ("reference",)), pytrace=False)
    for sample, layout, recorded in calls("gradients", operator, dtype):
        gradients = goldens.decode_gradients(recorded)
        found = against_pytorch.check_gradient(operator, sample, dtype, layout, gradients)
        problems = unlisted(operator.name, dtype, [f"gradient: {each}" for each in found])
        if problems:
            pytest.fail(
                explain(problems, operator, sample, dtype, layout, ("reference",), gradients=True),
                pytrace=False,
            )


def test_golden_errors(operator):
    for number, dtype, recorded in goldens.load()["errors"][operator.name]:
        sample = all_samples()[operator.name][number]
        actual = run(Gnomon("reference"), operator, sample, dtype, "contiguous").failure
        expected = None if recorded is None else goldens.decode_failure(recorded)
        found = (
            ["raised what PyTorch accepts"]
            if expected is None
            else failure_differences(actual, expected, False)
        )
        problems = unlisted(operator.name, dtype, [f"bad input: {each}" for each in found])
        if problems:
            pytest.fail(
                explain(problems, operator, sample, dtype, "contiguous", ("reference",)), pytrace=False
            )
