"""Random numbers: Philox 4x32-10, gnomon's generator, and the distributions whose numbers are exact.

The stream is a pure function of a seed and a counter, the same on every backend; element i uses block i.
Numbers of other distributions would have to equal the reference's to the last bit of a logarithm or a sine,
which JAX's do not: they fall back.

Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import dtype

from .numbers import Array
from .programs import INEXACT, REAL, REAL_AND_BOOL, Call, Family, Names, View

family = Family()

Words = tuple[Array, Array, Array, Array]

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_MASK = 0xFFFFFFFF
_BITS = {"float32": 24, "float16": 11, "bfloat16": 8}  # of the mantissa


def stream_data(stream: Sequence[int]) -> Any:
    """A stream's seed and counter as data of a program: seed, low, high."""
    return np.array([each % 2**64 for each in stream], np.uint64)


def _lower(a: Array) -> Array:
    return a & np.uint64(_MASK)


def blocks(count: int, stream: Array) -> Words:
    """Four 32-bit words, as uint64, for each of ``count`` counters from the stream's on."""
    seed, low, high = stream[0], stream[1], stream[2]
    counter = jnp.arange(count, dtype=jnp.uint64) + low
    upper = high + (counter < low).astype(jnp.uint64)
    c0, c1, c2, c3 = _lower(counter), counter >> np.uint64(32), _lower(upper), upper >> np.uint64(32)
    key0, key1 = _lower(seed), seed >> np.uint64(32)
    for _ in range(10):
        product0, product1 = np.uint64(_MULTIPLIERS[0]) * c0, np.uint64(_MULTIPLIERS[1]) * c2
        c0, c1, c2, c3 = (
            (product1 >> np.uint64(32)) ^ c1 ^ key0,
            _lower(product1),
            (product0 >> np.uint64(32)) ^ c3 ^ key1,
            _lower(product0),
        )
        key0, key1 = _lower(key0 + np.uint64(_WEYL[0])), _lower(key1 + np.uint64(_WEYL[1]))
    return c0, c1, c2, c3


def uniform53(high: Array, low: Array) -> Array:
    """float64 in [0, 1) from 53 random bits."""
    bits = (high << np.uint64(21)) ^ (low >> np.uint64(11))
    return bits.astype(jnp.float64) * 2.0**-53


def _filling(name: str, dtypes: Names) -> Callable[[Any], Any]:
    """A decorator for a function ``(words, dtype, numbers)`` whose result fills the tensor.

    The parameters of the distribution are data, as the stream is: they are no part of the program.
    """

    def decorate(function: Any) -> Any:
        def compute(views: Sequence[View], stream: Array, numbers: Array) -> Sequence[Array]:
            view = views[0]
            count = int(np.prod(view.sizes, dtype=np.int64))
            return (function(blocks(count, stream), view.dtype, numbers).reshape(view.sizes),)

        def kernel(output: Tensor, self: Tensor, *arguments: Any) -> None:
            *parameters, stream = arguments
            is_whole = name == "random_.from"
            kept = [each % 2**64 if is_whole else each for each in parameters]
            given = np.array(kept, np.uint64 if is_whole else np.float64)
            call = Call()
            call.run(compute, [call.view(output)], [call.viewed(stream_data(stream)), call.viewed(given)])

        family.add(name, dtypes, function, kernel)
        return function

    return decorate


def _uniform(high: Array, low: Array, kind: dtype) -> Array:
    """Numbers in [0, 1) with as many random bits as the dtype's mantissa has."""
    if kind.itemsize == 8:
        return uniform53(high, low)
    bits = _BITS[kind.name]
    return (high & np.uint64((1 << bits) - 1)).astype(jnp.float64) * 2.0**-bits


@_filling("uniform_", INEXACT)
def uniform(words: Words, kind: dtype, numbers: Array) -> Array:
    """Uniform numbers between the bounds, for both parts of complex numbers."""
    low, high = numbers[0].astype(jnp.float64), numbers[1].astype(jnp.float64)
    real = kind.to_real()
    first = low + _uniform(words[0], words[1], real) * (high - low)
    if not kind.is_complex:
        return first
    return lax.complex(first, low + _uniform(words[2], words[3], real) * (high - low))


@_filling("bernoulli_.float", REAL_AND_BOOL)
def bernoulli(words: Words, kind: dtype, numbers: Array) -> Array:
    """1 with probability p, else 0."""
    return uniform53(words[0], words[1]) < numbers[0].astype(jnp.float64)


@_filling("random_.from", REAL_AND_BOOL)
def integers(words: Words, kind: dtype, numbers: Array) -> Array:
    """Uniform integers from [low, high); equal bounds mean all 64-bit integers."""
    low, high = numbers[0], numbers[1]
    bits = words[0] | words[1] << np.uint64(32)
    span = high - low
    drawn = jnp.where(span == 0, bits, lax.rem(bits, jnp.where(span == 0, np.uint64(1), span)))
    return lax.bitcast_convert_type(drawn + low, jnp.int64)


def _permuted(views: Sequence[View], stream: Array) -> Sequence[Array]:
    """Swaps each position with a random one at or after it, chosen by half a block."""
    count = views[0].sizes[0]
    words = blocks((count + 1) // 2, stream)
    low, high = (jnp.stack((words[at], words[at + 2]), 1).reshape(-1) for at in (0, 1))

    def step(place: Any, drawn: Array) -> Array:
        left = (count - place).astype(jnp.uint64)
        # the upper half of the 128 bits of bits * left, which is below 2**32
        other = place + ((high[place] * left + (low[place] * left >> np.uint64(32))) >> np.uint64(32)).astype(
            jnp.int64
        )
        here, there = drawn[place], drawn[other]
        return drawn.at[place].set(there).at[other].set(here)

    drawn = jnp.arange(count, dtype=jnp.int64)
    return (lax.fori_loop(jnp.int64(0), jnp.int64(max(count - 1, 0)), step, drawn) if count else drawn,)


def permutation(output: Tensor, n: int, stream: Sequence[int]) -> None:
    """A random order of the numbers below n."""
    call = Call()
    call.run(_permuted, [call.view(output)], [call.viewed(stream_data(stream))])


family.add("randperm.generator", REAL, _permuted, permutation)
