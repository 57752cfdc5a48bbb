"""Layouts and memory overlap of inputs, outputs, in-place operands and gradients; tensors without elements.

Other tests, such as test_forward, cover the layouts that each dtype needs (description.LAYOUTS); these cover
the rest.  Without ``--full``, an operator is tested with a few of the calls, in rotation.
"""

import re

import pytest

from ..collection import selection
from ..collection.selection import UNDETERMINED, operators, random_operators, variants
from ..comparison.differences import gradient_differences, renamed
from ..execution.check import check_forward, check_place
from ..execution.runner import Gnomon, differentiate
from ..inputs import placements
from ..inputs.description import DTYPES as ALL_DTYPES
from ..inputs.description import LAYOUTS, MORE_LAYOUTS, different_layouts
from ..inputs.variants import emptied, spread, without_dimensions
from ..reporting.reproduction import explain
from ..samples import good_samples

SAMPLES = 6  # of an operator and dtype, from which the calls are made with --full
CALLS, SHORT_CALLS = 60, 2  # the most calls of a test, with and without --full

# The layouts of incoming gradients.
INCOMING = ("expanded", "transposed", "gapped", "offset", "permuted", "window", "odd ones", "overlapping")
# For a matrix of equal rows, singular vectors are not unique, and neither is the gradient of zero singular
# values.
SINGULAR = re.compile(r"linalg_(svdvals|matrix_norm|norm)(\.|$)")
SHORT = pytest.mark.short("float32")
UNCHECKED = re.compile("_as_strided$")  # as_strided has already checked its strides and offset
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
            if name not in random_operators() and not UNDETERMINED.match(name)
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
    """The samples to make calls from: without ``--full`` a single one, which depends on the test's name."""
    found = [sample for _, sample in good_samples(operator.name, dtype)]
    if request.config.getoption("gnomon_full") or not found:
        return spread(found, SAMPLES)
    return [found[turn(request) % len(found)]]


def turn(request):
    """A fixed number for each test, different for different tests."""
    return selection.turn_of(request.node.name)


def some(request, calls):
    """A few of the calls: evenly spaced, or in rotation, so that each layout is tested on some operators."""
    calls = list(calls)
    if request.config.getoption("gnomon_full") or len(calls) <= SHORT_CALLS:
        return spread(calls, CALLS)
    first = turn(request)
    return [calls[(first + number * len(calls) // SHORT_CALLS) % len(calls)] for number in range(SHORT_CALLS)]


@SHORT
def test_layouts(operator, dtype, backend, request):
    """Permuted, window, column, overlapping and varied layouts; odd strides for dimensions of size one."""
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
    """Size 0 for each dimension in turn, and 0-dim tensors: the reference's result, or its exception."""
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
    """Transposed, permuted, window and column outputs: only the output's elements are written."""
    check_places(operator, dtype, backend, request, placements.out_layouts)


@SHORT
@pytest.mark.traits("strided_out", "in_place")
def test_out_places(operator, dtype, backend, request):
    """An output that is an input, or shares its storage: written correctly, or refused."""
    check_places(operator, dtype, backend, request, placements.out_places)


@pytest.mark.short(*ALL_DTYPES)
@pytest.mark.traits("strided_out", "in_place")
def test_inputs_as_outputs(operator, dtype, backend):
    """``out=`` is each input in turn, in every dtype."""
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
    """In place on a view: the same numbers, and nothing outside the view is written."""
    check_places(operator, dtype, backend, request, placements.inplace_layouts)


@SHORT
@pytest.mark.traits("in_place")
def test_inplace_places(operator, dtype, backend, request):
    """In place, if another operand is ``self`` or shares its storage: written correctly, or refused."""
    check_places(operator, dtype, backend, request, placements.inplace_places)


@pytest.mark.tier("autograd")
@SHORT
def test_gradient_layouts(operator, dtype, backend, request):
    """Gradients, for further layouts of the inputs and of the incoming gradients."""
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
            # each layout of one list at least once, paired with one of the other list
            most = max(len(layouts), len(INCOMING))
            calls += [
                (sample, layouts[turn % len(layouts)], INCOMING[turn % len(INCOMING)]) for turn in range(most)
            ]
    for sample, layout, incoming in some(request, calls):
        expected = differentiate(reference, operator, sample, dtype, layout, incoming)
        actual = differentiate(candidate, operator, sample, dtype, layout, incoming)
        problems = gradient_differences(renamed(actual, backend.device_type), expected)
        if problems:
            devices = ("reference", backend.device_type)
            problems = [f"the gradient that comes in is {incoming}", *problems]
            pytest.fail(
                explain(problems, operator, sample, dtype, layout, devices, gradients=True), pytrace=False
            )
