"""Philox 4x32-10, gnomon's random number generator, vectorized over counters.

The stream is a pure function of a seed and a counter, the same on every backend; element i uses block i.
Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .arrays import Array

Words = tuple[Array, Array, Array, Array]

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def blocks(count: int, seed: int, low: int, high: int) -> Words:
    """Four 32-bit words, as uint64, for each of ``count`` counters from ``high * 2**64 + low`` on."""
    return blocks_at(np.arange(count, dtype=np.uint64), seed, low, high)


def blocks_at(elements: Array, seed: int, low: int, high: int, attempt: int = 0) -> Words:
    """``blocks`` for these elements (uint64); each ``attempt`` starts 2**96 blocks after the previous one."""
    counter = elements + np.uint64(low % 2**64)
    upper = np.uint64((high + (attempt << 32)) % 2**64) + (counter < elements).astype(np.uint64)
    c0, c1, c2, c3 = counter & _MASK, counter >> _HALF, upper & _MASK, upper >> _HALF
    key0, key1 = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
    for _ in range(10):
        product0, product1 = _MULTIPLIERS[0] * c0, _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (
            (product1 >> _HALF) ^ c1 ^ np.uint64(key0),
            product1 & _MASK,
            (product0 >> _HALF) ^ c3 ^ np.uint64(key1),
            product0 & _MASK,
        )
        key0, key1 = key0 + _WEYL[0] & 0xFFFFFFFF, key1 + _WEYL[1] & 0xFFFFFFFF
    return c0, c1, c2, c3


def uniform53(high: Array, low: Array) -> Array:
    """float64 in [0, 1) from 53 random bits."""
    return ((high << np.uint64(21)) ^ (low >> np.uint64(11))).astype(np.float64) * 2.0**-53


def rounded_once(function: Callable[[Array], Array], a: Array) -> Array:
    """``function`` of float64, computed in longdouble: random numbers must be equal to the last bit on all
    backends, and NumPy's float64 functions are sometimes wrong in it.
    """
    return function(a.astype(np.longdouble)).astype(np.float64)


def standard_normal_pair(words: Words) -> tuple[Array, Array]:
    """Two independent standard normal numbers from two uniform ones.  Source: Box and Muller (1958)."""
    radius = np.sqrt(-2.0 * rounded_once(np.log, 1.0 - uniform53(words[0], words[1])))
    angle = 2.0 * np.pi * uniform53(words[2], words[3])
    return radius * rounded_once(np.cos, angle), radius * rounded_once(np.sin, angle)
