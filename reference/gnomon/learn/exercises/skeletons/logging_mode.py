"""Modes that intercept every call.

A dispatch mode (PyTorch's TorchDispatchMode) sees every operator that runs inside its block, before its
kernel. Modes can be nested: the innermost is asked first.  What a mode calls itself must not come back to
it, but go to the next outer mode, and in the end to the function.

Write ``call``, and the two classes.  A mode's block begins and ends with ``with``.  The same mode may be
entered several times; after a block, and after an error in ``dispatch``, the modes are what they were
before.

    log = []
    with LoggingMode("outer", log), LoggingMode("inner", log):
        call(abs, -2)  ->  2
    log                ->  ["inner: abs", "outer: abs"]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call ``function``; inside the block of a mode, ``mode.dispatch(function, *arguments)`` instead."""
    raise NotImplementedError


class Mode:
    """A mode: ``dispatch`` is called instead of every function."""

    def __enter__(self) -> Mode:
        """Begin a block."""
        raise NotImplementedError

    def __exit__(self, *error: Any) -> None:
        """End the block."""
        raise NotImplementedError

    def dispatch(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Do what the call would do without this mode: call the function by ``call``."""
        raise NotImplementedError


class LoggingMode(Mode):
    """Appends ``"name: function's __name__"`` to a list for each call, then does what it would do anyway."""

    def __init__(self, name: str, log: list[str]):
        raise NotImplementedError
