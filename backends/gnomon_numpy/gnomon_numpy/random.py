"""Random numbers: each element uses its own block of the stream."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import Array, numbers, store
from .families import FLOATS, INEXACT, REAL, REAL_AND_BOOL, Family, refuse_if
from .philox import Words, blocks, blocks_at, rounded_once, standard_normal_pair, uniform53
from .pointwise import complex_of

family = Family()

_BITS = {"float32": 24, "float16": 11, "bfloat16": 8}  # of the mantissa


def _filling(name: str, dtypes: Any, in_pairs: bool = False) -> Callable[[Any], Any]:
    """A decorator for a function ``(words, dtype, *parameters)`` whose result fills the tensor.

    ``in_pairs``: for real dtypes each block yields two numbers, and the result has one row for each.
    """

    def decorate(function: Any) -> Any:
        @family.kernel(name, dtypes)
        def kernel(output: Tensor, self: Tensor, *arguments: Any) -> None:
            *parameters, (seed, low, high) = arguments
            spec = output._spec
            are_pairs = in_pairs and not spec.dtype.is_complex
            count = (spec.numel + 1) // 2 if are_pairs else spec.numel
            values = function(blocks(count, seed, low, high), spec.dtype, *parameters)
            if are_pairs:
                values = values.T.reshape(-1)[: spec.numel]
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
    """Uniform numbers from [low, high), for both parts of complex numbers."""
    real = kind.to_real()
    first = low + _uniform(words[0], words[1], real) * (high - low)
    if not kind.is_complex:
        return first
    return complex_of(first, low + _uniform(words[2], words[3], real) * (high - low))


@_filling("normal_", INEXACT, in_pairs=True)
def normal(words: Words, kind: Any, mean: float, std: float) -> Array:
    """Normal numbers; for complex numbers ``std`` is that of both parts together."""
    first, second = standard_normal_pair(words)
    if not kind.is_complex:
        return mean + std * np.stack((first, second))
    part = std / math.sqrt(2.0)
    return complex_of(mean + part * first, part * second)


@_filling("bernoulli_.float", REAL_AND_BOOL)
def bernoulli(words: Words, kind: Any, p: float) -> Array:
    """1 with probability p, else 0."""
    return uniform53(words[0], words[1]) < p


@_filling("random_.from", REAL_AND_BOOL)
def integers(words: Words, kind: Any, low: int, high: int) -> Array:
    """Uniform integers from [low, high); equal bounds mean all 64-bit integers."""
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


@_filling("log_normal_", FLOATS, in_pairs=True)
def log_normal(words: Words, kind: Any, mean: float, std: float) -> Array:
    """Numbers whose logarithms are normal."""
    return rounded_once(np.exp, mean + std * np.stack(standard_normal_pair(words)))


@_filling("geometric_", REAL)
def geometric(words: Words, kind: Any, p: float) -> Array:
    """``ceil(log(1 - u) / log(1 - p))``, at least 1 and at most 2**1023."""
    trials = rounded_once(np.log1p, -uniform53(words[0], words[1])) / math.log1p(-p)
    trials = np.maximum(np.ceil(np.minimum(trials, 2.0**1023)), 1.0)
    if kind.is_floating_point:
        return trials
    return np.fmod(trials, 2.0**64).astype(np.uint64).view(np.int64)


@family.kernel("randperm.generator", REAL)
def permutation(output: Tensor, n: int, stream: tuple[int, int, int]) -> None:
    """Swaps each position with a random one at or after it, chosen by half a block."""
    words = blocks((n + 1) // 2, *stream)
    halves = [low | high << np.uint64(32) for low, high in (words[:2], words[2:])]
    bits = np.stack(halves, 1).reshape(-1).tolist()
    drawn = list(range(n))
    for place in range(n - 1):
        other = place + (bits[place] * (n - place) >> 64)
        drawn[place], drawn[other] = drawn[other], drawn[place]
    store(output, np.array(drawn))


# -- Poisson ----------------------------------------------------------------------------------------------

_MANY = 10  # from this rate on rejection sampling, below it sequential search


def _few(rates: Array, u: Array) -> Array:
    """The Poisson numbers of uniform ``u`` in [0, 1): inversion of the distribution by sequential search."""
    found = np.zeros_like(rates)
    likely = rounded_once(np.exp, -rates)
    left = np.arange(rates.size)
    number = 0
    while True:
        # stops if u is only rounding error
        goes_on = (u >= likely) & ((number <= rates) | (likely > 2.0**-60))
        found[left[~goes_on]] = number
        left, rates, u, likely = (each[goes_on] for each in (left, rates, u, likely))
        if not left.size:
            return found
        u = u - likely
        number += 1
        likely = likely * (rates / number)


def _log_likelihood(drawn: Array, rates: Array) -> Array:
    """The logarithms of the numbers' probabilities, by Stirling's series."""
    factorials = np.array([math.factorial(k) for k in range(10)], np.float64)
    small = np.minimum(drawn, 9.0)
    exact = (
        small * rounded_once(np.log, rates) - rates - rounded_once(np.log, factorials)[small.astype(np.int64)]
    )
    large = np.maximum(drawn, 10.0)
    square = large * large
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / large
    away = large - rates
    near = away - large * rounded_once(np.log1p, away / rates)
    near = near - 0.5 * rounded_once(np.log, 2.0 * math.pi * large) - series
    return np.where(drawn < 10, exact, near)


def _many(rates: Array, elements: Array, stream: tuple[int, int, int]) -> Array:
    """Poisson numbers for rates of at least ``_MANY``, by rejection.

    Source: Hörmann, "The transformed rejection method for generating Poisson random variables" (1993), PTRS.
    """
    found = np.empty_like(rates)
    left = np.arange(rates.size)
    attempt = 0
    while left.size:
        words = blocks_at(elements, *stream, attempt)
        attempt += 1
        width = 0.931 + 2.53 * np.sqrt(rates)
        skew = -0.059 + 0.02483 * width
        scale = 1.1239 + 1.1328 / (width - 3.4)
        u = uniform53(words[0], words[1]) - 0.5
        v = 1.0 - uniform53(words[2], words[3])
        inside = 0.5 - np.abs(u)
        drawn = np.floor((2.0 * skew / inside + width) * u + rates + 0.43)
        accepted = (inside >= 0.07) & (v <= 0.9277 - 3.6224 / (width - 2.0))
        (unsure,) = np.nonzero(~accepted & (drawn >= 0) & ~((inside < 0.013) & (v > inside)))
        height = (
            v[unsure] * scale[unsure] / (skew[unsure] / (inside[unsure] * inside[unsure]) + width[unsure])
        )
        accepted[unsure] = rounded_once(np.log, height) <= _log_likelihood(drawn[unsure], rates[unsure])
        found[left[accepted]] = drawn[accepted]
        left, rates, elements = (each[~accepted] for each in (left, rates, elements))
    return found


@family.kernel("poisson", FLOATS)
def poisson(output: Tensor, self: Tensor, stream: tuple[int, int, int]) -> None:
    """Poisson numbers with these rates."""
    rates = numbers(self).astype(np.float64).reshape(-1)
    refuse_if(not (rates >= 0).all())
    drawn = rates.copy()  # infinite rates are returned unchanged
    elements = np.arange(rates.size, dtype=np.uint64)
    few = rates < _MANY
    words = blocks_at(elements[few], *stream)
    drawn[few] = _few(rates[few], uniform53(words[0], words[1]))
    many = ~few & np.isfinite(rates)
    drawn[many] = _many(rates[many], elements[many], stream)
    store(output, drawn.reshape(output._spec.sizes))


# -- gamma and binomial -----------------------------------------------------------------------------------


def _log(a: Array) -> Array:
    return rounded_once(np.log, a)


@family.kernel("_standard_gamma", FLOATS)
def standard_gamma(output: Tensor, self: Tensor, stream: tuple[int, int, int]) -> None:
    """Gamma numbers with these concentrations, by rejection; each attempt uses two blocks.

    Source: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
    """
    concentrations = numbers(self).astype(np.float64).reshape(-1)
    found = np.where(concentrations >= 0, concentrations, np.nan)  # 0 and inf are returned unchanged
    (left,) = np.nonzero((concentrations > 0) & np.isfinite(concentrations))
    attempt = 0
    while left.size:
        given, elements = concentrations[left], left.astype(np.uint64)
        normal = standard_normal_pair(blocks_at(elements, *stream, attempt))[0]
        words = blocks_at(elements, *stream, attempt + 1)
        attempt += 2
        d = np.where(given >= 1, given, given + 1.0) - 1.0 / 3.0
        root = 1.0 + 1.0 / np.sqrt(9.0 * d) * normal
        v = root * root * root
        log_v = _log(np.where(root > 0, v, 1.0))
        log_u = _log(1.0 - uniform53(words[0], words[1]))
        accepted = (root > 0) & (log_u < 0.5 * normal * normal + d * (1.0 - v + log_v))
        power = rounded_once(np.log1p, -uniform53(words[2], words[3])) / given
        drawn = d * v * np.where(given >= 1, 1.0, rounded_once(np.exp, power))
        found[left[accepted]] = drawn[accepted]
        left = left[~accepted]
    smallest = 2.0**-1022 if output._spec.dtype.itemsize == 8 else 2.0**-126
    store(output, np.where(found < smallest, smallest, found).reshape(output._spec.sizes))


def _few_successes(counts: Array, probs: Array, u: Array) -> Array:
    """The binomial numbers of uniform ``u`` in [0, 1): inversion of the distribution by sequential search."""
    found = np.zeros_like(counts)
    likely = rounded_once(np.exp, counts * rounded_once(np.log1p, -probs))
    odds = probs / (1.0 - probs)
    left = np.arange(counts.size)
    number = 0.0
    while left.size:
        goes_on = (u >= likely) & (number + 1.0 <= counts)
        found[left[~goes_on]] = number
        left = left[goes_on]
        counts, odds, u, likely = (each[goes_on] for each in (counts, odds, u, likely))
        u = u - likely
        likely = likely * (odds * (counts - number) / (number + 1.0))
        number += 1.0
    return found


def _stirling_rest(drawn: Array) -> Array:
    """``log(drawn!)`` less Stirling's approximation with ``drawn + 1``."""
    above = drawn + 1.0
    factorials = np.array([math.lgamma(k + 1.0) for k in range(10)])[np.minimum(drawn, 9.0).astype(np.int64)]
    small = factorials - ((drawn + 0.5) * _log(above) - above + 0.5 * math.log(2.0 * math.pi))
    square = above * above
    return np.where(drawn < 10, small, (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / above)


def _many_successes(counts: Array, probs: Array, elements: Array, stream: tuple[int, int, int]) -> Array:
    """Binomial numbers for means of at least ``_MANY`` and ``probs`` up to 1/2, by rejection.

    Source: Hörmann, "The generation of binomial random variates" (1993).
    """
    found = np.empty_like(counts)
    left = np.arange(counts.size)
    attempt = 0
    while left.size:
        words = blocks_at(elements, *stream, attempt)
        attempt += 1
        deviation = np.sqrt(counts * probs * (1.0 - probs))
        width = 1.15 + 2.53 * deviation
        skew = -0.0873 + 0.0248 * width + 0.01 * probs
        scale = (2.83 + 5.1 / width) * deviation
        odds = probs / (1.0 - probs)
        mode = np.floor((counts + 1.0) * probs)
        u = uniform53(words[0], words[1]) - 0.5
        v = 1.0 - uniform53(words[2], words[3])
        inside = np.maximum(0.5 - np.abs(u), 2.0**-60)  # at 0 the number is out of range
        drawn = np.floor((2.0 * skew / inside + width) * u + counts * probs + 0.5)
        accepted = (inside >= 0.07) & (v <= 0.92 - 4.2 / width)
        is_possible = (drawn >= 0) & (drawn <= counts)
        number = np.where(is_possible, drawn, mode)
        likelihood = (
            (mode + 0.5) * _log((mode + 1.0) / (odds * (counts - mode + 1.0)))
            + (counts + 1.0) * _log((counts - mode + 1.0) / (counts - number + 1.0))
            + (number + 0.5) * _log(odds * (counts - number + 1.0) / (number + 1.0))
            + _stirling_rest(mode)
            + _stirling_rest(counts - mode)
            - _stirling_rest(number)
            - _stirling_rest(counts - number)
        )
        height = _log(v * scale / (skew / (inside * inside) + width))
        accepted |= is_possible & (height <= likelihood)
        found[left[accepted]] = drawn[accepted]
        left, counts, probs, elements = (each[~accepted] for each in (left, counts, probs, elements))
    return found


@family.kernel("binomial", FLOATS)
def binomial(output: Tensor, count: Tensor, prob: Tensor, stream: tuple[int, int, int]) -> None:
    """Binomial numbers of these counts and probabilities; those above 1/2 count the failures."""
    counts = numbers(count).astype(np.float64).reshape(-1)
    probs = numbers(prob).astype(np.float64).reshape(-1)
    drawn = np.where((counts <= 0) | (probs <= 0), 0.0, counts)
    drawn[np.isnan(counts) | np.isnan(probs)] = np.nan
    inside = (counts > 0) & np.isfinite(counts) & (probs > 0) & (probs < 1)
    less = np.where(probs > 0.5, 1.0 - probs, probs)
    elements = np.arange(counts.size, dtype=np.uint64)
    many = inside & (counts * less >= _MANY)
    few = inside & ~many
    words = blocks_at(elements[few], *stream)
    drawn[few] = _few_successes(counts[few], less[few], uniform53(words[0], words[1]))
    drawn[many] = _many_successes(counts[many], less[many], elements[many], stream)
    drawn = np.where(inside & (probs > 0.5), counts - drawn, drawn)
    store(output, drawn.reshape(output._spec.sizes))
