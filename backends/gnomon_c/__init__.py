"""The C backend: host memory from a caching allocator, kernels of the C library in csrc/.

This package owns no semantics.  It reads the table that the library exports, fills the descriptors of
csrc/gnomon.h from what the shared layer has decided, and calls.
"""

from __future__ import annotations

from gnomon.memory.backend import Backend


def backend() -> Backend:
    """The backend, for the entry point ``c``.  Opens the extension if it is there."""
    from .backend import CBackend

    return CBackend()


def set_num_threads(count: int) -> None:
    """How many threads a call with enough work uses; at least 1.

    Raises RuntimeError without the extension.
    """
    from .library import native

    if count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, got {count}")
    native().lib.gn_set_num_threads(count)


def get_num_threads() -> int:
    """How many threads a call with enough work uses.  Raises RuntimeError without the extension."""
    from .library import native

    return native().lib.gn_get_num_threads()


def empty_cache() -> None:
    """Give memory that nobody uses back to the system.  Raises RuntimeError without the extension."""
    from .library import native

    native().lib.gn_empty_cache()


def memory_stats() -> dict[str, int]:
    """Bytes handed out now (``allocated``), kept for the next request (``cached``), and the most ever
    (``peak``).
    """
    from .library import native

    extension = native()
    counts = [extension.ffi.new("int64_t *") for _ in range(3)]
    extension.lib.gn_memory_stats(*counts)
    return dict(zip(("allocated", "cached", "peak"), (count[0] for count in counts)))
