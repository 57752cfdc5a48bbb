"""The layout axis: every operator that takes or makes sparse, opaque or quantized tensors, on the backend.

The reference does the same.
"""

import pytest

from ..collection import selection
from ..collection.selection import UNDETERMINED, called
from ..comparison.differences import gradient_differences, renamed
from ..execution.check import check_forward
from ..execution.runner import Gnomon, differentiate
from ..inputs.description import DTYPES, FLOATS
from ..reporting.reproduction import explain
from ..samples import SPARSE_SAMPLES, all_samples, good_sparse_samples


def pytest_generate_tests(metafunc):
    all_samples()  # this fills SPARSE_SAMPLES
    wanted = FLOATS if metafunc.function is test_sparse_gradients else DTYPES
    pairs = [
        (called(name), dtype)
        for name in SPARSE_SAMPLES
        for dtype in wanted
        if good_sparse_samples(name, dtype)
    ]
    selection.parametrize_pairs(metafunc, pairs, not metafunc.config.getoption("gnomon_backend", None))


@pytest.mark.short("float32", "one more")
def test_sparse(operator, dtype, backend):
    """Results (their parts, whether they are coalesced, their scales) and effects on the arguments."""
    for sample in good_sparse_samples(operator.name, dtype):
        problem = check_forward(operator, sample, dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)


@pytest.mark.tier("autograd")
@pytest.mark.short("float32")
def test_sparse_gradients(operator, dtype, backend):
    for sample in good_sparse_samples(operator.name, dtype):
        if not sample.differentiable or UNDETERMINED.match(operator.name):
            continue
        expected = differentiate(Gnomon("reference"), operator, sample, dtype, "contiguous")
        actual = differentiate(Gnomon(backend.device_type), operator, sample, dtype, "contiguous")
        problems = gradient_differences(renamed(actual, backend.device_type), expected)
        if problems:
            devices = ("reference", backend.device_type)
            pytest.fail(explain(problems, operator, sample, dtype, "contiguous", devices), pytrace=False)
