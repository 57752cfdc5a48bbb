"""A low-pass filter, convolution by FFT, spectrograms and windows."""

from __future__ import annotations

import math

import gnomon as gn
from gnomon import Tensor, fft


def low_pass(signal: Tensor, keep: int) -> Tensor:
    spectrum = fft.rfft(signal, norm="ortho")
    spectrum[keep:] = 0
    return fft.irfft(spectrum, n=signal.shape[-1], norm="ortho")


def convolve(one: Tensor, other: Tensor) -> Tensor:
    size = one.numel() + other.numel() - 1
    return fft.ifft(fft.fft(one, n=size) * fft.fft(other, n=size)).real


time = gn.arange(64, dtype=gn.float64) / 64
slow = gn.sin(2 * math.pi * 2 * time)
fast = 0.5 * gn.cos(2 * math.pi * 20 * time)
assert gn.allclose(low_pass(slow + fast, 10), slow, atol=1e-9)

product = convolve(gn.tensor([1.0, 2.0], dtype=gn.float64), gn.tensor([1.0, 3.0], dtype=gn.float64))
assert gn.allclose(product, gn.tensor([1.0, 5.0, 6.0], dtype=gn.float64))

frequencies = fft.fftshift(fft.fftfreq(8, d=0.5))
assert frequencies.tolist() == [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75]
image = gn.randn(4, 6, dtype=gn.float64)
assert gn.allclose(fft.ifft2(fft.fft2(image, norm="forward"), norm="forward").real, image)
assert gn.allclose(fft.irfftn(fft.rfftn(image), s=image.shape), image)

window = gn.hann_window(16, dtype=gn.float64)
spectrogram = gn.stft(
    slow, n_fft=16, hop_length=4, window=window, center=True, pad_mode="reflect", return_complex=True
)
assert spectrogram.is_complex() and spectrogram.shape == (9, 17)
power = spectrogram.abs().square()
peak: int = int(power.mean(dim=1).argmax())
assert peak in (0, 1)
again = gn.istft(spectrogram, n_fft=16, hop_length=4, window=window, length=64)
assert gn.allclose(again, slow, atol=1e-9)
taps = gn.signal.windows.gaussian(5, std=1.0, sym=True)
assert taps[2] == taps.max()
