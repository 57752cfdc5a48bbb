"""Calls that hypothesis generates, with sizes, strides, dtypes, numbers and arguments beyond the samples'."""

import pytest

from .. import plugin
from ..collection import selection
from ..collection.selection import operators
from ..execution.instrumentation import native_runs
from ..fuzzing import found_calls, fuzzer
from ..fuzzing.found_calls import FoundCall
from ..inputs.description import DTYPES
from ..reporting.verdicts import dtypes_with

# Its callers have already checked that its strides stay within the storage.
UNCHECKED = "_as_strided"


def pytest_generate_tests(metafunc):
    found = {name: operator for name, operator in operators().items() if name != UNCHECKED}
    selection.parametrize_operators(metafunc, found)


@pytest.mark.search
def test_property(operator, backend, request):
    """No call that is found within the time limit differs between the backend and the reference."""
    config = request.config
    wanted = config.getoption("gnomon_dtypes", None) or DTYPES
    with native_runs() as runs:
        found = fuzzer.search(
            operator,
            backend,
            dtypes=[dtype for dtype in dtypes_with(backend) if dtype in wanted],
            seed=config.getoption("gnomon_seed"),
            seconds=config.getoption("gnomon_property_seconds") / config.stash[plugin.searches_key],
        )
    if found.message:
        assert found.drawn is not None
        drawn, seed = found.drawn, config.getoption("gnomon_seed")
        call = FoundCall(drawn.operator.name, drawn.dtype, drawn.sample, seed, found.what)
        advised = found_calls.advice(call, config.getoption("gnomon_write_found"))
        what, title, program = found.message.partition("\nTo reproduce:\n")
        pytest.fail(f"{what}\n{advised}\n{title}{program}", pytrace=False)
    is_native = any(device == backend.device_type for device, _ in runs)
    if not found.calls or (found.unclaimed and not is_native):
        pytest.skip(f"{backend.name} claims no call of {operator.name} that was drawn")
