"""Variances, norms and logsumexp on the emulated GPU, against the reference's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import both, close, moved, numbers, same
from gnomon.calls import launch
from gnomon_cuda import reductions
from gnomon_cuda.tables import reduction_rows, statistics_rows

pytestmark = pytest.mark.usefixtures("cuda")

STATISTICS = (
    lambda x, dim: gn.var(x, dim),
    lambda x, dim: gn.std(x, dim, correction=0),
    lambda x, dim: gn.logsumexp(x, dim),
    lambda x, dim: gn.linalg.vector_norm(x, 3, dim),
)


def test_the_rows_of_the_table_are_folds_or_statistics():
    names = {row.name for row in statistics_rows()}
    assert names == {"var.correction", "std.correction", "linalg_vector_norm", "logsumexp"}
    assert not names & {row.name for row in reduction_rows()}


@pytest.mark.parametrize(
    "dtype", [gn.float16, gn.bfloat16, gn.float32, gn.float64], ids=lambda each: each.name
)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_statistics_over_dimensions_near_and_far(statistic, dtype):
    gn.manual_seed(1)
    cube = (gn.randn(40, 7, 33, device="reference", dtype=gn.float64) * 3 + 5).to(dtype)
    tolerance = {"float64": 1e-14, "float32": 2e-7, "float16": 1e-3, "bfloat16": 8e-3}[dtype.name]
    before = dict(launch.fallbacks)
    for source in (cube, cube.permute(2, 0, 1), cube[::2, :, 1::3], cube[:1, :, :1].expand(4, 7, 9)):
        for dim in ((0,), (2,), (0, 1), (0, 1, 2)):
            close(statistic(source, dim), statistic(moved(source), dim), tolerance, 1e-14)
    assert dict(launch.fallbacks) == before


@pytest.mark.parametrize("dtype", [gn.float64, gn.complex128], ids=lambda each: each.name)
@pytest.mark.parametrize("start", [1e9, 1e15])
def test_a_variance_far_from_zero_is_exact(start, dtype):
    gn.manual_seed(2)
    far = gn.randn(4 * reductions.PART, device="reference", dtype=dtype) * 3 + start
    close(*both(lambda x: gn.var(x), far), 1e-14)
    # columns, which are reduced in parts that are then combined
    wide = far.reshape(-1, reductions.WIDTH)
    close(*both(lambda x: gn.var(x, 0), wide), 1e-14)


def test_what_has_no_spread_or_no_number():
    for values in ([1.0], [math.inf, 1.0], [math.nan, 0.0], [2.0] * 9):
        source = gn.tensor(values, device="reference")
        for statistic in STATISTICS:
            close(*both(lambda x, of=statistic: of(x, (0,)), source), 1e-7)
        close(*both(lambda x: gn.var(x, correction=4), source), 1e-7)
    empty = gn.ones(3, 0, device="reference")
    for statistic in STATISTICS:
        close(*both(lambda x, of=statistic: of(x, (1,)), empty), 0)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 0.5, -2, math.inf, -math.inf])
def test_norms_of_each_order_in_no_danger_of_overflow(order):
    for values in (
        [3.0, -4.0, 0.0],
        [1e300, 1e300, -1e299] * 5,
        [1e-300, 2e-300] * 9,
        [math.inf, 1.0],
        [math.nan, math.inf],
        [0.0] * 9,
    ):
        source = gn.tensor(values, device="reference", dtype=gn.float64)
        close(*both(lambda x: gn.linalg.vector_norm(x, order), source), 1e-14)


def test_exponentials_of_large_and_infinite_numbers():
    for values in (
        [1000.0, 999.0] * 20,
        [-1000.0] * 3,
        [-math.inf] * 2,
        [math.inf, 3.0, -math.inf],
        [-math.inf, 2.0],
        [math.nan, math.inf],
        [1.0] * 8 + [900.0] + [5.0] * 10,
    ):
        source = gn.tensor(values, device="reference", dtype=gn.float64)
        close(*both(lambda x: gn.logsumexp(x, 0), source), 1e-14)


def test_folds_side_by_side():
    # a block for WIDTH outputs: an incomplete last group, and parts
    for columns in (reductions.WIDTH, 3 * reductions.WIDTH + 5):
        matrix = (numbers(700 * columns, gn.int64) * 7919 % 1000).reshape(700, columns).to(gn.float32)
        for function in (lambda x: x.sum(0), lambda x: x.amax(0), lambda x: x.t().amin(1)):
            assert same(*both(function, matrix))
