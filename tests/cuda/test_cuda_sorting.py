"""Sorting, selection and searches in sorted lines on the emulated GPU, against the reference."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import both, numbers
from gnomon.calls import launch
from gnomon_cuda import order

pytestmark = pytest.mark.usefixtures("cuda")
DTYPES = [gn.uint8, gn.int16, gn.int64, gn.float16, gn.bfloat16, gn.float32, gn.float64]


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
    """Assert that all outputs are the same, with NaN equal to NaN; return True."""
    for one, other in zip(expected, found, strict=True):
        assert (one.dtype, one.shape, one.stride()) == (other.dtype, other.shape, other.stride())
        assert str(one.tolist()) == str(other.tolist())
    return True


def special(dtype):
    nan, inf = math.nan, math.inf
    values = [0.0, nan, -0.0, 3.0, -inf, nan, 3.0, inf, -1.0, 0.0, -2.5, 6.1e-5, -6.1e-5, nan]
    return gn.tensor(values, device="reference").to(dtype)


@pytest.mark.parametrize("dtype", [gn.bool, *DTYPES], ids=lambda each: each.name)
def test_lines_are_sorted(dtype):
    source = mixed(3 * 5 * 7, dtype).reshape(3, 5, 7)
    for descending in (False, True):
        assert equal(
            *both(
                lambda a, descending=descending: [
                    *a.sort(1, descending=descending),
                    *a.sort(dim=-1, descending=descending, stable=True),
                    *a.transpose(0, 2).sort(0, descending=descending),
                    *a[0, 0, 0].sort(descending=descending),
                    *a[:, :0].sort(1),
                ],
                source,
            )
        )


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16, gn.float32, gn.float64], ids=lambda d: d.name)
def test_numbers_that_are_none_are_last(dtype):
    assert equal(
        *both(
            lambda a: [
                *a.sort(),
                *a.sort(descending=True),
                *a.topk(5),
                *a.topk(9, largest=False),
                *a.kthvalue(12),
                *a.median(0),
                *a.nanmedian(0, keepdim=True),
                a.median(),
                a.nanmedian(),
                *a.mode(),
                *(a * math.nan).mode(),
                *(a * math.nan).nanmedian(0),
            ],
            special(dtype),
        )
    )


@pytest.mark.parametrize("dtype", [gn.int16, gn.int64, gn.float32], ids=lambda each: each.name)
def test_long_lines_are_sorted_by_digits(dtype):
    # two tiles and a remainder, in two lines; and lines that just fit a block, or just do not
    for length in (2 * order.TILE + 77, order.SHORT_LINE, order.SHORT_LINE + 1):
        values = [(k * 7919 + k * k) % 997 * 30 - 15000 for k in range(2 * length)]
        source = gn.tensor(values, dtype=gn.int64, device="reference").to(dtype).reshape(2, length)
        expected, found = both(lambda a: [*a.sort(dim=1, stable=True)], source)
        assert equal(expected, found), length
        assert equal(*both(lambda a, length=length: [*a.topk(3, 1), *a.kthvalue(length // 3, 1)], source))


@pytest.mark.parametrize("dtype", [gn.int64, gn.float32], ids=lambda each: each.name)
def test_the_first_of_long_lines(dtype):
    # one round of pieces, two rounds, and more elements than the method by pieces keeps
    for length, kept in (
        (order.SHORT_LINE + 1, 5),
        (70 * order.SHORT_LINE // 8, order.MOST_KEPT),
        (3000, 300),
    ):
        values = [(k * 7919 + k * k) % 997 for k in range(length)]
        source = gn.tensor(values, dtype=gn.int64, device="reference").to(dtype)
        for largest in (False, True):
            expected, found = both(lambda a, k=kept, s=largest: [*a.topk(k, largest=s)], source)
            assert equal(expected, found), (length, kept)
        assert equal(*both(lambda a, k=kept: [*a.kthvalue(k)], source))


def test_keys_of_all_bits_are_told_apart():
    length = order.SHORT_LINE + 5
    values = [(k * 0x9E3779B97F4A7C15) % 2**64 - 2**63 for k in range(length)]
    source = gn.tensor(values, dtype=gn.int64, device="reference")
    assert equal(*both(lambda a: [*a.sort(), *a.sort(descending=True)], source))


@pytest.mark.parametrize("count", [5, order.COUNTS, order.COUNTS + 1, order.COUNTS * 2 + 3])
def test_many_lines_of_few_elements(count):
    source = mixed(count * 3, gn.int64).reshape(count, 3)
    assert equal(*both(lambda a: [*a.sort(1), *a.median(1), *a.mode(1)], source))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_elements_by_their_rank(dtype):
    source = mixed(3 * 5 * 7, dtype).reshape(3, 5, 7)
    assert equal(
        *both(
            lambda a: [
                *a.topk(2, 1),
                *a.topk(3, 0, largest=False),
                *a.topk(0),
                *a[0, 0, 0].topk(1),
                *a.kthvalue(2, 1),
                *a.kthvalue(5, 1, keepdim=True),
                *a.transpose(0, 2).median(1),
                *a.nanmedian(2),
                a.median(),
                a.permute(2, 0, 1)[1:].nanmedian(),
                a[0, 0, 0].median(),
                a[:0].median(),
                *a.mode(1),
                *a.transpose(0, 2).mode(0, keepdim=True),
            ],
            source,
        )
    )


def test_the_mode_is_the_last_place_of_the_first_longest_run():
    values = gn.tensor([5, 3, 3, 5, 1, 9], device="cuda")
    assert [each.item() for each in values.mode()] == [3, 2]
    long = (numbers(5000, gn.int64) % 50).to("cuda")
    long[4999] = 7
    assert [each.item() for each in long.mode()] == [7, 4999]


@pytest.mark.parametrize("dtype", [gn.uint8, gn.int64, gn.float16, gn.float64], ids=lambda each: each.name)
def test_places_in_sorted_rows(dtype):
    rows = (numbers(2 * 6) // 2 * 2).reshape(2, 6).to(dtype)
    wanted = gn.tensor([[0.0, 1.0, 2.0, 9.0], [5.0, 6.0, 10.0, 11.0]], device="reference")
    for function in (
        lambda a, b: [gn.searchsorted(a, b), gn.searchsorted(a, b, right=True)],
        lambda a, b: [gn.searchsorted(a, b.to(dtype), out_int32=True), gn.searchsorted(a, b, side="right")],
        lambda a, b: [gn.searchsorted(a[0], b.t()), gn.searchsorted(a.t()[:, 1].contiguous(), b[0, 2])],
        lambda a, b: [
            gn.searchsorted(a.flip(1), b, sorter=gn.arange(5, -1, -1, device=a.device).expand(2, 6))
        ],
        lambda a, b: [gn.searchsorted(a[:, :0], b), gn.searchsorted(a, b[:, :0])],
    ):
        gn.set_fallback_policy("allow")  # for arange
        assert equal(*both(function, rows, wanted))
    assert gn.searchsorted(rows[0].to("cuda"), gn.tensor([math.nan], device="cuda")).tolist() == [6]


def test_a_sorter_out_of_range_raises_as_on_the_reference():
    texts = []
    for device in ("reference", "cuda"):
        with pytest.raises(RuntimeError) as caught:
            gn.searchsorted(
                numbers(3).to(device), gn.ones(1, device=device), sorter=gn.tensor([0, 1, 3], device=device)
            )
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
