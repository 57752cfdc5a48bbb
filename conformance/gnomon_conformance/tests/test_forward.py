"""Every operator on the backend, compared with the reference: results, and effects on the arguments."""

import pytest

from ..collection import selection
from ..collection.selection import operators
from ..execution.check import check_forward
from ..inputs.description import layouts_for
from ..samples import good_samples


def pytest_generate_tests(metafunc):
    selection.parametrize_operators(metafunc, operators())


def test_forward(operator, dtype, backend, request):
    is_few = dtype != "float32" and not request.config.getoption("gnomon_full")
    for _, sample in good_samples(operator.name, dtype):
        for layout in layouts_for(sample, operator.schema, dtype, few=is_few):
            problem = check_forward(operator, sample, dtype, layout, backend.device_type)
            if problem:
                pytest.fail(problem, pytrace=False)
