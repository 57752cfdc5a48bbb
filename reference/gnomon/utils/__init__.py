"""Utilities: data loading, pytrees, activation checkpoints, and what describes this machine.

Source: torch/utils.
"""

from typing import Any

from . import benchmark, checkpoint, collect_env, data, dlpack, hooks, mkldnn, model_zoo, pytree
from .inline import c_prototype, load_inline

__all__ = [
    "benchmark",
    "c_prototype",
    "checkpoint",
    "collect_env",
    "data",
    "dlpack",
    "hooks",
    "load_inline",
    "mkldnn",
    "model_zoo",
    "pytree",
    "set_module",
]


def set_module(obj: Any, mod: str) -> None:
    """Sets the name of the module of a class or function.  Raises TypeError unless it is a string.

    Source: torch.utils.set_module.
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
