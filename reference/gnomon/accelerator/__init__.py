"""Device-independent functions: the accelerator, synchronize, memory statistics, and a memory limit.

Source: torch.accelerator; the limit in bytes is gnomon's own, and so is that the functions of memory work for
devices of the host, too.
"""

from __future__ import annotations

from typing import Any

from ..memory.backend import (
    Backend,
    backend_of,
    backend_status,
    get_backend,
    get_default_device,
    opened_backends,
    resolve_device,
    set_default_device,
)
from ..values.device import device
from . import cpu as cpu

_ACCELERATOR = "cuda"


def is_available() -> bool:
    """Is there a usable accelerator: a device that computes beside the host?  Never raises."""
    return backend_status(_ACCELERATOR)[1]


def current_accelerator(check_available: bool = False) -> device | None:
    """The accelerator, without an index; None if there is none."""
    return device(_ACCELERATOR) if is_available() else None


def device_count() -> int:
    """The number of devices of the accelerator; 0 if there is none."""
    return get_backend(_ACCELERATOR).device_count() if is_available() else 0


def _check_available() -> None:
    if not is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")


def current_device_index() -> int:
    """The index of the default device if that is an accelerator, else 0.

    Raises RuntimeError if there is no accelerator.
    """
    _check_available()
    chosen = get_default_device()
    return (chosen.index or 0) if chosen.type == _ACCELERATOR else 0


def set_device_index(device: Any) -> None:
    """Makes a device of the accelerator the default device.  Raises RuntimeError if there is none."""
    _check_available()
    set_default_device(f"{_ACCELERATOR}:{device}" if isinstance(device, int) else device)


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
