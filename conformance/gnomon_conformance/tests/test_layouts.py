"""How tensors lie, and upon what: inputs, outputs, what is written in place, gradients; tensors of nothing.

test_forward and its like try the layouts that each dtype needs (description.LAYOUTS); these are the others.
Without ``--full`` an operator is tried with a few of the calls, from all over.
"""

import re

import pytest

from ..collection import selection
from ..collection.selection import RANDOM, UNDETERMINED, operators, variants
from ..comparison.differences import gradient_differences
from ..execution.check import check_forward, check_place
from ..execution.runner import Gnomon, differentiate
from ..inputs import placements
from ..inputs.description import DTYPES as ALL_DTYPES
from ..inputs.description import LAYOUTS, MORE_LAYOUTS, different_layouts
from ..inputs.variants import emptied, spread, without_dimensions
from ..reporting.reproduction import explain
from ..samples import good_samples

SAMPLES = 6  # of an operator and dtype, from which the calls are made with --full
CALLS, SHORT_CALLS = 60, 2  # of a test, with and without --full

# Of the gradients that come in.
INCOMING = ("expanded", "transposed", "gapped", "offset", "permuted", "window", "odd ones", "overlapping")
# Of a matrix of equal rows some singular vectors are open, and with them the gradient of values that are 0.
SINGULAR = re.compile(r"linalg_(svdvals|matrix_norm|norm)(\.|$)")
SHORT = pytest.mark.short("float32")
UNCHECKED = re.compile("_as_strided$")  # it is given the places that as_strided has checked
DTYPES = ("float32", "int64", "bool", "bfloat16", "complex64")


def pytest_generate_tests(metafunc):
    if metafunc.function is test_inputs_as_outputs:
        found = {name: each for name, each in variants("out").items() if not UNDETERMINED.match(name)}
        found = {name: each for name, each in found.items() if each.record.base.record.kernel is not None}
        selection.parametrize_operators(metafunc, found, ALL_DTYPES)
        return
    kind = metafunc.function.__name__.split("_")[1]
    if kind in ("inplace", "out"):
        found = {name: each for name, each in variants(kind).items() if not UNDETERMINED.match(name)}
        selection.parametrize_operators(metafunc, found, DTYPES)
    elif kind == "gradient":
        found = {
            name: operator
            for name, operator in operators().items()
            if not RANDOM.match(name) and not UNDETERMINED.match(name)
        }
        selection.parametrize_operators(metafunc, found, ("float32", "complex64"))
    else:
        found = {
            name: operator
            for name, operator in operators().items()
            if selection.has_dtype_axis(operator) and not (kind == "no" and UNCHECKED.match(name))
        }
        selection.parametrize_operators(metafunc, found, DTYPES)


def samples(operator, dtype, request):
    """The samples that calls are made from: without ``--full`` one, another for each test."""
    found = [sample for _, sample in good_samples(operator.name, dtype)]
    if request.config.getoption("gnomon_full") or not found:
        return spread(found, SAMPLES)
    return [found[turn(request) % len(found)]]


def turn(request):
    """A number that is always the same for a test, and another for another."""
    return selection.turn_of(request.node.name)


def some(request, calls):
    """Few enough of them: from all over, or by turns, so that each way to lie meets some operators."""
    calls = list(calls)
    if request.config.getoption("gnomon_full") or len(calls) <= SHORT_CALLS:
        return spread(calls, CALLS)
    first = turn(request)
    return [calls[(first + number * len(calls) // SHORT_CALLS) % len(calls)] for number in range(SHORT_CALLS)]


@SHORT
def test_layouts(operator, dtype, backend, request):
    """Permuted dimensions, windows, columns, rows upon one another, strides of dimensions of one element."""
    calls = [
        (sample, layout)
        for sample in samples(operator, dtype, request)
        for layout in different_layouts(sample, operator.schema, MORE_LAYOUTS, but=LAYOUTS)
    ]
    for sample, layout in some(request, calls):
        problem = check_forward(operator, sample, dtype, layout, backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)


@SHORT
def test_no_elements(operator, dtype, backend, request):
    """No elements, by each dimension in turn, and no dimensions: the reference's result, or its exception."""
    calls = [
        call
        for sample in samples(operator, dtype, request)
        for make in (emptied, without_dimensions)
        for call in make(sample, operator.schema)
    ]
    for sample in some(request, calls):
        problem = check_forward(operator, sample, dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)


def check_places(variant, dtype, backend, request, make):
    calls = (
        place
        for sample in samples(variant.record.base, dtype, request)
        for place in make(variant, sample, dtype)
    )
    for place in some(request, calls):
        problem = check_place(variant, place, dtype, backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)


@SHORT
@pytest.mark.traits("strided_out")
def test_out_layouts(operator, dtype, backend, request):
    """Outputs that are transposed, permuted, windows, columns: written there, and nowhere else."""
    check_places(operator, dtype, backend, request, placements.out_layouts)


@SHORT
@pytest.mark.traits("strided_out", "in_place")
def test_out_places(operator, dtype, backend, request):
    """An output that is an input, or shares its storage: written where it lies, or refused."""
    check_places(operator, dtype, backend, request, placements.out_places)


@pytest.mark.short(*ALL_DTYPES)
@pytest.mark.traits("strided_out", "in_place")
def test_inputs_as_outputs(operator, dtype, backend):
    """``out=`` that is each input in turn, in every dtype."""
    for _, sample in good_samples(operator.record.base.name, dtype):
        found = list(placements.out_inputs(operator, sample, dtype))
        for place in found:
            problem = check_place(operator, place, dtype, backend.device_type)
            if problem:
                pytest.fail(problem, pytrace=False)
        if found:
            return


@SHORT
@pytest.mark.traits("in_place", "strided_out")
def test_inplace_layouts(operator, dtype, backend, request):
    """In place on a view: the same numbers, and nothing around it written."""
    check_places(operator, dtype, backend, request, placements.inplace_layouts)


@SHORT
@pytest.mark.traits("in_place")
def test_inplace_places(operator, dtype, backend, request):
    """In place, where another operand is ``self``, or shares its storage: written there, or refused."""
    check_places(operator, dtype, backend, request, placements.inplace_places)


@pytest.mark.tier("autograd")
@SHORT
def test_gradient_layouts(operator, dtype, backend, request):
    """Gradients where the inputs, and where the gradients that come in, lie in other ways."""
    reference, candidate = Gnomon("reference"), Gnomon(backend.device_type)
    calls = []
    for sample in samples(operator, dtype, request):
        if sample.differentiable:
            tried = [
                each
                for each in (*LAYOUTS, *MORE_LAYOUTS)
                if not (SINGULAR.match(operator.name) and each in ("expanded", "overlapping"))
            ]
            layouts = different_layouts(sample, operator.schema, tried) or ("contiguous",)
            # each way at least once with each of the other's first
            most = max(len(layouts), len(INCOMING))
            calls += [
                (sample, layouts[turn % len(layouts)], INCOMING[turn % len(INCOMING)]) for turn in range(most)
            ]
    for sample, layout, incoming in some(request, calls):
        expected = differentiate(reference, operator, sample, dtype, layout, incoming)
        actual = differentiate(candidate, operator, sample, dtype, layout, incoming)
        problems = gradient_differences(actual, expected)
        if problems:
            devices = ("reference", backend.device_type)
            problems = [f"the gradient that comes in is {incoming}", *problems]
            pytest.fail(
                explain(problems, operator, sample, dtype, layout, devices, gradients=True), pytrace=False
            )
