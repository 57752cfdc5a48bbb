"""gnomon under PyTorch's name: ``import gnomon.compat.torch as torch`` in a program written for PyTorch.

Every name is gnomon's, and so is every submodule: ``from gnomon.compat.torch.utils.data import DataLoader``
imports ``gnomon.utils.data``.  A name that gnomon does not have raises AttributeError (a module,
ModuleNotFoundError), with PyTorch's name in the text.  Some modules that programs import without using them
can be imported though gnomon does not have them (compat/absent_modules.py).
"""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import gnomon as gn

from ...values.module_finder import ModuleFinder, attribute_module
from ..absent_modules import MODULES, WHY

# Names that gnomon has from the array API standard.
_STANDARD: tuple[str, ...] = vars(gn)["_ARRAY_API"]

__version__ = "2.13.0"  # the PyTorch whose behavior gnomon has

# PyTorch's modules that have another name here.
_MODULES = {
    "accelerator.memory": "accelerator",
    "autograd.profiler": "profiler",
    "cuda.amp.autocast_mode": "cuda.amp",
    "cuda.amp.grad_scaler": "cuda.amp",
    "utils.data._utils": "utils.data",
}


def __getattr__(name: str) -> Any:
    try:
        if name not in _STANDARD:  # PyTorch does not have them, and programs ask
            return getattr(gn, name)
        raise AttributeError(name)
    except AttributeError:
        if name in MODULES:
            return MODULES[name]
        raise AttributeError(f"torch.{name} is not there: gnomon has no {name!r}") from None


def __dir__() -> list[str]:
    return sorted({*dir(gn), "__version__"}.difference(_STANDARD))


def _module(name: str) -> ModuleType:
    """The module of gnomon that stands for PyTorch's ``torch.name``.  Raises ModuleNotFoundError."""
    if name in MODULES:
        return MODULES[name]
    for each, why in WHY.items():
        if name.startswith(f"{each}."):
            raise ModuleNotFoundError(f"torch.{name} is not there: {why}", name=name)
    own = name
    for theirs, ours in _MODULES.items():
        if f"{name}.".startswith(f"{theirs}."):
            own = ours + name.removeprefix(theirs)
    found = attribute_module(gn, own)
    if found is None:
        raise ModuleNotFoundError(f"torch.{name} is not there: gnomon has no such module", name=name)
    return found


for _path, _made in MODULES.items():  # as in PyTorch, those in packages are there without an import of them
    *_packages, _last = _path.split(".")
    if _packages:
        setattr(functools.reduce(getattr, _packages, gn), _last, _made)

sys.meta_path.insert(0, ModuleFinder(__name__, _module))
