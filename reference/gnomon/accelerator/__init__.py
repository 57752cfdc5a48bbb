"""A device: waiting for it; and its memory: what is in use, what is kept, and how much there may be.

Source: torch.accelerator; the limit in bytes is gnomon's own.
"""

from __future__ import annotations

from typing import Any

from ..memory.backend import Backend, backend_of, opened_backends, resolve_device


def _find(device_index: Any) -> tuple[Backend, int]:
    """The backend and the index of a device; None means the default one, a number one of its type."""
    device = resolve_device(None)
    if isinstance(device_index, int):
        device = resolve_device(f"{device.type}:{device_index}")
    elif device_index is not None:
        device = resolve_device(device_index)
    return backend_of(device), device.index or 0


def synchronize(device_index: Any = None) -> None:
    """Wait until a device has done all that it was asked for.

    The error of a kernel that could not be told when it was called, because it depends on numbers that an
    asynchronous device computes, is raised here, or where a result is read, if that is earlier.  Backends
    that are not asynchronous return at once.  Source: torch.accelerator.synchronize.
    """
    backend, index = _find(device_index)
    backend.synchronize(index)


def _count(device_index: Any, name: str) -> int:
    backend, index = _find(device_index)
    return backend.memory_stats(index).get(name, 0)


def memory_allocated(device_index: Any = None) -> int:
    """Bytes that tensors occupy; 0 on a backend that does not count."""
    return _count(device_index, "allocated")


def max_memory_allocated(device_index: Any = None) -> int:
    """The most bytes that tensors ever occupied, or since ``reset_peak_memory_stats``."""
    return _count(device_index, "peak")


def memory_reserved(device_index: Any = None) -> int:
    """Bytes taken from the system: those that tensors occupy, and those kept for the next request."""
    return _count(device_index, "allocated") + _count(device_index, "cached")


def memory_stats(device_index: Any = None) -> dict[str, int]:
    """The numbers of the functions above under PyTorch's names; empty on a backend that does not count."""
    backend, index = _find(device_index)
    counts = backend.memory_stats(index)
    if not counts:
        return {}
    return {
        "allocated_bytes.all.current": counts["allocated"],
        "allocated_bytes.all.peak": counts["peak"],
        "reserved_bytes.all.current": counts["allocated"] + counts["cached"],
    }


def reset_peak_memory_stats(device_index: Any = None) -> None:
    """Count the most bytes anew from now on."""
    backend, index = _find(device_index)
    backend.reset_peak_memory(index)


def empty_cache() -> None:
    """Give the memory that no tensor occupies back to the system, on all backends in use."""
    for backend in opened_backends():
        backend.empty_cache()


def set_memory_limit(nbytes: int | None, device_index: Any = None) -> None:
    """The most bytes that tensors and what is kept may take together; None: as many as the system has.

    What would pass the limit raises OutOfMemoryError, once what is kept has been given back.  Raises
    RuntimeError for less than 1, or on a backend without such a limit.
    """
    if nbytes is not None and nbytes < 1:
        raise RuntimeError(f"set_memory_limit expects a positive number of bytes or None, got {nbytes}")
    backend, index = _find(device_index)
    backend.set_memory_limit(nbytes, index)
