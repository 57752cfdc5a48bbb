"""Switches: values that keep their type and choose nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


def check_bool(name: str, value: Any) -> None:
    """Raises RuntimeError for what is no bool, as PyTorch does."""
    if not isinstance(value, bool):
        raise RuntimeError(f"{name} expects a bool, but got {type(value).__name__}")


class Switches:
    """Switches that are no module, and no others than these."""

    _name: str

    def __init__(self, name: str, **values: Any):
        vars(self).update(values, _name=name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in vars(self):
            raise AttributeError(f"{self._name} has no switch {name!r}")
        if isinstance(getattr(self, name), bool):
            check_bool(f"{self._name}.{name}", value)
        vars(self)[name] = value


class SwitchModule(ModuleType):
    """A module whose bools stay bools."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(vars(self).get(name), bool):
            check_bool(f"{self.__name__}.{name}", value)
        super().__setattr__(name, value)


@contextmanager
def switched(name: str, values: dict[str, Any]) -> Iterator[None]:
    """Inside the block, the switches of the module of that name have these values."""
    module = sys.modules[name]
    before = {switch: getattr(module, switch) for switch in values}
    try:
        for switch, value in values.items():
            setattr(module, switch, value)
        yield
    finally:
        for switch, value in before.items():
            setattr(module, switch, value)
