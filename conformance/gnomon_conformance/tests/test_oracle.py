"""The reference compared with PyTorch, live: results, aliasing, versions, exceptions, gradients."""

import functools
import itertools
import re
from importlib.util import find_spec

import pytest

from ..collection import selection
from ..collection.selection import called, dtypes_of, operators, variants
from ..inputs.description import DTYPES
from ..pytorch import against_pytorch
from ..pytorch.departures import DEPARTURES, unlisted
from ..reporting.reproduction import explain
from ..samples import SPARSE_SAMPLES, all_samples, bad_samples

pytestmark = pytest.mark.oracle


def pytest_generate_tests(metafunc):
    if "departure" in metafunc.fixturenames:
        showing = [each for each in DEPARTURES if not each.on_some_machines]
        metafunc.parametrize(
            "departure",
            showing,
            ids=[f"{each.operators[:30]}-{number}" for number, each in enumerate(showing)],
        )
        return
    if metafunc.function is test_oracle_quantized:
        all_samples()  # this fills SPARSE_SAMPLES
        pairs = [(called(name), dtype) for name in SPARSE_SAMPLES for dtype in DTYPES]
        pairs = [pair for pair in pairs if against_pytorch.quantized_calls(pair[0].name, pair[1])]
        selection.parametrize_pairs(metafunc, pairs, find_spec("torch") is None)
        return
    found = operators()
    if metafunc.function is test_oracle_places:
        found = {
            name: variant
            for name, variant in (variants("inplace") | variants("out")).items()
            if against_pytorch.compares_numbers(name)
        }
        selection.parametrize_operators(metafunc, found, ("float32",))
        return
    if metafunc.function is test_oracle_resized:
        found = {
            name: variant
            for name, variant in variants("out").items()
            if name not in against_pytorch.RESIZED_OTHERWISE
        }
        selection.parametrize_operators(metafunc, found, ("float32", "complex64", "int64"))
        return
    if metafunc.function is test_oracle_errors:
        found = {name: operator for name, operator in found.items() if bad_samples(name)}
    selection.parametrize_operators(metafunc, found)


@functools.cache
def live(name, dtype):
    return against_pytorch.live_differences(operators()[name], dtype)


@functools.cache
def live_errors(name):
    return against_pytorch.live_error_differences(operators()[name])


def test_oracle(operator, dtype):
    report(operator, dtype, live(operator.name, dtype))


def test_oracle_quantized(operator, dtype):
    report(operator, dtype, against_pytorch.live_quantized_differences(operator, dtype))


def test_oracle_errors(operator):
    report(operator, "float32", live_errors(operator.name))


def test_oracle_places(operator, dtype):
    """Where PyTorch refuses an output because of its memory overlap, the reference refuses it as well."""
    problems = against_pytorch.live_place_differences(operator, dtype)
    if problems:
        pytest.fail(problems[0], pytrace=False)


def test_oracle_resized(operator, dtype):
    """A resized output has the strides of PyTorch's.

    Except that of lstsq, of which PyTorch makes a part of the larger memory that LAPACK needs, and that of
    ndtr, which has the input's order of dimensions as all pointwise operators, but is contiguous in PyTorch.
    """
    if operator.name in ("linalg_lstsq.out", "special_ndtr.out"):
        pytest.skip("PyTorch's output has gaps, or another order")
    problems = against_pytorch.live_resized_differences(operator, dtype)
    if problems:
        pytest.fail(f"{len(problems)} outputs; the first:\n{problems[0]}", pytrace=False)


def report(operator, dtype, found):
    messages = []
    for difference in found:
        problems = unlisted(operator.name, dtype, difference.problems)
        if problems:
            messages.append(
                explain(problems, operator, difference.sample, dtype, difference.layout, ("reference",))
            )
    if messages:
        pytest.fail(f"{len(messages)} calls differ from PyTorch; the first:\n{messages[0]}", pytrace=False)


def test_departure_shows(departure):
    """Each listed departure still occurs, for some operator and dtype that it names."""
    for name, operator in operators().items():
        for dtype in dtypes_of(operator):
            if dtype not in departure.dtypes or not re.fullmatch(departure.operators, name):
                continue
            differences = itertools.chain(live(name, dtype), live_errors(name))
            if any(
                departure.covers(name, dtype, problem) for each in differences for problem in each.problems
            ):
                return
    pytest.fail(f"nothing differs any more as this departure says: {departure}", pytrace=False)
