"""Failing calls found by searches on any backend, repeated without a search."""

import pytest

from ..collection import selection
from ..execution.check import check_forward
from ..fuzzing import found_calls
from ..inputs.description import DTYPES


def pytest_generate_tests(metafunc):
    found = found_calls.calls_in(*found_calls.folders_of(metafunc.config))
    pairs = [(selection.called(name), dtype) for name, dtype in found]
    selection.parametrize_pairs(metafunc, pairs)


@pytest.mark.short(*DTYPES)
def test_found(operator, dtype, backend, request):
    found = found_calls.calls_in(*found_calls.folders_of(request.config))
    for name, call in found[operator.name, dtype]:
        problem = check_forward(operator, call.sample, dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(f"{name}, found by a search: {call.why}\n{problem}", pytrace=False)
