"""ops/pointwise/arithmetic.py and ops/nn/activation.py: edge values, as in PyTorch."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest

import gnomon as gn


def test_clamp_takes_its_bounds_as_the_dtype_holds_them(device: str) -> None:
    x = gn.tensor([1, 2, 100], dtype=gn.uint8)
    assert x.clamp(-1, 50).tolist() == [50, 50, 50]  # -1 becomes 255
    assert x.clamp_min(-1).tolist() == [255, 255, 255]
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8 without overflow"):
        x.clamp_max(300)
    assert all(math.isnan(each) for each in gn.ones(3).clamp(math.nan, 2.0).tolist())
    assert gn.tensor([-1.0, math.nan])[:1].clamp(0.0).tolist() == [0.0]


def test_adding_bools_is_or_whatever_alpha_is(device: str) -> None:
    x = gn.tensor([True, False])
    assert x.add(x, alpha=-1).tolist() == [True, False]
    assert gn.tensor([False]).add(gn.tensor([True]), alpha=0).tolist() == [False]


def test_complex_division_by_zero_keeps_each_part(device: str) -> None:
    (quotient,) = (gn.tensor([1 + 1j]) / gn.tensor([0j])).tolist()
    assert (quotient.real, quotient.imag) == (math.inf, math.inf)
    (inverse,) = gn.tensor([0j]).reciprocal().tolist()
    assert inverse.real == math.inf and math.isnan(inverse.imag)


def test_relu_lets_negative_zero_and_nan_through(device: str) -> None:
    zero, nan, one, negative = gn.tensor([-0.0, math.nan, 1.0, -1.0]).relu().tolist()
    assert math.copysign(1, zero) == -1 and math.isnan(nan) and (one, negative) == (1.0, 0.0)


def test_truncating_division_cuts_the_rounded_quotient(device: str) -> None:
    a, b = gn.tensor([2.5] * 9), gn.tensor([0.001] * 9)
    assert gn.div(a, b, rounding_mode="trunc").tolist() == [2500.0] * 9, "0.001 is a little more in float32"
    assert gn.div(a, b, rounding_mode="floor").tolist() == [2499.0] * 9
    a, b = (each.double() for each in (a, b))
    assert gn.div(a, b, rounding_mode="trunc").tolist() == [2499.0] * 9


def test_sinc_is_one_at_zero_where_its_derivative_is_zero(device: str) -> None:
    x = gn.tensor([0.0, -0.0, 0.5, 1.0, math.inf, math.nan], dtype=gn.float64, requires_grad=True)
    found = gn.sinc(x)
    found.sum().backward()
    assert x.grad is not None
    assert found[:3].tolist() == [1.0, 1.0, 2 / math.pi]
    assert found[3].item() == pytest.approx(0.0, abs=1e-15) and found[4:].isnan().all().item()
    assert x.grad[:2].tolist() == [0.0, 0.0]
    assert x.grad[2:4].tolist() == pytest.approx([-4 / math.pi, -1.0])
    assert gn.sinc(gn.tensor([0, 1], dtype=gn.int64)).dtype is gn.float32


def test_gcd_wraps_the_least_integer_as_pytorch_does(device: str) -> None:
    for dtype in (gn.int8, gn.int16, gn.int32, gn.int64):
        least = gn.iinfo(dtype).min
        x = gn.tensor([least, 6, -6, 0, 0, 1], dtype=dtype)
        y = gn.tensor([6, 4, -9, 0, -5, least], dtype=dtype)
        found = gn.gcd(x, y)
        assert found.dtype is dtype and found.tolist() == [-2, 2, 3, 0, 5, 1]
        assert gn.gcd(x[:1], x[:1]).tolist() == [least] == gn.gcd(x[:1], x[3:4]).tolist()


def test_gcd_is_of_integers_only(device: str) -> None:
    x = gn.tensor([12, 18])
    assert x.gcd(gn.tensor(8, dtype=gn.int32)).tolist() == [4, 2]
    assert x.gcd_(gn.tensor([9])) is x and x.tolist() == [3, 9]
    for wrong in (gn.ones(2), gn.ones(2, dtype=gn.bool), gn.ones(2, dtype=gn.complex64)):
        with pytest.raises(NotImplementedError, match=f"gcd: not implemented for dtype {wrong.dtype.name}"):
            gn.gcd(wrong, wrong)
    with pytest.raises(TypeError, match=r"gcd\(\): argument 'other' \(position 2\) must be Tensor, not int"):
        gn.gcd(x, 2)
    with pytest.raises(RuntimeError, match="result type int64 can't be cast to the desired output type bool"):
        gn.gcd(x, x, out=gn.empty(2, dtype=gn.bool))


def test_lcm_wraps_around_as_pytorch_does(device: str) -> None:
    for dtype in (gn.int8, gn.int16, gn.int32, gn.int64):
        least = gn.iinfo(dtype).min
        x = gn.tensor([least, 6, -6, 0, 0, 1, least], dtype=dtype)
        y = gn.tensor([6, 4, -9, 0, -5, least, least], dtype=dtype)
        found = gn.lcm(x, y)
        assert found.dtype is dtype and found.tolist() == [least, 12, 18, 0, 0, least, least]
    assert gn.lcm(gn.tensor([100], dtype=gn.int8), gn.tensor([77], dtype=gn.int8)).tolist() == [20]
    assert gn.lcm(gn.tensor([100], dtype=gn.uint8), gn.tensor([77], dtype=gn.uint8)).tolist() == [20]
    x = gn.tensor([4, 6])
    assert x.lcm_(gn.tensor([6])) is x and x.tolist() == [12, 6]
    with pytest.raises(NotImplementedError, match="lcm: not implemented for dtype float32"):
        gn.lcm(gn.ones(2), gn.ones(2))


@pytest.mark.parametrize(
    ("dtype", "least", "greatest", "below_greatest"),
    [
        (gn.float16, 2.0**-24, 65504.0, 65472.0),
        (gn.bfloat16, 2.0**-133, 255 * 2.0**120, 254 * 2.0**120),
        (gn.float32, 2.0**-149, (2 - 2.0**-23) * 2.0**127, (2 - 2.0**-22) * 2.0**127),
        (gn.float64, 2.0**-1074, sys.float_info.max, (1 - 2.0**-52) * 2.0**1023 * 2),
    ],
)
def test_nextafter_crosses_zero_and_infinity(
    device: str, dtype: Any, least: float, greatest: float, below_greatest: float
) -> None:
    step = gn.finfo(dtype).eps
    tiny = gn.finfo(dtype).tiny
    cases = [
        (0.0, 1.0, least),
        (0.0, -1.0, -least),
        (-0.0, 1.0, least),
        (least, -1.0, 0.0),
        (1.0, 2.0, 1 + step),
        (1.0, 0.0, 1 - step / 2),
        (-1.0, -2.0, -1 - step),
        (tiny, 0.0, tiny - least),
        (-tiny, -1.0, -tiny - least),
        (greatest, math.inf, math.inf),
        (greatest, 0.0, below_greatest),
        (math.inf, 0.0, greatest),
        (-math.inf, math.inf, -greatest),
        (math.inf, math.inf, math.inf),
    ]
    x, y, expected = (gn.tensor(list(each), dtype=dtype) for each in zip(*cases))
    found = gn.nextafter(x, y)
    assert found.dtype is dtype and found.tolist() == expected.tolist()
    assert expected.tolist() == [each for *_, each in cases], "the cases are numbers of the dtype"
    signs = gn.nextafter(
        gn.tensor([0.0, -0.0, -least], dtype=dtype), gn.tensor([-0.0, 0.0, 1.0], dtype=dtype)
    )
    assert signs.signbit().tolist() == [True, False, True] and signs.tolist() == [0, 0, 0]
    nan = gn.tensor([math.nan, 1.0], dtype=dtype)
    assert gn.nextafter(nan, nan.flip(0)).isnan().all().item()


def test_frexp_of_extreme_numbers(device: str) -> None:
    x = gn.tensor([0.0, -0.0, 1.0, -3.5, math.inf, -math.inf, 2.0**-149])
    mantissa, exponent = gn.frexp(x)
    assert mantissa.tolist() == [0.0, 0.0, 0.5, -0.875, math.inf, -math.inf, 0.5]
    assert mantissa[:2].signbit().tolist() == [False, True]
    assert exponent.dtype is gn.int32 and exponent.tolist() == [0, 0, 1, 2, 0, 0, -148]
    nan = gn.frexp(gn.tensor([math.nan]))
    assert nan.mantissa.isnan().item() and nan.exponent.tolist() == [0]
    least = gn.frexp(gn.tensor([2.0**-1074, -3 * 2.0**-1060, 1.7e308], dtype=gn.float64))
    assert least.mantissa.tolist() == [0.5, -0.75, 1.7e308 / 2.0**1023 / 2]
    assert least.exponent.tolist() == [-1073, -1058, 1024]
    for dtype, smallest in ((gn.float16, -24), (gn.bfloat16, -133)):
        halves = gn.frexp(gn.tensor([2.0**smallest, 24.0], dtype=dtype))
        assert halves.mantissa.dtype is dtype and halves.mantissa.tolist() == [0.5, 0.75]
        assert halves.exponent.tolist() == [smallest + 1, 5]
    found = gn.frexp(gn.ones(2, 3, 4).permute(2, 0, 1))
    assert found.mantissa.stride() == (1, 12, 4) == found.exponent.stride()
    y = gn.tensor([0.5, 3.0, -7.0, 0.0], requires_grad=True)
    found = gn.frexp(y)
    found.mantissa.sum().backward()
    assert y.grad is not None and y.grad.tolist() == [1.0, 0.25, 0.125, 1.0]
    assert not found.exponent.requires_grad
    with pytest.raises(RuntimeError, match="only supports floating-point dtypes"):
        gn.frexp(gn.tensor([1]))


def test_the_gradient_of_nextafter_is_zero_where_the_operands_are_equal(device: str) -> None:
    x = gn.tensor([1.0, 2.0, 0.0], requires_grad=True)
    y = gn.tensor([2.0, 2.0, -0.0], requires_grad=True)
    gn.nextafter(x, y).backward(gn.tensor([3.0, 4.0, 5.0]))
    assert x.grad is not None and x.grad.tolist() == [3.0, 0.0, 0.0]
    assert y.grad is not None and y.grad.tolist() == [0.0, 0.0, 0.0]


def test_without_tolerances_close_is_equal(device: str) -> None:
    """Also of integers that round to the same floating point number."""
    a, b = gn.tensor([2**60, 2**60, -5]), gn.tensor([2**60, 2**60 + 1, -5])
    assert gn.isclose(a, b, rtol=0, atol=0).tolist() == [True, False, True]
    assert not gn.allclose(a, b, 0.0, 0.0)
    assert gn.isclose(a, b, rtol=0, atol=1).tolist() == [True, True, True]
    with pytest.raises(AssertionError, match="Greatest absolute difference: 1 at"):
        gn.testing.assert_close(a, b)
    assert gn.isclose(gn.tensor([math.inf, math.nan]), gn.tensor([math.inf, math.nan]), 0, 0).tolist() == [
        True,
        False,
    ]
