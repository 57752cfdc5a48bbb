"""The namespace for tensors on one device: what it creates without ``device=`` is there.

Libraries that are written for the standard often create arrays without a device, such as constants, and
combine them with their arguments.  So the namespace of a tensor on another device than the default one,
which ``Tensor.__array_namespace__`` returns, has that device as its default.
"""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import gnomon as gn
from gnomon import device as Device

from .inspection import Info

# What creates tensors from other things than tensors, by the part of the namespace.
CREATION = {
    "": ("arange", "asarray", "empty", "eye", "full", "linspace", "ones", "zeros"),
    "fft": ("fftfreq", "rfftfreq"),
}


class _InfoOnDevice(Info):
    """The description of such a namespace."""

    def __init__(self, where: Device):
        self._where = where

    def default_device(self) -> Device:
        """The device of new tensors."""
        return self._where


class _Namespace(ModuleType):
    """A module of which some names are others."""

    def __init__(self, whole: ModuleType, own: dict[str, Any]):
        super().__init__(whole.__name__, whole.__doc__)
        self.__dict__.update(own)
        self._whole = whole

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def __dir__(self) -> list[str]:
        return dir(self._whole)


def _created_on(function: Any, where: Device) -> Any:
    @functools.wraps(function)
    def call(*arguments: Any, device: Any = None, **named: Any) -> Any:
        if device is None and not (function.__name__ == "asarray" and isinstance(arguments[0], gn.Tensor)):
            device = where
        return function(*arguments, device=device, **named)

    return call


@functools.cache
def namespace_on(where: Device) -> ModuleType:
    """gnomon.array_api with another default device."""
    whole = sys.modules[__package__]
    parts = {}
    for name, functions in CREATION.items():
        part = getattr(whole, name) if name else whole
        parts[name] = {each: _created_on(getattr(part, each), where) for each in functions}
    own = parts.pop("")
    own |= {name: _Namespace(getattr(whole, name), functions) for name, functions in parts.items()}
    own["__array_namespace_info__"] = lambda: _InfoOnDevice(where)
    own["__array_namespace_info__"].__doc__ = whole.__array_namespace_info__.__doc__
    return _Namespace(whole, own)
