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


def parallels() -> list[str]:
    """What can run those threads, the usual one first: ``native``, the library's own pool, and ``openmp`` if
    the compiler had it.  Empty where a call has one thread.  Raises RuntimeError without the extension.
    """
    from .library import native, parallels_of

    return parallels_of(native().lib)


def set_parallel(name: str) -> None:
    """Which of ``parallels()`` runs the threads of calls from now on; no result depends on it.

    Raises RuntimeError for another, and without the extension.
    """
    from .library import PARALLELS, native

    present = parallels()
    if name not in present:
        raise RuntimeError(f"set_parallel expects one of {', '.join(present) or 'none'}, got {name!r}")
    native().lib.gn_set_parallel(PARALLELS.index(name))


def get_parallel() -> str:
    """Which of ``parallels()`` runs the threads of calls; ``none`` where a call has one thread.

    Raises RuntimeError without the extension.
    """
    from .library import PARALLELS, native

    return PARALLELS[native().lib.gn_get_parallel()]


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
