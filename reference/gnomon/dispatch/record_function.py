"""RecordFunction: what watches calls from where they begin to where they end.

An observer is told of each operator, each kernel, each Node of a backward and each block that a user has
named, on the thread (or async task) that it was set on and on the workers of its backwards.  While there is
one, no shortcut is taken, for shortcuts tell nobody.

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


def current_observer() -> Observer | None:
    """Who is told of calls on this thread."""
    return _observer.get()


def set_observer(observer: Observer | None) -> None:
    """Tell ``observer`` of calls on this thread from now on; None: nobody."""
    _observer.set(observer)
    word = mode_word()
    set_mode_word(word & ~OBSERVED_BIT if observer is None else word | OBSERVED_BIT)


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
