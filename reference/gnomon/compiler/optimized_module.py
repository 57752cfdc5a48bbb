"""OptimizedModule: what ``gnomon.compile`` makes of a module.  Source: torch/_dynamo/eval_frame.py."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from ..nn.modules.module import Module


class OptimizedModule(Module):
    """A module that runs ``_orig_mod``, its only child, as it is.

    Other attributes are those of ``_orig_mod``: they are read, set and deleted there.  So names of parameters
    and keys of the state_dict begin with ``_orig_mod.``; hooks and buffers that are registered with this
    module are its own.
    """

    _orig_mod: Module

    def __init__(self, mod: Module):
        super().__init__()
        self._modules["_orig_mod"] = mod

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls ``_orig_mod``, with its hooks."""
        return self._orig_mod(*args, **kwargs)

    def __len__(self) -> int:
        if isinstance(self._orig_mod, Sized):
            return len(self._orig_mod)
        raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")

    @property
    def training(self) -> bool:
        """That of ``_orig_mod``."""
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        self._orig_mod.training = mode

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return super().__getattr__(name)
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_orig_mod" or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        if name == "_orig_mod" or hasattr(type(self), name):
            super().__delattr__(name)
        else:
            delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._orig_mod,)
