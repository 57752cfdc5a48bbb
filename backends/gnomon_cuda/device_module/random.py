"""Random numbers: all devices share gnomon's default generator.  Source: torch.cuda.random."""

from __future__ import annotations

from collections.abc import Iterable

import gnomon as gn

from .devices import DeviceLike, device_count, is_available, runtime

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


def manual_seed(seed: int) -> None:
    """Seeds gnomon's default generator, which all devices share; without a usable GPU, does nothing."""
    if is_available():
        gn.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Like ``manual_seed``."""
    manual_seed(seed)


def seed() -> None:
    """Seeds the default generator from the operating system; without a usable GPU, does nothing."""
    if is_available():
        gn.seed()


def seed_all() -> None:
    """Like ``seed``."""
    seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    runtime()
    return gn.initial_seed()


def get_rng_state(device: DeviceLike = "cuda") -> gn.Tensor:
    """The state of the default generator, which all devices share."""
    runtime()
    return gn.get_rng_state()


def get_rng_state_all() -> list[gn.Tensor]:
    """The state of the default generator, once for each GPU."""
    return [gn.get_rng_state() for _ in range(device_count())]


def set_rng_state(new_state: gn.Tensor, device: DeviceLike = "cuda") -> None:
    """Restores the state that ``get_rng_state`` returned; without a usable GPU, does nothing."""
    if is_available():
        gn.set_rng_state(new_state)


def set_rng_state_all(new_states: Iterable[gn.Tensor]) -> None:
    """Restores the states that ``get_rng_state_all`` returned."""
    for state in new_states:
        set_rng_state(state)
