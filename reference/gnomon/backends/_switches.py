"""Switches: settings that are checked and stored, but have no effect."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


def check_bool(name: str, value: Any) -> None:
    """Raises RuntimeError, as PyTorch does, if ``value`` is not a bool."""
    if not isinstance(value, bool):
        raise RuntimeError(f"{name} expects a bool, but got {type(value).__name__}")


class Switches:
    """An object with a fixed set of switches."""

    _name: str

    def __init__(self, name: str, **values: Any):
        vars(self).update(values, _name=name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in vars(self):
            raise AttributeError(f"{self._name} has no attribute {name!r}")
        if isinstance(getattr(self, name), bool):
            check_bool(f"{self._name}.{name}", value)
        vars(self)[name] = value


class SwitchModule(ModuleType):
    """A module with switches: its bool attributes accept only bools."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(vars(self).get(name), bool):
            check_bool(f"{self.__name__}.{name}", value)
        super().__setattr__(name, value)


@contextmanager
def switched(name: str, values: dict[str, Any]) -> Iterator[None]:
    """A context manager that sets switches of the module ``name``, and restores them."""
    module = sys.modules[name]
    before = {switch: getattr(module, switch) for switch in values}
    try:
        for switch, value in values.items():
            setattr(module, switch, value)
        yield
    finally:
        for switch, value in before.items():
            setattr(module, switch, value)
