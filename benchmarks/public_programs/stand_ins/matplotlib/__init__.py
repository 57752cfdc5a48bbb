"""Stands in for matplotlib: draws nothing, so that the time is that of the training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Nothing:
    """What every call returns: a figure, an array of axes, a line."""

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Nothing:
        return self

    def __getitem__(self, index: Any) -> Nothing:
        return self

    def __iter__(self) -> Iterator[Nothing]:
        return iter((self, self))  # the figure and the axes that subplots() returns


nothing = Nothing()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return nothing
