"""The graph: Nodes, the Edges between them, and AccumulateGrad at its leaves.

A Node is one recorded operator, turned round: it takes the gradients of the operator's outputs and gives
those of its inputs.  Its ``next_edges`` lead to where each of these goes.

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
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, WRAPPER_KEYS
from ..values.dtype import float32
from ..values.speedups import speedups
from .hooks import RemovableHandle, add_hook, hooks_of, node_hooks

# Where a gradient goes: a Node and which of its inputs.  A plain tuple, as `Node.next_functions` shows it:
# one is made for every recorded operator.
Edge = tuple["Node", int]

next_sequence_number = itertools.count().__next__

# Has a Node ever been recorded whose inputs and output are on several devices?  Until then no backward needs
# to look for devices.
spans_devices = False


def devices_are_spanned() -> None:
    """Such a Node has been recorded."""
    global spans_devices
    spans_devices = True


LAST_SEQUENCE_NUMBER = 2**64 - 1  # AccumulateGrad runs before anything else that is ready


class Node:
    """A step of the backward pass.

    next_edges    for each input of the recorded operator, the Edge its gradient takes, or None
    sequence_nr   when it was recorded; later Nodes run first
    metadata_specs  the specs of the recorded operator's outputs, up to the last that has a gradient: what
                  gradients that come in must look like
    """

    __slots__ = (
        "__weakref__",
        "_metadata",
        "metadata_specs",
        "next_edges",
        "sequence_nr",
    )

    next_edges: Sequence[Edge | None]
    metadata_specs: tuple[Any, ...]  # each a Spec, or None where the output is no tensor
    sequence_nr: int

    def name(self) -> str:
        """The kind of Node: the recorded operator's name with "Backward0"."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each input of the recorded operator, the Node its gradient goes to and the input there."""
        return tuple((None, 0) if edge is None else edge for edge in self.next_edges)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A place for users to put what they want."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata: dict[Any, Any] = {}
            return self._metadata

    def _sequence_nr(self) -> int:
        """When the Node was recorded: of two Nodes of one thread, the later has the greater number."""
        return self.sequence_nr

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before the Node runs, with a tuple of the gradients of its outputs.

        A tuple that it returns takes their place.  Source: torch.autograd.graph.Node.register_prehook.
        """
        return add_hook(node_hooks(self).pre, fn)

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after the Node has run, with tuples of gradients.

        A tuple that it returns takes the place of ``grad_inputs``.  Source:
        torch.autograd.graph.Node.register_hook.
        """
        return add_hook(node_hooks(self).post, fn)

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """The gradients of the inputs, from those of the outputs; None where there is none."""
        raise NotImplementedError

    def release_variables(self) -> None:
        """Let go of what was saved for backward."""

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
    """The end of the line: adds what arrives to a leaf's ``grad``.

    The leaf keeps its accumulator, and the accumulator knows the leaf weakly.  In PyTorch it is the other way
    round, and an accumulator is made anew for each graph; what differs is that a leaf which only a graph
    leads to is freed here (nobody could see its ``grad``), and lives there.
    """

    __slots__ = ("_kept", "_variable")

    _kept: Tensor  # the leaf itself, where somebody waits to be told of it
    _variable: weakref.ref[Tensor]
    next_edges = ()
    sequence_nr = LAST_SEQUENCE_NUMBER

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """Accumulate.  (The engine does so itself, for all leaves when the graph has run.)"""
        variable = self.variable
        if gradients[0] is not None and variable is not None:
            meta = autograd_meta(variable)
            present = meta.grad  # another thread may drop or replace it meanwhile
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
    """A copy of ``gradient`` that is safe to keep as ``grad``, in the variable's order of memory.

    Source: clone_obey_contract.
    """
    if mode_word() & GRAD_MODE_BIT:
        return aten.clone.default(gradient, None)
    if gradient._spec is variable._spec:
        return aten.clone.default(gradient, None)
    made = aten.empty_like.default(variable.detach(), gradient.dtype, None, None, None, None)
    return aten.copy_.default(made, gradient.detach(), False)


IN_PLACE: Any = object()  # what ``accumulated`` returns where the gradient is to be added to the present one


def accumulated(variable: Tensor, present: Tensor | None, gradient: Tensor, is_own: bool = False) -> Tensor:
    """What the ``grad`` of ``variable``, which is ``present``, becomes with ``gradient``.

    IN_PLACE where it is to be added to ``present``, which cannot fail then.

    ``is_own``: nobody else refers to ``gradient``, which may become ``grad`` as it is.  The gradient is added
    out of place while it is recorded itself.  Source: AccumulateGrad::accumulateGrad.
    """
    if present is not None:
        if mode_word() & GRAD_MODE_BIT or not _can_add(present, gradient):
            return present + gradient
        return IN_PLACE
    if is_own and gradient._spec is variable._spec:
        if gradient._version_counter is None:
            return gradient
        if gradient._view_of is not None and is_only_view(gradient) and not mode_word() & GRAD_MODE_BIT:
            return make_tensor(gradient._spec, gradient.untyped_storage(), gradient._storage_offset)
    return own_gradient(gradient, variable)


def _references(view: Tensor) -> tuple[int, int]:
    """How many know the tensor that ``view`` is a view of, and how many its storage."""
    base, storage = view._view_of[0], view._storage  # type: ignore[index]
    return sys.getrefcount(base), sys.getrefcount(storage)


@functools.cache
def _references_of_one_view() -> tuple[int, int]:
    """What ``_references`` says where nobody but the view knows them (which differs by Python's version)."""
    return _references(_view_of_nobody_else())


def _view_of_nobody_else() -> Tensor:
    base = empty_tensor(contiguous_spec((), float32, resolve_device("meta")))
    view = alias_tensor(base, base._spec, 0)
    view._view_of = (base, 0, 0)
    return view


def is_only_view(view: Tensor) -> bool:
    """Is the memory of ``view``, all of it, nobody's but its own: a transpose, say, of a result that is gone?

    Never true on a Python that doesn't count references.
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
    """Does nothing stand against ``present.add_(gradient)``?"""
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
    """The edge to the leaf's AccumulateGrad, made if there was none (or if the leaf changed its sizes
    since).  What stands for another leaf, as it was saved for backward, has that one's.
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
    """Where the gradient of ``variable`` goes: to what computed it, or to its accumulator; None if it needs
    none.

    A view that was made under no_grad requires grad with its base, but its gradient goes nowhere.
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
    """One output of a Node, where a gradient may be asked for: stands for a tensor in ``grad`` and
    ``backward`` without keeping it alive.

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
    """What messages call a Node, after the operator: "Exp" for ExpBackward0, as PyTorch's do."""
    return re.sub("Backward[0-9]*$", "", node.name())


def set_history(variable: Tensor, node: Node, output_nr: int) -> None:
    """Say that ``node`` computed ``variable``."""
    variable._gradient_edge = (node, output_nr)
    variable._keys |= AUTOGRAD


if speedups is not None:
    next_sequence_number = speedups.next_sequence_number
