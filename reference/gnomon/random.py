"""The default generator: its seed and its state.

Source: torch/random.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .memory.tensor import Tensor
from .ops.creation.random import Generator, default_generator, initial_seed, manual_seed


def seed() -> int:
    """Seed the default generator from the operating system; returns the seed.  Source: torch.seed."""
    return default_generator.seed()


def get_rng_state() -> Tensor:
    """The state of the default generator, as a tensor of bytes.  Source: torch.get_rng_state."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restore the state that ``get_rng_state`` returned.  Source: torch.set_rng_state."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """Restores the default generator's state after the block.

    All devices share one generator, so ``devices`` and ``device_type`` have no effect.
    Source: torch.random.fork_rng.
    """
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
