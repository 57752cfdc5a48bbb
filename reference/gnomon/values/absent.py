"""Modules of PyTorch that gnomon does not have, but programs import: they say so when they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def absent(module: str, why: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module that is not whole.

    A public name that is missing raises AttributeError, whose text says ``why``; so ``hasattr`` is False.
    """

    def __getattr__(name: str) -> Any:
        text = f"module {module!r} has no attribute {name!r}"
        raise AttributeError(text if name.startswith("__") else f"{text}: {why}")

    return __getattr__
