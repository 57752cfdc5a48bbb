"""Number arguments that an operator compares: complex numbers are refused, and NaN has a defined result."""

from __future__ import annotations

import math

import pytest

import gnomon as gn

aten = gn.ops.aten
WORDS = "value cannot be converted"
COMPLEX = 1 + 2j


@pytest.mark.parametrize(
    "call",
    [
        lambda x: aten.softshrink(x, COMPLEX),
        lambda x: aten.leaky_relu_backward(x, x, COMPLEX, True),
        lambda x: aten.elu_backward(x, COMPLEX, 1, 1, True, x),
        lambda x: aten.rrelu(x, COMPLEX, 0.5),
        lambda x: aten.rrelu(x, 0.5, COMPLEX),
        lambda x: aten.rrelu_(x, COMPLEX, 0.5),
        lambda x: aten.rrelu_(x, 0.5, COMPLEX),
        lambda x: aten.hardtanh(x.to(gn.uint8), COMPLEX, 3),
        lambda x: aten.clamp(x, math.nan, COMPLEX),
        lambda x: aten.randint_like(x, gn.tensor(COMPLEX)),
    ],
)
def test_a_complex_number_is_refused_where_the_order_counts(device, call):
    with pytest.raises(RuntimeError, match=WORDS):
        call(gn.ones(3))


def test_of_a_slope_that_is_no_number_there_is_no_way_back(device):
    x = gn.ones(3)
    with pytest.raises(RuntimeError, match="negative slope"):
        aten.elu_backward(x, math.nan, 1, 1, True, x)


@pytest.mark.parametrize("bounds", [(math.nan, 0.5), (0.5, math.nan), (math.inf, 0.5)])
def test_bounds_of_rrelu_in_place_have_an_order(device, bounds):
    with pytest.raises(RuntimeError, match="Lower bound should be less"):
        aten.rrelu_(gn.ones(3), *bounds)


def test_rrelu_of_bfloat16_draws_slopes(device):
    x = gn.tensor([-1.0] * 50 + [2.0], dtype=gn.bfloat16)
    for found in (aten.rrelu(x, 0.125, 0.25, True), aten.rrelu_(x.clone(), 0.125, 0.25, True)):
        numbers = found.tolist()
        assert found.dtype is gn.bfloat16 and numbers[-1] == 2.0
        assert all(-0.25 <= each <= -0.125 for each in numbers[:-1]) and len(set(numbers)) > 5
    with pytest.raises(NotImplementedError):
        aten.rrelu(x.half(), 0.125, 0.25, True)


def test_limits_of_unsigned_integers_are_integers(device):
    x = gn.tensor([0, 1, 2], dtype=gn.uint8)
    assert aten.hardtanh(x, -0.3, 1.7).tolist() == [0, 1, 1]
    assert aten.hardtanh(x, 0, -0.7).tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="negative limits"):
        aten.hardtanh(x, -1.3, 0.7)


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16, gn.float32, gn.int32])
@pytest.mark.parametrize("bounds", [(math.nan, 1e308), (-3e38, math.nan), (math.nan, 1)])
def test_between_bounds_one_of_which_is_nan_there_is_nan(device, dtype, bounds):
    found = aten.clamp(gn.arange(3).to(dtype), *bounds)
    assert all(map(math.isnan, found.tolist()))
    assert found.dtype is (dtype if dtype.is_floating_point else gn.float32)


def test_uniform_numbers_of_a_range_that_the_dtype_does_not_hold(device):
    with pytest.raises(RuntimeError, match="no more than the largest"):
        gn.ones(3, dtype=gn.float16).uniform_(-1.0, 65504.0)


def test_a_mean_that_float32_does_not_hold(device):
    with pytest.raises(RuntimeError, match=WORDS):
        gn.normal(1e308, gn.ones(3))
    assert gn.normal(1e308, gn.ones(3).double()).tolist() == [1e308] * 3
    assert gn.normal(1e308, gn.ones(3).bfloat16()).tolist() == [math.inf] * 3
