"""gnomon under PyTorch's name: ``import gnomon.compat.torch as torch`` in a program written for PyTorch.

Every name is gnomon's, and so is every submodule: ``from gnomon.compat.torch.utils.data import DataLoader``
imports ``gnomon.utils.data``.  A name that gnomon does not have raises AttributeError (a module,
ModuleNotFoundError), with PyTorch's name in the text.  Some modules that programs import without using them
can be imported though gnomon does not have them (compat/absent_modules.py).
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import gnomon as gn

from ..absent_modules import MODULES

__version__ = "2.13.0"  # the PyTorch whose behavior gnomon has

# PyTorch's modules that have another name here.
_MODULES = {"autograd.profiler": "profiler"}


def __getattr__(name: str) -> Any:
    try:
        return getattr(gn, name)
    except AttributeError:
        if name in MODULES:
            return MODULES[name]
        raise AttributeError(f"torch.{name} is not there: gnomon has no {name!r}") from None


def __dir__() -> list[str]:
    return sorted({*dir(gn), "__version__"})


def _module(name: str) -> ModuleType:
    """The module of gnomon that stands for PyTorch's ``torch.name``.  Raises ModuleNotFoundError."""
    if name in MODULES:
        return MODULES[name]
    found: Any = gn
    for part in _MODULES.get(name, name).split("."):
        try:  # a device's module, such as cuda, is only an attribute
            found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")
        except ModuleNotFoundError:
            found = None
        if not isinstance(found, ModuleType):
            raise ModuleNotFoundError(f"torch.{name} is not there: gnomon has no such module", name=name)
    return found


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports ``gnomon.compat.torch.name`` as the module of gnomon."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        name = fullname.removeprefix(f"{__name__}.")
        if name == fullname:
            return None
        _module(name)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        found = _module(module.__name__.removeprefix(f"{__name__}."))
        if not hasattr(found, "__path__"):  # modules are imported only from a package, which PyTorch's is
            found.__path__ = []
        sys.modules[module.__name__] = found


sys.meta_path.insert(0, _Finder())
