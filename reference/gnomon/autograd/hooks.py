"""Hooks: functions of the user's that see, and may replace, gradients on their way.

Source: torch/utils/hooks.py, torch/_tensor.py (register_hook, retain_grad).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor, autograd_meta
from ..values.dispatch_key import AUTOGRAD
from .graph import gradient_edge, tensor_hooks

_next_id = itertools.count().__next__


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook away again."""

    __slots__ = ("_hooks", "id")

    def __init__(self, hooks: dict[int, Any]):
        self._hooks = hooks
        self.id = _next_id()

    def remove(self) -> None:
        """Take the hook away; doing so twice is no error."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call ``hook`` with the gradient of this tensor whenever backward computes it.

    What it returns, if anything, takes the gradient's place.  Raises RuntimeError for a tensor that does not
    require grad.  Source: torch.Tensor.register_hook.
    """
    if not self._keys & AUTOGRAD:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node, input_nr = gradient_edge(self)  # type: ignore[misc]
    hooks = tensor_hooks.setdefault(node, {}).setdefault(input_nr, {})
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def retain_grad(self: Tensor) -> None:
    """Keep this non-leaf's gradient in ``grad`` when backward computes it.

    Source: torch.Tensor.retain_grad.
    """
    if not self._keys & AUTOGRAD:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if self.is_leaf or self.retains_grad:
        return
    import weakref

    reference = weakref.ref(self)

    def keep(gradient: Tensor) -> None:
        tensor = reference()
        if tensor is not None:
            # a copy: what flows through the graph may be expanded, or somebody else's
            autograd_meta(tensor).grad = aten.clone.default(gradient, None)

    register_hook(self, keep)
    autograd_meta(self).retains_grad = True
