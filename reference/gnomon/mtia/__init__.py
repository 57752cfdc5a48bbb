"""Meta's accelerators, for which there is no backend: as in PyTorch without them.  Source: torch.mtia."""

from __future__ import annotations

from typing import Any

from ..values.absent import absent

__getattr__ = absent(__name__, "there is no backend for Meta's accelerators")


def is_available() -> bool:
    """False: there is no backend for Meta's accelerators."""
    return False


def device_count() -> int:
    """0: there is no backend for Meta's accelerators."""
    return 0


def manual_seed(seed: int) -> None:
    """Does nothing: there is no device."""


def manual_seed_all(seed: int) -> None:
    """Does nothing: there is no device."""


def empty_cache() -> None:
    """Does nothing: there is no device."""


def memory_allocated(device: Any = None) -> int:
    """0: there is no device."""
    return 0


def synchronize(device: Any = None) -> None:
    """Raises RuntimeError: there is no device."""
    raise RuntimeError("synchronize: there is no backend for Meta's accelerators")
