"""What torch.backends.openmp answers.  Source: torch.backends.openmp."""

from __future__ import annotations

from ..memory.backend import backend_of, resolve_device


def is_available() -> bool:
    """Is OpenMP built into the backend that ``cpu`` stands for?  Whether it runs there is another question:
    the C backend has a pool of its own, which runs unless ``GNOMON_PARALLEL=openmp``.
    """
    return "openmp" in backend_of(resolve_device("cpu")).thread_pools()
