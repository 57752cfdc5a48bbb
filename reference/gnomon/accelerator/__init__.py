"""Device-independent functions: synchronize, memory statistics, and a memory limit.

Source: torch.accelerator; the limit in bytes is gnomon's own.
"""

from __future__ import annotations

from typing import Any

from ..memory.backend import Backend, backend_of, opened_backends, resolve_device


def _find(device_index: Any) -> tuple[Backend, int]:
    """The backend and the index of a device; None means the default device, a number one of the same type."""
    device = resolve_device(None)
    if isinstance(device_index, int):
        device = resolve_device(f"{device.type}:{device_index}")
    elif device_index is not None:
        device = resolve_device(device_index)
    return backend_of(device), device.index or 0


def synchronize(device_index: Any = None) -> None:
    """Waits until a device has completed all its work.

    An error that a kernel on an asynchronous device detects only in the data is raised here, or earlier if a
    result is read before.  Backends that are not asynchronous return at once.  Source:
    torch.accelerator.synchronize.
    """
    backend, index = _find(device_index)
    backend.synchronize(index)


def _count(device_index: Any, name: str) -> int:
    backend, index = _find(device_index)
    return backend.memory_stats(index).get(name, 0)


def memory_allocated(device_index: Any = None) -> int:
    """The bytes that tensors occupy; 0 on a backend without memory statistics."""
    return _count(device_index, "allocated")


def max_memory_allocated(device_index: Any = None) -> int:
    """The maximum of ``memory_allocated`` since the start or ``reset_peak_memory_stats``."""
    return _count(device_index, "peak")


def memory_reserved(device_index: Any = None) -> int:
    """The bytes allocated from the system: those that tensors occupy, and those cached for reuse."""
    return _count(device_index, "allocated") + _count(device_index, "cached")


def memory_stats(device_index: Any = None) -> dict[str, int]:
    """The results of the functions above under PyTorch's names; empty on a backend without statistics."""
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
    """Restarts the count of ``max_memory_allocated``."""
    backend, index = _find(device_index)
    backend.reset_peak_memory(index)


def empty_cache() -> None:
    """Releases all cached memory to the system, on all backends in use."""
    for backend in opened_backends():
        backend.empty_cache()


def set_memory_limit(nbytes: int | None, device_index: Any = None) -> None:
    """Limits the bytes of tensors and cached blocks together; None: no limit.

    An allocation that would exceed the limit first releases cached blocks, then raises OutOfMemoryError.
    Raises RuntimeError for a limit less than 1, or on a backend that does not support limits.
    """
    if nbytes is not None and nbytes < 1:
        raise RuntimeError(f"set_memory_limit expects a positive number of bytes or None, got {nbytes}")
    backend, index = _find(device_index)
    backend.set_memory_limit(nbytes, index)
