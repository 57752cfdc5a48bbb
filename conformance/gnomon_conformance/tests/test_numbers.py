"""Pointwise operators with numbers of every magnitude, within a few units in the last place of each element;
reductions, products and sorts of many numbers; sizes and steps that depend on rounding.
"""

import pytest

from ..collection import selection
from ..collection.selection import operators
from ..comparison.elementwise import Elementwise
from ..execution.check import check_forward
from ..inputs import grids, roundings, rows
from ..inputs.description import DTYPES


def pytest_generate_tests(metafunc):
    names = grids.operators() if metafunc.function is test_numbers else rows.operators()
    if metafunc.function is test_rounding:
        names = roundings.operators([name for name, each in operators().items() if each.record.kernel])
    found = {name: operators()[name] for name in names}
    selection.parametrize_operators(metafunc, found, DTYPES)


@pytest.mark.short("float32", "float16", "bfloat16", "float64", "int64", "one more")
def test_numbers(operator, dtype, backend):
    for sample in grids.calls(operator, dtype):
        tolerance = Elementwise(operator, sample, dtype, "contiguous")
        problem = check_forward(operator, sample, dtype, "contiguous", backend.device_type, tolerance)
        if problem:
            pytest.fail(problem, pytrace=False)


@pytest.mark.short("float32", "float16", "bfloat16", "float64", "int64", "one more")
def test_many_numbers(operator, dtype, backend):
    for sample in rows.calls(operator, dtype):
        tolerance = rows.tolerance(operator, sample, dtype)
        problem = check_forward(operator, sample, dtype, "contiguous", backend.device_type, tolerance)
        if problem:
            pytest.fail(problem, pytrace=False)


@pytest.mark.short("float32", "int64", "one more")
def test_rounding(operator, dtype, backend):
    """Sizes, factors and steps for which the rounding of an intermediate result decides."""
    for sample in roundings.calls(operator, dtype):
        problem = check_forward(operator, sample, dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)
