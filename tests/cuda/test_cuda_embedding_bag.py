"""Embedding bags on the emulated GPU, against the reference's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import agree, refused_alike
from gnomon_cuda import embedding_bag

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
forward = aten._embedding_bag.default
backward = aten._embedding_bag_dense_backward.default
of_scales = aten._embedding_bag_per_sample_weights_backward.default
FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
TOLERANCES = {"float64": 1e-13, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
SUM, MEAN, MAX = range(3)


def name_of(dtype):
    return dtype.name


def both(function, *tensors):
    return agree(function, *tensors, tolerances=TOLERANCES)


def integers(values, dtype=gn.int64):
    return gn.tensor(values, dtype=dtype, device="reference")


def numbers(*sizes, dtype=gn.float32):
    return gn.randn(sizes, dtype=gn.float64, device="reference").to(dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("mode", [SUM, MEAN, MAX])
def test_bags_and_their_gradients(mode, dtype):
    gn.manual_seed(1)
    whole = numbers(6, 10, dtype=dtype)
    indices = [4, 1, 1, 0, 5, 2, 2, 2, 3, 1]
    for table in (whole[:, :5], whole[:, ::2], whole.t().contiguous().t(), whole[:, :0]):
        for offsets, kind, last, padding in (
            ([0, 3, 3, 7], gn.int64, False, -1),
            ([0, 2, 9], gn.int32, True, 2),
            ([0, 10, 10], gn.int64, False, 1),
            ([0, 6, 3, 8], gn.int64, False, 4),
        ):
            given = integers(indices, kind), integers(offsets, kind)
            options = mode, False, None, last, padding
            found = both(lambda t, i, o, n=options: forward(t, i, o, False, *n), table, *given)
            gradient = numbers(*found[0].shape, dtype=dtype)
            where = found[1] if found[1].numel() else integers([0] * 10, kind)
            for by_frequency in (False, True):
                options = 6, by_frequency, mode, None, padding
                tensors = gradient, given[0], where, found[2], found[3]
                both(lambda g, i, w, n, m, o=options: backward(g, i, w, n, m, *o), *tensors)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_scaled_rows(dtype):
    gn.manual_seed(2)
    table, scales = numbers(5, 40, dtype=dtype), numbers(14, dtype=dtype)[::2]
    indices, offsets = integers([1, 4, 4, 0, 2, 1, 3]), integers([0, 1, 1, 5])
    found = both(
        lambda t, i, o, s: forward(t, i, o, False, SUM, False, s, False, 3), table, indices, offsets, scales
    )
    gradient = numbers(*found[0].shape, dtype=dtype)
    where = integers([0, 1, 1, 1, 1, 3, 3])
    both(
        lambda g, i, w, n, m, s: backward(g, i, w, n, m, 5, True, SUM, s, 3),
        *(gradient, indices, where, found[2], found[3], scales),
    )
    for bags in (where, where[:0]):
        both(lambda g, t, i, o, w: of_scales(g, t, i, o, w, SUM, 3), gradient, table, indices, offsets, bags)


def test_a_maximum_is_the_first_of_equals_and_nan_only_where_it_is_first():
    table = gn.tensor([[1.0, math.nan], [2.0, 0.0], [2.0, 5.0], [-math.inf, 7.0]], device="reference")
    indices, offsets = integers([1, 2, 0, 0, 2, 3, 3]), integers([0, 3, 5, 5])
    found = both(lambda t, i, o: forward(t, i, o, False, MAX), table, indices, offsets)
    assert found[3].tolist() == [[1, 2], [2, 0], [0, 0], [3, 3]]


def test_long_bags_and_rows_of_many_uses():
    gn.manual_seed(3)
    count = 5 * embedding_bag.FEW
    table = numbers(4, 3, dtype=gn.float64)
    indices = gn.randint(0, 4, (count,), device="reference")
    indices[: 3 * embedding_bag.FEW] = 2
    offsets = integers([0, count - 7])
    for mode in (SUM, MEAN):
        found = both(
            lambda t, i, o, m=mode: forward(t, i, o, False, m, False, None, False, 1), table, indices, offsets
        )
        gradient = numbers(2, 3, dtype=gn.float64)
        where = integers([0] * (count - 7) + [1] * 7)
        for by_frequency in (False, True):
            both(
                lambda g, i, w, n, m, f=by_frequency, o=mode: backward(g, i, w, n, m, 4, f, o, None, 1),
                *(gradient, indices, where, found[2], found[3]),
            )


def test_nothing_at_all():
    table, none = numbers(3, 2), integers([])
    for mode in (SUM, MEAN, MAX):
        both(lambda t, i, o, m=mode: forward(t, i, o, False, m), table, none, integers([0, 0]))
        both(lambda t, i, o, m=mode: forward(t, i, o, False, m), table, integers([1, 2]), none)
    both(
        lambda g, i, w, n, m: backward(g, i, w, n, m, 3, False, SUM, None),
        numbers(2, 2),
        none,
        none,
        *[integers([0, 0])] * 2,
    )


def test_what_is_no_row_is_refused_as_on_the_reference():
    table = numbers(3, 2)
    for indices, offsets in (([0, 3], [0]), ([0, -1], [0]), ([0, 1], [1]), ([0, 1], [0, 3])):
        given = table, integers(indices), integers(offsets)
        assert refused_alike(RuntimeError, lambda t, i, o: forward(t, i, o), *given)
    gradient, sizes, where = numbers(1, 2), integers([2]), integers([0, 0])
    for indices, bags in (([0, 3], [0, 0]), ([0, 1], [0, 1])):
        given = gradient, integers(indices), integers(bags), sizes, sizes
        assert refused_alike(
            IndexError, lambda g, i, w, n, m: backward(g, i, w, n, m, 3, False, SUM, None), *given
        )
        given = gradient, table, integers(indices), integers([0]), integers(bags)
        assert refused_alike(IndexError, lambda g, t, i, o, w: of_scales(g, t, i, o, w, SUM), *given)
    chosen = integers([[0, 3]])
    assert refused_alike(
        IndexError,
        lambda g, i, w, n, m: backward(g, i, w, n, m, 3, False, MAX, None),
        *(gradient, where, where, sizes, chosen),
    )
