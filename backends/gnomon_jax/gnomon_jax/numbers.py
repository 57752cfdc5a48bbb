"""Words of memory as numbers to compute with, and back.

Kernels compute in float64 (complex128), as the reference does, and results are rounded once; integers and
bool are computed as they are.  XLA's programs treat subnormal numbers as zero.  Therefore those of all dtypes
but float64 are converted by arithmetic on their bits: as float64 they are not subnormal.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from gnomon.values.dtype import bfloat16, dtype, float16, float32, float64, uint32, uint64

Array = Any

_SMALLEST_NORMAL = 2.0**-126  # of float32
_STEP = 2.0**-149  # between its subnormal numbers


def _from_float32(words: Array) -> Array:
    number = lax.bitcast_convert_type(words, jnp.float32).astype(jnp.float64)
    fraction = (words & 0x7FFFFF).astype(jnp.float64) * _STEP
    is_small = (words & 0x7F800000) == 0
    return jnp.where(is_small, jnp.where(words >> 31 == 1, -fraction, fraction), number)


def _to_float32(number: Array) -> Array:
    words = lax.bitcast_convert_type(number.astype(jnp.float32), jnp.uint32)
    size = jnp.abs(number)
    is_small = size < _SMALLEST_NORMAL
    count = jnp.round(jnp.where(is_small, size, 0.0) / _STEP).astype(jnp.uint32)
    return jnp.where(is_small, count | jnp.signbit(number).astype(jnp.uint32) << 31, words)


def _to_bfloat16(number: Array) -> Array:
    """The upper half of float32, rounded to nearest, ties to even; all NaN get the same bits."""
    bits = _to_float32(number)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return jnp.where(jnp.isnan(number), 0x7FC0, rounded).astype(jnp.uint16)


def is_subnormal(words: Array) -> Array:
    """Do words of float64 stand for subnormal numbers, with which XLA's programs do not compute?"""
    return ((words >> 52) & 0x7FF == 0) & (words << 1 != 0)


def decoded(words: Array, kind: dtype) -> Array:
    """The numbers that words stand for."""
    if kind.is_complex:
        part = kind.to_real()
        return lax.complex(decoded(words[..., 0], part), decoded(words[..., 1], part))
    if kind.category == 0:
        return words != 0
    if kind.category == 1:
        return lax.bitcast_convert_type(words, kind.name)
    if kind is float64:
        return lax.bitcast_convert_type(words, jnp.float64)
    if kind is float16:
        return lax.bitcast_convert_type(words, jnp.float16).astype(jnp.float64)
    return _from_float32(words.astype(jnp.uint32) << 16 if kind is bfloat16 else words)


def encoded(numbers: Array, kind: dtype) -> Array:
    """The words of numbers in a dtype: rounded, truncated or wrapped around.

    Of complex numbers other dtypes take the real part.  float16 is rounded from float32, as in the reference.
    """
    if kind.is_complex:
        return jnp.stack([encoded(part(numbers), kind.to_real()) for part in (jnp.real, jnp.imag)], -1)
    if kind.category == 0:
        return _is_true(numbers).astype(jnp.uint8)
    if jnp.iscomplexobj(numbers):
        numbers = jnp.real(numbers)
    if kind.category == 1:
        if jnp.issubdtype(numbers.dtype, jnp.floating):
            numbers = _truncated(numbers, kind)
        return lax.bitcast_convert_type(numbers.astype(kind.name), f"uint{kind.bits}")
    if kind is float32 and jnp.issubdtype(numbers.dtype, jnp.integer):  # as float64 it would be rounded twice
        return lax.bitcast_convert_type(numbers.astype(jnp.float32), jnp.uint32)
    numbers = numbers.astype(jnp.float64)
    if kind is float64:
        return lax.bitcast_convert_type(numbers, jnp.uint64)
    if kind is float16:
        return lax.bitcast_convert_type(numbers.astype(jnp.float32).astype(jnp.float16), jnp.uint16)
    return _to_bfloat16(numbers) if kind is bfloat16 else _to_float32(numbers)


def _is_true(numbers: Array) -> Array:
    """Are numbers other than 0?  Subnormal ones are."""
    if jnp.iscomplexobj(numbers):
        return _is_true(jnp.real(numbers)) | _is_true(jnp.imag(numbers))
    if jnp.issubdtype(numbers.dtype, jnp.floating):
        return lax.bitcast_convert_type(numbers.astype(jnp.float64), jnp.uint64) << 1 != 0
    return numbers != 0


def _truncated(numbers: Array, kind: dtype) -> Array:
    """Truncated; what does not fit 32 bits (64 of larger dtypes) becomes their least integer.

    Of uint64, what is beyond 64 bits becomes 0.
    """
    bits = 64 if kind in (uint32, uint64) else max(kind.bits, 32)
    limit = 2.0 ** (bits - 1)
    fits = jnp.abs(numbers) < limit
    found = jnp.where(fits, jnp.where(fits, numbers, 0.0).astype(jnp.int64), -(2 ** (bits - 1)))
    if kind is not uint64:
        return found
    beyond = numbers >= limit
    above = jnp.where(beyond & (numbers < 2 * limit), numbers, 0.0).astype(jnp.uint64)
    return jnp.where(beyond, above, found.astype(jnp.uint64))
