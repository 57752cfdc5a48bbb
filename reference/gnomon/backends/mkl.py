"""torch.backends.mkl, as without MKL.  Source: torch.backends.mkl."""

from __future__ import annotations

from ._switches import Verbosity

VERBOSE_OFF = 0
VERBOSE_ON = 1


def is_available() -> bool:
    """False: matrix products use OpenBLAS, or the backend's own kernel."""
    return False


class verbose(Verbosity):
    """With a level other than VERBOSE_OFF, entering it raises AssertionError: there is no MKL."""

    _library = "MKL"
