"""Fourier transforms."""

from . import hermitian_fft, spectral

__all__ = ["hermitian_fft", "spectral"]
