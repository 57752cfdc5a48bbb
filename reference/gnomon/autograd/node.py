"""The graph: Nodes, the Edges between them, and AccumulateGrad at its leaves.

A Node is the derivative of one recorded operator: it computes the gradients of its inputs from those of its
outputs.  Its ``next_edges`` say where each of these goes.

Source: torch/csrc/autograd/function.h, edge.h, functions/accumulate_grad.h, input_metadata.h.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..dispatch.dispatcher import aten
from ..dispatch.mode import mode_word
from ..memory import tensor as tensor_module
from ..memory.backend import resolve_device
from ..memory.spec import contiguous_spec
from ..memory.tensor import Tensor, alias_tensor, autograd_meta, empty_tensor, is_alias_of, make_tensor
from ..values import geometry, late_bound
from ..values.device import contiguous_format, strided
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, SPARSE, WRAPPER_KEYS
from ..values.dtype import float32
from ..values.speedups import speedups
from .gradient_sums import sum_of
from .hooks import RemovableHandle, add_hook, hooks_of, node_hooks

# Where a gradient goes: a Node and the number of its input.  A plain tuple, as in `Node.next_functions`,
# because one is created for every recorded operator.
Edge = tuple["Node", int]

next_sequence_number = itertools.count().__next__

# Has a Node been recorded whose inputs and output are on several devices?  Until then no backward needs to
# check for several devices.
spans_devices = False


def devices_are_spanned() -> None:
    """Set ``spans_devices``."""
    global spans_devices
    spans_devices = True


LAST_SEQUENCE_NUMBER = 2**64 - 1  # AccumulateGrad runs before anything else that is ready


class Node:
    """A step of the backward pass.

    next_edges    for each input of the recorded operator, the Edge that gets its gradient, or None
    sequence_nr   increases with each recorded Node; later Nodes run first
    metadata_specs  the specs of the recorded operator's outputs, up to the last that has a gradient, to
                  validate incoming gradients
    """

    __slots__ = (
        "__weakref__",
        "_metadata",
        "metadata_specs",
        "next_edges",
        "sequence_nr",
    )

    next_edges: Sequence[Edge | None]
    metadata_specs: tuple[Any, ...]  # Specs; None for an output that is not a tensor
    sequence_nr: int

    def name(self) -> str:
        """The Node's name: the recorded operator's name followed by "Backward0"."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each input of the recorded operator, the Node its gradient goes to and the input there."""
        return tuple((None, 0) if edge is None else edge for edge in self.next_edges)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for users' own data."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata: dict[Any, Any] = {}
            return self._metadata

    def _sequence_nr(self) -> int:
        """The sequence number: of two Nodes of one thread, the later has the greater one."""
        return self.sequence_nr

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before the Node runs, with a tuple of the gradients of its outputs.

        If it returns a tuple, that replaces them.  Source: torch.autograd.graph.Node.register_prehook.
        """
        return add_hook(node_hooks(self).pre, fn)

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after the Node has run, with tuples of gradients.

        If it returns a tuple, that replaces ``grad_inputs``.  Source:
        torch.autograd.graph.Node.register_hook.
        """
        return add_hook(node_hooks(self).post, fn)

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """Compute the gradients of the inputs from those of the outputs; None for no gradient."""
        raise NotImplementedError

    def release_variables(self) -> None:
        """Free what was saved for backward."""

    def __call__(self, *gradients: Tensor | None) -> Any:
        if len(gradients) != len(self.metadata_specs):
            raise TypeError(f"expected {len(self.metadata_specs)} arguments, got {len(gradients)} instead")
        for position, each in enumerate(gradients):
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(f"argument {position} is not a Variable")
        results = self.apply(gradients)[: max(len(self.next_edges), 1)]
        return results[0] if len(results) == 1 else tuple(results)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class AccumulateGrad(Node):
    """The Node of a leaf: adds the incoming gradient to its ``grad``.

    The leaf owns its accumulator, which has a weak reference to the leaf.  In PyTorch it is the reverse, and
    each graph gets a new accumulator.  The difference: a leaf that only a graph refers to is freed here
    (nobody could see its ``grad``), but stays alive in PyTorch.
    """

    __slots__ = ("_kept", "_variable")

    _kept: Tensor  # the leaf, kept alive if hooks need it
    _variable: weakref.ref[Tensor]
    next_edges = ()
    sequence_nr = LAST_SEQUENCE_NUMBER

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """Accumulate.  (Backward does not call this: the engine accumulates at the end, for all leaves.)"""
        variable = self.variable
        if gradients[0] is not None and variable is not None:
            meta = autograd_meta(variable)
            present = meta.grad  # read once: another thread may replace it meanwhile
            total = accumulated(variable, present, gradients[0])
            if total is IN_PLACE:
                present.add_(gradients[0])
            else:
                meta.grad = total
        return ()

    @property
    def variable(self) -> Tensor | None:
        """The leaf, or None after it was freed."""
        return self._variable()


def own_gradient(gradient: Tensor, variable: Tensor) -> Tensor:
    """A copy of ``gradient`` that is safe to keep as ``grad``, in the variable's memory order.

    Source: clone_obey_contract.
    """
    if mode_word() & GRAD_MODE_BIT:
        return aten.clone.default(gradient, None)
    if gradient._spec is variable._spec:
        return aten.clone.default(gradient, None)
    if gradient._spec.layout is not strided:
        return aten.clone.default(gradient, None)
    if variable._spec.layout is not strided:
        return aten.clone.default(gradient, contiguous_format)
    made = aten.empty_like.default(variable.detach(), gradient.dtype, None, None, None, None)
    return aten.copy_.default(made, gradient.detach(), False)


IN_PLACE: Any = object()  # returned by ``accumulated`` if the gradient is to be added in place


def accumulated(variable: Tensor, present: Tensor | None, gradient: Tensor, is_own: bool = False) -> Tensor:
    """The new ``grad`` of ``variable``, whose current one is ``present``, after adding ``gradient``.

    IN_PLACE: it is to be added to ``present`` in place, which can not fail then.

    ``is_own``: there is no other reference to ``gradient``, which may become ``grad`` without a copy.  If
    grad mode is on, it is added out of place.  Source: AccumulateGrad::accumulateGrad.
    """
    if present is not None:
        if mode_word() & GRAD_MODE_BIT or not _can_add(present, gradient):
            return sum_of(present, gradient)
        return IN_PLACE
    if is_own and gradient._keys & SPARSE and not mode_word() & GRAD_MODE_BIT:
        values = gradient._values()
        if values._spec.is_contiguous:
            return aten._sparse_coo_tensor_unsafe.default(gradient._indices(), values, gradient._spec.sizes)
    if is_own and gradient._spec is variable._spec:
        if gradient._version_counter is None:
            return gradient
        if gradient._view_of is not None and is_only_view(gradient) and not mode_word() & GRAD_MODE_BIT:
            return make_tensor(gradient._spec, gradient.untyped_storage(), gradient._storage_offset)
    return own_gradient(gradient, variable)


def _references(view: Tensor) -> tuple[int, int]:
    """The reference counts of the base and of the storage of ``view``."""
    base, storage = view._view_of[0], view._storage  # type: ignore[index]
    return sys.getrefcount(base), sys.getrefcount(storage)


@functools.cache
def _references_of_one_view() -> tuple[int, int]:
    """The result of ``_references`` without any other reference (it depends on Python's version)."""
    return _references(_view_of_nobody_else())


def _view_of_nobody_else() -> Tensor:
    base = empty_tensor(contiguous_spec((), float32, resolve_device("meta")))
    view = alias_tensor(base, base._spec, 0)
    view._view_of = (base, 0, 0)
    return view


def is_only_view(view: Tensor) -> bool:
    """Does ``view`` use all of its memory, with no other reference to it: a transpose of a dead result, say?

    Always False on a Python without reference counts.
    """
    if not hasattr(sys, "getrefcount"):
        return False
    storage = view._storage
    if storage is None or storage.nbytes() != view._spec.extent_nbytes:
        return False
    del storage
    bases, storages = _references(view)
    alone = _references_of_one_view()
    return bases <= alone[0] and storages <= alone[1]


def _can_add(present: Tensor, gradient: Tensor) -> bool:
    """Can ``present.add_(gradient)`` be used?"""
    mine, other = present._spec, gradient._spec
    return (
        mine.sizes == other.sizes
        and mine.dtype is other.dtype
        and mine.device is other.device
        and present._version_counter is not tensor_module.INFERENCE_VERSION
        and not (present._keys | gradient._keys) & WRAPPER_KEYS
        and not geometry.may_overlap(mine.sizes, mine.strides)
        and not is_alias_of(present, gradient)
    )


def accumulator_edge(variable: Tensor) -> tuple[AccumulateGrad, int]:
    """The edge to the leaf's AccumulateGrad; created if there was none, or if the leaf's sizes have changed.

    An unpacked saved leaf shares the accumulator of the original one.
    """
    meta = variable._autograd_meta
    if meta is None:
        meta = autograd_meta(variable)
    edge = meta.accumulator_edge
    if edge is None or (edge[0].metadata_specs[0] is not variable._spec and edge[0].variable is variable):
        made = AccumulateGrad()
        made._variable = weakref.ref(variable)
        made.metadata_specs = (variable._spec,)
        if edge is not None and edge[0] in hooks_of:
            hooks_of[made] = hooks_of[edge[0]]
        edge = meta.accumulator_edge = (made, 0)
    return edge


def gradient_edge(variable: Tensor) -> Edge | None:
    """The edge that gets the gradient of ``variable``: to its grad_fn or its accumulator; None: there is
    none.

    A view created in no_grad mode requires grad if its base does, but gets no gradient.
    """
    edge = variable._gradient_edge
    if variable._view_of is not None:
        edge = late_bound.refresh_view(variable)
        meta = variable._autograd_meta
        if edge is None and (meta is None or not meta.requires_grad):
            return None
    if edge is not None:
        return edge
    if variable._keys & AUTOGRAD:
        return accumulator_edge(variable)
    return None


class GradientEdge(NamedTuple):
    """An output of a Node: replaces a tensor in ``grad`` and ``backward`` without keeping it alive.

    Source: torch.autograd.graph.GradientEdge.
    """

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The GradientEdge of a tensor: its Node, or its AccumulateGrad for a leaf, and which output it is.

    Raises RuntimeError for a tensor that does not require grad.  Source:
    torch.autograd.graph.get_gradient_edge.
    """
    edge = gradient_edge(tensor) if tensor._keys & AUTOGRAD else None
    if edge is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    return GradientEdge(*edge)


def operator_name(node: Node) -> str:
    """The name of a Node's operator in messages, as in PyTorch's: "Exp" for ExpBackward0."""
    return re.sub("Backward[0-9]*$", "", node.name())


def set_history(variable: Tensor, node: Node, output_nr: int) -> None:
    """Make ``node`` the grad_fn of ``variable``."""
    variable._gradient_edge = (node, output_nr)
    variable._keys |= AUTOGRAD


if speedups is not None:
    next_sequence_number = speedups.next_sequence_number
