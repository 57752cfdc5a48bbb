"""_quantized_mm: C's kernel has the bits of the operator's definition, which is in steps."""

import pytest

import gnomon as gn
from gnomon.ao.nn.quantized import functional as F
from gnomon.quantized.matmul import _in_steps
from gnomon.quantized.matmul import _quantized_mm as quantized_mm

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="no C backend")


def bytes_of(generator, kind, *sizes):
    least = 0 if kind is gn.uint8 else -128
    return gn.randint(least, least + 256, sizes, dtype=kind, generator=generator, device="c")


@pytest.mark.parametrize(
    "sizes",
    [
        (1, 1, 1),
        (1, 40, 70),
        (5, 8, 16),
        (30, 700, 33),
        (7, 513, 350),
        (3, 70000, 2),
        (150, 512, 64),
        (40, 516, 200),
    ],
)
@pytest.mark.parametrize("channels", [False, True])
def test_bits_are_those_of_the_steps(sizes, channels):
    m, k, n = sizes
    generator = gn.Generator().manual_seed(m * k + n)
    rows, columns = bytes_of(generator, gn.uint8, m, k), bytes_of(generator, gn.int8, n, k).t()
    count = n if channels else 1
    scales = gn.rand(count, generator=generator).to("c") * 0.01 + 0.001
    bias = gn.randn(n, generator=generator).to("c")
    result_scale = 0.01 * k**0.5
    found = []
    for points in (gn.zeros(count).long(), gn.randint(-128, 128, (count,), generator=generator)):
        points = points.to("c")
        for added, input_point, point, minimum in (
            (bias, 0, 0, 0),
            (bias, 255, 128, 0),
            (None, 128, 255, 0),
            (bias, 77, 60, 60),
        ):
            rest = (scales, points, added, 0.037, input_point, result_scale, point, minimum)
            for left in (rows, rows.t().contiguous().t()):
                for right in (columns, columns.contiguous(), columns.contiguous().flip(0).flip(0)):
                    expected = _in_steps(left, right, *rest)
                    made = quantized_mm(left, right, *rest)
                    assert made.dtype is gn.uint8 and made.shape == (m, n) and made.stride() == (n, 1)
                    assert made.equal(expected) and made.min() >= minimum
            found += made.flatten().tolist()
    assert len({*found}) > min(20, m * n)


def test_columns_that_are_views():
    generator = gn.Generator().manual_seed(0)
    rows, columns = (
        bytes_of(generator, gn.uint8, 9, 62)[:, ::2],
        bytes_of(generator, gn.int8, 62, 40)[::2, 1::2],
    )
    scales, points = (gn.rand(40, device="c") * 0.01)[::2], gn.arange(40, device="c")[::2]
    rest = (scales, points, gn.randn(20, 3, device="c")[:, 1], 0.05, 3, 0.1, 100, 0)
    assert quantized_mm(rows, columns, *rest).equal(_in_steps(rows, columns, *rest))


def test_extremes_and_empty_sizes():
    most, least = (
        gn.full((2, 9), 255, dtype=gn.uint8, device="c"),
        gn.full((9, 3), -128, dtype=gn.int8, device="c"),
    )
    one, zero = gn.ones(1, device="c"), gn.zeros(1, device="c").long()
    for left, right in ((most, least), (most[:0], least), (most, least[:, :0]), (most[:, :0], least[:0])):
        for zeros in (zero, zero - 128, zero + 127):
            for scale in (1e4, 1e-30, 1e30):
                for scales in (one, one * 0, one * float("inf"), one * 1e-38):
                    for bias in (None, gn.tensor([1.0, -1e30, float("nan")], device="c")[: right.shape[1]]):
                        rest = (scales, zeros, bias, 1.0, 255, scale, 4, 0)
                        made = quantized_mm(left, right, *rest)
                        assert made.tolist() == _in_steps(left, right, *rest).tolist()
    assert quantized_mm(most, least, one, zero, None, 1.0, 0, 4096.0, 200, 0).tolist() == [[128] * 3] * 2
    assert quantized_mm(most, least, one, zero, None, 1.0, 0, 195840.0, 1, 0).tolist() == [[0] * 3] * 2


def test_layers_run_it():
    generator = gn.Generator().manual_seed(0)
    x = gn.quantize_per_tensor(gn.randn(6, 10, generator=generator).to("c"), 0.05, 100, gn.quint8)
    w = gn.quantize_per_tensor(gn.randn(4, 10, generator=generator).to("c"), 0.03, 0, gn.qint8)
    found = F.linear(x, w, None, 0.1, 128)
    own = gn._make_per_tensor_quantized_tensor(x.int_repr().to("reference"), 0.05, 100)
    theirs = gn._make_per_tensor_quantized_tensor(w.int_repr().to("reference"), 0.03, 0)
    assert F.linear(own, theirs, None, 0.1, 128).int_repr().tolist() == found.int_repr().tolist()


def test_refused(device):
    rows, columns = gn.ones(3, 4, device=device).to(gn.uint8), gn.ones(4, 2, device=device).to(gn.int8)
    one, zero = gn.ones(1, device=device), gn.zeros(1, device=device).long()
    good = [rows, columns, one, zero, None, 1.0, 0, 1.0, 0, 0]
    for position, wrong, text in (
        (0, rows[:, :2], r"expected matrices that fit, got sizes \[3, 2\] and \[4, 2\]"),
        (0, rows.to(gn.int8), "expected self of dtype uint8, got int8"),
        (1, columns.int(), "expected mat2 of dtype int8, got int32"),
        (2, one.double(), "expected scales of dtype float32, got float64"),
        (2, gn.ones(3, device=device), r"expected scales of sizes \[1\] or \[2\], got \[3\]"),
        (3, one, "expected zero_points of dtype int64, got float32"),
        (4, gn.ones(2, 1, device=device), r"expected bias of sizes \[1\] or \[2\], got \[2, 1\]"),
        (6, 256, "expected input_zero_point from 0 to 255, got 256"),
        (8, -1, "expected zero_point from 0 to 255, got -1"),
        (9, 300, "expected minimum from 0 to 255, got 300"),
    ):
        with pytest.raises(RuntimeError, match="_quantized_mm: " + text):
            quantized_mm(*good[:position], wrong, *good[position + 1 :])


def test_halves_are_rounded_to_even(device):
    rows, columns = (
        gn.arange(6, device=device).to(gn.uint8)[:, None],
        gn.ones(1, 1, device=device).to(gn.int8),
    )
    one, zero = gn.ones(1, device=device), gn.zeros(1, device=device).long()
    for point, expected in ((0, [0, 0, 1, 2, 2, 2]), (3, [3, 3, 4, 5, 5, 5])):
        found = quantized_mm(rows, columns, one, zero, None, 1.0, 0, 2.0, point, 0)
        assert found.flatten().tolist() == expected
