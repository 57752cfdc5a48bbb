"""The C backend's random numbers equal the reference's bit for bit, at every position."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C backend is not built")

FLOATING = (gn.float32, gn.float64, gn.float16, gn.bfloat16)
COMPLEX = (gn.complex64, gn.complex128)
INTEGRAL = (gn.bool, gn.uint8, gn.int8, gn.int16, gn.int32, gn.int64)

DISTRIBUTIONS = {
    "uniform": (lambda x, g: x.uniform_(-1.5, 2.5, generator=g), FLOATING + COMPLEX),
    "normal": (lambda x, g: x.normal_(0.25, 3.0, generator=g), FLOATING + COMPLEX),
    "bernoulli": (lambda x, g: x.bernoulli_(0.3, generator=g), FLOATING + INTEGRAL),
    "integers": (lambda x, g: x.random_(0, 2, generator=g), FLOATING + INTEGRAL),
    "wide integers": (lambda x, g: x.random_(-(2**62), 2**62 + 12345, generator=g), (gn.int64,)),
    "exponential": (lambda x, g: x.exponential_(1.7, generator=g), FLOATING),
    "cauchy": (lambda x, g: x.cauchy_(0.5, 2.0, generator=g), FLOATING),
    "log_normal": (lambda x, g: x.log_normal_(0.2, 0.7, generator=g), FLOATING),
}


def drawn(device: str, fill: Any, dtype: Any, view: Any, seed: int = 7, used: int = 0) -> list[Any]:
    generator = gn.Generator().manual_seed(seed)
    generator._counter = used
    whole = gn.zeros(12, 10, dtype=dtype, device=device)
    fill(view(whole), generator)
    assert generator._counter == used + view(whole).numel()
    return whole.tolist()


@pytest.mark.parametrize(
    "view",
    [lambda x: x, lambda x: x.T, lambda x: x[2:9:3, 1:7], lambda x: x[3, 4], lambda x: x[:0]],
    ids=["whole", "transposed", "part", "one", "none"],
)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_numbers_are_the_references(name: str, view: Any) -> None:
    fill, dtypes = DISTRIBUTIONS[name]
    for dtype in dtypes:
        assert drawn("c", fill, dtype, view) == drawn("reference", fill, dtype, view), dtype


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        (0, 1),
        (0, 3),
        (-7, 2**32 - 6),
        (5, 2**32 + 6),
        (-(2**63), 0),
        (-(2**63), 2**63 - 1),
        (-(2**62), 2**63 - 1),
    ],
)
def test_integers_of_any_range_are_the_references(start: int, stop: int) -> None:
    def fill(x: Any, generator: gn.Generator) -> Any:
        return x.random_(start, stop, generator=generator)

    assert drawn("c", fill, gn.int64, lambda x: x) == drawn("reference", fill, gn.int64, lambda x: x)


@pytest.mark.parametrize("count", [1, 15, 63, 64, 65, 127, 128, 200])
def test_any_number_of_numbers_is_the_references(count: int) -> None:
    for dtype in (gn.float32, gn.bfloat16):
        lines = []
        for device in ("c", "reference"):
            whole = gn.zeros(3, count, dtype=dtype, device=device)
            whole[1].normal_(generator=gn.Generator().manual_seed(3))
            lines.append(whole.tolist())
        assert lines[0] == lines[1]
        assert lines[0][0] == lines[0][2] == [0.0] * count


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
def test_halves_are_rounded_as_the_references(dtype: gn.dtype) -> None:
    """They are rounded to float32 first, which for one in ten thousand differs from rounding once."""
    generator = gn.Generator().manual_seed(2**40 + 7)
    exact = gn.zeros(40_000, dtype=gn.float64, device="c").normal_(0.1, 3.0, generator=generator)
    generator.manual_seed(2**40 + 7)
    found = gn.zeros(40_000, dtype=dtype, device="c").normal_(0.1, 3.0, generator=generator)
    assert gn.equal(found, exact.to(gn.float32).to(dtype))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, 127, 128, 129, 130, 255, 256, 257, 1000])
def test_permutations_are_the_references(count: int) -> None:
    """The exchanges are computed in blocks of 128."""
    for dtype in (gn.int64, gn.float32, gn.int16, gn.float64):
        for seed, used in ((0, 0), (1, 2**64 - 7), (2**64 - 1, 2**32 - 3)):
            found = []
            for device in ("c", "reference"):
                generator = gn.Generator().manual_seed(seed)
                generator.take(used)
                made = gn.randperm(count, generator=generator, dtype=dtype, device=device)
                assert made.dtype is dtype and made.device.type == device
                found.append((made.tolist(), generator.get_state().tolist()))
            assert found[0] == found[1] and sorted(found[0][0]) == list(range(count))


@pytest.mark.parametrize("used", [2**32 - 5, 2**64 - 5, 2**127])
def test_counters_carry(used: int) -> None:
    fill, _ = DISTRIBUTIONS["normal"]
    for seed in (0, 2**64 - 1):
        assert drawn("c", fill, gn.float64, lambda x: x, seed, used) == drawn(
            "reference", fill, gn.float64, lambda x: x, seed, used
        )


def test_numbers_do_not_depend_on_threads() -> None:
    before = gn.get_num_threads()
    results = []
    try:
        for threads in (1, 2, 3):
            gn.set_num_threads(threads)
            gn.manual_seed(11)
            results.append(gn.randn(40_001, device="c"))
    finally:
        gn.set_num_threads(before)
    assert gn.equal(results[0], results[1]) and gn.equal(results[0], results[2])
    gn.manual_seed(11)
    assert results[0][:300].tolist() == gn.randn(300, device="reference").tolist()


@pytest.mark.parametrize("fill", ["normal_", "log_normal_"])
def test_a_pair_may_be_of_two_threads(fill: str) -> None:
    """The numbers do not depend on where a thread's part begins."""
    before = gn.get_num_threads()
    drawn = []
    try:
        for threads in (1, 2, 3):
            gn.set_num_threads(threads)
            generator = gn.Generator().manual_seed(5)
            drawn.append(getattr(gn.empty(100_003, device="c"), fill)(0.5, 0.25, generator=generator))
    finally:
        gn.set_num_threads(before)
    assert all(gn.equal(drawn[0], each) for each in drawn[1:])
    generator = gn.Generator().manual_seed(5)
    few = getattr(gn.empty(101, device="c"), fill)(0.5, 0.25, generator=generator)
    assert gn.equal(drawn[0][:101], few)
