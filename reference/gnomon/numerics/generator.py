"""Random numbers: Philox 4x32-10, one counter-based generator for all backends.

The generator is a pure function from (seed, counter) to four 32-bit words, so that any element's number can
be computed independently: a seed gives the same numbers on every backend, with any number of threads.
A distribution uses one block of four words for each element, in row-major order.

Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011); the transforms are those of
aten/src/ATen/core/TransformationHelper.h.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from ..calls import launch
from ..calls.checks import refuse_limited
from ..calls.outputs import check_no_internal_overlap
from ..memory.accessor import TensorAccessor, elements, fill_from
from ..memory.backend import resolve_device
from ..memory.spec import contiguous_spec
from ..memory.tensor import Tensor, empty_tensor
from ..values.device import device as device_type
from ..values.dtype import UNSIGNED, complex32, uint8
from ..values.errors import type_name

Words = tuple[int, int, int, int]

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
# The limited dtypes of continuous distributions.
_CONTINUOUS = {"uniform_": (complex32,), "normal_": (complex32,)}
_WEYL = (0x9E3779B9, 0xBB67AE85)
_MASK = 0xFFFFFFFF
STATE_BYTES = 24  # seed (8) and counter (16), least significant byte first


def philox_4x32_10(seed: int, counter: int) -> Words:
    """Four random 32-bit words for a 64-bit seed and a 128-bit counter: ten rounds of multiply and xor."""
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
    """A stream of random numbers: a seed and the number of blocks used.  Source: torch.Generator."""

    def __init__(self, device: device_type | str = "cpu"):
        self.device = device_type(device)
        self._seed = 67280421310721  # PyTorch's default_rng_seed_val
        self._counter = 0

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of ``seed`` (an int; negative ones count from 2**64).

        Raises RuntimeError for anything but an int, ValueError for one below -2**63 or above 2**64 - 1.
        """
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"manual_seed: seed {seed} is not within -2**63 and 2**64 - 1")
        self._seed = seed % 2**64
        self._counter = 0
        return self

    def seed(self) -> int:
        """Start a stream with a seed from the operating system; returns the seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the stream."""
        return self._seed

    def get_state(self) -> Tensor:
        """The state of the stream, as a tensor of bytes: the seed (8 bytes), then the blocks used (16)."""
        made = empty_tensor(contiguous_spec((STATE_BYTES,), uint8, resolve_device("cpu")))
        fill_from(made, [*self._seed.to_bytes(8, "little"), *self._counter.to_bytes(16, "little")])
        return made

    def set_state(self, new_state: Tensor) -> Generator:
        """Restore the state that ``get_state`` returned.

        Raises TypeError for anything but a tensor of bytes, RuntimeError for one of another length.
        """
        if not isinstance(new_state, Tensor) or new_state.dtype is not uint8:
            raise TypeError(f"expected a gnomon.ByteTensor, but got {type_name(new_state)}")
        if new_state.numel() != STATE_BYTES:
            raise RuntimeError(
                f"set_state: RNG state is wrong size: expected {STATE_BYTES} bytes, got {new_state.numel()}"
            )
        state = bytes(elements(new_state))
        self._seed = int.from_bytes(state[:8], "little")
        self._counter = int.from_bytes(state[8:], "little")
        return self

    def clone_state(self) -> Generator:
        """A new generator with the state of this one."""
        made = Generator(self.device)
        made._seed, made._counter = self._seed, self._counter
        return made

    def take(self, blocks: int) -> int:
        """Use ``blocks`` blocks; returns the counter of the first."""
        first = self._counter
        self._counter += blocks
        return first


default_generator = Generator()


def uniform53(high: int, low: int) -> float:
    """A float64 in [0, 1) from 53 random bits."""
    return ((high << 21) ^ (low >> 11)) * 2.0**-53


def standard_normal_pair(words: Words) -> tuple[float, float]:
    """Two independent standard normal numbers from two uniform ones.  Source: Box and Muller (1958)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform53(words[0], words[1])))
    angle = 2.0 * math.pi * uniform53(words[2], words[3])
    return radius * math.cos(angle), radius * math.sin(angle)


Stream = tuple[int, int, int]  # of a kernel: the seed, the low and the high half of the counter


def take_stream(generator: Generator | None, blocks: int) -> Stream:
    """Use ``blocks`` blocks of a generator (None: the default one)."""
    generator = generator or default_generator
    first = generator.take(blocks)
    return generator._seed, first % 2**64, first >> 64 & 2**64 - 1


def blocks_of(stream: Stream) -> Callable[..., Words]:
    """The function from an element's position to its block.

    A distribution that rejects numbers needs more blocks for an element: those of ``attempt`` 1, 2, ... are
    2**96 counters apart, where no other element's are.
    """
    seed, low, high = stream
    first = high << 64 | low
    return lambda index, attempt=0: philox_4x32_10(seed, first + index + (attempt << 96))


def filling(
    distribution: Callable[..., Callable[[Words], Any]], in_pairs: bool = False
) -> Callable[..., None]:
    """The reference's kernel of a distribution.

    ``distribution(dtype, *parameters)`` returns a function from an element's block to its number.
    ``in_pairs``: for real dtypes that returns two numbers, for elements 2 i and 2 i + 1 from the i-th block.
    """

    def kernel(output: Tensor, self: Tensor, *arguments: Any) -> None:
        *parameters, stream = arguments
        dtype, block, accessor = output._spec.dtype, blocks_of(stream), TensorAccessor(output)
        number = distribution(dtype, *parameters)
        are_pairs = in_pairs and not dtype.is_complex
        for index, offset in enumerate(accessor.offsets()):
            value = number(block(index // 2))[index % 2] if are_pairs else number(block(index))
            accessor.write(offset, value)

    return kernel


def fill_random(
    self: Tensor, generator: Generator | None, kernel: str, parameters: tuple[float, ...] = ()
) -> Tensor:
    """Set element i (in row-major order) to the number that ``kernel`` computes from the i-th block.

    For a kernel that fills in pairs (``filling``) that is block i // 2, but as many blocks are used up.

    The kernel gets the ``parameters`` of the distribution, and the stream.
    """
    spec = self._spec
    refuse_limited(spec.dtype, UNSIGNED if kernel == "random_.from" else _CONTINUOUS.get(kernel, ()))
    check_no_internal_overlap("random", spec)
    stream = take_stream(generator, spec.numel)
    if spec.numel:
        launch.launch(kernel, spec.device, spec.dtype, [self], 1, None, (self, *parameters, stream))
    return self
