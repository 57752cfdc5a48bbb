"""Fourier transforms: JAX's, in complex128, with gnomon's normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from .numbers import Array
from .programs import COMPLEX, FLOATS, Family, wrapped

family = Family()


def _transformed(a: Array, dims: Sequence[int], forward: bool) -> Array:
    """The complex transform along each of ``dims``, not normalized."""
    for dim in dims:
        a = jnp.fft.fft(a, axis=dim) if forward else jnp.fft.ifft(a, axis=dim, norm="forward")
    return a


def _normalized(a: Array, dims: Sequence[int], sizes: Sequence[int], normalization: int) -> Array:
    """``a`` divided by 1, the root of the number of transformed elements, or that number."""
    count = math.prod(sizes[dim] for dim in dims)
    by = (1.0, math.sqrt(count), float(count))[normalization]
    return a if by == 1.0 else a / by


@family.kernel("_fft_c2c", COMPLEX)
def c2c(a: Array, dim: Sequence[int], normalization: int, forward: bool) -> Array:
    """Complex to complex."""
    if not a.size:
        return a
    dims = [wrapped(each, a.ndim) for each in dim]
    return _normalized(_transformed(a, dims, forward), dims, a.shape, normalization)


@family.kernel("_fft_r2c", FLOATS, is_sized=True)
def r2c(sizes: Any, a: Array, dim: Sequence[int], normalization: int, onesided: bool) -> Array:
    """Real to complex: along the last dimension, of which only a half may be kept, then along the others."""
    if not a.size:
        return jnp.zeros(sizes[0])
    dims = [wrapped(each, a.ndim) for each in dim]
    found = jnp.fft.rfft(a, axis=dims[-1]) if onesided else jnp.fft.fft(a, axis=dims[-1])
    return _normalized(_transformed(found, dims[:-1], True), dims, a.shape, normalization)


@family.kernel("_fft_c2r", COMPLEX, is_sized=True)
def c2r(sizes: Any, a: Array, dim: Sequence[int], normalization: int, last_dim_size: int) -> Array:
    """The inverse transform; along the last dimension the missing half is filled in with conjugates."""
    if not a.size:
        return jnp.zeros(sizes[0])
    dims = [wrapped(each, a.ndim) for each in dim]
    a = _transformed(a, dims[:-1], False)
    found = jnp.fft.irfft(a, n=last_dim_size, axis=dims[-1], norm="forward")
    return _normalized(found, dims, found.shape, normalization)
