"""torch.backends.mps, as without Metal.  Source: torch.backends.mps."""

from __future__ import annotations


def is_built() -> bool:
    """False: there is no backend for Apple's GPUs."""
    return False


def is_available() -> bool:
    """False: there is no backend for Apple's GPUs."""
    return False
