"""Fourier transforms."""

from . import hermitian_fft, short_time, spectral

__all__ = ["hermitian_fft", "short_time", "spectral"]
