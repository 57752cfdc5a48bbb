"""Gives a program the library that it imports as ``torch``, and stand-ins for other packages."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

STAND_INS = Path(__file__).with_name("stand_ins")
ALIAS = "gnomon.compat.torch"


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports ``torch`` as ``gnomon.compat.torch``, and ``torch.name`` as its module of that name.

    This is what changing each import of a program, and of the modules that it imports, would do.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "torch":
            return None
        importlib.import_module(ALIAS + fullname.removeprefix("torch"))  # raises what is missing
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = sys.modules[ALIAS + module.__name__.removeprefix("torch")]


def choose(name: str) -> Any:
    """Make ``import torch`` import the library, ``torch`` or ``gnomon``, and return that."""
    if name == "gnomon":
        sys.meta_path.insert(0, _Alias())
    sys.path.insert(0, str(STAND_INS))
    # A writer of TensorBoard's files, which needs a package of its own in PyTorch.
    tensorboard = importlib.import_module("tensorboard_stand_in")
    library = importlib.import_module("torch")
    sys.modules["torch.utils.tensorboard"] = sys.modules[f"{ALIAS}.utils.tensorboard"] = tensorboard
    return library
