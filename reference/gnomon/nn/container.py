"""Modules that hold modules: Sequential, ModuleList."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

import gnomon as gn

from .module import Module


class _Numbered(Module):
    """A module with children named "0", "1", …, accessible by number."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            chosen = list(self._modules.items())[idx]
            return type(self)(*self._arguments(chosen))
        return self._modules[self._name(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        self.register_module(self._name(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        names = list(self._modules)
        for name in names[idx] if isinstance(idx, slice) else [self._name(idx)]:
            del self._modules[name]
        kept = list(self._modules.values())
        self._modules.clear()
        for number, module in enumerate(kept):
            self._modules[str(number)] = module

    def append(self, module: Module) -> Any:
        """Adds ``module`` at the end; returns self."""
        self.register_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds ``modules`` at the end; returns self."""
        for module in modules:
            self.append(module)
        return self

    def _name(self, idx: int) -> str:
        """The name of child ``idx``, which may be negative.  Raises IndexError."""
        number = operator.index(idx)
        if not -len(self) <= number < len(self):
            raise IndexError(f"index {idx} is out of range")
        return list(self._modules)[number]

    def _arguments(self, chosen: list[tuple[str, Any]]) -> tuple[Any, ...]:
        """The constructor's arguments for a container with only the chosen children."""
        raise NotImplementedError


class Sequential(_Numbered):
    """A chain of modules: the output of each is the input of the next.

    Takes modules, or one dict of named modules.  Raises TypeError for an argument that is not a Module.
    Source: torch.nn.Sequential.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            named = list(args[0].items())
        else:
            named = [(str(number), module) for number, module in enumerate(args)]
        for name, module in named:
            self.register_module(name, module)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """The last module's output."""
        for module in self:
            input = module(input)
        return input

    def _arguments(self, chosen: list[tuple[str, Any]]) -> tuple[Any, ...]:
        return (dict(chosen),)


class ModuleList(_Numbered):
    """A list of modules whose parameters belong to the module that holds the list; it has no ``forward``.

    Source: torch.nn.ModuleList.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Inserts ``module`` before child ``index``."""
        children = list(self)
        children.insert(index, module)
        self._modules.clear()
        self.extend(children)

    def _arguments(self, chosen: list[tuple[str, Any]]) -> tuple[Any, ...]:
        return ([module for _, module in chosen],)

    def _child_texts(self) -> list[str]:
        """Adjacent children with the same repr are shown once, with their count."""
        texts: list[str] = []
        first = 0
        shown = [repr(module) for module in self]
        while first < len(shown):
            last = first
            while last + 1 < len(shown) and shown[last + 1] == shown[first]:
                last += 1
            body = shown[first].replace("\n", "\n  ")
            texts.append(
                f"({first}): {body}" if last == first else f"({first}-{last}): {last - first + 1} x {body}"
            )
            first = last + 1
        return texts
