"""Fourier transforms of lines of prime lengths, against NumPy: alone, and several beside each other."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("gnomon_c")

import gnomon as gn  # noqa: E402
import gnomon_c  # noqa: E402

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")

BOUNDS = {"complex64": 2e-7, "complex128": 2e-15}


def numbers(lines: int, length: int, dtype: str) -> np.ndarray:
    parts = np.random.default_rng([lines, length]).standard_normal((2, lines, length))
    return (parts[0] + 1j * parts[1]).astype(dtype)


def check(found: gn.Tensor, expected: np.ndarray, dtype: str) -> None:
    kind = np.dtype(dtype) if np.iscomplexobj(expected) else np.empty(0, dtype).real.dtype
    assert found.numpy().dtype == kind and found.shape == expected.shape
    assert np.abs(found.numpy() - expected).max() <= BOUNDS[dtype] * np.abs(expected).max()


@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
@pytest.mark.parametrize("length", (37, 41, 83, 97, 193, 1009))  # 82 has a large prime factor
@pytest.mark.parametrize("lines", (1, 3, 4, 5, 8, 9, 17))
def test_lines_of_prime_lengths(lines: int, length: int, dtype: str) -> None:
    a = numbers(lines, length, dtype)
    given, wide = gn.tensor(a, device="c"), a.astype("complex128")
    check(gn.fft.fft(given), np.fft.fft(wide), dtype)
    check(gn.fft.ifft(given, norm="ortho"), np.fft.ifft(wide, norm="ortho"), dtype)
    check(gn.fft.ifft(given), np.fft.ifft(wide), dtype)
    check(gn.fft.fft(given.mT.contiguous(), dim=0), np.fft.fft(wide.T, axis=0), dtype)
    check(gn.fft.rfft(given.real), np.fft.rfft(wide.real), dtype)
    check(gn.fft.fft(given.real), np.fft.fft(wide.real), dtype)
    half = given[:, : length // 2 + 1]
    check(gn.fft.irfft(half, length), np.fft.irfft(wide[:, : length // 2 + 1], length), dtype)
    check(gn.fft.irfft(given.mT, length, dim=0), np.fft.irfft(wide.T, length, axis=0), dtype)


@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
def test_a_line_does_not_depend_on_others(dtype: str) -> None:
    a = numbers(19, 97, dtype)
    before = gnomon_c.get_num_threads()
    try:
        seen = []
        for count in (1, 2, 3):
            gnomon_c.set_num_threads(count)
            seen.append(gn.fft.fft(gn.tensor(a, device="c")).numpy())
    finally:
        gnomon_c.set_num_threads(before)
    assert seen[0].tobytes() == seen[1].tobytes() == seen[2].tobytes()
    assert gn.fft.fft(gn.tensor(a[5:11].copy(), device="c")).numpy().tobytes() == seen[0][5:11].tobytes()
    a[3, 20] = np.nan
    found = gn.fft.fft(gn.tensor(a, device="c")).numpy()
    assert np.isnan(found[3]).all() and np.delete(found, 3, 0).tobytes() == np.delete(seen[0], 3, 0).tobytes()


def test_numbers_near_the_largest_stay_finite() -> None:
    a = gn.full((8, 37), 1e38, dtype=gn.complex64, device="c")
    found = gn.fft.fft(a, norm="forward")
    assert found[:, 0].real.allclose(gn.full((8,), 1e38, device="c")) and found[:, 1:].abs().max() < 1e32
