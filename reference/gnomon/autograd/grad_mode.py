"""Grad mode: whether operators are recorded.

Source: torch/autograd/grad_mode.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from ..dispatch.mode import is_grad_enabled, mode_word, set_grad_mode, set_mode_word
from ..values.dispatch_key import GRAD_MODE_BIT

F = TypeVar("F", bound=Callable[..., Any])


class _GradModeContext:
    """A grad mode for a block (``with no_grad():``) or for a function (``@no_grad()``)."""

    __slots__ = ("_enabled", "_previous")

    def __init__(self, enabled: bool):
        self._enabled = enabled
        self._previous: list[int] = []

    def __enter__(self) -> None:
        word = mode_word()
        self._previous.append(word)
        set_mode_word(word | GRAD_MODE_BIT if self._enabled else word & ~GRAD_MODE_BIT)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        set_grad_mode(bool(self._previous.pop() & GRAD_MODE_BIT))

    def __call__(self, function: F) -> F:
        enabled = self._enabled

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with _GradModeContext(enabled):
                return function(*args, **kwargs)

        return wrapper  # type: ignore[return-value]


class no_grad(_GradModeContext):
    """Inside, operators are not recorded.  A context manager and a decorator.  Source: torch.no_grad."""

    __slots__ = ()

    def __new__(cls, function: Any = None) -> Any:
        made = object.__new__(cls)
        if function is not None:
            made.__init__()
            return made(function)
        return made

    def __init__(self, function: Any = None) -> None:
        super().__init__(False)


class enable_grad(_GradModeContext):
    """Inside, operators are recorded, also within ``no_grad``.  Source: torch.enable_grad."""

    __slots__ = ()

    def __new__(cls, function: Any = None) -> Any:
        made = object.__new__(cls)
        if function is not None:
            made.__init__()
            return made(function)
        return made

    def __init__(self, function: Any = None) -> None:
        super().__init__(True)


class set_grad_enabled(_GradModeContext):
    """Recording on or off from now on, and for a block if used as a context manager.

    Source: torch.set_grad_enabled.
    """

    __slots__ = ()

    def __init__(self, mode: bool):
        super().__init__(mode)
        self._previous.append(mode_word())
        set_grad_mode(mode)

    def __enter__(self) -> None:
        return None


__all__ = ["enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]
