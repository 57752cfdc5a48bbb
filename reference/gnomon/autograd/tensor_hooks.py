"""Hooks registered on tensors: for their gradients, and for leaves after accumulation.

Source: torch/_tensor.py (register_hook, register_post_accumulate_grad_hook), torch/autograd/graph.py
(register_multi_grad_hook).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Literal

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor, autograd_meta
from ..values.dispatch_key import AUTOGRAD
from .graph_task import current_task
from .hooks import RemovableHandle, add_hook, node_hooks
from .node import accumulator_edge, gradient_edge


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call ``hook`` with the gradient of this tensor whenever backward computes it.

    If it returns a tensor, of the same shape and dtype, that replaces the gradient.  A hook belongs to the
    value it was registered on: if an in-place operator modifies the tensor later, the hook still gets the
    gradient of the old value.

    Raises RuntimeError for a tensor that does not require grad.  Source: torch.Tensor.register_hook.
    """
    if not self._keys & AUTOGRAD:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    edge = gradient_edge(self)
    if edge is None:
        raise RuntimeError("cannot register a hook on a view that was made under no_grad")
    return add_hook(node_hooks(edge[0]).tensor_pre.setdefault(edge[1], {}), hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook`` with this leaf whenever backward has added to its ``grad``.

    The hooks run after the whole graph, so that a failing backward changes nothing; in PyTorch each runs as
    soon as its leaf's gradient is accumulated.

    Raises RuntimeError for a tensor that does not require grad, and for a non-leaf.  Source:
    torch.Tensor.register_post_accumulate_grad_hook.
    """
    if not self._keys & AUTOGRAD:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    accumulator_edge(self)[0]._kept = self  # the hook must run even if nothing else refers to the leaf
    meta = autograd_meta(self)
    if meta.post_accumulate_grad_hooks is None:
        meta.post_accumulate_grad_hooks = {}
    return add_hook(meta.post_accumulate_grad_hooks, hook)


def retain_grad(self: Tensor) -> None:
    """Keep this non-leaf's gradient in ``grad`` when backward computes it, after all its hooks.

    Raises RuntimeError for a tensor that does not require grad.  Source: torch.Tensor.retain_grad.
    """
    if not self._keys & AUTOGRAD:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    edge = gradient_edge(self)
    if self.grad_fn is None or self.retains_grad or edge is None:
        return
    reference = weakref.ref(self)

    def keep(gradient: Tensor) -> None:
        tensor = reference()
        if tensor is not None:
            meta = autograd_meta(tensor)
            # a copy: the gradient may be expanded, or referred to elsewhere
            meta.grad = (
                aten.clone.default(gradient, None) if meta.grad is None else aten.add(meta.grad, gradient)
            )

    node_hooks(edge[0]).retain[edge[1]] = keep
    autograd_meta(self).retain_hook = keep


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """Call ``fn`` when the gradients of several tensors have been computed by one backward.

    With ``mode="all"``, ``fn`` gets a list of all gradients, None for those that this backward does not
    compute, after the last one is computed; with ``mode="any"``, it gets the first gradient, and tensors that
    do not require grad are ignored.  Raises ValueError for another mode, and AssertionError for a tensor that
    does not require grad with "all".
    Source: torch.autograd.graph.register_multi_grad_hook.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"register_multi_grad_hook: expected mode to be 'all' or 'any', got {mode!r}")
    lock = threading.Lock()
    arrived: dict[int, dict[int, Tensor | None]] = {}  # task id -> position -> gradient
    done: list[int] = []  # id of the last backward pass in which mode "any" called fn
    if mode == "any":
        tensors = [each for each in tensors if each._keys & AUTOGRAD]
    edges = [gradient_edge(each) for each in tensors]
    nodes = [edge[0] for edge in edges if edge is not None]
    if len(nodes) < len(edges):
        raise AssertionError("Expected gradient function to be set: a tensor does not require grad")

    def hook_for(position: int) -> Callable[[Tensor], None]:
        def collect(gradient: Tensor) -> None:
            task = current_task.get()
            assert task is not None, "hooks run inside backward only"
            with lock:
                if mode == "any":
                    if done and done[0] == task.id:
                        return
                    done[:] = [task.id]
                    ready: Any = gradient
                else:
                    expected = sum(task.comes_by(node) for node in nodes)
                    gradients = arrived.setdefault(task.id, {})
                    gradients[position] = gradient
                    if len(gradients) < expected:
                        return
                    del arrived[task.id]
                    ready = [gradients.get(each) for each in range(len(nodes))]
            fn(ready)

        return collect

    handles = [register_hook(each, hook_for(position)) for position, each in enumerate(tensors)]
    return _HandleOfMany(handles)


class _HandleOfMany(RemovableHandle):
    """Removes several hooks at once."""

    __slots__ = ("_handles",)

    def __init__(self, handles: Sequence[RemovableHandle]):
        super().__init__()
        self._handles = handles

    def remove(self) -> None:
        for each in self._handles:
            each.remove()


__all__ = [
    "register_hook",
    "register_multi_grad_hook",
    "register_post_accumulate_grad_hook",
    "retain_grad",
]
