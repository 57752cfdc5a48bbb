"""Fourier transforms: the operators named ``fft_…``, under torch.fft's names."""

from ..bindings.functions import functions_of

globals().update(functions_of("fft"))
