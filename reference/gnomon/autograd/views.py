"""Views and in-place operators: how the graph stays correct when several tensors share memory.

A view refers to its base.  Writing to a view in place modifies the base, so the *base* gets a new Node,
CopySlices: it passes the gradient of the written part through the in-place operator's Node, and leaves the
rest unchanged.  The view's own ``grad_fn`` is then created anew, as a view of the base; so is that of any
other view of it when it is next needed (its version shows that it is out of date).

Source: torch/csrc/autograd/variable.cpp (rebase_history, grad_fn), functions/tensor.h (CopySlices).
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from ..dispatch.dispatcher import aten
from ..dispatch.mode import mode_word
from ..memory.spec import Spec, spec_of
from ..memory.tensor import CreationMeta, Tensor, version_counter
from ..values import geometry, late_bound
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, INFERENCE_MODE_BIT
from .hooks import node_hooks
from .node import Edge, Node, gradient_edge, next_sequence_number, operator_name
from .saved_variable import edges_of_views

_IN_NO_GRAD = "Under no_grad() it is allowed, and an out-of-place call always is."


def mark_view(view: Tensor, source: Tensor, of_several: bool = False) -> None:
    """Mark ``view`` as a view of ``source`` (or of its base).

    ``of_several``: one operator returned several views.  A view requires grad if its base does, even if the
    operator was not recorded.
    """
    word = mode_word()
    if word & INFERENCE_MODE_BIT:
        creation: int = CreationMeta.INFERENCE_MODE
    elif not word & GRAD_MODE_BIT:
        creation = CreationMeta.NO_GRAD_MODE
    else:
        creation = CreationMeta.MULTI_OUTPUT_NODE if of_several else CreationMeta.DEFAULT
    base = source
    if source._view_of is not None:
        base, _, of_source = source._view_of
        creation = creation or of_source
    counter = version_counter(view)
    view._view_of = (base, counter.value, creation)
    if not base._keys & AUTOGRAD:
        counter.add_view(view)
    elif view._spec.dtype.category >= 2:
        view._keys |= AUTOGRAD


def check_inplace(name: str, self: Tensor, any_input_requires_grad: bool) -> None:
    """Raises RuntimeError if autograd does not allow an in-place operator on ``self``.

    Source: check_inplace in VariableTypeUtils.h.
    """
    if not any_input_requires_grad:
        return
    if self._view_of is not None:
        base, _, creation = self._view_of
        if creation and self.dtype.category >= 2:  # integer views have no history
            _refuse_view(self, creation, "is being")
        if self._keys & AUTOGRAD and gradient_edge_of(base) is None:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation. "
                + _IN_NO_GRAD
            )
    if self._keys & AUTOGRAD and gradient_edge_of(self) is None:
        raise RuntimeError(
            f"a leaf Variable that requires grad is being used in an in-place operation. {_IN_NO_GRAD}"
        )


def _refuse_view(view: Tensor, creation: int, modified: str) -> None:
    """Raises the RuntimeError for a view whose CreationMeta forbids in-place operators.

    Source: handle_view_on_rebase.
    """
    edge = view._gradient_edge
    if creation == CreationMeta.INFERENCE_MODE:
        what, mode = "inference mode", "in normal mode"
    else:
        what, mode = "no_grad mode", "with grad mode enabled"
    if creation in (CreationMeta.INFERENCE_MODE, CreationMeta.NO_GRAD_MODE) or edge is None:
        made = (
            "A view was created in" if edge is None else _output_of(edge, " of a view which was created in")
        )
        text = (
            f"{made} {what} and {modified} modified inplace {mode}. Make the view and write to it both "
            "inside such a block (then it is not recorded) or both outside (then it is)."
        )
    elif creation == CreationMeta.MULTI_OUTPUT_NODE:
        text = (
            f"{_output_of(edge)} and {modified} modified inplace. This view is the output of a function that "
            "returns multiple views: write to a clone of it, or use the out-of-place operator."
        )
    else:
        text = (
            f"{_output_of(edge)} and {modified} modified inplace. This view was created inside a custom "
            "Function (or because an input was returned as-is), whose backward would no longer be called: "
            "return a clone of it from the Function, or use the out-of-place operator."
        )
    raise RuntimeError(text)


def _output_of(edge: Edge, of_what: str = "") -> str:
    return f"Output {edge[1]} of {operator_name(edge[0])} is a view{of_what}"


def gradient_edge_of(tensor: Tensor) -> Edge | None:
    """The edge to the tensor's grad_fn, up to date for a view; None for a leaf."""
    return refresh_view(tensor) if tensor._view_of is not None else tensor._gradient_edge


class AsStridedBackward0(Node):
    """The Node of a view of ``base_spec``: its gradient is the view's, in zeros.

    Elements of the base that occur several times in the view get the sum of the gradients.
    """

    __slots__ = ("base_offset", "base_spec", "view_offset", "view_spec")

    base_offset: int
    base_spec: Spec
    view_offset: int
    view_spec: Spec

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        grad = gradients[0]
        if grad is None:
            return (None,)
        base, view, offset = _same_unit(self.base_spec, self.base_offset, self.view_spec, self.view_offset)
        if base.dtype is not self.view_spec.dtype:
            grad = _parts(grad)
        memory = aten.new_zeros(grad, (_extent(base),), dtype=base.dtype)
        if geometry.may_overlap(view.sizes, view.strides):
            places = aten.arange(_extent(base), device=grad.device)
            places = places.as_strided(view.sizes, view.strides, offset).reshape(-1)
            memory = memory.scatter_add(0, places, grad.reshape(-1))
        else:
            memory = memory.as_strided_scatter(grad, view.sizes, view.strides, offset)
        return (_whole(_shown(memory, base), self.base_spec),)


class CopySlices(Node):
    """The Node of a base of which an in-place operator modified a view; ``node`` is the operator's."""

    __slots__ = ("base_offset", "base_spec", "node", "view_offset", "view_spec")

    base_offset: int
    base_spec: Spec
    view_offset: int
    view_spec: Spec
    node: Node

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        grad = gradients[0]
        if grad is None:
            return (None,) * len(self.next_edges)
        base, view, offset = _same_unit(self.base_spec, self.base_offset, self.view_spec, self.view_offset)
        mixed = base.dtype is not self.base_spec.dtype or view.dtype is not self.view_spec.dtype
        window = (view.sizes, view.strides, offset)
        memory = _memory(_parts(grad) if mixed else grad, base)
        slice_grad = memory.as_strided(*window).clone()
        if mixed:
            slice_grad = _whole(slice_grad, self.view_spec)
        through = self.node.apply((slice_grad,))
        first = through[0]
        if first is None:
            first = slice_grad.new_zeros(slice_grad.shape)
        elif first._spec.sizes != slice_grad._spec.sizes:
            first = first.sum_to_size(slice_grad._spec.sizes)
        placed = _shown(memory.as_strided_scatter(_parts(first) if mixed else first, *window), base)
        return (_whole(placed, self.base_spec) if mixed else placed, *through[1:])

    def view_edge(self) -> Edge:
        """A new edge for the modified view, as a view of the base whose grad_fn is this Node."""
        node = AsStridedBackward0()
        node.base_spec, node.base_offset = self.base_spec, self.base_offset
        node.view_spec, node.view_offset = self.view_spec, self.view_offset
        node.next_edges = ((self, 0),)
        node.sequence_nr = next_sequence_number()
        node.metadata_specs = (self.view_spec,)
        return node, 0

    def release_variables(self) -> None:
        self.node.release_variables()


# The gradient of a base gets its own memory, with the base's strides, so that the view's strides and offset
# select the same elements in it as in the base.


def _extent(spec: Spec) -> int:
    """The number of elements from the first to the last in memory."""
    return geometry.extent(spec.sizes, spec.strides)


def _memory(grad: Tensor, base: Spec) -> Tensor:
    """A 1-d tensor of ``grad`` with the memory layout of the base, and zeros in gaps."""
    if base.is_contiguous:
        return grad.clone().contiguous().view(-1)
    zeros = aten.new_zeros(grad, (_extent(base),))
    return zeros.as_strided_scatter(grad, base.sizes, base.strides, 0)


def _shown(memory: Tensor, base: Spec) -> Tensor:
    """The inverse of ``_memory``: a view with the base's sizes."""
    return memory.as_strided(base.sizes, base.strides, 0)


def _parts(tensor: Tensor) -> Tensor:
    """``view_as_real`` of a complex tensor; a real tensor itself."""
    return aten.view_as_real.default(tensor) if tensor._spec.dtype.is_complex else tensor


def _whole(parts: Tensor, wanted: Spec) -> Tensor:
    """The inverse of ``_parts``, if ``wanted`` is complex."""
    if not wanted.dtype.is_complex or parts._spec.dtype.is_complex:
        return parts
    return aten.view_as_complex.default(parts.contiguous())


def _parts_spec(spec: Spec, offset: int) -> tuple[Spec, int]:
    """The spec and the offset of the result of ``_parts``."""
    if not spec.dtype.is_complex:
        return spec, offset
    strides = (*(2 * stride for stride in spec.strides), 1)
    return spec_of((*spec.sizes, 2), strides, spec.dtype.to_real(), spec.device), 2 * offset


def _same_unit(base: Spec, base_offset: int, view: Spec, view_offset: int) -> tuple[Spec, Spec, int]:
    """The specs of base and view, and the view's offset relative to the base.

    If one of them is complex and the other real, the complex one is viewed as real.
    """
    if base.dtype is not view.dtype:
        (base, base_offset), (view, view_offset) = (
            _parts_spec(base, base_offset),
            _parts_spec(view, view_offset),
        )
    return base, view, view_offset - base_offset


def rebase_history(self: Tensor, node: Node, output_nr: int = 0) -> None:
    """Make ``node``, of an in-place operator, the grad_fn of ``self``, which is its output ``output_nr``.

    If ``self`` is a view (it is then the only output), its base gets a CopySlices.
    """
    was_variable = self._keys & AUTOGRAD
    self._keys |= AUTOGRAD
    if self._view_of is None:
        set_edge(self, (node, output_nr))
        if not was_variable and self._version_counter is not None:
            self._version_counter.views_require_grad(self)
        return
    base, _, creation = self._view_of
    slices = CopySlices()
    slices.node = node
    slices.base_spec, slices.base_offset = base._spec, base._storage_offset
    slices.view_spec, slices.view_offset = self._spec, self._storage_offset
    slices.next_edges = (gradient_edge(base), *node.next_edges[1:])
    slices.sequence_nr = next_sequence_number()
    slices.metadata_specs = (base._spec,)
    edges_of_views[node] = weakref.WeakMethod(slices.view_edge)
    set_edge(base, (slices, 0))
    if not base._keys & AUTOGRAD:
        base._keys |= AUTOGRAD
        version_counter(base).views_require_grad(base)
    self._view_of = (base, -1, creation)  # out of date: refresh_view gives it an edge to the base
    refresh_view(self)


def set_edge(tensor: Tensor, edge: Edge) -> None:
    """Set the tensor's edge, and move its retain_grad hook to the new Node."""
    meta = tensor._autograd_meta
    if meta is not None and meta.retain_hook is not None and tensor._gradient_edge is not None:
        node, output_nr = tensor._gradient_edge
        node_hooks(node).retain.pop(output_nr, None)
        node_hooks(edge[0]).retain[edge[1]] = meta.retain_hook
    tensor._gradient_edge = edge


def refresh_view(view: Tensor) -> Edge | None:
    """The view's edge, created anew if the base was modified in place since."""
    base, version, creation = view._view_of  # type: ignore[misc]
    current = version_counter(view).value
    if version == current or not base._keys & AUTOGRAD:
        return view._gradient_edge
    if creation:
        _refuse_view(view, creation, "its base or another view of its base has been")
    node = AsStridedBackward0()
    node.base_spec, node.base_offset = base._spec, base._storage_offset
    node.view_spec, node.view_offset = view._spec, view._storage_offset
    node.next_edges = (gradient_edge(base),)
    node.sequence_nr = next_sequence_number()
    node.metadata_specs = (view._spec,)
    set_edge(view, (node, 0))
    view._keys |= AUTOGRAD
    view._view_of = (base, current, creation)
    return view._gradient_edge


late_bound.refresh_view = refresh_view
late_bound.check_inplace = check_inplace
