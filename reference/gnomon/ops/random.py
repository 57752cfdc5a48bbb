"""Random numbers: Philox 4x32-10, one counter-based generator for all backends.

The generator is a pure function from (seed, counter) to four 32-bit words, so that any element's number can
be computed by itself: the same seed gives the same numbers on every backend, whatever the thread count.

Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011); the transforms are those of
aten/src/ATen/core/TransformationHelper.h.
"""

from __future__ import annotations

import math
import secrets
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit import launch
from ..kit.native import check_no_internal_overlap, native_function
from ..memory.accessor import TensorAccessor
from ..memory.tensor import Tensor
from ..values.dtype import get_default_dtype, int64

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_MASK = 0xFFFFFFFF


def philox_4x32_10(seed: int, counter: int) -> tuple[int, int, int, int]:
    """Four random 32-bit words for a 64-bit seed and a 128-bit counter: ten rounds of multiply and mix."""
    key0, key1 = seed & _MASK, seed >> 32 & _MASK
    c0, c1, c2, c3 = (counter >> shift & _MASK for shift in (0, 32, 64, 96))
    for _ in range(10):
        product0 = _MULTIPLIERS[0] * c0
        product1 = _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (
            (product1 >> 32) ^ c1 ^ key0,
            product1 & _MASK,
            (product0 >> 32) ^ c3 ^ key1,
            product0 & _MASK,
        )
        key0 = key0 + _WEYL[0] & _MASK
        key1 = key1 + _WEYL[1] & _MASK
    return c0, c1, c2, c3


class Generator:
    """A stream of random numbers: a seed and how many blocks of it were used.  Source: torch.Generator."""

    def __init__(self, device: Any = "cpu"):
        self.device = device
        self._seed = 67280421310721  # PyTorch's default_rng_seed_val
        self._counter = 0

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of ``seed`` (an int; negative ones count from 2**64)."""
        self._seed = int(seed) % 2**64
        self._counter = 0
        return self

    def seed(self) -> int:
        """Start a stream that nobody can know; returns its seed."""
        self.manual_seed(secrets.randbits(63))
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the stream."""
        return self._seed

    def get_state(self) -> tuple[int, int]:
        """Where the stream is: (seed, blocks used)."""
        return self._seed, self._counter

    def set_state(self, state: tuple[int, int]) -> Generator:
        """Go to where ``get_state`` was called."""
        self._seed, self._counter = state
        return self

    def take(self, blocks: int) -> int:
        """The counter of the first of ``blocks`` blocks that are now used."""
        first = self._counter
        self._counter += blocks
        return first


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Start the default stream of ``seed``.  Source: torch.manual_seed."""
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """The seed of the default stream."""
    return default_generator.initial_seed()


def _uniform53(high: int, low: int) -> float:
    """A float64 in [0, 1) from 53 random bits."""
    return ((high << 21) ^ (low >> 11)) * 2.0**-53


def _uniform(words: tuple[int, int, int, int], dtype: Any) -> float:
    """A number in [0, 1) with as many random bits as the dtype's mantissa has."""
    if dtype.itemsize == 8:
        return _uniform53(words[0], words[1])
    bits = {"float32": 24, "float16": 11, "bfloat16": 8}[dtype.name]
    return (words[0] & (1 << bits) - 1) * 2.0**-bits


def fill_random(self: Tensor, generator: Generator | None, number: Any) -> Tensor:
    """Set element i (in row-major order) to ``number`` of the i-th block of the stream."""
    generator = generator or default_generator
    spec = self._spec
    check_no_internal_overlap("random", spec)
    first = generator.take(spec.numel)
    if spec.device.type == "meta" or not spec.numel:
        return self
    host = self if self.untyped_storage().backend.host_memory else launch.copy_to_reference(self)
    accessor = TensorAccessor(host)
    write = accessor.write
    seed = generator.initial_seed()
    for index, offset in enumerate(accessor.offsets()):
        write(offset, number(philox_4x32_10(seed, first + index)))
    if host is not self:
        self.untyped_storage().copy_in(0, host.untyped_storage().host_view())
    return self


def _uniform_(self: Tensor, low: float, high: float, generator: Any) -> Tensor:
    dtype = self._spec.dtype
    if not dtype.is_floating_point:
        raise NotImplementedError(f"uniform_: not implemented for dtype {dtype.name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return fill_random(self, generator, lambda words: low + _uniform(words, dtype) * (high - low))


native_function(
    "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_uniform_,
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    doc="Fill with numbers drawn uniformly from [from, to).",
)


def _normal(words: tuple[int, int, int, int]) -> float:
    """A standard normal number from two uniform ones.  Source: Box and Muller (1958)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - _uniform53(words[0], words[1])))
    return radius * math.cos(2.0 * math.pi * _uniform53(words[2], words[3]))


def _normal_(self: Tensor, mean: float, std: float, generator: Any) -> Tensor:
    if not self._spec.dtype.is_floating_point:
        raise NotImplementedError(f"normal_: not implemented for dtype {self._spec.dtype.name}")
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return fill_random(self, generator, lambda words: mean + std * _normal(words))


native_function(
    "normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_normal_,
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    doc="Fill with numbers drawn from the normal distribution of this mean and standard deviation.",
)


def _bernoulli_(self: Tensor, p: float, generator: Any) -> Tensor:
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    return fill_random(self, generator, lambda words: _uniform53(words[0], words[1]) < p)


native_function(
    "bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
    variants="method",
    explicit=_bernoulli_,
    derivatives={"self": lambda grad: aten.zeros_like(grad)},
    doc="Fill with 1 with probability ``p``, else 0.",
)

_OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
_GENERATOR_OPTIONS = (
    "*, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None"
)


def _new(size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Any:
    return aten.empty.memory_format(size, dtype or get_default_dtype(), layout, device, pin_memory, None)


for _name, _fill in (("rand", _uniform_), ("randn", _normal_)):

    def _define(name: str, fill: Any) -> None:
        doc = (
            "Numbers drawn uniformly from [0, 1)."
            if name == "rand"
            else "Numbers drawn from the standard normal distribution."
        )
        native_function(
            f"{name}(SymInt[] size, {_OPTIONS}) -> Tensor",
            composite=lambda size, *options: fill(_new(size, *options), 0.0, 1.0, None),
            doc=doc,
        )
        native_function(
            f"{name}.generator(SymInt[] size, {_GENERATOR_OPTIONS}) -> Tensor",
            composite=lambda size, generator, *options: fill(_new(size, *options), 0.0, 1.0, generator),
            doc=doc,
        )
        native_function(
            f"{name}_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
            "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
            composite=lambda self, *options: fill(
                aten.empty_like.default(self.detach(), *options), 0.0, 1.0, None
            ),
            doc=doc,
        )

    _define(_name, _fill)


def _randint(low: int, high: int, size: Any, generator: Any, dtype: Any, *options: Any) -> Any:
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    made = aten.empty.memory_format(size, dtype or int64, *options, None)
    return fill_random(made, generator, lambda words: low + (words[0] | words[1] << 32) % (high - low))


native_function(
    f"randint(SymInt high, SymInt[] size, {_OPTIONS.replace('dtype=None', 'dtype=long')}) -> Tensor",
    composite=lambda high, size, *options: _randint(0, high, size, None, *options),
    doc="Integers drawn uniformly from [0, high).",
)

native_function(
    f"randint.low(SymInt low, SymInt high, SymInt[] size, {_OPTIONS.replace('dtype=None', 'dtype=long')}) "
    "-> Tensor",
    composite=lambda low, high, size, *options: _randint(low, high, size, None, *options),
    doc="Integers drawn uniformly from [low, high).",
)


def _randperm(n: int, generator: Any, dtype: Any, *options: Any) -> Any:
    """A shuffle by random keys: sorted by 64 random bits, ties (which never happen twice in a lifetime) by
    index.
    """
    if n < 0:
        raise RuntimeError(f"randperm: n must be non-negative, got {n}")
    generator = generator or default_generator
    first = generator.take(n)
    seed = generator.initial_seed()
    keys = []
    for index in range(n):
        words = philox_4x32_10(seed, first + index)
        keys.append((words[0] | words[1] << 32, index))
    from ..memory.accessor import fill_from

    made = aten.empty.memory_format((n,), dtype or int64, *options, None)
    fill_from(made, [index for _, index in sorted(keys)])
    return made


native_function(
    f"randperm(SymInt n, {_OPTIONS.replace('dtype=None', 'dtype=long')}) -> Tensor",
    composite=lambda n, *options: _randperm(n, None, *options),
    doc="The integers from 0 to n - 1 in random order.",
)

native_function(
    f"randperm.generator(SymInt n, {_GENERATOR_OPTIONS.replace('dtype=None', 'dtype=long')}) -> Tensor",
    composite=_randperm,
    doc="The integers from 0 to n - 1 in random order, from a generator.",
)


def _dropout(input: Any, p: float, train: bool) -> Any:
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not train or p == 0:
        return input
    if p == 1:
        return input * aten.zeros_like(input)
    kept = _bernoulli_(aten.empty_like(input.detach()), 1 - p, None)
    return input * (kept / (1 - p))


native_function(
    "dropout(Tensor input, float p, bool train) -> Tensor",
    composite=_dropout,
    doc="Each element 0 with probability ``p``, the others divided by 1 - p; ``input`` itself outside of "
    "training.",
)
