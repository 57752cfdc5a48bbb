"""Matrix products on the emulated GPU, by the kernels of csrc/cuda/matmul.cu."""

from __future__ import annotations

import shutil

import pytest

import gnomon as gn
from gnomon_cuda import matmul


@pytest.fixture(autouse=True)
def cuda(monkeypatch):
    """The backend, emulated: its name."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "1")
    gn.set_fallback_policy("error")
    found = gn.backends()["cuda"]
    assert found.available, found.reason
    return "cuda"


def whole(*sizes, dtype=gn.float32, most=5):
    """Small integers, whose products and sums all dtypes represent."""
    count = 1
    for size in sizes:
        count *= size
    numbers = [i * 7919 % 13 % (2 * most + 1) - most for i in range(count)]
    return gn.tensor(numbers, dtype=gn.int64, device="reference").reshape(sizes).to(dtype)


def same(function, *tensors):
    """Assert that ``function`` gives the same on the GPU as on the reference; return True."""
    expected = function(*tensors)
    found = function(*[each.to("cuda") if isinstance(each, gn.Tensor) else each for each in tensors])
    assert found.device.type == "cuda"
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    assert found.tolist() == expected.tolist()
    return True


# (m, k, n): one element; less and more than a tile and than a step of k; rows; columns
SIZES = [(1, 1, 1), (3, 4, 5), (70, 33, 65), (5, 16, 130), (1, 70, 40), (40, 70, 1), (2, 17, 2)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_each_order_of_memory(sizes):
    m, k, n = sizes
    left, right = whole(m, k), whole(k, n)
    for a in (left, left.t().contiguous().t(), whole(2 * m, 2 * k)[::2, 1::2]):
        for b in (right, right.t().contiguous().t(), whole(k, 3 * n)[:, ::3]):
            assert same(gn.mm, a, b)


def test_rows_and_columns_that_are_one_element():
    assert same(gn.mm, whole(1, 1).expand(20, 30), whole(30, 1).expand(30, 40))
    assert same(gn.mm, whole(1, 30), whole(30, 1).expand(30, 4))
    assert same(gn.mm, whole(30, 4).t(), whole(1, 1).expand(30, 1))


def test_products_of_nothing():
    assert same(gn.mm, whole(0, 4), whole(4, 5))
    assert same(gn.mm, whole(4, 5), whole(5, 0))
    assert same(gn.mm, whole(3, 0), whole(0, 4))
    assert same(gn.bmm, whole(0, 3, 4), whole(0, 4, 2))
    assert same(gn.dot, whole(0), whole(0))
    assert same(lambda c, a, b: gn.addmm(c, a, b, beta=3), whole(2, 4), whole(2, 0), whole(0, 4))


@pytest.mark.parametrize("dtype", matmul.DTYPES["REAL"])
def test_each_dtype(dtype):
    kind = getattr(gn, dtype)
    left, right = whole(9, 21, dtype=gn.int64).to(kind), whole(21, 18, dtype=gn.int64).to(kind)
    small = 3 if dtype in ("float16", "bfloat16") else 5  # integers that bfloat16 represents
    left, right = left.clamp(0, small), right.clamp(0, small)
    if dtype == "bfloat16":
        left, right = left[:, :9], right[:9]
    assert same(gn.mm, left, right)
    assert same(gn.mm, left[:1], right)
    assert same(gn.mm, left, right.t().contiguous().t()[:, :1])
    assert same(gn.dot, left[0], right[:, 0])


def test_integers_wrap():
    for dtype in (gn.uint8, gn.int8, gn.int32, gn.int64):
        big = 2**62 + 3 if dtype is gn.int64 else 2**30 + 3 if dtype is gn.int32 else 111
        left = gn.full((3, 5), big, dtype=dtype, device="reference")
        assert same(gn.mm, left, left.t())
        assert same(gn.mm, left[:1], left.t())
        assert same(gn.dot, left[0], left[1])
        assert same(lambda c, a, b: gn.addmm(c, a, b, beta=7, alpha=9), left[:, :3], left, left.t())


def test_float64_and_half_types_sum_in_enough_bits():
    # 1 + 2**-30 is 1 in float32; a float16 sum of 4096 ones would stop at 2048
    one = gn.tensor([[1.0, 2.0**-30]], dtype=gn.float64, device="reference")
    assert same(gn.mm, one, gn.ones(2, 1, dtype=gn.float64, device="reference"))
    assert same(gn.mm, one.expand(3, 2), gn.ones(2, 4, dtype=gn.float64, device="reference"))
    ones = gn.ones(2, 4096, dtype=gn.float16, device="cuda")
    assert gn.mm(ones, ones.t()).tolist() == [[4096.0, 4096.0]] * 2
    assert gn.mm(ones[:1], ones.t()).tolist() == [[4096.0, 4096.0]]


def test_factors_and_addends():
    left, right = whole(6, 7), whole(7, 8)
    for addend in (whole(6, 8), whole(8), whole(6, 1), whole(8, 6).t(), whole(1)):
        for beta, alpha in ((1, 1), (2, -1), (0, 3), (0.5, 0), (-1, 0.25)):
            assert same(lambda c, a, b: gn.addmm(c, a, b, beta=beta, alpha=alpha), addend, left, right)  # noqa: B023
    nothing = gn.full((6, 8), float("nan"), device="reference")
    assert same(lambda c, a, b: gn.addmm(c, a, b, beta=0), nothing, left, right)
    assert same(lambda c, a, b: gn.addmm(c, a, b, beta=0), nothing[:1], left[:1], right)


def test_results_in_place_and_out():
    left, right = whole(6, 7), whole(7, 8)
    assert same(lambda c, a, b: c.clone().addmm_(a, b, beta=2), whole(6, 8), left, right)
    assert same(lambda c, a, b: c.clone().t().addmm_(a, b, beta=2), whole(8, 6), left, right)
    assert same(lambda a, b: gn.mm(a, b, out=gn.zeros(8, 6, device=a.device).t()), left, right)
    wide = gn.mm(left.to("cuda"), right.to("cuda"), out=gn.zeros(6, 16, device="cuda")[:, ::2])
    assert wide.stride() == (16, 2) and wide.tolist() == gn.mm(left, right).tolist()


def test_batches():
    left, right = whole(3, 4, 20), whole(3, 20, 6)
    assert same(gn.bmm, left, right)
    assert same(gn.bmm, left.permute(1, 0, 2), right[:1].expand(4, 20, 6))
    assert same(gn.bmm, left.permute(1, 0, 2)[:, :1], right.expand(3, 20, 6)[:1].expand(4, 20, 6))
    assert same(gn.bmm, left, right[:, :, :1])
    for addend in (whole(3, 4, 6), whole(6), whole(3, 1, 1)):
        assert same(lambda c, a, b: gn.baddbmm(c, a, b, beta=2, alpha=3), addend, left, right)


@pytest.fixture
def launched(monkeypatch):
    """The kernels that were launched, in order."""
    found = []
    usual = matmul.Work.launch

    def launch(self, text, dtype, kernel, *others, **named):
        found.append(kernel)
        return usual(self, text, dtype, kernel, *others, **named)

    monkeypatch.setattr(matmul.Work, "launch", launch)
    return found


def test_long_sums_are_cut_in_parts(launched):
    long = 3 * matmul.PART + 5
    assert same(gn.mm, whole(3, long, most=1), whole(long, 4, most=1))
    assert same(
        gn.mm, whole(3, long, most=1).t().contiguous().t(), whole(long, 4, most=1).t().contiguous().t()
    )
    assert launched == ["product_tiles<4>", "product_end<32>"] * 2
    launched.clear()
    assert same(gn.mm, whole(1, long, most=1), whole(long, 40, most=1))
    assert launched == ["product_columns<0>", "product_end<32>"]
    launched.clear()
    long = 2 * matmul.ROW_PART + 3
    assert same(gn.dot, whole(long, most=1), whole(long, most=1))
    assert launched == ["product_rows<256>", "product_end<32>"]
    launched.clear()
    assert same(gn.mm, whole(1, 40), whole(50, 40).t())
    assert launched == ["product_rows<32>"]
    launched.clear()
    left, right = whole(33, 2 * matmul.PART, most=1), whole(2 * matmul.PART, 32, most=1)
    assert same(lambda c, a, b: gn.addmm(c, a, b, beta=2, alpha=3), whole(32), left, right)
    assert launched == ["product_tiles<4>", "product_end<1>"]


def test_a_column_is_multiplied_as_a_row(launched):
    assert same(gn.mm, whole(40, 30), whole(30, 1))
    assert same(gn.mm, whole(30, 40).t(), whole(30, 1))
    assert launched == ["product_rows<32>", "product_columns<0>"]


def test_a_product_has_the_same_bits_wherever_its_factors_begin():
    numbers = (whole(1, 4001) / 7).to("cuda")
    column = (whole(1, 4001, most=3) / 3).to("cuda")
    aligned = gn.dot(numbers[0, :4000], column[0, :4000])
    moved, moved_column = gn.zeros(4001, device="cuda"), gn.zeros(4001, device="cuda")
    moved[1:].copy_(numbers[0, :4000])
    moved_column[1:].copy_(column[0, :4000])
    assert gn.dot(moved[1:], moved_column[1:]).item() == aligned.item()
    apart = gn.zeros(8000, device="cuda")
    apart[::2].copy_(numbers[0, :4000])
    assert gn.dot(apart[::2], column[0, :4000]).item() == aligned.item()


def test_large_tiles(launched):
    # tiles are as large as the number of multiprocessors allows
    left, right = whole(16, 20).repeat(40, 1), whole(20, 8).repeat(1, 33)
    expected = gn.mm(left[:16], right[:, :8]).repeat(40, 33)
    assert gn.mm(left.to("cuda"), right.to("cuda")).tolist() == expected.tolist()
    assert launched == ["product_tiles<8>"]
    left, right = left.to("cuda", gn.float64), right.to("cuda", gn.float64)
    assert gn.mm(left, right).tolist() == expected.tolist()
    assert launched == ["product_tiles<8>", "product_tiles<4>"]
