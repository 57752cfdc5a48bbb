"""Extremes and scans along lines on the emulated GPU, against the reference."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import both, numbers, same
from gnomon.calls import launch
from gnomon_cuda import lines

pytestmark = pytest.mark.usefixtures("cuda")
DTYPES = [gn.bool, gn.uint8, gn.int64, gn.float16, gn.float32, gn.float64]


@pytest.fixture(autouse=True)
def natively():
    """Assert that everything runs on the GPU itself."""
    gn.set_fallback_policy("error")
    before = launch.declined.copy()
    yield
    assert launch.declined == before


def mixed(count, dtype):
    """Unsorted numbers with duplicates, and with negative numbers if the dtype has them."""
    values = [(k * 37 + k // 11) % 23 for k in range(count)]
    if dtype not in (gn.bool, gn.uint8):
        values = [value - 11 for value in values]
    return gn.tensor(values, dtype=gn.int64, device="reference").to(dtype)


def equal(expected, found):
    """``same`` for several outputs; NaN equals NaN."""
    for one, other in zip(expected, found, strict=True):
        assert (one.dtype, one.shape, one.stride()) == (other.dtype, other.shape, other.stride())
        assert str(one.tolist()) == str(other.tolist())
    return True


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_extremes_of_each_kind(dtype):
    source = mixed(3 * 5 * 7, dtype).reshape(3, 5, 7)
    for function in (
        lambda a: [a.argmax(), a.argmin(), a.argmax(keepdim=True)],
        lambda a: [a.permute(2, 0, 1)[1:].argmax(), a[0, 0, 0].argmin(), a[0, 0, 0].argmax(0, keepdim=True)],
        lambda a: [a.argmax(1), a.argmin(-1, keepdim=True), a.transpose(0, 2).argmax(1)],
        lambda a: [*a.max(1), *a.min(2, keepdim=True), *a[:, ::2].max(0), *a[0, 0, 0].min(0)],
        lambda a: [*a.aminmax(), *a.aminmax(dim=1), *a.transpose(0, 1).aminmax(dim=0, keepdim=True)],
        lambda a: [*a[:, :0].max(0)],
    ):
        if dtype != gn.bool or "argmax" not in function.__code__.co_names:  # there is no argmax of bool
            assert equal(*both(function, source))


def test_a_nan_is_before_all_and_the_first_of_equal_ones_counts():
    nan, zero = math.nan, 0.0
    source = gn.tensor(
        [[1.0, nan, 5.0, nan], [zero, -zero, -1.0, zero], [math.inf, -math.inf, math.inf, -math.inf]],
        device="reference",
    )
    for dtype in (gn.float16, gn.bfloat16, gn.float32, gn.float64):
        held = source.to(dtype)
        assert equal(*both(lambda a: [*a.max(1), *a.min(1), *a.aminmax(dim=0), *a.t().min(1)], held))
    assert source.to("cuda").argmax(1).tolist() == [1, 0, 0]
    assert source.to("cuda").argmin(1).tolist() == [1, 2, 1]


def test_nothing_has_no_extreme():
    for device in ("reference", "cuda"):
        with pytest.raises((IndexError, RuntimeError)):
            gn.zeros(0, device=device).argmax()


def test_lines_are_cut_in_parts():
    long = 3 * lines.LEAST_FOR_BLOCK + 5
    for source in (
        mixed(2 * long, gn.int64).reshape(2, long),  # parts for blocks
        mixed(long * 40, gn.int64).reshape(long, 40).t(),  # parts for threads, adjacent lines
        mixed(1030 * 7, gn.int64).reshape(1030, 7),  # a thread for each line
    ):
        assert equal(*both(lambda a: [*a.max(1), *a.min(1)], source))
        assert equal(*both(lambda a: [a.cumsum(1), *a.cummax(1), *a.cummin(1)], source))
    found = numbers(long).to("cuda").to(gn.float64).cumsum(0)
    assert found[-1].item() == long * (long - 1) / 2


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_scans_of_each_kind(dtype):
    source = mixed(3 * 5 * 7, dtype).reshape(3, 5, 7)
    for function in (
        lambda a: [a.cumsum(0), a.cumsum(2), a.transpose(0, 2).cumsum(1), a[:, ::2, 1].cumsum(1)],
        lambda a: [a.cumprod(0), a.sign().cumprod(1), a[0, 0, 0].cumprod(0)],
        lambda a: [*a.cummax(0), *a.cummin(1), *a.transpose(0, 1).cummax(2), *a[0, 0, 0].cummin(0)],
        lambda a: [*a[:, :0].cummax(1), a[:, :0].cumsum(0)],
    ):
        if dtype == gn.float16:
            source = source % 3
        if dtype != gn.bool or "sign" not in function.__code__.co_names:
            assert equal(*both(function, source))


def test_a_scan_keeps_the_last_of_equal_ones_and_nan():
    nan = math.nan
    source = gn.tensor([3.0, 1.0, 3.0, nan, 5.0, nan, 1.0], device="reference")
    assert equal(*both(lambda a: [*a.cummax(0), *a.cummin(0), a.cumsum(0), a.cumprod(0)], source))
    assert source.to("cuda").cummax(0)[1].tolist() == [0, 0, 2, 3, 3, 5, 5]
    infinite = gn.tensor([1.0, math.inf, 2.0, -math.inf], device="reference", dtype=gn.float64)
    assert equal(*both(lambda a: [a.cumsum(0)], infinite))


def test_sums_of_doubles_keep_what_rounding_takes():
    many = 5000
    source = gn.tensor([1e16, *[1.0] * many, -1e16], dtype=gn.float64, device="cuda")
    assert source.cumsum(0)[-1].item() == many


def test_products_do_not_overflow_apart_from_what_is_before_them():
    for dtype, tiny, huge in ((gn.float64, 1e-200, 1e200), (gn.float32, 1e-30, 1e30)):
        many = 64 if dtype == gn.float64 else 600
        source = gn.tensor([*[tiny] * 4, *[huge] * 8, *[tiny] * 4] * (many // 16), device="cuda", dtype=dtype)
        found = source.cumprod(0)
        assert abs(found[-1].item() - 1) < 1e-3
        assert (source * 0).cumprod(0).tolist() == [0.0] * source.numel()
        assert gn.tensor([0.0, *[huge] * 40], device="cuda", dtype=dtype).cumprod(0)[-1].item() == 0


def test_scans_go_to_outputs_that_lie_anyhow():
    for dim in (0, 1):
        made = []
        for device in ("reference", "cuda"):
            out = gn.zeros(4, 6, device=device).t()[::2]
            gn.cumsum(numbers(12).reshape(3, 4).to(device), dim, out=out)
            made.append(out)
        assert same(*made)
