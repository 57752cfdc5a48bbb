"""torch.backends.mkl, as without MKL.  Source: torch.backends.mkl."""

from __future__ import annotations


def is_available() -> bool:
    """False: matrix products use OpenBLAS, or the backend's own kernel."""
    return False
