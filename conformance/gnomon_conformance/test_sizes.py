"""Sizes around those of vectors, tiles, blocks and threads, in the first and in the last dimension."""

import math
import re

import pytest

from . import selection
from .checking import check_forward
from .description import DTYPES, GivenTensor, complete, descriptions
from .refilling import refilled, resized, spread
from .running import Gnomon, TensorOutcome, run
from .samples import all_samples, good_samples
from .selection import DATA_DEPENDENT, RANDOM, UNDETERMINED, operators
from .tiers import tier_of

# In turn the last and the first dimension of one sample after the other has these sizes.
SIZES = (33, 257, 9, 31, 255, 7, 8, 32, 256, 1, 1025, 1023, 1024)
SAMPLES = 3
ELEMENTS = 2600  # of a call's tensors and results together: the reference takes microseconds for each
BUDGET, SHORT_BUDGET = 6000, 1500  # of them in one test, with and without --full
# What says by itself where its elements lie, or where a class or a label ends.
TIED = re.compile(r"_?as_strided|_?ctc_loss|multilabel_margin_loss")
ORDERING = re.compile(r"(arg|nan)?(sort|max|min|median)|msort|topk|kthvalue|mode|cum(max|min)|_?unique")
GRAIN = 32768  # elements, below which most backends stay on one thread; PyTorch's value
# Tier -> how many times as many elements a call may have: tables and matrices are large by their other side.
GRAIN_TIERS = {"pointwise": 4, "reductions": 4, "indexing": 9, "matrix": 9}
QUADRATIC = re.compile(r"_?fft_")  # for the reference, which takes minutes then

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
    """(sample, size) pairs: the last and the first dimension of the largest tensor of some samples."""
    usable = []
    for _, sample in good_samples(operator.name, dtype):
        tensors = sized_tensors(operator, sample)
        if tensors:
            largest = max(tensors, key=lambda each: math.prod(each.sizes))
            usable.append((sample, largest.sizes))
    return [
        (sample, size)
        for sample, sizes in spread(usable, SAMPLES)
        for size in dict.fromkeys((sizes[-1], sizes[0]))
    ]


def elements_of(sizes):
    """How many elements tensors of these sizes have together."""
    return sum(math.prod(each) for each in sizes)


def call_of(operator, dtype, sample, old, new, most):
    """The sample with the size ``new`` for ``old``, and how many elements it is about.

    None where it makes no sense, or is too much work.
    """
    for also_numbers in (False, True):
        made = resized(sample, old, new, also_numbers)
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
    left = BUDGET if request.config.getoption("gnomon_full") else SHORT_BUDGET
    for number, new in enumerate(SIZES if dtype in FULL_DTYPES else SIZES[:FEW]):
        for turn in range(len(found)):
            sample, old = found[(number + turn) % len(found)]
            made = call_of(operator, dtype, sample, old, new, min(ELEMENTS, left))
            if made is not None:
                # which of equal elements comes first shows only where there are many
                call = refilled(made[0], "ties") if number % 2 == 0 and orders_elements(operator) else made[0]
                problem = check_forward(operator, call, dtype, "contiguous", backend.device_type)
                if problem:
                    pytest.fail(f"size {new}: {problem}", pytrace=False)
                left -= made[1]
                break


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
