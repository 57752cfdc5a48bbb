"""Functions that a file calls but a file of a higher floor defines: all are listed here, with the reason.

A file imports only from lower floors.  If it needs a function from above, it calls the one here,
``late_bound.refresh_view(view)``, which the file above replaces when it is imported.  Until then, the default
below is called.

    late_bound.refresh_view = refresh_view  # at the end of autograd/views.py

Kernels do not need this: the floors above register them with the dispatcher (``register_boxed_fallback``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class LateBound(NamedTuple):
    """For one name: which files call it, which file defines it, and why it can not be imported."""

    called_by: tuple[str, ...]
    given_by: str
    reason: str


LATE_BOUND = {
    "find_device": LateBound(
        ("values.device",),
        "memory.backend",
        "the device that `cpu` stands for depends on the installed backends",
    ),
    "find_accelerator": LateBound(
        ("values.device",),
        "accelerator.devices",
        "a number as a device is that of the accelerator, if there is one",
    ),
    "find_operators": LateBound(
        ("memory.contract",),
        "calls.native",
        "the operator names in a backend's kernels and claims are validated",
    ),
    "refresh_view": LateBound(
        ("memory.tensor", "autograd.node"),
        "autograd.views",
        "the grad_fn of a view is regenerated if its base was modified in place",
    ),
    "check_inplace": LateBound(
        ("ops.views.view_inplace",),
        "autograd.views",
        "`x.transpose_()` raises if autograd forbids in-place operators on `x`",
    ),
    "make_index_tensor": LateBound(
        ("ops.indexing.index",), "bindings.creation", "`x[[0, 2]]` converts the list to an index tensor"
    ),
    "apply_batched": LateBound(
        ("autograd.function",),
        "func.custom_functions",
        "inside vmap, an autograd.Function is applied to BatchedTensors",
    ),
    "vmap": LateBound(
        ("autograd.engine", "autograd.functional", "autograd.gradcheck"),
        "bindings.functional",
        "`is_grads_batched` and vectorized Jacobians are computed with vmap",
    ),
}


def find_device(asked: Any) -> Any:
    """The ``device`` of tensors that are created on ``asked``."""
    return asked


def find_accelerator() -> str:
    """The accelerator's device type.  Raises RuntimeError if there is none."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


def find_operators() -> Mapping[str, str]:
    """The names of all operators, each with the name of the operator whose kernel it runs."""
    return {}


def refresh_view(view: Any) -> Any:
    """The gradient edge of a view, up to date with in-place writes to its base."""
    return view._gradient_edge


def check_inplace(name: str, self: Any, any_input_requires_grad: bool) -> None:
    """Raises RuntimeError if autograd does not allow an in-place operator here."""


def make_index_tensor(data: Any, device: Any) -> Any:
    """Convert nested sequences of numbers to an index tensor."""
    raise NotImplementedError(
        "indexing with a list requires the whole library: import gnomon, not only a submodule"
    )


def apply_batched(cls: Any, args: Any, kwargs: Any) -> Any:
    """The outputs of an autograd.Function of batched tensors, or NotImplemented: run it as usual."""
    return NotImplemented


def vmap(func: Any, *more: Any, **options: Any) -> Any:
    """Map ``func`` over a batch dimension."""
    raise RuntimeError("vmap requires the whole library: import gnomon, not only a submodule")


# Not a late-bound name, but a growing list: code that caches the outcome of calls registers here how to clear
# its cache when the outcome may change (backends are registered below its floor, and defaults set there).
_forgetting: list[Callable[[], None]] = []


def on_forget(forget: Callable[[], None]) -> None:
    """Register ``forget``, called whenever a backend is registered, or the default dtype or device is set."""
    _forgetting.append(forget)


def forget_calls() -> None:
    """Clear all caches of the outcome of calls."""
    for forget in _forgetting:
        forget()
