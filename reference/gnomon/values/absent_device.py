"""What the modules of devices without a backend answer: the same as PyTorch without such a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def is_available() -> bool:
    """False: there is no backend for this device."""
    return False


def device_count() -> int:
    """0: there is no backend for this device."""
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


def synchronize_of(why: str) -> Callable[..., None]:
    """The function ``synchronize`` of a module; the text of its error says ``why`` there is no device."""

    def synchronize(device: Any = None) -> None:
        """Raises RuntimeError: there is no device."""
        raise RuntimeError(f"synchronize: {why}")

    return synchronize
