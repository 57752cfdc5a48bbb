"""Other random distributions: exponential, geometric, Cauchy, log-normal, normal with tensor parameters,
Poisson, multinomial.

Each number is computed from one block of the generator's stream (numerics/generator.py), by inversion unless
stated otherwise.  Distributions with tensor parameters (except Poisson) are composed of other operators in
float64, applied to samples of a standard distribution.

Source: aten/src/ATen/native/Distributions.cpp, core/TransformationHelper.h, derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ...calls import launch
from ...calls.checks import refuse_dtype, refuse_limited
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exp
from ...numerics.generator import (
    Stream,
    Words,
    blocks_of,
    fill_random,
    filling,
    standard_normal_pair,
    take_stream,
    uniform53,
)
from ...values import geometry
from ...values.dtype import check_number_fits, complex128, float32, float64, int64
from ...values.limits import finfo


def _zero_grad(grad: Any) -> Any:
    """The result does not depend on the values that were overwritten."""
    return aten.zeros_like(grad)


def _check_continuous(name: str, dtype: Any) -> None:
    if not dtype.is_floating_point:
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. dtype must be a floating point "
            f"but you specified {dtype.name}"
        )


def _exponential_(self: Tensor, lambd: float, generator: Any) -> Tensor:
    _check_continuous("Exponential", self._spec.dtype)
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return fill_random(self, generator, "exponential_", (lambd,))


def _exponential_number(dtype: Any, lambd: float) -> Callable[[Words], float]:
    return lambda words: -math.log1p(-uniform53(words[0], words[1])) / lambd


def _cauchy_(self: Tensor, median: float, sigma: float, generator: Any) -> Tensor:
    _check_continuous("Cauchy", self._spec.dtype)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    return fill_random(self, generator, "cauchy_", (median, sigma))


def _cauchy_number(dtype: Any, median: float, sigma: float) -> Callable[[Words], float]:
    return lambda words: median + sigma * math.tan(math.pi * (uniform53(words[0], words[1]) - 0.5))


def _log_normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    refuse_dtype(self._spec.dtype, "bool", "integer", "complex")
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    return fill_random(self, generator, "log_normal_", (mean, std))


def _log_normal_number(dtype: Any, mean: float, std: float) -> Callable[[Words], tuple[float, ...]]:
    return lambda words: tuple(exp(mean + std * normal) for normal in standard_normal_pair(words))


def _geometric_(self: Tensor, p: float, generator: Any) -> Tensor:
    refuse_dtype(self._spec.dtype, "bool", "complex")
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return fill_random(self, generator, "geometric_", (p,))


MOST_TRIALS = 2.0**1023  # the cap of a geometric number: practically infinite, and an exact integer


def _geometric_number(dtype: Any, p: float) -> Callable[[Words], int]:
    failing = math.log1p(-p)

    def number(words: Words) -> int:
        return max(1, math.ceil(min(math.log1p(-uniform53(words[0], words[1])) / failing, MOST_TRIALS)))

    return number


for _schema, _function, _kernel, _doc in (
    (
        "exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)",
        _exponential_,
        filling(_exponential_number),
        "Fills ``self`` with floats drawn from the exponential distribution: ``-log(1 - u) / lambd``.",
    ),
    (
        "cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor(a!)",
        _cauchy_,
        filling(_cauchy_number),
        "Fills ``self`` from the Cauchy distribution: ``median + sigma * tan(pi * (u - 1/2))``.",
    ),
    (
        "log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor(a!)",
        _log_normal_,
        filling(_log_normal_number, in_pairs=True),
        "Fills ``self`` from the log-normal distribution: ``exp(mean + std * z)`` with a standard normal z.",
    ),
    (
        "geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)",
        _geometric_,
        filling(_geometric_number),
        "Fills ``self`` from the geometric distribution of trials: ``ceil(log(1 - u) / log(1 - p))``.",
    ),
):
    native_function(
        _schema,
        variants="method",
        explicit=_function,
        kernel=_kernel,
        derivatives={"self": _zero_grad},
        batching="random",
        doc=_doc,
    )


# -- normal with parameters --------------------------------------------------------------------------------


def _draw_normal(like: Any, sizes: Any, mean: Any, std: Any, generator: Any) -> Any:
    """``mean + std * z``, with a standard normal z for each element."""
    dtype = like._spec.dtype
    refuse_dtype(dtype, "bool", "integer")
    if isinstance(std, Tensor):
        if std.is_complex():
            raise RuntimeError("normal expects standard deviation to be non-complex")
        std = std.to(float64)
        fits = std.is_meta or (std >= 0).all().item()
    else:
        fits = std >= 0
    if not fits:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    wide = complex128 if dtype.is_complex else float64
    if isinstance(mean, float) and dtype is float32:  # half precision overflows to inf instead
        check_number_fits(mean, dtype)
    drawn = like.new_empty(sizes, dtype=wide)
    fill_random(drawn, generator, "normal_", (0.0, 1.0))
    drawn.mul_(std).add_(mean.to(wide) if isinstance(mean, Tensor) else mean)
    return drawn.to(dtype)


def _normal_of_tensors(mean: Any, std: Any, generator: Any) -> Any:
    sizes = geometry.broadcast_sizes(mean._spec.sizes, std._spec.sizes)
    return _draw_normal(mean, sizes, mean, std, generator)


native_function(
    "normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=lambda mean, std, generator: _draw_normal(mean, mean._spec.sizes, mean, std, generator),
    derivatives={"mean": _zero_grad},
    batching="random",
    out="Tensor_float_out",
    doc="""Returns numbers drawn from normal distributions, one for each element of ``mean``.

    Raises RuntimeError for a negative or complex standard deviation, NotImplementedError for integers.""",
)

native_function(
    "normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=lambda mean, std, generator: _draw_normal(std, std._spec.sizes, mean, std, generator),
    derivatives={"std": _zero_grad},
    batching="random",
    out="float_Tensor_out",
    doc="Returns numbers drawn from normal distributions, one for each element of ``std``.",
)

native_function(
    "normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=_normal_of_tensors,
    derivatives={"mean": _zero_grad, "std": _zero_grad},
    batching="random",
    out="Tensor_Tensor_out",
    doc="""Returns numbers drawn from normal distributions with means ``mean`` and standard deviations
    ``std``, which broadcast.""",
)


def _normal_of_size(
    mean: float, std: float, size: Any, generator: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Any:
    made = aten.empty.memory_format(size, dtype, layout, device, pin_memory, None)
    return aten.normal_.default.record.explicit(made, mean, std, generator)


native_function(
    "normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? "
    "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    explicit=_normal_of_size,
    batching="random",
    doc="Returns a tensor of shape ``size`` with numbers drawn from one normal distribution.",
)


# -- Poisson -----------------------------------------------------------------------------------------------


MANY = 10  # from this rate on rejection sampling, below it sequential search


def _few(rate: float, u: float) -> float:
    """The Poisson number of a uniform ``u`` in [0, 1): inversion of the distribution by sequential search."""
    number, likely = 0, math.exp(-rate)
    while u >= likely and (number <= rate or likely > 2.0**-60):  # stops if u is only rounding error
        u -= likely
        number += 1
        likely *= rate / number
    return number


def _log_likelihood(number: float, rate: float) -> float:
    """The logarithm of the probability of ``number``, ``exp(-rate) * rate**number / number!``.

    Uses Stirling's series, which avoids cancellation of large terms.
    """
    if number < 10:
        factorial = math.prod(range(1, int(number) + 1))
        return number * math.log(rate) - rate - math.log(factorial)
    square = number * number
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / number
    away = number - rate
    return away - number * math.log1p(away / rate) - 0.5 * math.log(2.0 * math.pi * number) - series


def _many(rate: float, block: Callable[[int], Words]) -> float:
    """A Poisson number for a rate of at least ``MANY``, by rejection; it seldom needs more than two blocks.

    Source: Hörmann, "The transformed rejection method for generating Poisson random variables" (1993), PTRS.
    """
    width = 0.931 + 2.53 * math.sqrt(rate)
    skew = -0.059 + 0.02483 * width
    scale = 1.1239 + 1.1328 / (width - 3.4)
    surely = 0.9277 - 3.6224 / (width - 2.0)
    attempt = 0
    while True:
        words = block(attempt)
        attempt += 1
        u = uniform53(words[0], words[1]) - 0.5
        v = 1.0 - uniform53(words[2], words[3])
        inside = 0.5 - abs(u)
        if inside < 0.013 and v > inside:
            continue
        number = float(math.floor((2.0 * skew / inside + width) * u + rate + 0.43))
        if inside >= 0.07 and v <= surely:
            return number
        if number >= 0:
            height = math.log(v * scale / (skew / (inside * inside) + width))
            if height <= _log_likelihood(number, rate):
                return number


def _poisson_kernel(output: Tensor, self: Tensor, stream: Stream) -> None:
    block = blocks_of(stream)
    rates, out = TensorAccessor(self), TensorAccessor(output)
    for index, (target, offset) in enumerate(zip(out.offsets(), rates.offsets())):
        rate = rates.read(offset)
        if not rate >= 0:
            raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
        if rate < MANY:
            words = block(index)
            number = _few(rate, uniform53(words[0], words[1]))
        else:
            number = rate if rate == math.inf else _many(rate, partial(block, index))
        out.write(target, number)


def _poisson(self: Tensor, generator: Any) -> Any:
    spec = self._spec
    refuse_dtype(spec.dtype, "bool", "integer", "complex")
    refuse_limited(spec.dtype)
    made = self.new_empty(spec.sizes)
    stream = take_stream(generator, spec.numel)
    if spec.numel:
        launch.launch("poisson", spec.device, spec.dtype, [made, self], 1, None, (self, stream))
    return made


native_function(
    "poisson(Tensor self, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=_poisson,
    kernel=_poisson_kernel,
    derivatives={"self": _zero_grad},
    batching="random",
    doc="""Returns numbers drawn from Poisson distributions whose rates are the elements of ``self``.

    Raises RuntimeError for a negative rate, NotImplementedError for dtypes that are not floating point.""",
)


# -- multinomial -------------------------------------------------------------------------------------------


def _without_replacement(weights: Any, count: int, generator: Any) -> Any:
    """The ``count`` categories with the earliest arrival times, exponential with rates ``weights``."""
    times = weights.new_empty(weights.shape)
    fill_random(times, generator, "exponential_", (1.0,))
    # the smallest positive weight (whose time may overflow) still comes before a weight of 0
    arrivals = (times / weights).clamp_(max=finfo(float64).max).masked_fill_(weights == 0, math.inf)
    return aten.topk.default(arrivals, count, -1, False, True)[1]


def _with_replacement(weights: Any, count: int, generator: Any) -> Any:
    """For each sample, the category whose interval of the cumulative sums contains a uniform number."""
    places = weights.new_empty((*weights.shape[:-1], count))
    fill_random(places, generator, "uniform_", (0.0, 1.0))
    # normalized by the maximum the sums are finite and at least 1, so that u * sum with u < 1 rounds below it
    ends = (weights / weights.amax(-1, True)).cumsum(-1)
    return aten.searchsorted.Tensor(ends, places * ends[..., -1:], False, True, None, None)


def _multinomial(self: Tensor, num_samples: int, replacement: bool, generator: Any) -> Any:
    dtype, sizes = self._spec.dtype, self._spec.sizes
    if not dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {dtype.name}")
    refuse_limited(dtype)
    if len(sizes) not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > sizes[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    made = aten.empty.memory_format((*sizes[:-1], num_samples), int64, None, self.device, None, None)
    choose = _with_replacement if replacement else _without_replacement
    if made.is_meta or not made.numel():
        take_stream(generator, made.numel() if replacement else self.numel())
        return made
    weights = self.to(float64)
    if not ((weights >= 0) & (weights < math.inf)).all().item():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.amax(-1) <= 0).any().item():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    return choose(weights, num_samples, generator)


native_function(
    "multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> "
    "Tensor",
    explicit=_multinomial,
    derivatives={},
    batching="random",
    out=Out(exact=True),
    doc="""Draws ``num_samples`` indices (int64) with probabilities in proportion to the elements of each row.

    ``self`` is a vector or a matrix; its rows need not sum to 1.  Without ``replacement``, an index is drawn
    at most once.  Raises RuntimeError for elements that are negative or not finite, a row that sums to 0, and
    too many samples without replacement.""",
)
