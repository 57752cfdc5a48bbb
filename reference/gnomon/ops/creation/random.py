"""Uniform, normal and Bernoulli numbers, random integers, permutations.

numerics/generator.py defines which random bits each number uses; other distributions are in distributions.py.
Source: aten/src/ATen/native/TensorFactories.cpp, Distributions.cpp, DistributionTemplates.h,
derivatives.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...calls import launch
from ...calls.checks import check_non_negative, refuse_dtype, refuse_limited
from ...calls.native import native_function
from ...calls.outputs import check_no_internal_overlap
from ...dispatch.dispatcher import aten
from ...memory.accessor import fill_from
from ...memory.backend import backend_of, resolve_device
from ...memory.tensor import Tensor
from ...numerics.generator import (
    Generator,
    Stream,
    Words,
    blocks_of,
    default_generator,
    fill_random,
    filling,
    philox_4x32_10,
    standard_normal_pair,
    take_stream,
    uniform53,
)
from ...values.dtype import UNSIGNED, bool_, check_number_fits, float64, get_default_dtype, int64
from ...values.limits import finfo

__all__ = ["Generator", "default_generator", "initial_seed", "manual_seed", "philox_4x32_10"]


def manual_seed(seed: int) -> Generator:
    """Seeds the default generator and returns it.  Source: torch.manual_seed."""
    return default_generator.manual_seed(int(seed))


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def _zero_grad(grad: Any) -> Any:
    """The result does not depend on the values that were overwritten."""
    return aten.zeros_like(grad)


# -- uniform and normal ------------------------------------------------------------------------------------


def _uniform(high: int, low: int, dtype: Any) -> float:
    """A number in [0, 1) with as many random bits as the dtype's mantissa has."""
    if dtype.itemsize == 8:
        return uniform53(high, low)
    bits = {"float32": 24, "float16": 11, "bfloat16": 8}[dtype.name]
    return (high & (1 << bits) - 1) * 2.0**-bits


def _uniform_(self: Tensor, low: float, high: float, generator: Any) -> Tensor:
    dtype = self._spec.dtype
    refuse_dtype(dtype, "bool", "integer")
    real = dtype.to_real()
    _check_bound("from", low, real)
    _check_bound("to", high, real)
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    if high - low > finfo(real).max:
        raise RuntimeError(
            f"uniform_ expects to-from to be no more than the largest {real.name}, but found to={high} and "
            f"from={low}"
        )
    return fill_random(self, generator, "uniform_", (low, high))


def _uniform_number(dtype: Any, low: float, high: float) -> Callable[[Words], Any]:
    real = dtype.to_real()

    def number(words: Words) -> Any:
        first = low + _uniform(words[0], words[1], real) * (high - low)
        if not dtype.is_complex:
            return first
        return complex(first, low + _uniform(words[2], words[3], real) * (high - low))

    return number


native_function(
    "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_uniform_,
    kernel=filling(_uniform_number),
    launches="uniform_",
    derivatives={"self": _zero_grad},
    batching="random",
    doc="""Fills ``self`` with numbers drawn uniformly from [from, to); for complex dtypes, both parts.

    Raises RuntimeError if ``from`` exceeds ``to`` or a bound exceeds the dtype's range, NotImplementedError
    for integers.""",
)


def _normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    refuse_dtype(self._spec.dtype, "bool", "integer")
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return fill_random(self, generator, "normal_", (mean, std))


def _normal_number(dtype: Any, mean: float, std: float) -> Callable[[Words], Any]:
    part = std / math.sqrt(2.0)  # real and imaginary part have half the variance each

    def number(words: Words) -> Any:
        first, second = standard_normal_pair(words)
        if dtype.is_complex:
            return mean + part * complex(first, second)
        return mean + std * first, mean + std * second

    return number


native_function(
    "normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_normal_,
    kernel=filling(_normal_number, in_pairs=True),
    launches="normal_",
    derivatives={"self": _zero_grad},
    batching="random",
    doc="""Fills ``self`` with numbers drawn from the normal distribution of ``mean`` and ``std``.

    For complex dtypes, each part has half the variance.  Raises RuntimeError for a negative standard
    deviation, NotImplementedError for integers.""",
)


# -- Bernoulli ---------------------------------------------------------------------------------------------


def _bernoulli_(self: Tensor, p: float, generator: Any) -> Tensor:
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    refuse_dtype(self._spec.dtype, "complex")
    return fill_random(self, generator, "bernoulli_.float", (p,))


native_function(
    "bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_bernoulli_,
    kernel=filling(lambda dtype, p: lambda words: uniform53(words[0], words[1]) < p),
    launches="bernoulli_.float",
    derivatives={"self": _zero_grad},
    batching="random",
    doc="""Fills ``self`` with 1 with probability ``p``, else 0.  Raises RuntimeError if ``p`` is not in
    [0, 1].""",
)


def _bernoulli_each_(self: Tensor, p: Tensor, generator: Any) -> Tensor:
    refuse_limited(self._spec.dtype)
    refuse_dtype(p._spec.dtype, "bool", "integer", "complex")
    refuse_dtype(self._spec.dtype, "complex")
    p = p.expand(self._spec.sizes)
    check_no_internal_overlap("random", self._spec)
    chances = p.to(float64)
    if not self.is_meta:
        is_wrong = ~((chances >= 0) & (chances <= 1))  # NaN too
        if is_wrong.any().item():
            wrong = chances[is_wrong][0].item()
            raise RuntimeError(f"bernoulli expects probabilities in [0, 1], but got {wrong}")
    uniform = chances.new_empty(self._spec.sizes)
    fill_random(uniform, generator, "uniform_", (0.0, 1.0))
    launch.copy_into(self, uniform < chances)
    return self


native_function(
    "bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_bernoulli_each_,
    derivatives={"self": _zero_grad, "p": _zero_grad},
    batching="random",
    doc="Fills ``self`` with 1 with the probabilities in ``p``, which broadcasts, else 0.",
)

native_function(
    "bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
    explicit=lambda self, generator: _bernoulli_each_(self.new_empty(self._spec.sizes), self, generator),
    derivatives={"self": _zero_grad},
    batching="random",
    out="out",
    doc="""Returns 1 with the probabilities in ``self``, else 0.

    Raises RuntimeError for a probability that is not in [0, 1], NotImplementedError for dtypes that are not
    floating point.""",
)

native_function(
    "bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
    explicit=lambda self, p, generator: _bernoulli_(self.new_empty(self._spec.sizes), p, generator),
    launches="bernoulli_.float",
    derivatives={},
    batching="random",
    doc="Returns a tensor of the sizes of ``self``: 1 with probability ``p``, else 0.",
)


# -- rand, randn -------------------------------------------------------------------------------------------

_OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
_GENERATOR_OPTIONS = _OPTIONS.replace("*, ", "*, Generator? generator, ", 1)
_LIKE_OPTIONS = f"{_OPTIONS}, MemoryFormat? memory_format=None"
_GENERATOR_LIKE_OPTIONS = f"{_GENERATOR_OPTIONS}, MemoryFormat? memory_format=None"


def _new(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Any:
    return aten.empty.memory_format(size, dtype or get_default_dtype(), layout, device, pin_memory, None)


def _new_like(self: Tensor, *options: Any) -> Any:
    return aten.empty_like.default(self, *options)


def _define(name: str, fill: Callable[..., Tensor], kernel: str, doc: str) -> None:
    native_function(
        f"{name}(SymInt[] size, {_OPTIONS}) -> Tensor",
        explicit=lambda size, *options: fill(_new(size, *options), 0.0, 1.0, None),
        launches=kernel,
        batching="random",
        doc=doc,
    )
    native_function(
        f"{name}.generator(SymInt[] size, {_GENERATOR_OPTIONS}) -> Tensor",
        explicit=lambda size, generator, *options: fill(_new(size, *options), 0.0, 1.0, generator),
        batching="random",
        doc=doc,
    )
    native_function(
        f"{name}_like(Tensor self, {_LIKE_OPTIONS}) -> Tensor",
        variants="function",
        explicit=lambda self, *options: fill(_new_like(self, *options), 0.0, 1.0, None),
        launches=kernel,
        derivatives={},
        batching="random",
        doc=doc,
    )
    native_function(
        f"{name}_like.generator(Tensor self, {_GENERATOR_LIKE_OPTIONS}) -> Tensor",
        variants="function",
        explicit=lambda self, generator, *options: fill(_new_like(self, *options), 0.0, 1.0, generator),
        derivatives={},
        batching="random",
        doc=doc,
    )


_define("rand", _uniform_, "uniform_", "Returns floating point numbers drawn uniformly from [0, 1).")
_define(
    "randn",
    _normal_,
    "normal_",
    "Returns floating point numbers drawn from the standard normal distribution.",
)


# -- integers ----------------------------------------------------------------------------------------------


def _check_bound(name: str, bound: float, dtype: Any) -> None:
    """Raises RuntimeError for a bound that the dtype can not hold."""
    if dtype is bool_:
        fits = 0 <= bound <= 1
    elif dtype.category == 1:
        most = 2 ** (dtype.bits - dtype.is_signed) - 1
        fits = (-most - 1 if dtype.is_signed else 0) <= bound <= most
    else:
        fits = math.isfinite(dtype.cast(bound))
    if not fits:
        raise RuntimeError(f"{name} is out of bounds for {dtype.name}")


def fill_integers(self: Tensor, low: int, high: int, generator: Any) -> Tensor:
    """Fills with random integers from [low, high)."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if self._spec.dtype.is_complex:
        raise RuntimeError("random integers can only be of integral, floating-point and boolean types")
    _check_bound("from", low, self._spec.dtype)
    _check_bound("to - 1", high - 1, self._spec.dtype)

    # kernels take the bounds as int64, so 2**63 is passed wrapped around
    return fill_random(self, generator, "random_.from", (low, high - 2**64 if high >= 2**63 else high))


def _integer_number(dtype: Any, low: int, high: int) -> Callable[[Words], int]:
    """Draws integers from [low, high), with both bounds modulo 2**64; from all integers if they are equal."""
    count = (high - low) % 2**64 or 2**64
    return lambda words: low + (words[0] | words[1] << 32) % count


def _random_range(dtype: Any) -> int:
    """The exclusive upper bound of random_(), below which the dtype holds all integers exactly."""
    refuse_dtype(dtype, "complex")
    refuse_limited(dtype, UNSIGNED)
    if dtype is bool_:
        return 2
    if dtype.category == 1:
        return 2 ** (dtype.bits - dtype.is_signed)
    return 2 ** {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[dtype.name] + 1


native_function(
    "random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=lambda self, low, to, generator: fill_integers(
        self, low, _random_range(self._spec.dtype) if to is None else to, generator
    ),
    kernel=filling(_integer_number),
    launches="random_.from",
    derivatives={"self": _zero_grad},
    batching="random",
    doc="""Fills ``self`` with integers drawn uniformly from [from, to).

    If ``to`` is None, they go up to the largest integer that the dtype represents exactly.""",
)

native_function(
    "random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=lambda self, to, generator: fill_integers(self, 0, to, generator),
    launches="random_.from",
    derivatives={"self": _zero_grad},
    batching="random",
    doc="Fills ``self`` with integers drawn uniformly from [0, to).",
)


def _random_(self: Tensor, generator: Any) -> Tensor:
    refuse_limited(self._spec.dtype)
    return fill_integers(self, 0, _random_range(self._spec.dtype), generator)


native_function(
    "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_random_,
    launches="random_.from",
    derivatives={"self": _zero_grad},
    batching="random",
    doc="""Fills ``self`` with integers drawn uniformly from 0 to the largest that the dtype represents
    exactly.""",
)

_BOUNDS = "SymInt low, SymInt high"
_LONG_OPTIONS = _OPTIONS.replace("dtype=None", "dtype=long")
_LONG_GENERATOR_OPTIONS = _GENERATOR_OPTIONS.replace("dtype=None", "dtype=long")


def _bound(high: Tensor) -> int:
    if high.ndim:
        raise RuntimeError("high must be a scalar tensor")
    bound = high.item()
    check_number_fits(bound, int64)
    return int(bound.real)


def _randint(low: int, high: int, size: Any, generator: Any, dtype: Any, *options: Any) -> Any:
    made = aten.empty.memory_format(size, dtype or int64, *options, None)
    return fill_integers(made, low, high, generator)


for _schema, _function, _doc in (
    (
        f"randint(SymInt high, SymInt[] size, {_LONG_OPTIONS}) -> Tensor",
        lambda high, size, *options: _randint(0, high, size, None, *options),
        "Returns integers (int64 unless a dtype is given) drawn uniformly from [0, high).",
    ),
    (
        f"randint.generator(SymInt high, SymInt[] size, {_LONG_GENERATOR_OPTIONS}) -> Tensor",
        lambda high, size, *options: _randint(0, high, size, *options),
        "Returns integers drawn uniformly from [0, high), using a generator.",
    ),
    (
        f"randint.low(SymInt low, SymInt high, SymInt[] size, {_LONG_OPTIONS}) -> Tensor",
        lambda low, high, size, *options: _randint(low, high, size, None, *options),
        "Returns integers drawn uniformly from [low, high).",
    ),
    (
        f"randint.low_generator(SymInt low, SymInt high, SymInt[] size, {_LONG_GENERATOR_OPTIONS}) -> Tensor",
        _randint,
        "Returns integers drawn uniformly from [low, high), using a generator.",
    ),
    (
        f"randint_like(Tensor self, SymInt high, {_LIKE_OPTIONS}) -> Tensor",
        lambda self, high, *options: fill_integers(_new_like(self, *options), 0, high, None),
        "Returns integers drawn uniformly from [0, high) in a tensor of the sizes and dtype of ``self``.",
    ),
    (
        f"randint_like.generator(Tensor self, SymInt high, {_GENERATOR_LIKE_OPTIONS}) -> Tensor",
        lambda self, high, generator, *options: fill_integers(_new_like(self, *options), 0, high, generator),
        "Returns integers drawn uniformly from [0, high) in a tensor like ``self``, using a generator.",
    ),
    (
        f"randint_like.low_dtype(Tensor self, SymInt low, SymInt high, {_LIKE_OPTIONS}) -> Tensor",
        lambda self, low, high, *options: fill_integers(_new_like(self, *options), low, high, None),
        "Returns integers drawn uniformly from [low, high) in a tensor like ``self``.",
    ),
    (
        f"randint_like.low_generator_dtype(Tensor self, {_BOUNDS}, {_GENERATOR_LIKE_OPTIONS}) -> Tensor",
        lambda self, low, high, generator, *options: fill_integers(
            _new_like(self, *options), low, high, generator
        ),
        "Returns integers drawn uniformly from [low, high) in a tensor like ``self``, using a generator.",
    ),
    (
        f"randint_like.Tensor(Tensor self, Tensor high, {_LIKE_OPTIONS}) -> Tensor",
        lambda self, high, *options: fill_integers(_new_like(self, *options), 0, _bound(high), None),
        "Returns integers drawn uniformly from [0, high) in a tensor like ``self``; ``high`` is 0-dim.",
    ),
):
    # reading the bound from a tensor is another launch
    _launches = None if "Tensor high" in _schema else "random_.from"
    native_function(
        _schema,
        variants="function",
        explicit=_function,
        launches=_launches,
        derivatives={},
        batching="random",
        doc=_doc,
    )


def _randperm(n: int, generator: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    """A shuffle is sequential: for a device without a kernel it is computed on the CPU and copied."""
    check_non_negative(n=n)
    dtype = dtype or int64
    refuse_dtype(dtype, "bool", "complex")
    refuse_limited(dtype)
    most = _random_range(dtype)
    if n > most:
        raise RuntimeError(f"randperm: n={n} is more than {dtype.name} has integers ({most})")
    made = aten.empty.memory_format((n,), dtype, layout, device, pin_memory, None)
    where = made._spec.device
    has_kernel = where.type == "meta" or launch.find_kernel(backend_of(where), "randperm.generator", dtype)
    if not has_kernel and where != resolve_device("cpu"):
        return _randperm(n, generator, dtype, layout, "cpu", pin_memory).to(where)
    stream = take_stream(generator, n)  # n blocks, as for n numbers
    if n:
        launch.launch("randperm.generator", where, dtype, [made], 1, None, (n, stream))
    return made


def _randperm_kernel(output: Tensor, n: int, stream: Stream) -> None:
    """Swaps each position with a random one at or after it, chosen by half a block.

    Source: Fisher and Yates (1938), by Durstenfeld's algorithm (1964).
    """
    numbers, block = list(range(n)), blocks_of(stream)
    for place in range(n - 1):
        words = block(place // 2)[2 * (place % 2) :]
        other = place + ((words[0] | words[1] << 32) * (n - place) >> 64)
        numbers[place], numbers[other] = numbers[other], numbers[place]
    fill_from(output, numbers)


native_function(
    f"randperm(SymInt n, {_LONG_OPTIONS}) -> Tensor",
    explicit=lambda n, *options: _randperm(n, None, *options),
    launches="randperm.generator",
    batching="random",
    doc="""Returns a random permutation of the integers from 0 to n - 1.

    Raises RuntimeError if ``n`` is negative or the dtype cannot represent all of them.""",
)

native_function(
    f"randperm.generator(SymInt n, {_LONG_GENERATOR_OPTIONS}) -> Tensor",
    explicit=_randperm,
    kernel=_randperm_kernel,
    launches="randperm.generator",
    batching="random",
    doc="Returns a random permutation of the integers from 0 to n - 1, using a generator.",
)
