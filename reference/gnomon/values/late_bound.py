"""What a file calls and a file above it gives: all of it stands here, with its reason.

A file imports only from floors below its own.  Where it needs something from above, it calls it by way of
this file, ``late_bound.refresh_view(view)``; the file above puts it here when it is imported; and until then
stands here what holds without it.

    late_bound.refresh_view = refresh_view  # at the end of autograd/views.py

Kernels are no such thing: the floors above register theirs with the dispatcher (``register_boxed_fallback``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class LateBound(NamedTuple):
    """Of one name here: which files call it, which one gives it, and why that can not be an import."""

    called_by: tuple[str, ...]
    given_by: str
    reason: str


LATE_BOUND = {
    "find_device": LateBound(
        ("values.device",), "memory.backend", "what `cpu` stands for depends on the backends that there are"
    ),
    "find_operators": LateBound(
        ("memory.backend",), "calls.native", "a backend's kernels and claims must name operators"
    ),
    "refresh_view": LateBound(
        ("memory.tensor", "autograd.node"),
        "autograd.views",
        "a view's grad_fn is made anew when it is asked for",
    ),
    "check_inplace": LateBound(
        ("ops.views.view_inplace",),
        "autograd.views",
        "x.transpose_() is refused where autograd could not follow it",
    ),
    "make_index_tensor": LateBound(
        ("ops.indexing.index",), "bindings.creation", "x[[0, 2]] makes a tensor of a list"
    ),
    "apply_batched": LateBound(
        ("autograd.function",), "func.custom_functions", "an autograd.Function of tensors inside vmap"
    ),
    "vmap": LateBound(
        ("autograd.engine", "autograd.functional", "autograd.gradcheck"),
        "bindings.functional",
        "is_grads_batched and vectorized Jacobians are vmap of a backward",
    ),
}


def find_device(asked: Any) -> Any:
    """The device that tensors carry which are made on ``asked``."""
    return asked


def find_operators() -> Mapping[str, str]:
    """The names of all operators, each with that of the one whose kernel it runs."""
    return {}


def refresh_view(view: Any) -> Any:
    """The gradient edge of a view, right for what its base was last written."""
    return view._gradient_edge


def check_inplace(name: str, self: Any, any_input_requires_grad: bool) -> None:
    """Raises RuntimeError where autograd could not follow an in-place operator."""


def make_index_tensor(data: Any, device: Any) -> Any:
    """Nested sequences of numbers as a tensor that indexes."""
    raise NotImplementedError("an index that is a list: import gnomon, not a part of it")


def apply_batched(cls: Any, args: Any, kwargs: Any) -> Any:
    """The outputs of an autograd.Function of batched tensors; NotImplemented where there are none."""
    return NotImplemented


def vmap(func: Any, *more: Any, **options: Any) -> Any:
    """``func`` for many examples at once."""
    raise RuntimeError("this needs vmap: import gnomon, not a part of it")


# Not a name that is given, but a list that grows: whoever remembers what calls came to says how that is
# forgotten, once it may not be right any longer.  (Backends are registered below, and defaults set there.)
_forgetting: list[Callable[[], None]] = []


def on_forget(forget: Callable[[], None]) -> None:
    """Call ``forget`` whenever a backend is registered, or the default dtype or device is set."""
    _forgetting.append(forget)


def forget_calls() -> None:
    """What was remembered of calls is not right any longer."""
    for forget in _forgetting:
        forget()
