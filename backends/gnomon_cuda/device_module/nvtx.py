"""Marks and ranges for NVIDIA's profilers, which gnomon does not send: they answer as where no profiler
listens.  Without a usable GPU they raise RuntimeError.  Source: torch.cuda.nvtx; nvToolsExt.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .devices import is_available

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_NOT_TRACKED = -2  # NVTX_NO_PUSH_POP_TRACKING


def _check_available() -> None:
    if not is_available():
        raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


def range_push(msg: str) -> int:
    """Begins a range within the current one of the thread; returns -2: its depth is not tracked."""
    _check_available()
    return _NOT_TRACKED


def range_pop() -> int:
    """Ends the innermost range; returns -2: its depth is not tracked."""
    _check_available()
    return _NOT_TRACKED


def range_start(msg: str) -> int:
    """Begins a range that another thread may end; returns its number, 0."""
    _check_available()
    return 0


def range_end(range_id: int) -> None:
    """Ends a range that ``range_start`` began."""
    _check_available()


def mark(msg: str) -> None:
    """Marks a moment."""
    _check_available()


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A context manager around a range; the arguments after ``msg`` are those of its ``format``."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
