"""What torch.backends.openmp answers where there is no OpenMP.  Source: torch.backends.openmp."""

from __future__ import annotations


def is_available() -> bool:
    """False: the C backend's threads are its own."""
    return False
