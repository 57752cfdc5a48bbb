"""Problematic values: NaN, infinities, signed zeros, subnormal, extreme, tied and sorted numbers."""

import pytest

from ..collection import selection
from ..collection.selection import operators
from ..execution.check import check_forward
from ..inputs.description import DTYPES, complete, descriptions
from ..inputs.variants import fills_of, holds_data, refilled, spread
from ..samples import good_samples

REAL = tuple(dtype for dtype in DTYPES if "complex" not in dtype)
SAMPLES = 3  # of an operator, evenly spaced in its list; without --full, one for dtypes other than float32


def pytest_generate_tests(metafunc):
    found = {
        name: operator
        for name, operator in operators().items()
        if selection.has_dtype_axis(operator)
        and not selection.UNDETERMINED.match(name)
        and not selection.ILL_CONDITIONED.match(name)
    }
    selection.parametrize_operators(metafunc, found, REAL)


@pytest.mark.short("float32", "one more")
def test_values(operator, dtype, backend, request):
    usable = [
        sample
        for _, sample in good_samples(operator.name, dtype)
        if any(holds_data(each) for each in descriptions(complete(operator.schema, sample)))
    ]
    is_thorough = dtype == "float32" or request.config.getoption("gnomon_full")
    for sample in spread(usable, SAMPLES if is_thorough else 1):
        for values in fills_of(operator, dtype):
            # a kernel's vectorized loops for contiguous tensors differ from its strided loops
            for layout in ("contiguous", "gapped") if values == "nonfinite" else ("contiguous",):
                problem = check_forward(
                    operator, refilled(sample, values), dtype, layout, backend.device_type
                )
                if problem:
                    pytest.fail(problem, pytrace=False)
