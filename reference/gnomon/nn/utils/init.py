"""Modules without initialization of their parameters.  Source: torch/nn/utils/init.py."""

from __future__ import annotations

import inspect
from typing import Any

from ..modules.module import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """A module of the given class and arguments whose parameters have undefined elements.

    It draws no random numbers.  Raises RuntimeError for a class that is not a Module, and for one whose
    constructor has no argument ``device``.  Source: torch.nn.utils.skip_init.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
