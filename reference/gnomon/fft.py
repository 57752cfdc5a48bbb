"""Fourier transforms: the operators named ``fft_…``, under torch.fft's names."""

from .bind import functions_of

globals().update(functions_of("fft"))
