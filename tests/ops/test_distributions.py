"""ops/creation/distributions.py and others with tensor parameters: the same stream on all devices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends import listing
from gnomon.calls import launch
from gnomon_conformance.collection.selection import random_fills

FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
NATIVE = [name for name in ("c", "numpy") if gn.backends()[name].available]


@pytest.fixture(autouse=True)
def _no_fallback() -> Iterator[None]:
    """A missing kernel is an error here."""
    launch.set_fallback_policy("error")
    yield
    launch.set_fallback_policy(None)


def spread(low: float, high: float, dtype: gn.dtype, device: str, count: int = 1001) -> gn.Tensor:
    return gn.linspace(low, high, count, dtype=gn.float64, device="reference").to(dtype).to(device)


DRAWS: dict[str, Callable[[gn.dtype, str], Any]] = {
    "bernoulli": lambda dtype, device: gn.bernoulli(spread(0, 1, dtype, device)),
    "bernoulli_": lambda dtype, device: gn.empty(7, 1001, dtype=dtype, device=device).bernoulli_(
        spread(0, 1, gn.float32, device)
    ),
    "normal of means": lambda dtype, device: gn.normal(spread(-9, 9, dtype, device), 0.5),
    "normal of deviations": lambda dtype, device: gn.normal(2.0, spread(0, 3, dtype, device)),
    "normal of both": lambda dtype, device: gn.normal(
        spread(-9, 9, dtype, device, 5).unsqueeze(1), spread(0, 3, gn.float32, device, 200)
    ),
    "geometric_": lambda dtype, device: gn.empty(1001, dtype=dtype, device=device).geometric_(0.01),
    "poisson of small rates": lambda dtype, device: gn.poisson(spread(0, 12, dtype, device)),
    "poisson of large rates": lambda dtype, device: gn.poisson(spread(9, 3e4, dtype, device)),
    "choices": lambda dtype, device: gn.multinomial(spread(0, 1, dtype, device, 1000).reshape(20, 50), 9),
    "choices with replacement": lambda dtype, device: gn.multinomial(
        spread(0, 1, dtype, device, 1000).reshape(20, 50).t(), 99, True
    ),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_all_devices_draw_the_same(draw: Any, name: str, dtype: gn.dtype) -> None:
    gn.manual_seed(77)
    expected, state = draw(dtype, "reference"), gn.get_rng_state().tolist()
    gn.manual_seed(77)
    found = draw(dtype, name)
    if name == "numpy" and found.dtype is gn.float64:  # its logarithms may differ in the last digit
        assert found.flatten().tolist() == pytest.approx(expected.flatten().tolist(), rel=1e-14)
    else:
        assert found.tolist() == expected.tolist()
    assert found.dtype is expected.dtype
    assert found.stride() == expected.stride() and found.device.type == name
    assert gn.get_rng_state().tolist() == state


@pytest.mark.parametrize("name", ["reference", *NATIVE])
def test_whole_numbers_wrap_around(name: str) -> None:
    for dtype, p in (
        (gn.int8, 1e-4),
        (gn.uint8, 1e-4),
        (gn.int16, 1e-12),
        (gn.int64, 1e-25),
        (gn.int64, 5e-324),
    ):
        gn.manual_seed(2)
        whole = gn.empty(50, dtype=gn.float64, device=name).geometric_(p).tolist()
        gn.manual_seed(2)
        wrapped = gn.empty(50, dtype=dtype, device=name).geometric_(p)
        bits = 8 * wrapped.element_size()
        expected = [int(number) % 2**bits for number in whole]
        assert [number % 2**bits for number in wrapped.tolist()] == expected
        assert min(whole) >= 1 and all(number == int(number) for number in whole)
        assert max(whole) > 2.0**bits


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize(
    ("operator", "draw"),
    [
        ("poisson", lambda x: gn.poisson(x)),
        ("geometric_", lambda x: x.geometric_(0.5)),
        ("cauchy_", lambda x: x.cauchy_()),
    ],
)
def test_a_missing_kernel_is_no_secret(
    operator: str, draw: Any, name: str, remove_kernel: Callable[[str, str], None]
) -> None:
    draw(gn.ones(2, device=name))
    remove_kernel(name, operator)
    with pytest.raises(NotImplementedError, match=f"{operator}: backend '{name}' has no kernel"):
        draw(gn.ones(2, device=name))


def test_kernels_of_distributions_are_counted() -> None:
    counted = {operator.name for operator in listing.kernel_operators()}
    names = {*random_fills(), "poisson"}
    assert counted >= names
    kinds = {info.name: info.kind for info in listing.operators()}
    assert {kinds[name] for name in names} == {"kernel"} and kinds["multinomial"] == "function"


# -- Poisson -----------------------------------------------------------------------------------------------


def poisson(rate: float, k: float) -> float:
    return math.exp(k * math.log(rate) - rate - math.lgamma(k + 1))


@pytest.mark.parametrize("name", ["reference", *NATIVE])
@pytest.mark.parametrize("rate", [0.004, 1.0, 9.99, 10.0, 11.5, 33.3, 150.0])
def test_poisson_numbers_are_as_likely_as_they_should_be(rate: float, name: str) -> None:
    gn.manual_seed(4)
    count = 4000 if name == "reference" else 40_000
    drawn = gn.poisson(gn.full((count,), rate, dtype=gn.float64, device=name))
    counts = gn.bincount(drawn.long().to("reference")).tolist()
    expected = [count * poisson(rate, k) for k in range(len(counts))]
    likely = [k for k, number in enumerate(expected) if number >= 5]
    statistic = sum((counts[k] - expected[k]) ** 2 / expected[k] for k in likely)
    assert abs(statistic - len(likely)) < 5 * math.sqrt(2 * len(likely)) + 5
    assert abs(count - sum(counts[k] for k in likely)) < 0.01 * count + 20
    assert drawn.mean().item() == pytest.approx(rate, abs=5 * math.sqrt(rate / count))


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("rate", [1e6, 1e12, 1e24])
def test_large_rates_are_nearly_normal(rate: float, name: str) -> None:
    gn.manual_seed(5)
    drawn = gn.poisson(gn.full((20_000,), rate, dtype=gn.float64, device=name))
    z = ((drawn - rate) / math.sqrt(rate)).sort()[0]
    cumulative = (1 + (z / math.sqrt(2)).erf()) / 2
    steps = gn.arange(1, 20_001, dtype=gn.float64, device=name) / 20_000
    assert (cumulative - steps).abs().max().item() * math.sqrt(20_000) < 2
    assert (drawn == drawn.floor()).all().item()


@pytest.mark.parametrize("name", ["reference", *NATIVE])
def test_a_poisson_number_depends_on_its_place_and_rate_only(name: str) -> None:
    gn.manual_seed(6)
    rates = spread(0, 60, gn.float64, name, 60).reshape(6, 10)
    whole = gn.poisson(rates)
    gn.manual_seed(6)
    assert gn.poisson(rates.t().contiguous().t()).tolist() == whole.tolist()
    gn.manual_seed(6)
    changed = rates.clone()
    changed[2] = 25.0
    again = gn.poisson(changed)
    assert gn.equal(again[:2], whole[:2]) and gn.equal(again[3:], whole[3:])
    assert not gn.equal(again[2], whole[2])
    ends = gn.tensor([0.0, math.inf, 1e300], dtype=gn.float64, device=name)
    assert gn.poisson(ends).tolist()[:2] == [0.0, math.inf]
    for wrong in (-1.0, math.nan):
        with pytest.raises(RuntimeError, match="invalid Poisson rate, expected rate to be non-negative"):
            gn.poisson(gn.tensor([1.0, wrong], device=name))


def test_poisson_numbers_do_not_depend_on_threads() -> None:
    if "c" not in NATIVE:
        pytest.skip("the C backend is not built")
    before, drawn = gn.get_num_threads(), []
    try:
        for threads in (1, 3):
            gn.set_num_threads(threads)
            gn.manual_seed(11)
            drawn.append(gn.poisson(gn.full((40_001,), 12.0, device="c")))
    finally:
        gn.set_num_threads(before)
    assert gn.equal(drawn[0], drawn[1])


# -- multinomial -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["reference", *NATIVE])
def test_what_has_no_weight_is_never_drawn(name: str) -> None:
    gn.manual_seed(8)

    def weights(*numbers: float) -> gn.Tensor:
        return gn.tensor(numbers, dtype=gn.float64, device=name)

    for _ in range(20):
        assert set(gn.multinomial(weights(0, 1e-310, 0), 9, True).tolist()) == {1}
        assert gn.multinomial(weights(0, 1e-310, 0), 1).tolist() == [1]
        assert sorted(gn.multinomial(weights(1, 0, 1e-320), 2).tolist()) == [0, 2]
    assert set(gn.multinomial(weights(1e308, 1e308, 1e308), 99, True).tolist()) == {0, 1, 2}
    chosen = gn.multinomial(weights(0, 3, 0, 1), 4)
    assert sorted(chosen.tolist()[:2]) == [1, 3] and sorted(chosen.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["reference", *NATIVE])
def test_the_layout_of_weights_does_not_matter(name: str) -> None:
    rows = spread(0, 1, gn.float32, name, 60).reshape(6, 10)
    for replacement in (False, True):
        gn.manual_seed(9)
        expected = gn.multinomial(rows, 4, replacement)
        gn.manual_seed(9)
        found = gn.multinomial(rows.t().contiguous().t(), 4, replacement)
        assert gn.equal(found, expected) and found.is_contiguous() and found.shape == (6, 4)


@pytest.mark.parametrize("name", ["reference", *NATIVE])
@pytest.mark.parametrize(
    ("draw", "text"),
    [
        (lambda x: gn.multinomial(x(1.0, -1.0), 1), "either `inf`, `nan` or element < 0"),
        (lambda x: gn.multinomial(x(1.0, math.nan), 1), "either `inf`, `nan` or element < 0"),
        (lambda x: gn.multinomial(x(1.0, math.inf), 1, True), "either `inf`, `nan` or element < 0"),
        (lambda x: gn.multinomial(x(0.0, 0.0), 1), r"sum of probabilities <= 0"),
        (lambda x: gn.bernoulli(x(0.5, 1.25)), r"probabilities in \[0, 1\], but got 1.25"),
        (lambda x: gn.bernoulli(x(0.5, math.nan)), r"probabilities in \[0, 1\], but got nan"),
        (lambda x: x(0.0, 0.0).bernoulli_(x(-0.5, 0.5)), r"probabilities in \[0, 1\], but got -0.5"),
        (lambda x: x(0.0).expand(2).bernoulli_(x(0.5, 0.5)), "more than one element"),
        (lambda x: gn.normal(x(0.0, 0.0), x(1.0, -1.0)), "normal expects all elements of std >= 0.0"),
        (lambda x: gn.normal(x(0.0, 0.0), -1.0), "normal expects all elements of std >= 0.0"),
    ],
)
def test_what_can_not_be_drawn(draw: Any, text: str, name: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        draw(lambda *numbers: gn.tensor(numbers, device=name))
