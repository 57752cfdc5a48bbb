"""The C backend: host memory from a caching allocator, kernels of the C library in csrc/.

This package defines no semantics.  It reads the kernel table that the library exports, fills the descriptors
of csrc/gnomon.h with the decisions of the shared layer, and calls the kernels.
"""

from __future__ import annotations

from gnomon.memory.backend import Backend


def backend() -> Backend:
    """The backend, for the entry point ``c``.  Opens the extension if it is built."""
    from .backend import CBackend

    return CBackend()


def set_num_threads(count: int) -> None:
    """Sets how many threads a call with enough work uses; at least 1.

    Raises RuntimeError without the extension.
    """
    from .library import native

    if count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, got {count}")
    native().lib.gn_set_num_threads(count)


def get_num_threads() -> int:
    """The number of threads of a call with enough work.  Raises RuntimeError without the extension."""
    from .library import native

    return native().lib.gn_get_num_threads()


def parallels() -> list[str]:
    """The available thread pools, the default first: ``native``, the library's own pool, and ``openmp`` if it
    was compiled in.  Empty if calls have one thread.  Raises RuntimeError without the extension.
    """
    from .library import native, parallels_of

    return parallels_of(native().lib)


def set_parallel(name: str) -> None:
    """Selects one of ``parallels()`` for all following calls; results do not depend on it.

    Raises RuntimeError for another name, and without the extension.
    """
    from .library import PARALLELS, native

    present = parallels()
    if name not in present:
        raise RuntimeError(f"set_parallel expects one of {', '.join(present) or 'none'}, got {name!r}")
    native().lib.gn_set_parallel(PARALLELS.index(name))


def get_parallel() -> str:
    """The one of ``parallels()`` in use; ``none`` if calls have one thread.

    Raises RuntimeError without the extension.
    """
    from .library import PARALLELS, native

    return PARALLELS[native().lib.gn_get_parallel()]


def empty_cache() -> None:
    """Releases cached memory to the system.  Raises RuntimeError without the extension."""
    from .library import native

    native().lib.gn_empty_cache()


def memory_stats() -> dict[str, int]:
    """The bytes that are in use (``allocated``), cached for reuse (``cached``), and the maximum in use
    (``peak``).
    """
    from .library import native

    extension = native()
    counts = [extension.ffi.new("int64_t *") for _ in range(3)]
    extension.lib.gn_memory_stats(*counts)
    return dict(zip(("allocated", "cached", "peak"), (count[0] for count in counts)))
