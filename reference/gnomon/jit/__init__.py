"""TorchScript, as with PYTORCH_JIT=0: what would be compiled runs as Python.  Source: torch.jit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from ..nn.modules.module import Module as ScriptModule
from ..values.absent import absent
from ..values.errors import warn

__all__ = [
    "Final",
    "ScriptModule",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "script",
    "script_if_tracing",
    "script_method",
    "trace",
    "unused",
]

T = TypeVar("T")

__getattr__ = absent(__name__, "gnomon has no TorchScript; functions and modules run as Python")


def script(obj: T, *args: Any, **kwargs: Any) -> T:
    """Returns the function, class or module itself, and says so once."""
    warn("gnomon.jit: there is no TorchScript; functions and modules run as Python", once=True)
    return obj


def trace(func: T, example_inputs: Any = None, *args: Any, **kwargs: Any) -> T:
    """Returns the function or module itself, and says so once; the example is not run."""
    return script(func)


def script_method(fn: T) -> T:
    """Returns the method itself."""
    return fn


script_if_tracing = export = script_method


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that returns the function itself, with or without arguments."""
    return drop if callable(drop) else script_method


def unused(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function itself."""
    return fn


def is_scripting() -> bool:
    """False: nothing is compiled."""
    return False


def is_tracing() -> bool:
    """False: nothing is traced."""
    return False
