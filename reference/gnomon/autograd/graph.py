"""The graph: Nodes, the Edges between them, and AccumulateGrad at its leaves.

A Node is one recorded operator, turned round: it takes the gradients of the operator's outputs and gives
those of its inputs.  Its ``next_edges`` lead to where each of these goes.

Source: torch/csrc/autograd/function.h, edge.h, functions/accumulate_grad.h, input_metadata.h.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..dispatch.mode import mode_word
from ..memory import tensor as tensor_module
from ..memory.spec import Spec
from ..memory.tensor import Tensor, autograd_meta
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT

# Where a gradient goes: a Node and which of its inputs.  A plain tuple, as `Node.next_functions` shows it:
# one is made for every recorded operator.
Edge = tuple["Node", int]

next_sequence_number = itertools.count().__next__
LAST_SEQUENCE_NUMBER = 2**64 - 1  # AccumulateGrad runs before anything else that is ready


class Node:
    """A step of the backward pass.

    next_edges    for each input of the recorded operator, the Edge its gradient takes, or None
    sequence_nr   when it was recorded; later Nodes run first
    metadata_specs  the specs of the recorded operator's outputs: what gradients that come in must look like
    """

    __slots__ = (
        "__weakref__",
        "_metadata",
        "metadata_specs",
        "next_edges",
        "sequence_nr",
    )

    next_edges: Sequence[Edge | None]
    metadata_specs: tuple[Spec, ...]
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

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """The gradients of the inputs, from those of the outputs; None where there is none."""
        raise NotImplementedError

    def release_variables(self) -> None:
        """Let go of what was saved for backward."""

    def __call__(self, *gradients: Tensor | None) -> Any:
        results = self.apply(gradients)[: max(len(self.next_edges), 1)]
        return results[0] if len(results) == 1 else tuple(results)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


# Hooks on the gradients of tensors: Node -> input number -> id -> function.  Beside the Nodes rather than in
# them: few have any, and a slot costs every Node that is made.
tensor_hooks: weakref.WeakKeyDictionary[Node, dict[int, dict[int, Any]]] = weakref.WeakKeyDictionary()


class AccumulateGrad(Node):
    """The end of the line: adds what arrives to a leaf's ``grad``.

    The leaf keeps its accumulator, and the accumulator knows the leaf weakly.  In PyTorch it is the other way
    round, and an accumulator is made anew for each graph; what differs is that a leaf which only a graph
    leads to is freed here (nobody could see its ``grad``), and lives there.
    """

    __slots__ = ("_variable",)

    _variable: weakref.ref[Tensor]
    next_edges = ()
    sequence_nr = LAST_SEQUENCE_NUMBER

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        """Accumulate; the engine calls it with grad mode on only under ``create_graph``."""
        gradient = gradients[0]
        variable = self.variable
        if gradient is not None and variable is not None:
            accumulate(variable, gradient)
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
    made = aten.empty_like.default(variable.detach(), gradient.dtype, None, None, None, None)
    return aten.copy_.default(made, gradient.detach(), False)


def accumulate(variable: Tensor, gradient: Tensor) -> None:
    """``variable.grad += gradient``, out of place: who holds the old ``grad`` keeps its values.

    PyTorch adds in place where it can; then a failing backward could leave a gradient half added.
    """
    meta = autograd_meta(variable)
    if meta.grad is None:
        meta.grad = own_gradient(gradient, variable)
    else:
        meta.grad = meta.grad + gradient  # type: ignore[operator]


def accumulator_edge(variable: Tensor) -> Edge:
    """The edge to the leaf's AccumulateGrad, made if there was none (or if the leaf changed its sizes
    since).
    """
    meta = variable._autograd_meta
    if meta is None:
        meta = autograd_meta(variable)
    edge = meta.accumulator_edge
    if edge is None or edge[0].metadata_specs[0] is not variable._spec:
        made = AccumulateGrad()
        made._variable = weakref.ref(variable)
        made.metadata_specs = (variable._spec,)
        edge = meta.accumulator_edge = (made, 0)
    return edge


def gradient_edge(variable: Tensor) -> Edge | None:
    """Where the gradient of ``variable`` goes: to what computed it, or to its accumulator; None if it needs
    none.
    """
    edge = variable._gradient_edge
    if variable._view_of is not None:
        edge = tensor_module.refresh_view(variable)
    if edge is not None:
        return edge
    if variable._keys & AUTOGRAD:
        return accumulator_edge(variable)
    return None


def set_history(variable: Tensor, node: Node, output_nr: int) -> None:
    """Say that ``node`` computed ``variable``."""
    variable._gradient_edge = (node, output_nr)
    variable._keys |= AUTOGRAD
