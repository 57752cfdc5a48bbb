"""SavedVariable: a tensor saved for backward, with its version.

Backward must see the values that forward saw: if a saved tensor was written to since, unpacking it raises.
An *output* is saved as an alias without history; otherwise the Node would keep itself alive through it.

Most tensors are never written to; those are saved without a SavedVariable, and the check is that their
version counter is still 0.

With *saved tensor hooks*, what is saved is the result of ``pack`` for the tensor, from which ``unpack`` must
restore it: in less memory, on another device, on disk.

Source: torch/csrc/autograd/saved_variable.cpp, torch/autograd/graph.py (saved_tensors_hooks).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import Any, NoReturn

from ..dispatch.dispatcher import aten
from ..dispatch.mode import MODE_WORD, excluding, mode_word, set_mode_word
from ..memory.tensor import INFERENCE_VERSION, Tensor, alias_tensor, autograd_meta, make_tensor
from ..values.dispatch_key import (
    AUTOGRAD,
    BATCHED,
    GRAD_MODE_BIT,
    SAVED_TENSOR_HOOKS_BIT,
    WRAPPER_KEYS,
    DispatchKey,
)
from ..values.errors import type_name
from ..values.library_name import LIBRARY
from ..values.thread_local_state import State, ThreadLocalStateGuard
from . import anomaly_mode
from .grad_mode import in_transform
from .node import AccumulateGrad, gradient_edge, operator_name

# For the Node of an operator that wrote to a view in place: creates the edge of its output.  That is no
# longer (Node, number), but the edge of the view, whose base was rebased.
edges_of_views: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

Pack = Callable[[Tensor], Any]
Unpack = Callable[[Any], Tensor]

_hooks: ContextVar[tuple[tuple[Pack, Unpack], ...]] = ContextVar("gnomon_saved_tensors_hooks", default=())
_disabled: ContextVar[str] = ContextVar("gnomon_saved_tensors_hooks_disabled", default="")


class SavedVariable:
    """``tensor`` at ``version``; if it is an output of the Node, also its number.

    If ``unpack_hook`` is set, ``tensor`` is what the pack hook returned; then ``edge`` is the edge of the
    saved tensor, unless it is an output, whose edge is created anew.
    """

    __slots__ = ("edge", "is_variable", "output_nr", "tensor", "unpack_hook", "version")

    def __init__(self, tensor: Tensor, is_output: bool = False):
        counter = tensor._version_counter
        self.version = 0 if counter is None else tensor._version
        self.output_nr = -1
        self.is_variable = bool(tensor._keys & AUTOGRAD)
        self.unpack_hook: Unpack | None = None
        self.edge: Any = None
        if is_output:
            edge = tensor._gradient_edge
            self.output_nr = 0 if edge is None else edge[1]
        self.tensor: Any = tensor
        if mode_word() & SAVED_TENSOR_HOOKS_BIT and _hooks.get():
            self._pack(tensor, *_hooks.get()[-1])
        elif is_output:
            self.tensor = without_history(tensor)

    @classmethod
    def at_first(cls, tensor: Tensor, output_nr: int) -> SavedVariable:
        """A SavedVariable of ``tensor``, saved at version 0."""
        made = cls.__new__(cls)
        made.version = 0
        made.output_nr = output_nr
        made.is_variable = output_nr >= 0 or bool(tensor._keys & AUTOGRAD)
        made.unpack_hook = made.edge = None
        made.tensor = tensor
        return made

    def register_hooks(self, pack_hook: Pack, unpack_hook: Unpack) -> None:
        """Save ``pack_hook(tensor)`` instead of the tensor; ``unpack_hook`` must restore it.

        Raises RuntimeError if hooks are already set, and if ``pack_hook`` modifies the tensor.
        """
        if self.unpack_hook is not None:
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set")
        self._pack(self.tensor, pack_hook, unpack_hook, is_late=True)

    def _pack(self, tensor: Tensor, pack_hook: Pack, unpack_hook: Unpack, is_late: bool = False) -> None:
        """Pack ``tensor``.  Hooks active when it is saved get the tensor itself, later ones an alias."""
        if self.output_nr < 0 and self.is_variable:
            self.edge = gradient_edge(tensor)
        if is_late and self.edge is not None:
            tensor = tensor.detach()
        version = tensor._version
        word = mode_word()
        # the hook's own operators are not recorded, and tensors that they save are not packed
        try:
            set_mode_word(word & ~SAVED_TENSOR_HOOKS_BIT & ~GRAD_MODE_BIT)
            packed = pack_hook(tensor)
        finally:
            set_mode_word(word)
        if tensor._version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
                "hook cannot be modified by in-place operations"
            )
        self.tensor = packed
        self.unpack_hook = unpack_hook

    def unpack(self, node: Any, with_history: bool = False) -> Tensor:
        """The saved tensor, with its history.

        For an output, the history is attached only if ``with_history`` or if grad mode is on, since it is not
        needed otherwise.  Raises RuntimeError if the tensor was written to since it was saved.
        """
        if self.unpack_hook is not None:
            return self._unpack_packed(node)
        tensor = self.tensor
        if tensor._version != self.version:
            raise_version_mismatch(node, tensor, self.version, self.output_nr)
        if self.output_nr < 0 or not (with_history or mode_word() & GRAD_MODE_BIT):
            return tensor
        return self._attached(tensor, self._output_edge(node))

    def _unpack_packed(self, node: Any) -> Tensor:
        tensor = self.unpack_hook(self.tensor)  # type: ignore[misc]
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type_name(tensor)}"
            )
        if not self.is_variable and self.output_nr < 0:
            return without_history(tensor) if tensor._keys & AUTOGRAD else tensor
        return self._attached(tensor, self.edge if self.output_nr < 0 else self._output_edge(node))

    def _output_edge(self, node: Any) -> Any:
        of_view = edges_of_views.get(node)
        return (node, self.output_nr) if of_view is None else of_view()()

    @staticmethod
    def _attached(tensor: Tensor, edge: Any) -> Tensor:
        attached = without_history(tensor)
        if edge is not None and edge[0].__class__ is AccumulateGrad:
            autograd_meta(attached).accumulator_edge = edge  # shares the saved leaf's accumulator
        else:
            attached._gradient_edge = edge
        attached._keys |= AUTOGRAD
        if tensor._autograd_meta is not None and tensor._autograd_meta.tangents is not None:
            autograd_meta(attached).tangents = dict(tensor._autograd_meta.tangents)
        return attached


def without_history(tensor: Tensor) -> Tensor:
    """An alias of ``tensor`` without a grad_fn; wrappers create theirs by dispatch."""
    if not tensor._keys & WRAPPER_KEYS:
        return alias_tensor(tensor, tensor._spec, tensor._storage_offset)
    if tensor._keys & BATCHED:  # the wrapped tensor keeps its history, which is in another graph
        with excluding(DispatchKey.Autograd, DispatchKey.ADInplaceOrView):
            return aten.alias.default(tensor)
    with excluding(DispatchKey.Autograd):
        return aten.detach.default(tensor)


def as_saved_variable(saved: list[Any], position: int, output_nr: int) -> SavedVariable:
    """The SavedVariable of a tensor saved without one; ``output_nr`` is its output number, -1 for an input.

    It replaces the tensor in ``saved``.
    """
    if not isinstance(saved[position], SavedVariable):
        saved[position] = SavedVariable.at_first(saved[position], output_nr)
    return saved[position]


class SavedList:
    """A saved list of tensors (and Nones); unpacked together."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]):
        self.items = [save(each) if isinstance(each, Tensor) else each for each in items]

    def unpack(self, node: Any) -> list[Any]:
        """The list, with the version of each tensor checked."""
        return [unpack(each, node) for each in self.items]


def save(tensor: Tensor) -> Tensor | SavedVariable:
    """Save an input of a Node: the tensor itself if it was never written to, else a SavedVariable.

    Raises RuntimeError for an inference tensor.
    """
    counter = tensor._version_counter
    if counter is INFERENCE_VERSION:
        if in_transform.get():  # a transform's graph, which is internal
            if tensor._keys & WRAPPER_KEYS:  # has no memory of its own
                return tensor
            return make_tensor(tensor._spec, tensor.untyped_storage(), tensor._storage_offset)
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. To work around you can make a clone to get a "
            "normal tensor and use it in autograd."
        )
    if (counter is None or not counter.value) and not mode_word() & SAVED_TENSOR_HOOKS_BIT:
        return tensor
    return SavedVariable(tensor)


def unpack(saved: Any, node: Any) -> Any:
    """The saved value, with the versions of tensors checked."""
    if isinstance(saved, Tensor):
        counter = saved._version_counter  # that of inference tensors stays 0
        if counter is not None and counter.value:
            raise_version_mismatch(node, saved, 0, -1)
        return saved
    if isinstance(saved, (SavedVariable, SavedList)):
        return saved.unpack(node)
    return saved


def raise_freed() -> NoReturn:
    """Raises the RuntimeError for saved values that were freed."""
    raise RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they "
        "have already been freed). Saved intermediate values of the graph are freed when you call "
        ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
        "graph a second time or if you need to access saved tensors after calling backward."
    )


def raise_version_mismatch(node: Any, tensor: Tensor, expected: int, output_nr: int) -> None:
    """Raises the RuntimeError for a saved tensor that was modified."""
    edge = (node, output_nr) if output_nr >= 0 else tensor._gradient_edge
    where = ""
    if edge is not None:
        where = f", which is output {edge[1]} of {operator_name(edge[0])},"
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{LIBRARY}.{tensor.dtype.scalar_type}Tensor {list(tensor.shape)}]{where} is at version "
        f"{tensor._version}; expected version {expected} instead. Hint: "
        + (
            "the backtrace further above shows the operation that failed to compute its gradient. The "
            "variable in question was changed in there or anywhere later. Good luck!"
            if anomaly_mode.is_anomaly_enabled()
            else "enable anomaly detection to find the operation that failed to compute its gradient, with "
            f"{LIBRARY}.autograd.set_detect_anomaly(True, check_nan=False)."
        )
    )


class saved_tensors_hooks(ThreadLocalStateGuard):
    """Inside, tensors saved for backward are packed by ``pack_hook``, and unpacked by ``unpack_hook``.

    ``pack_hook(tensor)`` may return anything; ``unpack_hook`` gets that and returns a tensor with the same
    values, each time that backward needs it.  Neither may modify its argument, which is the saved tensor
    itself.  An output of an operator still has its Node, so returning it from ``pack_hook`` (rather than
    ``tensor.detach()``) creates a reference cycle, which only the garbage collector frees.  The innermost of
    nested blocks is used.  Raises RuntimeError inside ``disable_saved_tensors_hooks``.  Source:
    torch.autograd.graph.saved_tensors_hooks.
    """

    def __init__(self, pack_hook: Pack, unpack_hook: Unpack):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    _mask = SAVED_TENSOR_HOOKS_BIT

    def _inside(self) -> State:
        if _disabled.get():
            raise RuntimeError(_disabled.get())
        return (
            (_hooks, (*_hooks.get(), (self.pack_hook, self.unpack_hook))),
            (MODE_WORD, mode_word() | SAVED_TENSOR_HOOKS_BIT),
        )


class save_on_cpu(saved_tensors_hooks):
    """Inside, tensors saved for backward are moved to the CPU, and back when backward needs them.

    ``pin_memory`` and ``device_type`` are accepted for compatibility, and ignored.
    Source: torch.autograd.graph.save_on_cpu.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        def pack(tensor: Tensor) -> Any:
            return tensor.device, tensor.to("cpu", copy=True)

        def unpack(packed: Any) -> Tensor:
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks(ThreadLocalStateGuard, ContextDecorator):
    """Inside, entering ``saved_tensors_hooks`` raises RuntimeError with ``error_message``.

    Raises RuntimeError itself if such hooks are already active.  Source:
    torch.autograd.graph.disable_saved_tensors_hooks.
    """

    __slots__ = ("_message",)

    def __init__(self, error_message: str):
        self._message = error_message

    def _inside(self) -> State:
        if _hooks.get():
            raise RuntimeError(self._message)
        return ((_disabled, self._message),)
