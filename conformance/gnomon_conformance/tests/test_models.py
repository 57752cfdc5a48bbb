"""Whole models: training on a backend ends with the same numbers as on the reference.

The effect of rounding on a training run is measured on the reference: it trains each model in the test's
dtype and in a wider one.  A backend may differ by a few times the difference between these two runs.
"""

import pytest

from ..collection import selection
from ..inputs.models import EPSILONS, MODELS, expected, problems_of

pytestmark = [pytest.mark.tier("models"), pytest.mark.traits("autograd", "in_place")]


def pytest_generate_tests(metafunc):
    names = [name for name in MODELS if selection.is_selected(metafunc.config, name)]
    wanted = metafunc.config.getoption("gnomon_dtypes", None)
    dtypes = [dtype for dtype in EPSILONS if wanted is None or dtype in wanted]
    pairs = [(name, dtype) for name in names for dtype in dtypes]
    metafunc.parametrize(("name", "dtype"), pairs, ids=["-".join(pair) for pair in pairs])


@pytest.mark.short("float32")
def test_model(name, dtype, backend):
    problem = problems_of(name, dtype, backend.device_type)
    if problem:
        pytest.fail(f"the model {name!r} in {dtype}, trained for a few steps: {problem}", pytrace=False)


def test_model_is_smooth(name, dtype):
    """On the reference: the allowed difference is small enough to detect faults."""
    for what, (numbers, allowed) in expected(name, dtype).items():
        size = max(abs(number) for number in numbers)
        assert allowed <= (2e-3 if dtype == "float32" else 1e-11) * max(size, 1e-3), (what, size, allowed)
