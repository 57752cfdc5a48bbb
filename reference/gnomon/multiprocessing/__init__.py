"""Python's multiprocessing under PyTorch's name, and functions that start several processes.

What is sent between processes shares its tensors' memory: see bindings/sharing.py, which makes Python's own
module do this, so that a program can import either.  Source: torch.multiprocessing.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing import *  # noqa: F403

from .spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]
__all__ += multiprocessing.__all__

_STRATEGY = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The ways in which tensors are shared: by descriptors of memory without a name, which can not be left
    behind.  Source: torch.multiprocessing.get_all_sharing_strategies.
    """
    return {_STRATEGY}


def get_sharing_strategy() -> str:
    """The way in which tensors are shared.  Source: torch.multiprocessing.get_sharing_strategy."""
    return _STRATEGY


def set_sharing_strategy(new_strategy: str) -> None:
    """Raises AssertionError for another strategy than ``get_all_sharing_strategies()`` has.

    Source: torch.multiprocessing.set_sharing_strategy.
    """
    if new_strategy != _STRATEGY:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {get_all_sharing_strategies()}"
        )
