"""Random numbers: each element from its own block of the stream."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import Array, store
from .families import FLOATS, INEXACT, REAL_AND_BOOL, Family
from .philox import Words, blocks, rounded_once, standard_normal, standard_normal_pair, uniform53
from .pointwise import complex_of

family = Family()

_BITS = {"float32": 24, "float16": 11, "bfloat16": 8}  # of a mantissa


def _filling(name: str, dtypes: Any) -> Callable[[Any], Any]:
    """The decorator of a function ``(words, dtype, *parameters)`` whose result fills the tensor."""

    def decorate(function: Any) -> Any:
        @family.kernel(name, dtypes)
        def kernel(output: Tensor, self: Tensor, *arguments: Any) -> None:
            *parameters, (seed, low, high) = arguments
            spec = output._spec
            values = function(blocks(spec.numel, seed, low, high), spec.dtype, *parameters)
            store(output, values.reshape(spec.sizes))

        return function

    return decorate


def _uniform(high: Array, low: Array, kind: Any) -> Array:
    """Numbers in [0, 1) with as many random bits as the dtype's mantissa has."""
    if kind.itemsize == 8:
        return uniform53(high, low)
    bits = _BITS[kind.name]
    return (high & np.uint64((1 << bits) - 1)).astype(np.float64) * 2.0**-bits


@_filling("uniform_", INEXACT)
def uniform(words: Words, kind: Any, low: float, high: float) -> Array:
    """Drawn uniformly from [low, high); both parts of complex ones."""
    real = kind.to_real()
    first = low + _uniform(words[0], words[1], real) * (high - low)
    if not kind.is_complex:
        return first
    return complex_of(first, low + _uniform(words[2], words[3], real) * (high - low))


@_filling("normal_", INEXACT)
def normal(words: Words, kind: Any, mean: float, std: float) -> Array:
    """Drawn from the normal distribution; of complex numbers that is of both parts together."""
    if not kind.is_complex:
        return mean + std * standard_normal(words)
    first, second = standard_normal_pair(words)
    part = std / math.sqrt(2.0)
    return complex_of(mean + part * first, part * second)


@_filling("bernoulli_.float", REAL_AND_BOOL)
def bernoulli(words: Words, kind: Any, p: float) -> Array:
    """1 with probability p, else 0."""
    return uniform53(words[0], words[1]) < p


@_filling("random_.from", REAL_AND_BOOL)
def integers(words: Words, kind: Any, low: int, high: int) -> Array:
    """Drawn uniformly from ``low`` to before ``high``; from 0 to 0 are all 64 bits."""
    bits = words[0] | words[1] << np.uint64(32)
    span = (high - low) % 2**64
    drawn = bits % np.uint64(span) if span else bits
    return (drawn + np.uint64(low % 2**64)).view(np.int64)


@_filling("exponential_", FLOATS)
def exponential(words: Words, kind: Any, lambd: float) -> Array:
    """``-log(1 - u) / lambd``."""
    return -rounded_once(np.log1p, -uniform53(words[0], words[1])) / lambd


@_filling("cauchy_", FLOATS)
def cauchy(words: Words, kind: Any, median: float, sigma: float) -> Array:
    """``median + sigma * tan(pi * (u - 1/2))``."""
    return median + sigma * rounded_once(np.tan, math.pi * (uniform53(words[0], words[1]) - 0.5))


@_filling("log_normal_", FLOATS)
def log_normal(words: Words, kind: Any, mean: float, std: float) -> Array:
    """Numbers whose logarithms are normal."""
    return rounded_once(np.exp, mean + std * standard_normal(words))
