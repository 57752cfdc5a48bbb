"""Numbers drawn from other distributions: exponential, geometric, Cauchy, log-normal, normal with tensors of
parameters, Poisson, multinomial.

Each number comes from one block of the generator's stream (kit/generator.py), by inversion where nothing
else is said.  Source: aten/src/ATen/native/Distributions.cpp, core/TransformationHelper.h, derivatives.yaml.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.generator import Words, default_generator, fill_random, standard_normal_pair, uniform53
from ..kit.native import native_function
from ..kit.rules import refuse
from ..memory.accessor import elements, fill_from
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.dtype import int64


def _zero_grad(grad: Any) -> Any:
    """What was overwritten by chance has no part in the result."""
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

    def number(words: Words) -> float:
        return -math.log1p(-uniform53(words[0], words[1])) / lambd

    return fill_random(self, generator, number, "exponential_", (lambd,))


def _cauchy_(self: Tensor, median: float, sigma: float, generator: Any) -> Tensor:
    _check_continuous("Cauchy", self._spec.dtype)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")

    def number(words: Words) -> float:
        return median + sigma * math.tan(math.pi * (uniform53(words[0], words[1]) - 0.5))

    return fill_random(self, generator, number, "cauchy_", (median, sigma))


def _log_normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    refuse(self._spec.dtype, "bool", "integer", "complex")
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")

    def number(words: Words) -> float:
        return math.exp(mean + std * standard_normal_pair(words)[0])

    return fill_random(self, generator, number, "log_normal_", (mean, std))


def _geometric_(self: Tensor, p: float, generator: Any) -> Tensor:
    refuse(self._spec.dtype, "bool", "complex")
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")

    def number(words: Words) -> int:
        return max(1, math.ceil(math.log1p(-uniform53(words[0], words[1])) / math.log1p(-p)))

    return fill_random(self, generator, number)


for _schema, _function, _doc in (
    (
        "exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)",
        _exponential_,
        "Fill with floating point numbers of the exponential distribution: ``-log(1 - u) / lambd``.",
    ),
    (
        "cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor(a!)",
        _cauchy_,
        "Fill with numbers drawn from the Cauchy distribution: ``median + sigma * tan(pi * (u - 1/2))``.",
    ),
    (
        "log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor(a!)",
        _log_normal_,
        "Fill with numbers whose logarithms are drawn from the normal distribution of ``mean`` and ``std``.",
    ),
    (
        "geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)",
        _geometric_,
        "Fill with numbers of trials up to a success of chance ``p``: ``ceil(log(1 - u) / log(1 - p))``.",
    ),
):
    native_function(
        _schema, variants="method", explicit=_function, derivatives={"self": _zero_grad}, doc=_doc
    )


# -- normal with parameters --------------------------------------------------------------------------------


def _draw_normal(like: Any, sizes: Any, mean: Any, std: Any, generator: Any) -> Any:
    """``mean + std * z`` for a standard normal z for each element."""
    made = like.new_empty(sizes)
    refuse(made.dtype, "bool", "integer")
    if isinstance(std, Tensor) and std.is_complex():
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if made.is_meta:
        return fill_random(made, generator, lambda words: 0)
    means, deviations = (
        elements(each.expand(sizes)) if isinstance(each, Tensor) else [each] * made.numel()
        for each in (mean, std)
    )
    if min([0.0 if isinstance(std, Tensor) else std, *deviations]) < 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    parameters = zip(means, deviations)

    def number(words: Words) -> Any:
        pair = standard_normal_pair(words)
        z = complex(*pair) / math.sqrt(2.0) if made.dtype.is_complex else pair[0]
        mean, std = next(parameters)
        return mean + std * z

    return fill_random(made, generator, number)


def _normal_of_tensors(mean: Any, std: Any, generator: Any) -> Any:
    sizes = geometry.broadcast_sizes(mean._spec.sizes, std._spec.sizes)
    return _draw_normal(mean, sizes, mean, std, generator)


native_function(
    "normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=lambda mean, std, generator: _draw_normal(mean, mean._spec.sizes, mean, std, generator),
    derivatives={"mean": _zero_grad},
    out="Tensor_float_out",
    doc="""Numbers drawn from normal distributions, each with its mean.

    Raises RuntimeError for a negative or complex standard deviation, NotImplementedError for integers.""",
)

native_function(
    "normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=lambda mean, std, generator: _draw_normal(std, std._spec.sizes, mean, std, generator),
    derivatives={"std": _zero_grad},
    out="float_Tensor_out",
    doc="Numbers drawn from normal distributions, each with its standard deviation.",
)

native_function(
    "normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=_normal_of_tensors,
    derivatives={"mean": _zero_grad, "std": _zero_grad},
    out="Tensor_Tensor_out",
    doc="Numbers drawn from normal distributions, each with its mean and deviation, which broadcast.",
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
    doc="A tensor of ``size`` drawn from one normal distribution.",
)


# -- Poisson -----------------------------------------------------------------------------------------------


def _poisson_number(rate: float, u: float) -> float:
    """The number of the Poisson distribution that ``u`` in [0, 1) stands for.

    The interval is cut into pieces as long as the numbers are likely, the likeliest first: the mode, then
    its neighbours, outwards.  Source: inversion by chop-down search from the mode (Kemp, 1991).
    """
    if rate == 0 or not math.isfinite(rate):
        return rate
    up = down = math.floor(rate)
    above = below = math.exp(up * math.log(rate) - rate - math.lgamma(up + 1))
    u -= above
    while u >= 0:
        up += 1
        above *= rate / up
        u -= above
        if u < 0:
            return up
        if down > 0:
            below *= down / rate
            down -= 1
            u -= below
            if u < 0:
                return down
        if above < 2.0**-60 and (below < 2.0**-60 or down == 0):
            break  # what rounding left over
    return math.floor(rate)


def _poisson(self: Tensor, generator: Any) -> Any:
    refuse(self._spec.dtype, "bool", "integer", "complex")
    made = self.new_empty(self._spec.sizes)
    if made.is_meta:
        return fill_random(made, generator, lambda words: 0)
    rates = elements(self)
    if any(not rate >= 0 for rate in rates):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    rest = iter(rates)
    return fill_random(
        made, generator, lambda words: _poisson_number(next(rest), uniform53(words[0], words[1]))
    )


native_function(
    "poisson(Tensor self, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=_poisson,
    derivatives={"self": _zero_grad},
    doc="""Numbers drawn from Poisson distributions, whose rates are the elements of ``self``.

    Raises RuntimeError for a negative rate, NotImplementedError for dtypes that are not floating point.""",
)


# -- multinomial -------------------------------------------------------------------------------------------


def _without_replacement(weights: list[float], count: int, draw: Callable[[], Words]) -> list[int]:
    """The first ``count`` to arrive, where the times of arrival are exponential with these rates."""
    arrivals = []
    for index, weight in enumerate(weights):
        words = draw()
        time = -math.log1p(-uniform53(words[0], words[1]))
        arrivals.append((time / weight if weight else math.inf, index))
    return [index for _, index in sorted(arrivals)[:count]]


def _with_replacement(weights: list[float], count: int, draw: Callable[[], Words]) -> list[int]:
    """Each time the category whose stretch of the cumulative sums a uniform number falls into."""
    possible = [index for index, weight in enumerate(weights) if weight]
    ends = list(itertools.accumulate(weights[index] for index in possible))
    found = []
    for _ in range(count):
        words = draw()
        at = bisect.bisect_right(ends, uniform53(words[0], words[1]) * ends[-1])
        found.append(possible[min(at, len(possible) - 1)])
    return found


def _multinomial(self: Tensor, num_samples: int, replacement: bool, generator: Any) -> Any:
    dtype, sizes = self._spec.dtype, self._spec.sizes
    if not dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {dtype.name}")
    if len(sizes) not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > sizes[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    made = aten.empty.memory_format((*sizes[:-1], num_samples), int64, None, self.device, None, None)
    blocks = (generator or default_generator).draw(made.numel() if replacement else self.numel())
    if made.is_meta or not made.numel():
        return made
    weights = elements(self)
    if any(not (0 <= weight < math.inf) for weight in weights):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    choose = _with_replacement if replacement else _without_replacement
    chosen: list[int] = []
    for start in range(0, len(weights), sizes[-1]):
        row = weights[start : start + sizes[-1]]
        if not any(row):
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        chosen.extend(choose(row, num_samples, blocks.__next__))
    fill_from(made, chosen)
    return made


native_function(
    "multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> "
    "Tensor",
    explicit=_multinomial,
    derivatives={},
    out="out",
    exact_out=True,
    doc="""``num_samples`` categories (int64) drawn by the weights in a vector, or in each row of a matrix.

    Weights need not add up to 1.  Without ``replacement`` each category comes at most once.  Raises
    RuntimeError for weights that are negative or not finite, and where there are too few categories.""",
)
