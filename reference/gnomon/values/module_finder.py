"""Modules that a function finds instead of the file system: ``import gnomon.cuda``."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any


class ModuleFinder:
    """An import of ``package.name`` gets the module ``find(name)``; None: there is no such module.

    It is an entry of sys.meta_path, and the loader of what it finds.  Source: importlib.abc, whose base
    classes are not used because they import more than all of gnomon does.
    """

    def __init__(self, package: str, find: Callable[[str], ModuleType | None]):
        self._prefix = f"{package}."
        self._find = find

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        name = fullname.removeprefix(self._prefix)
        if name == fullname or self._find(name) is None:
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """A new module, as usual; ``exec_module`` replaces it."""

    def exec_module(self, module: ModuleType) -> None:
        found = self._find(module.__name__.removeprefix(self._prefix))
        assert found is not None
        if not hasattr(found, "__path__"):  # modules are imported only from packages
            found.__path__ = []
        sys.modules[module.__name__] = found
        if sys.modules.get(found.__name__) is not found:  # another one has its name
            return
        # What is loaded already is not imported again, which would bind its name in the package again.
        inner = f"{found.__name__}."
        for name, each in list(sys.modules.items()):
            if name.startswith(inner):
                sys.modules.setdefault(f"{module.__name__}.{name.removeprefix(inner)}", each)


def attribute_module(root: Any, name: str) -> ModuleType | None:
    """The module that ``root.name`` is, or that lies in the package of that name; None if neither is there.

    ``name`` may have dots.  A function that has the name of the file it is in does not hide the file.
    """
    found = root
    for part in name.split("."):
        inner = getattr(found, part, None)
        if not isinstance(inner, ModuleType):
            try:
                inner = importlib.import_module(f"{found.__name__}.{part}")
            except ModuleNotFoundError:
                return None
        found = inner
    return found if isinstance(found, ModuleType) else None
