"""Whether a backend is built with OpenMP.  Source: torch.backends.openmp."""

from __future__ import annotations

from ..memory.backend import backend_of, resolve_device


def is_available() -> bool:
    """Is the backend behind ``cpu`` built with OpenMP?  It need not be in use: the C backend has its own
    thread pool, and uses OpenMP only with ``GNOMON_PARALLEL=openmp``.
    """
    return "openmp" in backend_of(resolve_device("cpu")).thread_pools()
