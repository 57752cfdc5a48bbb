"""In-place views: unsqueeze_ and its relatives give the tensor itself the sizes and strides of the view.

No element is written, but the version counter is incremented, and the graph gets the view's Node.  Source:
tools/autograd/gen_inplace_or_view_type.py, VariableTypeManual.cpp (detach_).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...dispatch.mode import is_grad_enabled
from ...memory.tensor import Tensor, autograd_meta, version_counter
from ...values import late_bound
from ...values.dispatch_key import AUTOGRAD, BATCHED


def check_inplace_view(self: Tensor) -> None:
    """Raises RuntimeError for a leaf that requires grad, before anything else is looked at."""
    if is_grad_enabled() and self.requires_grad:
        late_bound.check_inplace("", self, True)


def _become(self: Tensor, view: Tensor) -> Tensor:
    """Gives ``self`` the geometry and the gradient edge of a view of it."""
    check_inplace_view(self)
    if hasattr(self, "_take_view"):  # it holds other tensors
        self._take_view(view)
    else:
        self._spec = view._spec
        self._storage_offset = view._storage_offset
    if is_grad_enabled() and self.requires_grad:
        self._gradient_edge = view._gradient_edge
    if self._keys & BATCHED:
        self.value = view.value  # type: ignore[attr-defined]
    counter = version_counter(self)
    counter.value += 1
    if self._view_of is not None and is_grad_enabled():
        self._view_of = (self._view_of[0], counter.value, self._view_of[2])  # its edge is up to date
    if view._autograd_meta is not None and view._autograd_meta.tangents is not None:
        autograd_meta(self).tangents = dict(view._autograd_meta.tangents)
    return self


def _define(schema: str, view: Callable[..., Any], variants: str = "method") -> None:
    native_function(
        schema,
        variants=variants,
        composite=lambda self, *arguments: _become(self, view(self, *arguments)),
        doc="""Gives ``self`` the sizes and strides of the view, in-place.

        Raises RuntimeError for a leaf that requires grad, and the errors of the view.""",
    )


_define("squeeze_(Tensor(a!) self) -> Tensor(a!)", lambda *each: aten.squeeze.default(*each))
_define("squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)", lambda *each: aten.squeeze.dim(*each))
_define("squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)", lambda *each: aten.squeeze.dims(*each))
_define("unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)", lambda *each: aten.unsqueeze.default(*each))
_define("t_(Tensor(a!) self) -> Tensor(a!)", lambda *each: aten.t.default(*each))
for _schema in (
    "transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
    "swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)",
    "swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
):
    _define(_schema, lambda *each: aten.transpose.int(*each))
_define(
    "as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a!)",
    lambda *each: aten.as_strided.default(*each),
    "function, method",
)


def _detach_(self: Tensor) -> Tensor:
    if self._view_of is not None:
        raise RuntimeError("Can't detach views in-place. Use detach() instead.")
    self._gradient_edge = None
    self._keys &= ~AUTOGRAD
    if self._autograd_meta is not None and self._autograd_meta.tangents is not None:
        self._autograd_meta.tangents = dict.fromkeys(self._autograd_meta.tangents)
    return self


native_function(
    "detach_(Tensor(a!) self) -> Tensor(a!)",
    composite=_detach_,
    doc="""Detaches ``self`` from the autograd graph in-place: it becomes a leaf that does not require grad.
    Raises RuntimeError for a view.""",
)
