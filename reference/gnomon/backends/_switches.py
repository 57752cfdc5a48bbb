"""Switches: settings that are checked and stored, but have no effect."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


def check_bool(name: str, value: Any) -> None:
    """Raises RuntimeError, as PyTorch does, if ``value`` is not a bool."""
    if not isinstance(value, bool):
        raise RuntimeError(f"{name} expects a bool, but got {type(value).__name__}")


class SwitchModule(ModuleType):
    """A module with switches: its bool attributes accept only bools."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(vars(self).get(name), bool):
            check_bool(f"{self.__name__}.{name}", value)
        super().__setattr__(name, value)


def set_switches(name: str, values: dict[str, Any]) -> tuple[Any, ...]:
    """Sets switches of the module ``name``, except those that are None; returns what they were."""
    module = sys.modules[name]
    before = tuple(getattr(module, switch) for switch in values)
    for switch, value in values.items():
        if value is not None:
            setattr(module, switch, value)
    return before


@contextmanager
def restored(set_flags: Callable[..., tuple[Any, ...]], *values: Any) -> Iterator[None]:
    """A context manager that calls ``set_flags`` with the values, and then with those that it returned."""
    before = set_flags(*values)
    try:
        yield
    finally:
        set_flags(*before)


class Verbosity:
    """A context manager in which a library would print what it does.  The library is not used, so a level
    other than 0 raises AssertionError in ``__enter__``, as in PyTorch without the library.
    """

    _library: str

    def __init__(self, enable: int):
        self.enable = enable

    def __enter__(self) -> None:
        if self.enable:
            raise AssertionError(
                f"Failed to set {self._library} into verbose mode. Please consider to disable this verbose "
                "scope."
            )

    def __exit__(self, *exception: object) -> None:
        pass
