"""Hooks: the handle by which one is removed.  Source: torch.utils.hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook"]


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a tensor's hook as one that is not to be saved; tensors' hooks never are.

    Source: torch.utils.hooks.unserializable_hook.
    """
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f
