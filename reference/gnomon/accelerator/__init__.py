"""Device-independent functions: the accelerator, synchronize, memory statistics, and a memory limit.

Source: torch.accelerator; the limit in bytes is gnomon's own, and so is that the functions of memory work for
devices of the host, too.
"""

from __future__ import annotations

from typing import Any

from ..memory.backend import Backend, backend_of, get_device_module, opened_backends, resolve_device
from . import cpu as cpu
from .devices import ACCELERATOR, check_available, index_of
from .devices import current_accelerator as current_accelerator
from .devices import current_device_idx as current_device_idx
from .devices import current_device_index as current_device_index
from .devices import current_stream as current_stream
from .devices import device_count as device_count
from .devices import device_index as device_index
from .devices import get_device_capability as get_device_capability
from .devices import is_available as is_available
from .devices import set_device_idx as set_device_idx
from .devices import set_device_index as set_device_index
from .devices import set_stream as set_stream
from .graphs import Graph as Graph


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


def max_memory_reserved(device_index: Any = None) -> int:
    """The maximum of ``memory_reserved`` since the start or ``reset_peak_memory_stats``; 0 on a backend that
    does not count it.
    """
    return _count(device_index, "peak_reserved")


# The names of a backend's further counts (Backend.memory_stats).
_FURTHER = {
    "peak_reserved": "reserved_bytes.all.peak",
    "requests": "allocation.all.allocated",
    "segments": "segment.all.current",
}


def memory_stats(device_index: Any = None) -> dict[str, int]:
    """What the backend counts, under PyTorch's names; empty on a backend without statistics.

    ``allocated_bytes.all``, ``.current`` and ``.peak``; ``reserved_bytes.all.current``; where they are
    counted ``reserved_bytes.all.peak``, ``allocation.all.allocated`` and ``segment.all.current``.
    """
    backend, index = _find(device_index)
    counts = backend.memory_stats(index)
    if not counts:
        return {}
    return {
        "allocated_bytes.all.current": counts["allocated"],
        "allocated_bytes.all.peak": counts["peak"],
        "reserved_bytes.all.current": counts["allocated"] + counts["cached"],
        **{name: counts[count] for count, name in _FURTHER.items() if count in counts},
    }


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """The free and the total bytes of a device of the accelerator.  Raises RuntimeError if there is none."""
    index = index_of(device_index)
    free, total = get_device_module(ACCELERATOR).mem_get_info(index)
    return free, total


def reset_accumulated_memory_stats(device_index: Any = None, /) -> None:
    """Restarts ``allocation.all.allocated`` of a device of the accelerator.

    Raises RuntimeError if there is none.
    """
    index = index_of(device_index)
    get_device_module(ACCELERATOR).reset_accumulated_memory_stats(index)


def reset_peak_memory_stats(device_index: Any = None) -> None:
    """Restarts the counts of ``max_memory_allocated`` and ``max_memory_reserved``."""
    backend, index = _find(device_index)
    backend.reset_peak_memory(index)


def empty_cache() -> None:
    """Releases all cached memory to the system, on all backends in use."""
    for backend in opened_backends():
        backend.empty_cache()


def empty_host_cache() -> None:
    """Releases the accelerator's cached pinned memory to the system.

    Raises RuntimeError if there is no accelerator.
    """
    check_available()
    get_device_module(ACCELERATOR).empty_host_cache()


def set_memory_limit(nbytes: int | None, device_index: Any = None) -> None:
    """Limits the bytes of tensors and cached blocks together; None: no limit.

    An allocation that would exceed the limit first releases cached blocks, then raises OutOfMemoryError.
    Raises RuntimeError for a limit less than 1, or on a backend that does not support limits.
    """
    if nbytes is not None and nbytes < 1:
        raise RuntimeError(f"set_memory_limit expects a positive number of bytes or None, got {nbytes}")
    backend, index = _find(device_index)
    backend.set_memory_limit(nbytes, index)
