"""Sizes near those of vectors, tiles, blocks and thread grains, in the first and last dimension; and tensors
of many dimensions.
"""

import math
import re

import pytest

from ..collection import selection
from ..collection.selection import DATA_DEPENDENT, UNDETERMINED, operators, random_operators
from ..collection.tiers import tier_of
from ..execution.check import check_forward
from ..execution.runner import Gnomon, TensorOutcome, run
from ..inputs.description import DTYPES, GivenTensor, complete, descriptions
from ..inputs.variants import chosen_in_proportion, deepened, refilled, resized, spread
from ..samples import all_samples, good_samples

# The last and first dimensions of several samples are set to these sizes, in rotation.
SIZES = (33, 1025, 257, 9, 31, 255, 7, 8, 32, 256, 1, 1023, 1024)
EVERYWHERE = 257  # and this size is used for each of these dimensions
SAMPLES = 3
ELEMENTS = 4400  # of all tensors and results of a call: the reference takes microseconds per element
BUDGET, SHORT_BUDGET = 6000, 1600  # elements per test for the sizes in rotation, with and without --full
EVERYWHERE_BUDGET, SHORT_EVERYWHERE_BUDGET = 4500, 2500  # elements for the size used in each dimension
# Operators whose other arguments depend on the sizes: strides, classes, lengths of labels.
TIED = re.compile(r"_?as_strided|_?ctc_loss|multilabel_margin_loss")
ORDERING = re.compile(r"(arg|nan)?(sort|max|min|median)|msort|topk|kthvalue|mode|cum(max|min)|_?unique")
GRAIN = 32768  # elements, below which most backends use one thread; PyTorch's grain size
# Tier -> how many times GRAIN elements a call may have: tables and matrices have a second dimension.
GRAIN_TIERS = {"pointwise": 4, "reductions": 4, "indexing": 9, "matrix": 9}
QUADRATIC = re.compile(r"_?fft_|combinations$")  # in the reference: it would take minutes, or all memory

DIMS = (6, 9)  # more than most kernels have loops for; more than 8, the size of some fixed arrays
DEEP_LAYOUTS = ("contiguous", "window", "varied")

FULL_DTYPES = ("float32", "int64")  # the others are tested with a few sizes
FEW = 5


def pytest_generate_tests(metafunc):
    found = {
        name: operator
        for name, operator in operators().items()
        if selection.has_dtype_axis(operator) and not UNDETERMINED.match(name) and has_places(operator)
    }
    if metafunc.function is test_grain:
        found = {
            name: operator
            for name, operator in found.items()
            if tier_of(name) in GRAIN_TIERS and name not in random_operators() and not QUADRATIC.match(name)
        }
        selection.parametrize_operators(metafunc, found, ("float32", "int64"))
    else:
        selection.parametrize_operators(metafunc, found, DTYPES)


def sized_tensors(operator, sample):
    """The tensors of a call whose sizes can be changed."""
    return [
        each
        for each in descriptions(complete(operator.schema, sample))
        if not isinstance(each, GivenTensor) and each.sizes and all(each.sizes)
    ]


def has_places(operator):
    """Whether there is a call whose sizes can be changed."""
    return not TIED.match(operator.name) and any(
        sample.fails is None and sized_tensors(operator, sample) for sample in all_samples()[operator.name]
    )


def orders_elements(operator):
    """Whether the operator sorts or selects elements, so that the numbers of a call are arbitrary."""
    return tier_of(operator.name) in ("reductions", "indexing") and ORDERING.match(operator.name) is not None


def places(operator, dtype):
    """(sample, size) pairs, for the last and first dimensions of the tensors of some samples."""
    usable = [
        (sample, [each.sizes for each in sized_tensors(operator, sample)])
        for _, sample in good_samples(operator.name, dtype)
    ]
    return [
        (sample, size)
        for sample, tensors in spread([each for each in usable if each[1]], SAMPLES)
        for size in dict.fromkeys(sizes[end] for sizes in tensors for end in (-1, 0))
    ]


def elements_of(sizes):
    """The total number of elements of tensors of these sizes."""
    return sum(math.prod(each) for each in sizes)


def call_of(operator, dtype, sample, old, new, most):
    """The sample with the size ``new`` in place of ``old``, and its number of elements.

    None if the call is invalid or too much work.
    """
    for also_numbers in (False, True):
        made = chosen_in_proportion(resized(sample, old, new, also_numbers), operator.schema, old, new)
        count = elements_of(each.sizes for each in descriptions(complete(operator.schema, made)))
        if count > most:
            return None
        if DATA_DEPENDENT.match(operator.name):
            return made, count
        found = run(Gnomon("meta"), operator, made, dtype, "contiguous")
        if found.failure is None:
            count += elements_of(each.sizes for each in found.results if isinstance(each, TensorOutcome))
            return (made, count) if count <= most else None
    return None


@pytest.mark.short("float32")
def test_sizes(operator, dtype, backend, request):
    found = places(operator, dtype)
    is_full = request.config.getoption("gnomon_full")
    budget = BUDGET if is_full else SHORT_BUDGET
    everywhere = EVERYWHERE_BUDGET if is_full else SHORT_EVERYWHERE_BUDGET
    sizes = SIZES if dtype in FULL_DTYPES else SIZES[:FEW]
    # each size in one dimension, then one size in each dimension; separate budgets, so both are tested
    by_size = [
        (number, new, [found[(number + turn) % len(found)] for turn in range(len(found))])
        for number, new in enumerate(sizes)
    ]
    by_place = [(1, EVERYWHERE, [place]) for place in found]
    for chosen, left in ((by_size, budget), (by_place, everywhere)):
        for number, new, tried in chosen:
            for sample, old in tried:
                made = call_of(operator, dtype, sample, old, new, min(ELEMENTS, left))
                if made is None:
                    continue
                # which of equal elements is selected matters only if there are many
                call = refilled(made[0], "ties") if number % 2 == 0 and orders_elements(operator) else made[0]
                problem = check_forward(operator, call, dtype, "contiguous", backend.device_type)
                if problem:
                    pytest.fail(f"size {new}: {problem}", pytrace=False)
                left -= made[1]
                break


@pytest.mark.short("float32")
def test_dims(operator, dtype, backend, request):
    """Tensors of six and nine dimensions, whole and sliced, wherever the reference accepts them."""
    usable = [
        sample
        for _, sample in good_samples(operator.name, dtype)
        if any(all(each.sizes) for each in sized_tensors(operator, sample))
    ]
    is_full = request.config.getoption("gnomon_full")
    # in rotation, so that without --full each combination is tested on some operators
    first = 0 if is_full else selection.turn_of(operator.name)
    for number, sample in enumerate(spread(usable, SAMPLES if is_full else 1)):
        for turn, dims in enumerate(DIMS):
            made = deepened(sample, dims)
            if made == sample or elements_of(each.sizes for each in sized_tensors(operator, made)) > ELEMENTS:
                continue
            layout = DEEP_LAYOUTS[(first + number + turn) % len(DEEP_LAYOUTS)]
            if run(Gnomon("reference"), operator, made, dtype, "contiguous").failure is not None:
                continue
            problem = check_forward(operator, made, dtype, layout, backend.device_type)
            if problem:
                pytest.fail(f"{dims} dimensions: {problem}", pytrace=False)


@pytest.mark.long
def test_grain(operator, dtype, backend):
    """One element more than the thread grain size, in the largest call that is not too much work."""
    grains = GRAIN_TIERS[tier_of(operator.name)]
    made = [
        call_of(operator, dtype, sample, old, GRAIN + 1, grains * GRAIN)
        for sample, old in places(operator, dtype)
    ]
    largest = max(filter(None, made), key=lambda call: call[1], default=None)
    if largest is not None:
        problem = check_forward(operator, largest[0], dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(problem, pytrace=False)
