"""Random numbers with parameters for each element, by rejection: gamma, Dirichlet and binomial; and how
samples of the first two move with their parameters.

Each attempt at an element uses blocks of the generator's stream that no other element uses (see ``blocks_of``
in numerics/generator.py).

Source: aten/src/ATen/native/Distributions.cpp, Distributions.h, derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ...calls import launch
from ...calls.checks import refuse_half
from ...calls.iterator import TensorIterator
from ...calls.meta_functions import build_iterator
from ...calls.native import native_function
from ...calls.outputs import check_no_internal_overlap
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import incomplete
from ...numerics.generator import (
    Stream,
    Words,
    blocks_of,
    standard_normal_pair,
    take_stream,
    uniform53,
)
from ...numerics.loops import pointwise
from ...values.dtype import float64
from ...values.geometry import broadcast_sizes
from ...values.limits import finfo


def _zero_grad(grad: Any) -> Any:
    """The result is not differentiable."""
    return aten.zeros_like(grad)


def _not_implemented(name: str) -> Any:
    def derivative(grad: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return derivative


def _check_found_dtype(expected: Any, *operands: Spec) -> None:
    for each in operands:
        if each.dtype is not expected:
            raise RuntimeError(f"Found dtype {each.dtype.name} but expected {expected.name}")


# -- gamma -------------------------------------------------------------------------------------------------


def _gamma_number(concentration: float, block: Callable[[int], Words]) -> float:
    """A number of Gamma(concentration, 1); it seldom needs more than one attempt, of two blocks.

    Below 1, a number for ``concentration + 1`` is multiplied by ``u ** (1 / concentration)``.

    Source: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
    """
    if not concentration > 0:
        return 0.0 if concentration == 0 else math.nan
    if concentration == math.inf:
        return math.inf
    d = (concentration if concentration >= 1 else concentration + 1.0) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    attempt = 0
    while True:
        normal = standard_normal_pair(block(attempt))[0]
        words = block(attempt + 1)
        attempt += 2
        root = 1.0 + c * normal
        if root <= 0:
            continue
        v = root * root * root
        u = 1.0 - uniform53(words[0], words[1])
        if math.log(u) < 0.5 * normal * normal + d * (1.0 - v + math.log(v)):
            break
    if concentration >= 1:
        return d * v
    return d * v * math.exp(math.log1p(-uniform53(words[2], words[3])) / concentration)


def _gamma_kernel(output: Tensor, self: Tensor, stream: Stream) -> None:
    block = blocks_of(stream)
    concentrations, out = TensorAccessor(self), TensorAccessor(output)
    tiny = finfo(output._spec.dtype).tiny
    for index, (target, offset) in enumerate(zip(out.offsets(), concentrations.offsets())):
        number = _gamma_number(concentrations.read(offset), partial(block, index))
        out.write(target, tiny if number < tiny else number)


def _standard_gamma(self: Tensor, generator: Any) -> Any:
    spec = self._spec
    refuse_half(spec.dtype, "bool", "integer", "complex")
    made = self.new_empty(spec.sizes)
    stream = take_stream(generator, spec.numel)
    if spec.numel:
        launch.launch("_standard_gamma", spec.device, spec.dtype, [made, self], 1, None, (self, stream))
    return made


native_function(
    "_standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=_standard_gamma,
    kernel=_gamma_kernel,
    derivatives={
        "self": lambda grad, self, result: grad * aten._standard_gamma_grad.default(self, result),
    },
    batching="random",
    doc="""Returns numbers drawn from gamma distributions with the rate 1 and the concentrations ``self``.

    They are at least the smallest normal number; NaN for a negative concentration.  They are differentiated
    implicitly (``_standard_gamma_grad``).  Raises NotImplementedError for dtypes other than float32 and
    float64.""",
)


def _grad_meta(*operands: Spec) -> TensorIterator:
    common = operands[0].dtype
    _check_found_dtype(common, *operands)
    refuse_half(common, "bool", "integer", "complex")
    return build_iterator(list(operands), common, common)


native_function(
    "_standard_gamma_grad(Tensor self, Tensor output) -> Tensor",
    variants="function",
    meta=_grad_meta,
    kernel=pointwise(incomplete.standard_gamma_grad),
    derivatives={
        "self": _not_implemented("_standard_gamma_grad"),
        "output": _not_implemented("_standard_gamma_grad"),
    },
    doc="""Computes the derivatives of samples ``output`` of ``_standard_gamma`` by the concentrations
    ``self``.

    The probability of smaller samples is held fixed.  NaN outside the positive numbers.""",
)


# -- Dirichlet ---------------------------------------------------------------------------------------------


def _sample_dirichlet(self: Tensor, generator: Any) -> Any:
    """Gamma numbers, computed in float64, over their sum."""
    dtype = self._spec.dtype
    refuse_half(dtype, "bool", "integer", "complex")
    numbers = _standard_gamma(self.detach().to(float64), generator)
    shares = (numbers / numbers.sum(-1, True)).to(dtype)
    limits = finfo(dtype)
    return shares.clamp_(min=limits.tiny, max=1.0 - limits.eps / 2)


native_function(
    "_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=_sample_dirichlet,
    derivatives={"self": _zero_grad},
    batching="random",
    doc="""Returns numbers drawn from Dirichlet distributions with the concentrations in the last dimension.

    They are within the open interval (0, 1).  Raises NotImplementedError for dtypes other than float32 and
    float64.""",
)

native_function(
    "_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor",
    variants="function",
    meta=_grad_meta,
    kernel=pointwise(incomplete.dirichlet_grad),
    derivatives={name: _not_implemented("_dirichlet_grad") for name in ("x", "alpha", "total")},
    doc="""Computes the derivatives of Dirichlet samples ``x`` by the concentrations ``alpha``, over ``1 -
    x``.

    ``total`` is the sum of the concentrations.  The probability of smaller ``x`` is held fixed, and the other
    components keep their proportions.  NaN outside the domain.""",
)


# -- binomial ----------------------------------------------------------------------------------------------


_MANY = 10  # from this mean on rejection sampling, below it sequential search


def _few_successes(count: float, prob: float, u: float) -> float:
    """The binomial number of a uniform ``u`` in [0, 1): inversion of the distribution by sequential
    search.
    """
    number, likely, odds = 0.0, math.exp(count * math.log1p(-prob)), prob / (1.0 - prob)
    while u >= likely and number + 1.0 <= count:
        u -= likely
        likely *= odds * (count - number) / (number + 1.0)
        number += 1.0
    return number


def _stirling_rest(number: float) -> float:
    """``log(number!)`` less Stirling's approximation with ``number + 1``."""
    if number < 10:
        above = number + 1.0
        return math.lgamma(above) - ((number + 0.5) * math.log(above) - above + 0.5 * math.log(2.0 * math.pi))
    square = (number + 1.0) * (number + 1.0)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (number + 1.0)


def _many_successes(count: float, prob: float, block: Callable[[int], Words]) -> float:
    """A binomial number for a mean of at least ``_MANY`` and ``prob`` up to 1/2, by rejection.

    Source: Hörmann, "The generation of binomial random variates" (1993), BTRD without its squeeze.
    """
    deviation = math.sqrt(count * prob * (1.0 - prob))
    width = 1.15 + 2.53 * deviation
    skew = -0.0873 + 0.0248 * width + 0.01 * prob
    scale = (2.83 + 5.1 / width) * deviation
    surely = 0.92 - 4.2 / width
    odds = prob / (1.0 - prob)
    mode = math.floor((count + 1.0) * prob)
    attempt = 0
    while True:
        words = block(attempt)
        attempt += 1
        u = uniform53(words[0], words[1]) - 0.5
        v = 1.0 - uniform53(words[2], words[3])
        inside = 0.5 - abs(u)
        if inside == 0:
            continue
        number = float(math.floor((2.0 * skew / inside + width) * u + count * prob + 0.5))
        if inside >= 0.07 and v <= surely:
            return number
        if not 0 <= number <= count:
            continue
        height = math.log(v * scale / (skew / (inside * inside) + width))
        likelihood = (  # the logarithm of the probability's ratio to that of the mode
            (mode + 0.5) * math.log((mode + 1.0) / (odds * (count - mode + 1.0)))
            + (count + 1.0) * math.log((count - mode + 1.0) / (count - number + 1.0))
            + (number + 0.5) * math.log(odds * (count - number + 1.0) / (number + 1.0))
            + _stirling_rest(mode)
            + _stirling_rest(count - mode)
            - _stirling_rest(number)
            - _stirling_rest(count - number)
        )
        if height <= likelihood:
            return number


def _binomial_number(count: float, prob: float, block: Callable[[int], Words]) -> float:
    if count != count or prob != prob:
        return math.nan
    if count <= 0 or prob <= 0:
        return 0.0
    if prob >= 1 or count == math.inf:
        return count
    if prob > 0.5:
        return count - _binomial_number(count, 1.0 - prob, block)
    if count * prob >= _MANY:
        return _many_successes(count, prob, block)
    words = block(0)
    return _few_successes(count, prob, uniform53(words[0], words[1]))


def _binomial_kernel(output: Tensor, count: Tensor, prob: Tensor, stream: Stream) -> None:
    block = blocks_of(stream)
    counts, probs, out = (TensorAccessor(each) for each in (count, prob, output))
    offsets = zip(out.offsets(), counts.offsets(), probs.offsets())
    for index, (target, of_count, of_prob) in enumerate(offsets):
        number = _binomial_number(
            counts.read(of_count),
            probs.read(of_prob),
            partial(block, index),
        )
        out.write(target, number)


def _binomial(count: Tensor, prob: Tensor, generator: Any) -> Any:
    spec = count._spec
    for name, each in (("count", count), ("prob", prob)):
        if not each.is_floating_point():
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: {each._spec.dtype.name}"
            )
    _check_found_dtype(spec.dtype, prob._spec)
    refuse_half(spec.dtype, "bool", "integer", "complex")
    if broadcast_sizes(spec.sizes, prob._spec.sizes) != spec.sizes:
        raise RuntimeError(
            f"expected prob to expand to the sizes of count, {[*spec.sizes]}, got {[*prob._spec.sizes]}"
        )
    prob = prob.expand(spec.sizes)
    made = count.new_empty(spec.sizes)
    check_no_internal_overlap("binomial", made._spec)
    stream = take_stream(generator, spec.numel)
    if spec.numel:
        operands = [made, count, prob]
        launch.launch("binomial", spec.device, spec.dtype, operands, 1, None, (count, prob, stream))
    return made


native_function(
    "binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
    variants="function",
    explicit=_binomial,
    kernel=_binomial_kernel,
    derivatives={"count": _zero_grad, "prob": _zero_grad},
    batching="random",
    doc="""Returns numbers drawn from binomial distributions: the successes in ``count`` trials, of
    probability ``prob``, which broadcasts to the shape of ``count``.

    0 for a negative count or probability, ``count`` for a probability above 1.  Raises ValueError for dtypes
    that are not floating point, RuntimeError for different ones, NotImplementedError for other ones than
    float32 and float64.""",
)
