"""``gnomon.compile``, which compiles nothing.  Source: torch.compiler, torch.compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..values.absent import absent
from ..values.errors import warn

__all__ = ["allow_in_graph", "compile", "disable", "is_compiling", "reset"]

F = TypeVar("F", bound=Callable[..., Any])

__getattr__ = absent(__name__, "gnomon has no compiler; functions and modules run as they are")


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: Any = None,
    disable: bool = False,
) -> Any:
    """Returns the function or module itself, and says so once.  Without ``model``, a decorator.

    Raises AssertionError if ``model`` is not callable, RuntimeError for both ``mode`` and ``options``.

    Source: torch.compile.
    """
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )

    def compiled(function: Any) -> Any:
        if not callable(function):
            raise AssertionError(f"A callable function is expected, but {type(function)} is provided.")
        if not disable:
            warn("gnomon.compile: there is no compiler; the function runs as it is", once=True)
        return function

    return compiled if model is None else compiled(model)


def disable(fn: F | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Returns the function itself.  Without ``fn``, a decorator."""
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn: F) -> F:
    """Returns the function itself."""
    return fn


def is_compiling() -> bool:
    """False: nothing is compiled."""
    return False


def reset() -> None:
    """Does nothing: nothing was compiled."""
