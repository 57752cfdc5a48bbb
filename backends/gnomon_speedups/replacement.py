"""A C object in the place of a Python function: its name and docstring, and special methods in C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .extension import extension as _speedups


def like(made: Any, readable: Callable[..., Any]) -> Any:
    """``made`` with the name, docstring and annotations of ``readable``."""
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        if hasattr(readable, name):
            setattr(made, name, getattr(readable, name))
    made.__wrapped__ = readable
    return made


def guard(kind: str, readable: Callable[..., Any], extra: Any = None) -> Any:
    """A C replacement of a special method, which an interrupt can not divide."""
    return like(_speedups.function(kind, readable, extra), readable)
