"""Sizes around those of vectors, tiles, blocks and threads, in the first and in the last dimension; and many
dimensions.
"""

import math
import re

import pytest

from ..collection import selection
from ..collection.selection import DATA_DEPENDENT, RANDOM, UNDETERMINED, operators
from ..collection.tiers import tier_of
from ..execution.check import check_forward
from ..execution.runner import Gnomon, TensorOutcome, run
from ..inputs.description import DTYPES, GivenTensor, complete, descriptions
from ..inputs.variants import chosen_in_proportion, deepened, refilled, resized, spread
from ..samples import all_samples, good_samples

# In turn the last and the first dimensions of one sample after the other have these sizes.
SIZES = (33, 1025, 257, 9, 31, 255, 7, 8, 32, 256, 1, 1023, 1024)
EVERYWHERE = 257  # and this one at each place
SAMPLES = 3
ELEMENTS = 4400  # of a call's tensors and results together: the reference takes microseconds for each
BUDGET, SHORT_BUDGET = 6000, 1600  # of them in one test's sizes by turns, with and without --full
EVERYWHERE_BUDGET, SHORT_EVERYWHERE_BUDGET = 4500, 2500  # and in the size that is tried at each place
# What says by itself where its elements lie, or where a class or a label ends.
TIED = re.compile(r"_?as_strided|_?ctc_loss|multilabel_margin_loss")
ORDERING = re.compile(r"(arg|nan)?(sort|max|min|median)|msort|topk|kthvalue|mode|cum(max|min)|_?unique")
GRAIN = 32768  # elements, below which most backends stay on one thread; PyTorch's value
# Tier -> how many times as many elements a call may have: tables and matrices are large by their other side.
GRAIN_TIERS = {"pointwise": 4, "reductions": 4, "indexing": 9, "matrix": 9}
QUADRATIC = re.compile(r"_?fft_")  # for the reference, which takes minutes then

DIMS = (6, 9)  # more than most kernels have loops for; than 8, where some have tables of that many
DEEP_LAYOUTS = ("contiguous", "window", "varied")

FULL_DTYPES = ("float32", "int64")  # the others are tried with a few sizes
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
            if tier_of(name) in GRAIN_TIERS and not RANDOM.match(name) and not QUADRATIC.match(name)
        }
        selection.parametrize_operators(metafunc, found, ("float32", "int64"))
    else:
        selection.parametrize_operators(metafunc, found, DTYPES)


def sized_tensors(operator, sample):
    """The tensors of a call that may as well have other sizes."""
    return [
        each
        for each in descriptions(complete(operator.schema, sample))
        if not isinstance(each, GivenTensor) and each.sizes and all(each.sizes)
    ]


def has_places(operator):
    """Is there a call whose sizes may be others?"""
    return not TIED.match(operator.name) and any(
        sample.fails is None and sized_tensors(operator, sample) for sample in all_samples()[operator.name]
    )


def orders_elements(operator):
    """Does it look for the largest, or sort?  Then the numbers of a call can be any."""
    return tier_of(operator.name) in ("reductions", "indexing") and ORDERING.match(operator.name) is not None


def places(operator, dtype):
    """(sample, size) pairs: the last and the first dimensions of the tensors of some samples."""
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
    """How many elements tensors of these sizes have together."""
    return sum(math.prod(each) for each in sizes)


def call_of(operator, dtype, sample, old, new, most):
    """The sample with the size ``new`` for ``old``, and how many elements it is about.

    None where it makes no sense, or is too much work.
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
    # each size at one place, in turn, and then one size at each place: of one budget nothing would be left
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
                # which of equal elements comes first shows only where there are many
                call = refilled(made[0], "ties") if number % 2 == 0 and orders_elements(operator) else made[0]
                problem = check_forward(operator, call, dtype, "contiguous", backend.device_type)
                if problem:
                    pytest.fail(f"size {new}: {problem}", pytrace=False)
                left -= made[1]
                break


@pytest.mark.short("float32")
def test_dims(operator, dtype, backend, request):
    """Tensors of many dimensions, whole and in parts, where the reference takes them."""
    usable = [
        sample
        for _, sample in good_samples(operator.name, dtype)
        if any(all(each.sizes) for each in sized_tensors(operator, sample))
    ]
    is_full = request.config.getoption("gnomon_full")
    # by turns, so that without --full some operators meet each way
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
    """One more element than a thread is given, in the largest call that is not too much work."""
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
