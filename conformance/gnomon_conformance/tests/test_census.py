"""A program's calls, as recorded by ``gnomon census``, compared with the reference; only with --census."""

import pytest

from .. import census
from ..execution.check import check_forward
from ..execution.runner import Gnomon, prepare

pytestmark = pytest.mark.census


def pytest_generate_tests(metafunc):
    path = metafunc.config.getoption("gnomon_census", None)
    calls = [] if path is None else census.load(path)[1]
    metafunc.parametrize(
        ("operator", "dtype", "call"),
        [(call.find(), call.dtype, call) for call in calls],
        ids=[f"{place}-{call.operator}-{call.dtype}" for place, call in enumerate(calls)],
    )


def test_census(operator, dtype, call, backend):
    made = prepare(Gnomon("reference"), operator.schema, call.sample(), dtype, "contiguous")
    try:
        operator(*made.values)
    except (IndexError, RuntimeError, ValueError) as error:  # if both refuse the call, nothing is tested
        pytest.fail(f"the reference refuses the values that were drawn for the call: {error}", pytrace=False)
    problem = check_forward(operator, call.sample(), dtype, "contiguous", backend.device_type)
    if problem:
        pytest.fail(problem, pytrace=False)
