"""A model answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

stack: list[Mode] = []


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    if not stack:
        return function(*arguments)
    mode = stack.pop()
    try:
        return mode.dispatch(function, *arguments)
    finally:
        stack.append(mode)


class Mode:
    def __enter__(self) -> Mode:
        stack.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        stack.pop()

    def dispatch(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return call(function, *arguments)


class LoggingMode(Mode):
    def __init__(self, name: str, log: list[str]):
        self.name, self.log = name, log

    def dispatch(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.log.append(f"{self.name}: {function.__name__}")
        return super().dispatch(function, *arguments)
