"""SavedVariable: a tensor kept for backward, with the version it had.

What backward needs must be what forward saw: when a saved tensor was written to since, unpacking it raises.
An *output* is kept as an alias without history, or the Node would keep itself alive through it.

Most tensors are never written to; those are kept as they are, without a SavedVariable around them, and "its
version counter still says 0" is the check.

Source: torch/csrc/autograd/saved_variable.cpp.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..memory.tensor import Tensor, alias_tensor
from ..values.dispatch_key import AUTOGRAD

# For the Node of an operator that wrote to a view in place: what makes the edge of its output, which is no
# longer the Node's own but the view's, of a base that was rewritten.
edges_of_views: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


class SavedVariable:
    """``tensor`` at ``version``; for an output, also which output of the Node it was."""

    __slots__ = ("output_nr", "requires_grad", "tensor", "version")

    def __init__(self, tensor: Tensor, is_output: bool = False):
        self.version = tensor._version
        self.output_nr = -1
        self.requires_grad = False
        if is_output:
            self.output_nr = tensor.output_nr
            tensor = alias_tensor(tensor, tensor._spec, tensor._storage_offset)
        self.tensor = tensor

    def unpack(self, node: Any) -> Tensor:
        """The tensor, with its history.  Raises RuntimeError if it was written to since it was saved."""
        tensor = self.tensor
        if tensor._version != self.version:
            raise_version_mismatch(node, tensor, self.version)
        if self.output_nr < 0:
            return tensor
        attached = alias_tensor(tensor, tensor._spec, tensor._storage_offset)
        of_view = edges_of_views.get(node)
        attached._gradient_edge = (node, self.output_nr) if of_view is None else of_view()()
        attached._keys |= AUTOGRAD
        return attached


class SavedList:
    """A saved list of tensors (and Nones); unpacked together."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]):
        self.items = [save(each) if isinstance(each, Tensor) else each for each in items]

    def unpack(self, node: Any) -> list[Any]:
        """The list, each tensor checked."""
        return [unpack(each, node) for each in self.items]


def save(tensor: Tensor) -> Tensor | SavedVariable:
    """What a Node keeps of an input: the tensor itself while nobody has written to it."""
    return SavedVariable(tensor) if tensor._version else tensor


def unpack(saved: Any, node: Any) -> Any:
    """What was saved, checked."""
    if isinstance(saved, Tensor):
        if saved._version:
            raise_version_mismatch(node, saved, 0)
        return saved
    if isinstance(saved, (SavedVariable, SavedList)):
        return saved.unpack(node)
    return saved


def raise_version_mismatch(node: Any, tensor: Tensor, expected: int) -> None:
    """Raises the RuntimeError for a saved tensor that was modified."""
    where = ""
    edge = tensor._gradient_edge
    if edge is not None:
        where = f", which is output {edge[1]} of {edge[0].name()},"
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[gnomon.{tensor.dtype.name} {list(tensor.shape)}]{where} is at version {tensor._version}; "
        f"expected version {expected} instead. It was saved by {node.name()}. Hint: enable anomaly "
        "detection to find the operation that failed to compute its gradient, with "
        "gnomon.autograd.set_detect_anomaly(True)."
    )
