"""Hooks: users' functions that get, and may replace, gradients in a backward pass.

A Node runs them in this order, each kind in the order of registration:

1. tensor pre-hooks: ``tensor.register_hook``, with the gradient of one output of the Node;
2. the retain_grad hook of a tensor: after all others, whenever it was registered;
3. pre-hooks: ``node.register_prehook``, with the gradients of all outputs;
4. (the Node runs; for a leaf, the gradient is added to ``grad`` and the post-accumulate hooks run)
5. post-hooks: ``node.register_hook``, with the gradients of inputs and outputs.

They are stored in a table outside the Nodes, because few Nodes have any.

Source: torch/csrc/autograd/function_hook.h, "Backward Hooks execution" in PyTorch's autograd notes.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..memory.tensor import Tensor

_next_id = itertools.count().__next__

Hooks = dict[int, Callable[..., Any]]


class RemovableHandle:
    """The handle of a registered hook: ``remove()``, or leaving a ``with`` block, removes the hook.

    Source: torch.utils.hooks.RemovableHandle.
    """

    __slots__ = ("_hooks", "id")

    def __init__(self, *hooks: Hooks):
        self._hooks = hooks
        self.id = _next_id()

    def remove(self) -> None:
        """Remove the hook; removing it twice is allowed."""
        for each in self._hooks:
            each.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def add_hook(hooks: Hooks, hook: Callable[..., Any]) -> RemovableHandle:
    """Register ``hook`` in ``hooks``.  Raises TypeError for one that is not callable."""
    if not callable(hook):
        raise TypeError(f"expected a hook that can be called, got {type(hook).__name__}")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class NodeHooks:
    """All hooks of one Node; ``tensor_pre`` and ``retain`` are keyed by output number."""

    __slots__ = ("post", "pre", "retain", "tensor_pre")

    def __init__(self) -> None:
        self.tensor_pre: dict[int, Hooks] = {}
        self.retain: dict[int, Callable[[Tensor], None]] = {}
        self.pre: Hooks = {}
        self.post: Hooks = {}

    def call_tensor_pre_hooks(self, gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Call the hooks of each tensor with its gradient, which their results replace."""
        replaced = list(gradients)
        for position, hooks in self.tensor_pre.items():
            for hook in list(hooks.values()):
                gradient = replaced[position]
                if gradient is not None:
                    replaced[position] = _replacement(hook, hook(gradient), gradient)
        for position, retain in list(self.retain.items()):
            gradient = replaced[position]
            if gradient is not None:
                retain(gradient)
        return replaced

    def call_pre_hooks(self, gradients: list[Tensor | None]) -> list[Tensor | None]:
        """Call each pre-hook with the gradients of all outputs, which a returned tuple replaces."""
        for hook in list(self.pre.values()):
            gradients = _replacements(hook, hook(tuple(gradients)), gradients)
        return gradients

    def call_post_hooks(
        self, results: Sequence[Tensor | None], gradients: Sequence[Tensor | None]
    ) -> Sequence[Tensor | None]:
        """Call each post-hook with results and gradients of the Node; a returned tuple replaces results."""
        for hook in list(self.post.values()):
            results = _replacements(hook, hook(tuple(results), tuple(gradients)), results)
        return results


def _name_of(hook: Any) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def _replacement(hook: Any, result: Any, gradient: Tensor) -> Tensor:
    """A hook's checked result, or the gradient itself if it returned None."""
    if result is None:
        return gradient
    if not isinstance(result, Tensor):
        raise TypeError(f"hook {_name_of(hook)!r}: expected a Tensor or None, but it returned {result!r}")
    if result._spec.sizes != gradient._spec.sizes:
        raise RuntimeError(
            f"hook {_name_of(hook)!r} has changed the size of value: it was given a gradient of shape "
            f"{list(gradient.shape)} and returned one of {list(result.shape)}"
        )
    if result._spec.dtype is not gradient._spec.dtype:
        raise RuntimeError(
            f"hook {_name_of(hook)!r} has changed the type of value: it was given {gradient.dtype} and "
            f"returned {result.dtype}"
        )
    return result


def _replacements(hook: Any, result: Any, gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
    if result is None:
        return list(gradients)
    if not isinstance(result, tuple):
        raise TypeError(
            f"hook {_name_of(hook)!r}: expected tuple, but hook returned {type(result).__name__!r}"
        )
    if len(result) != len(gradients):
        raise RuntimeError(
            f"hook {_name_of(hook)!r} has returned an incorrect number of values: expected "
            f"{len(gradients)}, got {len(result)}"
        )
    return [
        _replacement(hook, new, old) if old is not None and new is not None else new
        for new, old in zip(result, gradients)
    ]


hooks_of: weakref.WeakKeyDictionary[Any, NodeHooks] = weakref.WeakKeyDictionary()


def node_hooks(node: Any) -> NodeHooks:
    """The NodeHooks of ``node``; created if there were none."""
    found = hooks_of.get(node)
    if found is None:
        found = hooks_of[node] = NodeHooks()
    return found
