"""Random numbers and ranges on the emulated GPU: exactly the reference's numbers."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from gnomon.calls import launch
from gnomon_conformance.collection.selection import operators, random_fills

pytestmark = pytest.mark.usefixtures("cuda")

FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
INTEGERS = [gn.uint8, gn.int8, gn.int16, gn.int32, gn.int64]
# Operator -> its arguments, where they are not the defaults.
ARGUMENTS = {
    "uniform_": (-2.0, 3.0),
    "normal_": (1.0, 2.0),
    "exponential_": (0.7,),
    "cauchy_": (0.5, 2.0),
    "log_normal_": (0.0, 0.5),
    "geometric_": (0.3,),
    "random_.from": (-70, 90),
}
# Operator -> what more than so many of 300 numbers are different, where that is not 30.
DIFFERENT = {"geometric_": 3, "bernoulli_.float": 1}


def name_of(dtype):
    return dtype.name


def drawn(function):
    """What ``function(device)`` draws on each device from the same seed; nothing may fall back."""
    before = dict(launch.fallbacks)
    found = []
    for device in ("reference", "cuda"):
        gn.manual_seed(7)
        found.append(function(device))
    assert dict(launch.fallbacks) == before
    expected, got = found
    assert (got.dtype, got.shape, got.stride()) == (expected.dtype, expected.shape, expected.stride())
    assert got.device.type == "cuda"
    assert got.tolist() == expected.tolist()
    return expected


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("name", random_fills())
def test_numbers_of_each_distribution(name, dtype):
    fill = operators()[name]
    numbers = drawn(lambda device: fill(gn.empty(300, dtype=dtype, device=device), *ARGUMENTS.get(name, ())))
    assert len(set(numbers.tolist())) > DIFFERENT.get(name, 30)


@pytest.mark.parametrize("dtype", [gn.bool, *INTEGERS, *FLOATS], ids=name_of)
def test_integers_and_chances(dtype):
    drawn(lambda device: gn.empty(100, dtype=dtype, device=device).random_())
    drawn(lambda device: gn.empty(100, dtype=dtype, device=device).bernoulli_(0.3))
    if dtype is not gn.bool:
        drawn(lambda device: gn.empty(100, dtype=dtype, device=device).random_(3, 17))
        drawn(lambda device: gn.empty(100, dtype=dtype, device=device).geometric_(0.05))
    if dtype.is_signed and dtype is gn.int64:
        drawn(lambda device: gn.empty(100, dtype=dtype, device=device).random_(-(2**63), None))
        drawn(lambda device: gn.randint(-(2**63), 2**63, (100,), device=device))


def test_elements_count_in_rows_however_they_lie():
    expected = drawn(lambda device: gn.empty(4, 3, device=device).normal_())
    turned = drawn(lambda device: gn.empty(3, 4, device=device).t().normal_())
    assert turned.tolist() == expected.tolist()
    drawn(lambda device: gn.zeros(4, 6, device=device)[:, ::2].uniform_())
    drawn(lambda device: gn.empty(0, 6, device=device).uniform_())
    drawn(lambda device: gn.empty((), device=device).uniform_())


def test_the_stream_goes_on_beyond_64_bits():
    def draw(device):
        state = gn.default_generator.get_state()
        for place in range(8, 16):  # the low half of the counter
            state[place] = 255
        gn.default_generator.set_state(state)
        return gn.rand(5, device=device)

    drawn(draw)
    drawn(lambda device: (gn.rand(3, device=device), gn.rand(3, device=device))[1])


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_poisson_numbers_small_and_large(dtype):
    rates = [0.0, 0.5, 9.75, 10.0, 40.0, 1000.0, math.inf] * 20
    drawn(lambda device: gn.poisson(gn.tensor(rates, dtype=dtype, device=device)))
    for wrong in (-1.0, math.nan):
        with pytest.raises(RuntimeError, match="invalid Poisson rate"):
            gn.poisson(gn.tensor([1.0, wrong], dtype=dtype, device="cuda"))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=name_of)
def test_ranges(dtype):
    drawn(lambda device: gn.arange(3, 90, 4, dtype=dtype, device=device))
    drawn(lambda device: gn.arange(30, 2, -3, dtype=dtype, device=device))
    for steps in (0, 1, 2, 7, 600):
        drawn(lambda device, steps=steps: gn.linspace(100, 3, steps, dtype=dtype, device=device))
        drawn(lambda device, steps=steps: gn.logspace(0, 4, steps, 2, dtype=dtype, device=device))
    if dtype.is_floating_point:
        drawn(lambda device: gn.arange(0.1, 5, 0.3, dtype=dtype, device=device))
        drawn(lambda device: gn.linspace(-0.1, 0.7, 33, dtype=dtype, device=device))
        drawn(lambda device: gn.logspace(-0.1, 0.7, 33, dtype=dtype, device=device))
    drawn(lambda device: gn.linspace(0, 1, 3, out=gn.empty(6, dtype=dtype, device=device)[::2]))
