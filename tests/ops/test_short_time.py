"""stft and istft: frames, windows, warnings, and the signal that comes back."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck


@pytest.fixture(autouse=True)
def _each_time() -> Any:
    gn.set_warn_always(True)
    yield
    gn.set_warn_always(False)


def signal(length: int = 40) -> gn.Tensor:
    return (gn.arange(length, dtype=gn.float64) * 0.7).sin() + 0.1


def test_a_column_is_the_transform_of_a_frame(device: str) -> None:
    x, window = signal(), gn.hann_window(6, dtype=gn.float64)
    found = gn.stft(x, 8, 3, 6, window, center=False, return_complex=True)
    assert found.shape == (5, 11) and found.stride() == (1, 5) and found.dtype is gn.complex128
    padded = gn.nn.functional.pad(window, (1, 1))
    for column in (0, 4, 10):
        expected = gn.fft.rfft(x[3 * column : 3 * column + 8] * padded)
        assert gn.allclose(found[:, column], expected, atol=1e-12)
    # The first window, not the first frame, begins with the signal: there is one more.
    aligned = gn.ops.aten.stft(x, 8, 3, 6, window, False, None, True, True)
    assert aligned.shape == (5, 12)
    assert gn.allclose(aligned[:, 0], gn.fft.rfft(gn.nn.functional.pad(x[:6] * window, (1, 1))), atol=1e-12)


@pytest.mark.parametrize("hop", [1, 2, 3])
@pytest.mark.parametrize("options", [{}, {"normalized": True}, {"onesided": False}])
def test_the_inverse_returns_the_signal(device: str, hop: int, options: dict[str, bool]) -> None:
    x = gn.stack([signal(), signal().cos()])
    window = gn.hann_window(8, dtype=gn.float64)
    spectrum = gn.stft(x, 8, hop, window=window, return_complex=True, **options)
    back = gn.istft(spectrum, 8, hop, window=window, length=40 if hop < 3 else 39, **options)
    assert gn.allclose(back, x[:, : back.shape[1]], atol=1e-12)
    complex_x = x * (1 + 2j)
    spectrum = complex_x.stft(8, hop, window=window)
    assert spectrum.shape[1] == 8
    back = spectrum.istft(8, hop, window=window, return_complex=True)
    assert gn.allclose(back, complex_x[:, : back.shape[1]], atol=1e-12)


def test_what_is_unusual_is_warned_of() -> None:
    x, window = signal(), gn.ones(8, dtype=gn.float64)
    with pytest.warns(UserWarning, match="A window was not provided"):
        spectrum = gn.stft(x, 8, return_complex=True)
    with pytest.warns(UserWarning, match="A window was not provided"):
        spectrum.istft(8)
    with pytest.warns(UserWarning, match="return_complex=False is deprecated"):
        real = x.stft(8, window=window, return_complex=False)
    assert real.shape == (5, 21, 2) and gn.equal(gn.view_as_complex(real), spectrum)
    with pytest.warns(UserWarning, match="shorter than the length parameter"):
        longer = gn.istft(spectrum, 8, window=window, length=45)
    assert longer.shape == (45,) and longer[44:].tolist() == [0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gn.istft(gn.stft(x, 8, window=window, return_complex=True), 8, window=window)


def test_refusals(device: str) -> None:
    window = gn.hann_window(8)
    spectrum = gn.stft(signal().float(), 8, window=window, return_complex=True)
    with pytest.raises(RuntimeError, match="window overlap add min: 0"):
        gn.istft(spectrum, 8, window=window, center=False)
    with pytest.raises(RuntimeError, match="complex-valued input"):
        gn.istft(gn.view_as_real(spectrum), 8, window=window)
    with pytest.raises(RuntimeError, match=r"stft\(float32\[9\], n_fft=4, .* expected hop_length > 0"):
        gn.stft(gn.ones(9), 4, 0, window=gn.ones(4), center=False, return_complex=True)
    with pytest.raises(RuntimeError, match="return_complex parameter be given for real inputs"):
        gn.stft(gn.ones(9), 4, window=gn.ones(4))


def test_gradients(device: str) -> None:
    x, window = signal(12).requires_grad_(), gn.hann_window(4, dtype=gn.float64).requires_grad_()
    assert gradcheck(lambda x, window: gn.stft(x, 4, 2, window=window, return_complex=True), (x, window))
    spectrum = gn.stft(x, 4, 1, window=window, return_complex=True).detach().requires_grad_()
    assert gradcheck(lambda s: gn.istft(s, 4, 1, window=window.detach()), (spectrum,))


def test_windows(device: str) -> None:
    places = [math.cos(2 * math.pi * each / 8) for each in range(8)]
    assert gn.hann_window(8, dtype=gn.float64).tolist() == pytest.approx([0.5 - 0.5 * c for c in places])
    assert (
        gn.hann_window(9, False, dtype=gn.float64)[:8].tolist()
        == gn.hann_window(8, dtype=gn.float64).tolist()
    )
    assert gn.bartlett_window(5, periodic=False).tolist() == [0, 0.5, 1, 0.5, 0]
    assert gn.kaiser_window(5, False, 0.0).tolist() == [1] * 5
    assert gn.hamming_window(0).shape == (0,) and gn.blackman_window(1).tolist() == [1]
    with pytest.raises(RuntimeError, match="hann_window expects floating point dtypes, got: int64"):
        gn.hann_window(3, dtype=gn.int64)
