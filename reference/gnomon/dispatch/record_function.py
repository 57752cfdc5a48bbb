"""RecordFunction: what watches calls from where they begin to where they end.

An observer is told of each operator, each kernel, each Node of a backward and each block that a user has
named, on the thread (or async task) that it was set on and on the workers of its backwards.  Shortcuts tell
nobody: while there is one, none is taken, unless they note by themselves when they began and ended
(hot_path.py).

Source: aten/src/ATen/record_function.h (RecordScope, RecordFunctionCallback).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from ..values.dispatch_key import OBSERVED_BIT, mode_word, set_mode_word

# What begins and ends.  Source: at::RecordScope; KERNEL is what PyTorch leaves to Kineto.
FUNCTION = "operator"
BACKWARD_FUNCTION = "node"
USER_SCOPE = "user"
KERNEL = "kernel"


class Observer:
    """The contract: ``enter`` is told what begins, and what it returns is given to ``leave`` at its end."""

    def enter(self, scope: str, name: str, arguments: Sequence[Any]) -> Any:
        """A call of ``scope`` begins.

        arguments: an operator's, those of a Node (its gradients), or (device, tensors) of a kernel.
        """

    def leave(self, entered: Any) -> None:
        """That call has returned, or raised."""


_observer: ContextVar[Observer | None] = ContextVar("gnomon_observer", default=None)

# Who is told of calls on this thread.
current_observer: Callable[[], Observer | None] = _observer.get

# Is there, on any thread, an observer that leaves shortcuts on?
leaves_shortcuts = False


def set_observer(observer: Observer | None, with_shortcuts: bool = False) -> None:
    """Tell ``observer`` of calls on this thread from now on; None: nobody.

    with_shortcuts: they are taken, because they are timed otherwise; or were, where nobody is told any more.
    Only one observer at a time may ask for that.
    """
    global leaves_shortcuts
    _observer.set(observer)
    if with_shortcuts:
        leaves_shortcuts = observer is not None
        return
    word = mode_word()
    set_mode_word(word & ~OBSERVED_BIT if observer is None else word | OBSERVED_BIT)


def is_observed() -> bool:
    """Is it worth to call by ``observed``?"""
    return leaves_shortcuts or bool(mode_word() & OBSERVED_BIT)


def observed(
    scope: str, name: str, arguments: Sequence[Any], function: Callable[..., Any], *given: Any
) -> Any:
    """``function(*given)``, of which the observer is told."""
    observer = _observer.get()
    if observer is None:
        return function(*given)
    entered = observer.enter(scope, name, arguments)
    try:
        return function(*given)
    finally:
        observer.leave(entered)
