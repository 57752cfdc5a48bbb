"""The meta device: the same dtype, sizes, strides and aliasing as on the reference, without data."""

import pytest

from ..collection import selection
from ..collection.selection import DATA_DEPENDENT, operators
from ..comparison.differences import failure_differences, result_differences
from ..execution.runner import Gnomon, run
from ..inputs.description import layouts_for
from ..reporting.reproduction import explain
from ..samples import bad_samples, good_samples

DTYPES = ("float32", "int64", "bool")


def pytest_generate_tests(metafunc):
    found = {name: operator for name, operator in operators().items() if not DATA_DEPENDENT.match(name)}
    selection.parametrize_operators(metafunc, found, DTYPES)


def has_mask(operator, sample):
    """Whether there is a boolean index, so that the result's sizes depend on its values."""
    if not operator.schema.name.startswith("index"):
        return False
    return any(
        each is not None and each.dtype == "bool"
        for value in sample.args
        if isinstance(value, list)
        for each in value
    )


def test_meta(operator, dtype):
    reference, meta = Gnomon("reference"), Gnomon("meta")
    for _, sample in good_samples(operator.name, dtype):
        if has_mask(operator, sample):
            continue
        for layout in layouts_for(sample, operator.schema, dtype, few=True):
            expected = run(reference, operator, sample, dtype, layout)
            actual = run(meta, operator, sample, dtype, layout)
            problems = failure_differences(actual.failure, expected.failure, True)
            for mine, wanted in zip(actual.results, expected.results):
                problems += result_differences(mine, wanted, None, "the result on meta", values=False)
            if problems:
                pytest.fail(
                    explain(problems, operator, sample, dtype, layout, ("reference", "meta")), pytrace=False
                )


def test_meta_refuses(operator):
    """Invalid sizes and dtypes are refused without data; invalid values (of an index) cannot be."""
    for _, sample in bad_samples(operator.name):
        assert sample.dtypes is not None, "an invalid sample names its dtypes"
        for dtype in sample.dtypes:
            expected = run(Gnomon("reference"), operator, sample, dtype, "contiguous")
            actual = run(Gnomon("meta"), operator, sample, dtype, "contiguous")
            if actual.failure is not None:
                assert actual.failure == expected.failure, explain(
                    ["other error on meta"], operator, sample, dtype, "contiguous", ("meta",)
                )
