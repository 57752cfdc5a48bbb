"""ops/creation/random.py: Philox 4x32-10 as published, one stream for all devices, and distributions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.ops.creation.random import philox_4x32_10

FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
MANTISSA_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def other_devices() -> list[str]:
    return [name for name in ("c",) if gn.backends()[name].available]


# counter, key and output as 32-bit words, in order. Source: Random123's kat_vectors, philox4x32 10.
@pytest.mark.parametrize(
    ("counter", "key", "output"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_known_answers(counter: str, key: str, output: str) -> None:
    def number(words: str) -> int:
        return sum(int(word, 16) << 32 * index for index, word in enumerate(words.split()))

    words = philox_4x32_10(number(key), number(counter))
    assert " ".join(f"{word:08x}" for word in words) == output


def test_a_number_depends_on_seed_and_position_only(device: str) -> None:
    gn.manual_seed(7)
    whole = gn.rand(10)
    gn.manual_seed(7)
    assert gn.rand(2, 5).flatten().tolist() == whole.tolist()
    gn.manual_seed(7)
    parts = [gn.rand(3), gn.rand(0), gn.rand(7)]
    assert gn.cat(parts).tolist() == whole.tolist()
    gn.manual_seed(8)
    assert gn.rand(10).tolist() != whole.tolist()
    transposed = gn.empty(5, 2).t()
    gn.manual_seed(7)
    assert transposed.uniform_().flatten().tolist() == whole.tolist()  # row-major, whatever the strides


def test_the_first_numbers_of_seed_0_are_the_known_answer(device: str) -> None:
    words = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    for dtype in FLOATS[:3]:
        bits = MANTISSA_BITS[dtype.name]
        gn.manual_seed(0)
        assert gn.rand(1, dtype=dtype).item() == (words[0] % 2**bits) / 2**bits
    gn.manual_seed(0)
    uniform = ((words[0] << 21) ^ (words[1] >> 11)) / 2**53
    assert gn.rand(1, dtype=gn.float64).item() == uniform
    gn.manual_seed(0)
    angle = ((words[2] << 21) ^ (words[3] >> 11)) / 2**53
    expected = math.sqrt(-2 * math.log(1 - uniform)) * math.cos(2 * math.pi * angle)
    assert gn.randn(1, dtype=gn.float64).item() == pytest.approx(expected, rel=1e-14)
    gn.manual_seed(0)
    assert gn.randint(1000, (1,)).item() == (words[0] | words[1] << 32) % 1000


def test_a_permutation_is_fisher_and_yates_shuffle(device: str) -> None:
    """Half a Philox block determines with which of the places from its own on each place is exchanged."""
    expected = list(range(5))
    for place in range(4):
        words = philox_4x32_10(7, 11 + place // 2)
        bits = words[2] | words[3] << 32 if place % 2 else words[0] | words[1] << 32
        other = place + bits * (5 - place) // 2**64
        expected[place], expected[other] = expected[other], expected[place]
    generator = gn.Generator().manual_seed(7)
    generator.take(11)
    assert gn.randperm(5, generator=generator).tolist() == expected
    assert generator.take(0) == 16  # advanced by the number of elements


@pytest.mark.skipif(not other_devices(), reason="the C backend is not available")
def test_a_device_without_a_shuffle_is_given_the_cpus(
    monkeypatch: pytest.MonkeyPatch, remove_kernel: Callable[[str, str], None]
) -> None:
    generator = gn.Generator().manual_seed(7)
    expected = gn.randperm(50, generator=generator, device="reference").tolist()
    remove_kernel("c", "randperm.generator")
    monkeypatch.setattr("gnomon.memory.backend._cpu_device", gn.device("reference"))
    gn.set_fallback_policy("error")
    made = gn.randperm(50, generator=generator.manual_seed(7), device="c", dtype=gn.int16)
    assert made.tolist() == expected and made.device.type == "c" and made.dtype is gn.int16


def test_all_permutations_are_drawn_equally_often(device: str) -> None:
    gn.manual_seed(0)
    drawn = Counter(tuple(gn.randperm(4).tolist()) for _ in range(4800))
    assert len(drawn) == 24
    assert sum((count - 200) ** 2 / 200 for count in drawn.values()) < 55  # chi-squared, p = 0.0002


@pytest.mark.parametrize("name", other_devices())
@pytest.mark.parametrize(
    "draw",
    [
        *(lambda device, dtype=dtype: gn.rand(1001, dtype=dtype, device=device) for dtype in FLOATS),
        *(lambda device, dtype=dtype: gn.randn(1001, dtype=dtype, device=device) for dtype in FLOATS),
        lambda device: gn.randint(-5, 10**12, (1001,), device=device),
        lambda device: gn.randperm(1001, device=device),
        lambda device: gn.empty(1001, device=device).uniform_(-3.0, 5.0),
        lambda device: gn.empty(1001, dtype=gn.float64, device=device).normal_(1.0, 0.1),
        lambda device: gn.empty(1001, dtype=gn.bool, device=device).bernoulli_(0.25),
        lambda device: gn.empty(1001, device=device).bernoulli_(0.75),
        lambda device: gn.empty(1001, dtype=gn.int64, device=device).random_(),
        lambda device: gn.nn.functional.dropout(gn.ones(1001, device=device), 0.3),
        lambda device: gn.dropout(gn.ones(1001, device=device), 0.3, True),
    ],
)
def test_all_devices_draw_the_same(draw: Any, name: str) -> None:
    gn.manual_seed(1234)
    expected = draw("reference")
    gn.manual_seed(1234)
    assert draw(name).tolist() == expected.tolist()
    assert draw(name).device.type == name  # the stream has advanced
    gn.manual_seed(1234)
    draw("reference")
    after = gn.default_generator.get_state().tolist()
    gn.manual_seed(1234)
    draw(name)
    assert gn.default_generator.get_state().tolist() == after


def test_seeds_and_states() -> None:
    generator = gn.Generator()
    assert generator.initial_seed() == gn.Generator().initial_seed()
    assert generator.manual_seed(5) is generator and generator.initial_seed() == 5
    first = gn.rand(4, generator=generator)
    state = generator.get_state()
    second = gn.rand(4, generator=generator)
    assert first.tolist() != second.tolist()
    generator.set_state(state)
    assert gn.rand(4, generator=generator).tolist() == second.tolist()
    generator.manual_seed(5)
    assert gn.rand(4, generator=generator).tolist() == first.tolist()
    assert gn.Generator().manual_seed(-1).initial_seed() == 2**64 - 1
    new = generator.seed()
    assert generator.initial_seed() == new and new != 5
    assert gn.manual_seed(11) is gn.default_generator and gn.initial_seed() == 11


def test_generators_do_not_disturb_each_other(device: str) -> None:
    gn.manual_seed(3)
    expected = gn.rand(4).tolist()
    gn.manual_seed(3)
    generator = gn.Generator().manual_seed(3)
    gn.randn(100, generator=generator)
    gn.randperm(10, generator=generator)
    gn.empty(3).bernoulli_(0.5, generator=generator)
    assert gn.rand(4).tolist() == expected


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_uniform_is_uniform(dtype: gn.dtype, device: str) -> None:
    gn.manual_seed(0)
    numbers = gn.rand(20_000, dtype=dtype).tolist()
    assert min(numbers) >= 0.0 and max(numbers) < 1.0
    # five standard deviations of the mean and of the counts in ten bins
    assert sum(numbers) / 20_000 == pytest.approx(0.5, abs=5 * math.sqrt(1 / 12 / 20_000) + 2.0**-9)
    counts = [0] * 8
    for number in numbers:
        counts[int(number * 8)] += 1
    assert all(abs(count - 2500) < 5 * math.sqrt(2500 * 7 / 8) for count in counts), counts
    assert all(number * 2 ** MANTISSA_BITS[dtype.name] % 1 == 0 for number in numbers)


def test_normal_is_normal(device: str) -> None:
    gn.manual_seed(0)
    count = 20_000
    numbers = gn.randn(count, dtype=gn.float64).tolist()
    mean = sum(numbers) / count
    variance = sum(number**2 for number in numbers) / count
    kurtosis = sum(number**4 for number in numbers) / count
    assert abs(mean) < 5 / math.sqrt(count)
    assert variance == pytest.approx(1.0, abs=5 * math.sqrt(2 / count))
    assert kurtosis == pytest.approx(3.0, abs=5 * math.sqrt(96 / count))
    for products in (
        zip(numbers[::2], numbers[1::2]),
        zip(numbers[1::2], numbers[2::2]),
    ):  # within a pair, and between pairs
        assert abs(sum(a * b for a, b in products)) < 5 * math.sqrt(count / 2)
    within = sum(abs(number) < 1.0 for number in numbers) / count
    assert within == pytest.approx(math.erf(1 / math.sqrt(2)), abs=0.02)
    shifted = gn.empty(count).normal_(10.0, 0.5)
    assert shifted.mean().item() == pytest.approx(10.0, abs=0.02)
    assert shifted.std().item() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 128, 129, 257])
def test_two_normal_numbers_are_of_one_block(device: str, count: int) -> None:
    """They are like the parts of a complex number; still, the stream advances by one block per element."""
    gn.manual_seed(3)
    pairs = gn.view_as_real(gn.randn((count + 1) // 2, dtype=gn.complex128)).flatten()
    gn.manual_seed(3)
    numbers = gn.randn(count, dtype=gn.float64)
    expected = [number * math.sqrt(2.0) for number in pairs.tolist()[:count]]
    assert numbers.tolist() == pytest.approx(expected, rel=1e-15)
    words = philox_4x32_10(3, count)
    assert gn.rand((), dtype=gn.float64).item() == ((words[0] << 21) ^ (words[1] >> 11)) * 2.0**-53


def test_integers_bernoulli_and_permutations(device: str) -> None:
    gn.manual_seed(0)
    numbers = gn.randint(-3, 4, (7000,))
    assert numbers.dtype is gn.int64 and set(numbers.tolist()) == set(range(-3, 4))
    assert all(abs(numbers.tolist().count(value) - 1000) < 150 for value in range(-3, 4))
    assert gn.randint(2**62, 2**62 + 1, (3,)).tolist() == [2**62] * 3
    assert gn.randint(5, (2, 3), dtype=gn.float32).dtype is gn.float32
    coins = gn.empty(10_000).bernoulli_(0.3)
    assert set(coins.tolist()) == {0.0, 1.0} and coins.mean().item() == pytest.approx(0.3, abs=0.025)
    assert (
        gn.empty(100).bernoulli_(0.0).sum().item() == 0 and gn.empty(100).bernoulli_(1.0).sum().item() == 100
    )
    shuffled = gn.randperm(500).tolist()
    assert sorted(shuffled) == list(range(500)) and shuffled != list(range(500))
    assert gn.randperm(0).tolist() == [] and gn.randperm(3, dtype=gn.int32).dtype is gn.int32
    fixed = sum(gn.randperm(10)[0].item() == 0 for _ in range(1000))
    assert 50 < fixed < 150


def test_like_and_meta(device: str) -> None:
    like = gn.zeros(3, 2, dtype=gn.float64).t()
    assert gn.rand_like(like).stride() == (1, 2) and gn.randn_like(like).dtype is gn.float64
    state = gn.default_generator.get_state().tolist()
    assert gn.rand(5, device="meta").is_meta
    assert gn.default_generator.get_state().tolist() != state  # the stream does not depend on the device


def test_in_place_draws_count_as_writes_and_stop_the_gradient(device: str) -> None:
    x = gn.zeros(3)
    x.uniform_()
    x.normal_()
    assert x._version == 2
    w = gn.ones(3, requires_grad=True)
    y = w * 2
    y.uniform_()
    y.sum().backward()
    assert w.grad is not None and w.grad.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: gn.empty(2).uniform_(2, 1),
            "uniform_.* expects .*from=2.0 > to=1.0",
        ),
        (lambda: gn.empty(2).normal_(0, -1), "normal.*std >= 0.0"),
        (lambda: gn.empty(2).bernoulli_(1.5), r"bernoulli_.*p to be in \[0, 1\]"),
        (lambda: gn.randint(5, 5, (2,)), "from=5 >= to=5"),
        (lambda: gn.randperm(-1), "randperm: n must be non-negative"),
        (lambda: gn.rand(2, dtype=gn.int64), "not implemented for dtype int64"),
        (lambda: gn.randn(-2), "negative dimension"),
        (lambda: gn.empty(1).expand(2).uniform_(), "more than one element"),
        (lambda: gn.ones(2, requires_grad=True).uniform_(), "a leaf Variable that requires grad"),
        (lambda: gn.nn.functional.dropout(gn.ones(1), 1.5), "dropout probability has to be between 0 and 1"),
        (lambda: gn.dropout(gn.ones(1), 1.5, True), "dropout probability has to be between 0 and 1"),
    ],
)
def test_what_can_not_be_drawn(call: Any, text: str, device: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match=text):
        call()


@pytest.mark.parametrize("dropout", [gn.dropout, gn.nn.functional.dropout], ids=["operator", "functional"])
def test_dropout(dropout: Any, device: str) -> None:
    gn.manual_seed(0)
    x = gn.ones(10_000, requires_grad=True)
    dropped = dropout(x, 0.2, True)
    kept = gn.tensor(1.0).div(0.8).item()
    assert set(dropped.tolist()) == {0.0, kept}
    assert (dropped > 0).float().mean().item() == pytest.approx(0.8, abs=0.02)
    dropped.sum().backward()
    assert x.grad is not None and x.grad.tolist() == dropped.tolist()
    assert dropout(x, 0.5, False).tolist() == x.tolist() == dropout(x, 0.0, True).tolist()
    assert set(dropout(x, 1.0, True).tolist()) == {0.0}


# -- distributions: fixed seeds, and bounds so wide that only a wrong distribution fails ---------------------


def kolmogorov_smirnov(numbers: list[float], cumulative: Any) -> float:
    """sqrt(n) times the largest distance between the cumulative distributions; above 2 once in 1500 times."""
    ordered = sorted(numbers)
    count = len(ordered)
    distances = (
        max(abs(cumulative(number) - at / count), abs(cumulative(number) - (at + 1) / count))
        for at, number in enumerate(ordered)
    )
    return max(distances) * math.sqrt(count)


def chi_square(numbers: list[float], probabilities: dict[float, float]) -> tuple[float, int]:
    """The statistic over numbers that are expected at least five times, and its degrees of freedom."""
    count = len(numbers)
    kept = {number: p for number, p in probabilities.items() if p * count >= 5}
    observed = {number: numbers.count(number) for number in kept}
    rest, rest_p = count - sum(observed.values()), 1 - sum(kept.values())
    statistic = sum((observed[number] - p * count) ** 2 / (p * count) for number, p in kept.items())
    if rest_p * count >= 5:
        statistic += (rest - rest_p * count) ** 2 / (rest_p * count)
    return statistic, len(kept)


def normal_cumulative(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2))) / 2


@pytest.mark.parametrize(
    ("draw", "cumulative"),
    [
        (lambda x: x.uniform_(-1, 3), lambda x: (x + 1) / 4),
        (lambda x: x.normal_(1, 2), lambda x: normal_cumulative((x - 1) / 2)),
        (lambda x: x.exponential_(2.5), lambda x: -math.expm1(-2.5 * x)),
        (lambda x: x.cauchy_(1, 2), lambda x: 0.5 + math.atan((x - 1) / 2) / math.pi),
        (lambda x: x.log_normal_(0.5, 0.25), lambda x: normal_cumulative((math.log(x) - 0.5) / 0.25)),
        (lambda x: gn.normal(gn.ones(4000), 2.0), lambda x: normal_cumulative((x - 1) / 2)),
        (lambda x: gn.randn(2000, dtype=gn.complex64).imag, lambda x: normal_cumulative(x * math.sqrt(2))),
        (lambda x: gn.rand(2000, dtype=gn.complex128).imag, lambda x: x),
    ],
)
def test_continuous_distributions(draw: Any, cumulative: Any) -> None:
    gn.manual_seed(20)
    with gn.device("reference"):
        numbers = draw(gn.empty(4000)).tolist()
    assert kolmogorov_smirnov(numbers, cumulative) < 2
    shifted = [number + 0.4 for number in numbers]
    assert kolmogorov_smirnov(shifted, lambda x: min(cumulative(x), 1.0)) > 2  # a shift is detected


def poisson(rate: float, k: int) -> float:
    return math.exp(k * math.log(rate) - rate - math.lgamma(k + 1))


@pytest.mark.parametrize(
    ("draw", "probabilities"),
    [
        (lambda x: x.bernoulli_(0.3), {0: 0.7, 1: 0.3}),
        (lambda x: x.bernoulli_(gn.full((4000,), 0.3)), {0: 0.7, 1: 0.3}),
        (lambda x: gn.bernoulli(gn.full((4000,), 0.3)), {0: 0.7, 1: 0.3}),
        (lambda x: x.geometric_(0.3), {k: 0.3 * 0.7 ** (k - 1) for k in range(1, 40)}),
        (lambda x: x.random_(3, 9), dict.fromkeys(range(3, 9), 1 / 6)),
        (lambda x: gn.randint_like(x, 7), dict.fromkeys(range(7), 1 / 7)),
        (lambda x: gn.poisson(gn.full((4000,), 0.7)), {k: poisson(0.7, k) for k in range(20)}),
        (lambda x: gn.poisson(gn.full((4000,), 33.3)), {k: poisson(33.3, k) for k in range(120)}),
        (
            lambda x: gn.multinomial(gn.tensor([1.0, 0.0, 2.0, 5.0]), 4000, True),
            {0: 1 / 8, 2: 2 / 8, 3: 5 / 8},
        ),
        (
            lambda x: gn.multinomial(gn.tensor([[1.0, 0.0, 2.0, 5.0]]).expand(4000, 4), 1),
            {0: 1 / 8, 2: 2 / 8, 3: 5 / 8},
        ),
        (  # the second of two, without replacement: sum over the first of p(first) * p(second | first)
            lambda x: gn.multinomial(gn.tensor([[1.0, 2.0, 5.0]]).expand(4000, 3), 2)[:, 1],
            {0: 2 / 8 / 6 + 5 / 8 / 3, 1: 2 / 8 / 7 + 5 / 8 * 2 / 3, 2: 5 / 8 / 7 + 5 / 8 * 2 / 6},
        ),
    ],
)
def test_discrete_distributions(draw: Any, probabilities: dict[float, float]) -> None:
    gn.manual_seed(21)
    with gn.device("reference"):
        numbers = draw(gn.empty(4000)).flatten().tolist()
    assert set(numbers) <= set(probabilities)
    statistic, freedom = chi_square(numbers, probabilities)
    assert statistic < freedom + 5 * math.sqrt(2 * freedom) + 5
    skewed = dict(zip(probabilities, [p * 1.15 for p in probabilities.values()]))
    first = max(probabilities, key=lambda number: probabilities[number])
    skewed[first] = 1 - sum(p for number, p in skewed.items() if number != first)
    wrong, _ = chi_square(numbers, skewed)
    assert wrong > statistic  # a slightly wrong distribution has a larger statistic


def test_poisson_of_large_and_no_rates() -> None:
    gn.manual_seed(5)
    rates = gn.tensor([0.0, 1e4, 1e6, 4e-3], dtype=gn.float64).repeat(200, 1)
    drawn = gn.poisson(rates)
    means = drawn.mean(0).tolist()
    assert (
        means[0] == 0 and means[1] == pytest.approx(1e4, abs=40) and means[2] == pytest.approx(1e6, abs=400)
    )
    assert drawn[:, 1].std().item() == pytest.approx(100, rel=0.2)


def test_multinomial_without_replacement_is_a_choice(device: str) -> None:
    gn.manual_seed(1)
    chosen = gn.multinomial(gn.rand(20, 6), 6)
    assert all(sorted(row) == list(range(6)) for row in chosen.tolist())
    assert gn.multinomial(gn.tensor([0.0, 3.0, 0.0, 1.0]), 2).sort()[0].tolist() == [1, 3]


def test_states_are_tensors_that_travel() -> None:
    generator = gn.Generator().manual_seed(2**64 - 5)
    gn.rand(7, generator=generator)
    state = generator.get_state()
    assert state.dtype is gn.uint8 and state.tolist()[:8] == [251, *[255] * 7] and state.tolist()[8] == 7
    clone = generator.clone_state()
    other = gn.Generator().set_state(state.clone())
    expected = gn.rand(3, generator=generator).tolist()
    assert gn.rand(3, generator=clone).tolist() == expected == gn.rand(3, generator=other).tolist()
    assert generator.device == gn.device("cpu")
    with pytest.raises(TypeError, match=r"expected a gnomon\.ByteTensor"):
        generator.set_state((1, 2))
    with pytest.raises(RuntimeError, match="expected 24 bytes, got 3"):
        generator.set_state(gn.zeros(3, dtype=gn.uint8))


def test_the_default_stream_forks_and_returns() -> None:
    gn.manual_seed(9)
    state = gn.get_rng_state()
    with gn.random.fork_rng():
        first = gn.rand(5).tolist()
        gn.manual_seed(1)
    assert gn.rand(5).tolist() == first
    gn.set_rng_state(state)
    with gn.random.fork_rng(enabled=False):
        gn.rand(5)
    assert gn.rand(5).tolist() != first
    new = gn.seed()
    assert gn.initial_seed() == new == gn.random.initial_seed()


def test_a_seed_has_64_bits() -> None:
    generator = gn.Generator()
    for seed, held in ((2**64 - 1, 2**64 - 1), (-1, 2**64 - 1), (-(2**63), 2**63)):
        assert generator.manual_seed(seed).initial_seed() == held
    for seed in (2**64, -(2**63) - 1):
        with pytest.raises(ValueError, match=f"seed {seed} is not within"):
            generator.manual_seed(seed)
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got float"):
        generator.manual_seed(1.5)
