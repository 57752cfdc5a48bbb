"""In-place variants: the functional operator's result in the same memory, with the version counter raised."""

import pytest

from ..collection import selection
from ..collection.selection import variants
from ..comparison.differences import differences, result_differences
from ..comparison.tolerances import Tolerance
from ..execution.runner import Gnomon, run
from ..inputs.description import layouts_for
from ..reporting.reproduction import explain
from ..samples import good_samples

pytestmark = pytest.mark.traits("in_place")


def pytest_generate_tests(metafunc):
    selection.parametrize_operators(metafunc, variants("inplace"))


def inplace_samples(operator, dtype):
    """The samples of the functional operator, each in a few layouts."""
    for _, sample in good_samples(operator.record.base.name, dtype):
        for layout in layouts_for(sample, operator.schema, dtype, few=True):
            yield sample, layout


def test_inplace_is_functional(operator, dtype):
    """On the reference: ``f_`` writes to ``self`` what ``f`` returns, returns it, and bumps its version."""
    reference = Gnomon("reference")
    for sample, layout in inplace_samples(operator, dtype):
        functional = run(reference, operator.record.base, sample, dtype, layout)
        inplace = run(reference, operator, sample, dtype, layout)
        if functional.failure is not None:
            assert inplace.failure is not None, explain(
                ["in place nothing is refused"], operator, sample, dtype, layout, ("reference",)
            )
            continue
        if inplace.failure is not None:  # self cannot have the result's shape or dtype
            assert "RuntimeError" in inplace.failure.kinds, inplace.failure
            continue
        (wanted,), (result,) = functional.results, inplace.results
        problems = [] if result.alias == ("same", 0) else [f"returned {result.alias}, not self"]
        problems += [] if inplace.bumps[0] == 1 else [f"self's version went up by {inplace.bumps[0]}"]
        if wanted.dtype == result.dtype and layout != "expanded":
            wanted = wanted._replace(alias=result.alias, offset=result.offset)
            problems += result_differences(result, wanted, None, "self afterwards", strides=False)
        if problems:
            pytest.fail(explain(problems, operator, sample, dtype, layout, ("reference",)), pytrace=False)


def test_inplace(operator, dtype, backend):
    reference, candidate = Gnomon("reference"), Gnomon(backend.device_type)
    for sample, layout in inplace_samples(operator, dtype):
        expected = run(reference, operator, sample, dtype, layout)
        actual = run(candidate, operator, sample, dtype, layout)
        problems = differences(actual, expected, Tolerance(operator, sample, dtype, layout))
        if problems:
            pytest.fail(
                explain(problems, operator, sample, dtype, layout, ("reference", backend.device_type)),
                pytrace=False,
            )
