"""docs/accumulation.md, checked with exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gnomon as gn
from gnomon.values.dtype import dtype_named

pytestmark = pytest.mark.both_tiers

FLOATS = ("float16", "bfloat16", "float32", "float64")
# Large and small numbers mixed, so that any other way of adding them up loses digits.
numbers = st.one_of(
    st.integers(-2000, 2000).map(lambda n: n / 8),
    st.integers(-(2**10), 2**10).map(lambda n: n * 2.0**-24),
    st.sampled_from([30000.0, -30000.0, 1 / 3, 0.1]),
)
rows = st.lists(numbers, min_size=1, max_size=12)


@pytest.fixture(autouse=True)
def on_the_reference() -> Any:
    gn.set_default_device("reference")
    yield
    gn.set_default_device(None)


def held(values: list[float], dtype: str) -> list[float]:
    """The numbers as the dtype represents them."""
    return gn.tensor(values, dtype=dtype_named(dtype)).tolist()


def rounded(exact: Fraction | float, dtype: str) -> float:
    """A number rounded to float64 and then to the dtype."""
    return dtype_named(dtype).cast(float(exact))


def tensor(values: list[float], dtype: str) -> gn.Tensor:
    return gn.tensor(values, dtype=dtype_named(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@settings(max_examples=40)
@given(values=rows)
def test_sum_and_mean(dtype: str, values: list[float]) -> None:
    exact = sum(map(Fraction, held(values, dtype)))
    x = tensor(values, dtype)
    assert x.sum().item() == rounded(exact, dtype)
    assert x.nansum().item() == rounded(exact, dtype)
    assert x.mean().item() == rounded(float(exact) / len(values), dtype)
    assert x.cumsum(0)[-1].item() == rounded(exact, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@settings(max_examples=40)
@given(values=rows, others=rows)
def test_products_of_matrices(dtype: str, values: list[float], others: list[float]) -> None:
    count = min(len(values), len(others))
    a, b = held(values[:count], dtype), held(others[:count], dtype)
    exact = sum(Fraction(x * y) for x, y in zip(a, b))
    x, y = tensor(a, dtype), tensor(b, dtype)
    expected = rounded(exact, dtype)
    assert gn.dot(x, y).item() == expected
    assert (x.unsqueeze(0) @ y.unsqueeze(1)).item() == expected
    assert gn.einsum("i,i", x, y).item() == expected
    assert gn.addmm(gn.zeros(1, 1, dtype=x.dtype), x.unsqueeze(0), y.unsqueeze(1)).item() == expected
    as_image = x.view(1, 1, count), y.view(1, 1, count)
    assert gn.nn.functional.conv1d(*as_image).item() == expected


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32"))
@settings(max_examples=40)
@given(values=st.lists(numbers, min_size=2, max_size=12))
def test_variance_and_norm(dtype: str, values: list[float]) -> None:
    x = held(values, dtype)
    mean = Fraction(math.fsum(x) / len(x))
    variance = sum((Fraction(each) - mean) ** 2 for each in x) / (len(x) - 1)
    limit = {"float16": 65504.0, "bfloat16": 3.38e38, "float32": 3.4e38}[dtype]
    if variance < limit:
        assert close(tensor(x, dtype).var().item(), float(variance), dtype)
    length = math.sqrt(sum(Fraction(each) ** 2 for each in x))
    if length < limit:
        assert close(gn.linalg.vector_norm(tensor(x, dtype)).item(), length, dtype)


def close(actual: float, exact: float, dtype: str) -> bool:
    """Whether it is the nearest number of the dtype, or the next if float64's own rounding decides a tie."""
    bits = {"float16": 11, "bfloat16": 8, "float32": 24}[dtype]
    return abs(actual - exact) <= 0.5000001 * 2.0 ** (math.frexp(exact)[1] - bits) + 2.0**-25


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x.sum(), 2**40 * 3),
        (lambda x: x.sum(dtype=gn.int32), 0),
        (lambda x: x.prod(), (2**40) ** 3 % 2**64),
        (lambda x: gn.dot(x, x), 3 * 2**80 % 2**64),
    ],
)
def test_integers_wrap_around_at_the_end(function: Callable[[gn.Tensor], gn.Tensor], expected: int) -> None:
    assert function(gn.tensor([2**40] * 3)).item() == expected


def test_halves_lose_nothing_on_the_way() -> None:
    # 4096 ones: added up in float16, they would stop counting at 2048
    ones = gn.ones(4096, dtype=gn.float16)
    assert ones.sum().item() == 4096.0
    assert gn.dot(ones, ones).item() == 4096.0
    assert ones.mean().item() == 1.0


def test_norms_do_not_overflow_on_the_way() -> None:
    large = gn.tensor([3e300, 4e300], dtype=gn.float64)
    assert gn.linalg.vector_norm(large).item() == pytest.approx(5e300, rel=1e-15)
    assert gn.linalg.vector_norm(large * 1e-600, 3).item() == 0.0


def test_what_meets_at_one_place_is_added_up_exactly() -> None:
    start = gn.tensor([2048.0], dtype=gn.float16)
    ones = gn.ones(4, dtype=gn.float16)
    index = gn.zeros(4, dtype=gn.int64)
    for result in (
        start.scatter_add(0, index, ones),
        start.scatter_reduce(0, index, ones, "sum"),
        start.index_add(0, index, ones),
        start.index_put([index], ones, True),
        start.put(index, ones, True),
    ):
        assert result.item() == 2052.0  # added one by one, each 1 would be lost


@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_losses_of_pairs_are_rounded_before_they_are_added_up(loss: str, dtype: str) -> None:
    """The squares of these differences need more bits than the dtypes have."""
    function = getattr(gn.nn.functional, loss)
    pair = tensor([1.0078125 + step for step in (0, 0.5, 1, 1.5)], dtype), tensor([0.0, 0.5, 0.25, 7], dtype)
    each = [Fraction(number) for number in function(*pair, reduction="none").tolist()]
    assert function(*pair, reduction="sum").item() == rounded(sum(each, Fraction(0)), dtype)
    assert function(*pair, reduction="mean").item() == rounded(sum(each, Fraction(0)) / 4, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_attention_in_one_piece_rounds_once(dtype: str) -> None:
    """All four weights are 1/4, and partial sums of the values need more digits than float32 has."""
    values = held([30000.0, 2.0**-14, 0.375, -30000.0], dtype)
    value = tensor(values, dtype).reshape((1, 1, 4, 1))
    query, key = gn.zeros(1, 1, 1, 1, dtype=dtype_named(dtype)), gn.ones_like(value)
    out, _ = gn.ops.aten._scaled_dot_product_flash_attention_for_cpu(query, key, value)
    assert out.item() == rounded(sum(map(Fraction, values)) / 4, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@given(values=rows)
@settings(max_examples=20)
def test_a_step_of_an_optimizer_rounds_where_it_stores(dtype: str, values: list[float]) -> None:
    values = held(values, dtype)
    param, grad, buffer = (tensor(values, dtype) for _ in range(3))
    options = {"weight_decay": 0.1, "momentum": 0.7, "lr": 0.3, "dampening": 0.2}
    flags = {"nesterov": True, "maximize": False, "is_first_step": False}
    gn.ops.aten._fused_sgd_([param], [grad], [buffer], **options, **flags)
    moved = [0.7 * each + (1 - 0.2) * (each + 0.1 * each) for each in values]
    assert buffer.tolist() == [rounded(each, dtype) for each in moved]
    ways = [(each + 0.1 * each) + 0.7 * move for each, move in zip(values, moved)]
    assert param.tolist() == [rounded(each - 0.3 * way, dtype) for each, way in zip(values, ways)]


def test_logcumsumexp_of_large_and_infinite_numbers(device: str) -> None:
    inf, nan = math.inf, math.nan
    x = gn.tensor([-inf, -inf, 1e4, 1e4, -1e4, inf, -inf, nan, 1.0], dtype=gn.float64)
    found = gn.logcumsumexp(x, 0)
    assert found[:7].tolist() == [-inf, -inf, 1e4, 1e4 + math.log(2), 1e4 + math.log(2), inf, inf]
    assert found[7:].isnan().all().item()
    y = gn.logcumsumexp(gn.tensor([[0.0] * 5] * 2).t(), 0)
    assert y.stride() == (2, 1) and y[:, 0].tolist() == pytest.approx([math.log(1 + n) for n in range(5)])
    z = gn.tensor([complex(-inf, 2), 3 - 3j, complex(inf, 1), 1], dtype=gn.complex128)
    assert gn.logcumsumexp(z, 0).tolist() == [complex(-inf, 0), 3 - 3j, complex(inf, 1), complex(inf, 1)]
    with pytest.raises(NotImplementedError, match="logcumsumexp: not implemented for dtype int64"):
        gn.logcumsumexp(gn.ones(0, dtype=gn.int64), 0)
    assert gn.logcumsumexp(gn.tensor(1.0), 0).tolist() == 1.0


def test_the_gradient_of_logcumsumexp_with_gradients_of_both_signs(device: str) -> None:
    x = gn.tensor([0.5, 1.0, 2.0], dtype=gn.float64, requires_grad=True)
    gn.logcumsumexp(x, 0).backward(gn.tensor([0.0, -1.0, 2.0], dtype=gn.float64))
    e = [math.exp(each) for each in x.tolist()]
    shares = [-1 / (e[0] + e[1]) + 2 / sum(e)] * 2 + [2 / sum(e)]
    assert x.grad is not None
    assert x.grad.tolist() == pytest.approx([each * share for each, share in zip(e, shares)])


@pytest.mark.parametrize("is_complex", [False, True], ids=["float64", "complex128"])
def test_a_variance_loses_nothing_to_the_rounding_of_the_mean(device: str, is_complex: bool) -> None:
    """The unit in the last place of the mean is 1/8, as much as numbers differ."""
    for count in (70, 5000):
        row = [2.0**49 + place * 5 % 16 / 8 for place in range(count)]
        offsets = [Fraction(each) - 2**49 for each in row]
        mean = sum(offsets) / count
        exact = float(sum((each - mean) ** 2 for each in offsets) / (count - 1)) * (1 + is_complex)
        made = [complex(*pair) for pair in zip(row, row[::-1])] if is_complex else row
        x = gn.tensor(made, dtype=gn.complex128 if is_complex else gn.float64, device=device)
        for found in (x.var(), *x.unsqueeze(1).expand(count, 3).contiguous().var(0), x.std() ** 2):
            assert found.item() == pytest.approx(exact, rel=1e-14, abs=1e-15)
    for end in (math.inf, 1.5e308):  # not finite, as without a correction
        x = gn.tensor([end, end, 1.0], dtype=gn.float64, device=device)
        assert not math.isfinite(x.var().item())
    x = gn.tensor([0.1] * 9, dtype=gn.float64, device=device)
    assert x.var().item() == pytest.approx(0, abs=1e-30)


def test_many_small_planes_of_a_batch_are_added_up_exactly(device: str) -> None:
    count = 2 if device == "reference" else 30000  # the reference does it by definition
    few = gn.arange(24.0, dtype=gn.float64, device=device).reshape(2, 3, 4).mul(5).add(1).sin()
    x = few.repeat(count, 1, 1)
    _, mean, rstd = gn.ops.aten._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 0.0)
    for channel in range(3):
        plain = few[:, channel].flatten().tolist()
        exact = math.fsum(plain) / 8
        variance = math.fsum((each - exact) ** 2 for each in plain) / 8
        assert mean.flatten()[channel].item() == pytest.approx(exact, rel=1e-14, abs=1e-15)
        assert rstd.flatten()[channel].item() == pytest.approx(variance**-0.5, rel=1e-14, abs=0)
