"""Fourier transforms on the emulated GPU, against the reference's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import agree
from gnomon_cuda import fourier

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
TOLERANCES = {"complex64": 2e-5, "complex128": 1e-12, "float32": 2e-5, "float64": 1e-12}
# with small factors only, with a factor too large to be transformed by its definition, and with more elements
# than a block has in shared memory
LENGTHS = [1, 2, 3, 4, 5, 6, 8, 12, 30, 31, 37, 64, 74, 97, 120]
LONG = [1200, 1201, 2 * 613]


def both(function, *tensors):
    return agree(function, *tensors, tolerances=TOLERANCES)


def reals(*sizes, dtype=gn.float64):
    return gn.randint(-9, 10, sizes, device="reference").to(dtype)


def points(*sizes, dtype=gn.complex128):
    return (reals(*sizes) + 1j * reals(*sizes)).to(dtype)


def transforms(source, spectrum, dim, length, normalization):
    """All three transforms along a dimension."""
    for forward in (True, False):
        both(lambda x, f=forward: aten._fft_c2c.default(x, dim, normalization, f), spectrum)
    for onesided in (True, False):
        both(lambda x, o=onesided: aten._fft_r2c.default(x, dim, normalization, o), source)
    half = spectrum.narrow(dim[-1], 0, length // 2 + 1)
    both(lambda x: aten._fft_c2r.default(x, dim, normalization, length), half)


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64], ids=lambda each: each.name)
def test_all_lengths(dtype):
    gn.manual_seed(1)
    to = gn.complex64 if dtype is gn.float32 else gn.complex128
    for number, length in enumerate(LENGTHS):
        source, spectrum = reals(3, length, dtype=dtype), points(3, length, dtype=to)
        transforms(source, spectrum, [1], length, number % 3)
        source, spectrum = reals(length, 2, dtype=dtype), points(length, 2, dtype=to)
        transforms(source, spectrum, [0], length, number % 3)


@pytest.mark.parametrize("length", LONG)
def test_lengths_that_are_taken_stage_by_stage(length):
    assert length > fourier.SHORT
    gn.manual_seed(2)
    transforms(reals(length), points(length), [0], length, 0)
    source = points(length, 2)
    both(lambda x: aten._fft_c2c.default(x, [0], 0, True), source)


def test_several_dimensions():
    gn.manual_seed(3)
    source, spectrum = reals(3, 4, 5, 2), points(3, 4, 5, 2)
    for dim in ([0, 1], [2, 0], [3, 1, 2], [-1, -3]):
        for turned in (source, source.permute(2, 0, 3, 1)):
            for normalization in range(3):
                both(lambda x, d=dim, n=normalization: aten._fft_r2c.default(x, d, n, True), turned)
        for turned in (spectrum, spectrum.permute(1, 3, 2, 0), spectrum[:, ::2]):
            both(lambda x, d=dim: aten._fft_c2c.default(x, d, 1, False), turned)
            last = 2 * turned.size(dim[-1]) - 2 or 1
            both(lambda x, d=dim, n=last: aten._fft_c2r.default(x, d, 2, n), turned)
    both(lambda x: aten._fft_c2c.default(x, [0], 0, True), spectrum[:1].expand(4, 4, 5, 2))


def test_imaginary_parts_that_do_not_count():
    for length in (4, 6, 74):
        spectrum = points(length // 2 + 1)
        for place in (0, length // 2):
            spectrum[place] = complex(3, math.nan)
        both(lambda x, n=length: aten._fft_c2r.default(x, [0], 0, n), spectrum)


def test_no_dimension_and_no_element():
    both(lambda x: aten._fft_c2c.default(x, [], 0, True), points(2, 3).t())
    both(lambda x: aten._fft_c2c.default(x, [1], 0, True), points(0, 3))
    both(lambda x: aten._fft_r2c.default(x, [1], 0, True), reals(0, 3))
