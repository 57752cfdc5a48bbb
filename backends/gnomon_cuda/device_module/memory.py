"""The memory of GPUs: statistics, limits, and the cache.  Source: torch.cuda.memory."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon.memory.backend import get_backend
from gnomon.values.errors import warn

from ..streams import on_device
from .devices import DeviceLike, index_of, is_available, runtime

__all__ = [
    "empty_cache",
    "empty_host_cache",
    "get_per_process_memory_fraction",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
]


def memory_stats(device: DeviceLike = None) -> dict[str, int]:
    """What is counted, under PyTorch's names; empty without a usable GPU.

    ``allocated_bytes.all`` and ``reserved_bytes.all``, each ``.current`` and ``.peak``;
    ``allocation.all.allocated``, the number of requests; ``segment.all.current``, of the driver's blocks.
    """
    return gn.accelerator.memory_stats(f"cuda:{index_of(device)}") if is_available() else {}


def memory_stats_as_nested_dict(device: DeviceLike = None) -> dict[str, Any]:
    """``memory_stats`` as dictionaries in dictionaries."""
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *outer, last = name.split(".")
        found = nested
        for each in outer:
            found = found.setdefault(each, {})
        found[last] = value
    return nested


def memory_allocated(device: DeviceLike = None) -> int:
    """The bytes that tensors occupy."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The maximum of ``memory_allocated`` since the start or ``reset_peak_memory_stats``."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device: DeviceLike = None) -> int:
    """The bytes allocated from the driver: those of tensors, and those cached for reuse."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device: DeviceLike = None) -> int:
    """The maximum of ``memory_reserved`` since the start or ``reset_peak_memory_stats``."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Restarts the counts of ``max_memory_allocated`` and ``max_memory_reserved``."""
    if is_available():
        get_backend("cuda").reset_peak_memory(index_of(device))


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    """Restarts the count of requests."""
    if is_available():
        runtime().allocator(index_of(device)).reset_accumulated()


def _renamed(name: str, to: str) -> None:
    warn(f"`gnomon.cuda.{name}` has been renamed to `gnomon.cuda.{to}`", FutureWarning)


def memory_cached(device: DeviceLike = None) -> int:
    """``memory_reserved``.  Warns (FutureWarning)."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: DeviceLike = None) -> int:
    """``max_memory_reserved``.  Warns (FutureWarning)."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _resets_all(name: str) -> None:
    warn(
        f"gnomon.cuda.{name} now calls gnomon.cuda.reset_peak_memory_stats, which resets /all/ peak memory "
        "stats.",
        FutureWarning,
    )


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """``reset_peak_memory_stats``.  Warns (FutureWarning)."""
    _resets_all("reset_max_memory_allocated")
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device: DeviceLike = None) -> None:
    """``reset_peak_memory_stats``.  Warns (FutureWarning)."""
    _resets_all("reset_max_memory_cached")
    reset_peak_memory_stats(device)


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """The free and the total bytes of the device, as reported by the driver."""
    driver = runtime().driver
    with on_device(driver, index_of(device)):
        return driver.memory_info()


def empty_cache() -> None:
    """Returns all cached memory to the driver."""
    if is_available():
        get_backend("cuda").empty_cache()


def empty_host_cache() -> None:
    """Releases cached pinned memory to the system, after waiting for copies to and from it."""
    if is_available():
        runtime().pinned.empty_cache()


def set_per_process_memory_fraction(fraction: float, device: DeviceLike = None) -> None:
    """Limits the memory of tensors and the cache to a part of the device's memory.

    An allocation that would exceed it raises OutOfMemoryError.  Raises TypeError unless ``fraction`` is a
    float, ValueError if it is not between 0 and 1.
    """
    index = index_of(device)
    allocator = runtime().allocator(index)
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    allocator.set_limit(int(fraction * mem_get_info(index)[1]))


def get_per_process_memory_fraction(device: DeviceLike = None) -> float:
    """The limit as a part of the device's memory; 1.0 without one."""
    index = index_of(device)
    limit = runtime().allocator(index).limit
    return 1.0 if limit is None else limit / mem_get_info(index)[1]


_ROWS = (
    ("Allocated memory", "allocated_bytes.all", True),
    ("GPU reserved memory", "reserved_bytes.all", True),
    ("GPU reserved segments", "segment.all", False),
    ("Allocations", "allocation.all", False),
)


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """A table of ``memory_stats`` to read; ``abbreviated`` is not used, since it has few rows."""
    runtime()
    index = index_of(device)
    stats = memory_stats(index)
    title = f"gnomon CUDA memory summary, device ID {index}"
    heading = f"{'Metric':^23}|{'Cur Usage':^14}|{'Peak Usage':^14}|{'Tot Alloc':^14}"
    lines = ["=" * len(heading), f"{title:^{len(heading)}}", "=" * len(heading), heading]
    for name, prefix, is_bytes in _ROWS:
        cells = [stats.get(f"{prefix}.{kind}") for kind in ("current", "peak", "allocated")]
        texts = ["" if cell is None else _in_words(cell, is_bytes) for cell in cells]
        lines += ["-" * len(heading), f" {name:<22}|" + "|".join(f"{text:>13} " for text in texts)]
    return "".join(f"|{line}|\n" for line in [*lines, "=" * len(heading)])


def _in_words(count: int, is_bytes: bool) -> str:
    if not is_bytes:
        return str(count)
    units = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
    step = 0
    while count >= 768 * 1024 and step + 1 < len(units):
        count, step = count // 1024, step + 1
    return f"{count} {units[step]}"
