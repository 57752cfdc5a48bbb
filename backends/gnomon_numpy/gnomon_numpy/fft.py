"""Fourier transforms by NumPy, in float64, with gnomon's normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, numbers, store, wrapped
from .families import COMPLEX, FLOATS, Family

family = Family()


def _transformed(a: Array, dims: Sequence[int], forward: bool) -> Array:
    """The complex transform along each of ``dims``, not normalized."""
    for dim in dims:
        a = np.fft.fft(a, axis=dim) if forward else np.fft.ifft(a, axis=dim, norm="forward")
    return a


def _store(output: Tensor, a: Array, dims: Sequence[int], sizes: Sequence[int], normalization: int) -> None:
    """Stores ``a``, divided according to ``normalization`` (spectral.py) for the transformed elements."""
    count = math.prod(sizes[dim] for dim in dims)
    by = (1.0, math.sqrt(count), float(count))[normalization]
    store(output, a if by == 1.0 else a / by)


def _wrapped(dims: Sequence[int], ndim: int) -> list[int]:
    return [wrapped(dim, ndim) for dim in dims]


@family.kernel("_fft_c2c", COMPLEX)
def c2c(output: Tensor, self: Tensor, dim: Sequence[int], normalization: int, forward: bool) -> None:
    """Complex to complex."""
    a = numbers(self, WIDE)
    dims = _wrapped(dim, a.ndim)
    _store(output, _transformed(a, dims, forward), dims, a.shape, normalization)


@family.kernel("_fft_r2c", FLOATS)
def r2c(output: Tensor, self: Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> None:
    """Real to complex: along the last dimension, of which only a half may be kept, then along the others."""
    a = numbers(self, WIDE)
    dims = _wrapped(dim, a.ndim)
    function = np.fft.rfft if onesided else np.fft.fft
    found = _transformed(function(a, axis=dims[-1]), dims[:-1], True)
    _store(output, found, dims, a.shape, normalization)


@family.kernel("_fft_c2r", COMPLEX)
def c2r(output: Tensor, self: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int) -> None:
    """The inverse transform; along the last dimension the missing half is filled in with conjugates."""
    a = numbers(self, WIDE)
    dims = _wrapped(dim, a.ndim)
    a = _transformed(a, dims[:-1], False)
    found = np.fft.irfft(a, n=last_dim_size, axis=dims[-1], norm="forward")
    _store(output, found, dims, found.shape, normalization)
