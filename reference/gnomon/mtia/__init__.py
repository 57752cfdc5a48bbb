"""Meta's accelerators, for which there is no backend: as in PyTorch without them.  Source: torch.mtia."""

from __future__ import annotations

from ..values.absent import absent
from ..values.absent_device import (
    device_count,
    empty_cache,
    is_available,
    manual_seed,
    manual_seed_all,
    memory_allocated,
    synchronize_of,
)

__all__ = [
    "device_count",
    "empty_cache",
    "is_available",
    "manual_seed",
    "manual_seed_all",
    "memory_allocated",
    "synchronize",
]

_WHY = "there is no backend for Meta's accelerators"
__getattr__ = absent(__name__, _WHY)
synchronize = synchronize_of(_WHY)
