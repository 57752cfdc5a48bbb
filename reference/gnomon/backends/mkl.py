"""What torch.backends.mkl answers where there is no MKL.  Source: torch.backends.mkl."""

from __future__ import annotations


def is_available() -> bool:
    """False: products of matrices run by OpenBLAS, or by the backend's own kernel."""
    return False
