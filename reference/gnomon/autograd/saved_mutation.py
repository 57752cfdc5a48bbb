"""allow_mutation_on_saved_tensors: tensors saved for backward are copied before they are modified.

Hooks pack each saved tensor into a ``_Kept``, which is found by its storage; a dispatch mode copies the saved
tensors of a storage before an operator writes to it.

Source: torch/autograd/graph.py (allow_mutation_on_saved_tensors).
"""

from __future__ import annotations

import weakref
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import Any

from ..dispatch.dispatcher import OpOverload
from ..dispatch.mode import MODE_WORD, mode_word
from ..dispatch.python_dispatch import DispatchMode
from ..memory.tensor import Tensor
from ..values.dispatch_key import PYTHON, SAVED_TENSOR_HOOKS_BIT
from ..values.thread_local_state import State, ThreadLocalStateGuard
from .saved_variable import saved_tensors_hooks

_is_allowed: ContextVar[bool] = ContextVar("gnomon_mutation_on_saved_tensors", default=False)


class _Kept:
    """A saved tensor, or its copy; None after the block."""

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: Tensor):
        self.tensor: Tensor | None = tensor.detach()


class _CopiesSaved(DispatchMode):
    """``kept``: by storage, the tensors saved since it was last written to."""

    def __init__(self) -> None:
        self.kept: weakref.WeakKeyDictionary[Any, weakref.WeakSet[_Kept]] = weakref.WeakKeyDictionary()
        self.all: weakref.WeakSet[_Kept] = weakref.WeakSet()

    def pack(self, tensor: Tensor) -> _Kept:
        made = _Kept(tensor)
        self.kept.setdefault(tensor.untyped_storage(), weakref.WeakSet()).add(made)
        self.all.add(made)
        return made

    def unpack(self, kept: _Kept) -> Tensor:
        if kept.tensor is None:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the "
                "graph was originally recorded."
            )
        return kept.tensor

    def __gnomon_dispatch__(
        self, func: OpOverload, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        given = {argument.name: value for argument, value in zip(func.schema.arguments, args)}
        given.update(kwargs or {})
        for argument in func.schema.arguments:
            if argument.is_written:
                value = given.get(argument.name)
                for each in value if isinstance(value, (list, tuple)) else (value,):
                    if each is not None:
                        self._copy_what_shows(each)
        return func(*args, **(kwargs or {}))

    def _copy_what_shows(self, written: Tensor) -> None:
        for kept in self.kept.pop(written.untyped_storage(), ()):
            if kept.tensor is not None:
                kept.tensor = kept.tensor.clone()

    def forget(self) -> None:
        for kept in self.all:
            kept.tensor = None


class allow_mutation_on_saved_tensors(ThreadLocalStateGuard, ContextDecorator):
    """Inside, tensors saved for backward may be modified in place: backward gets their old values.

    Each is copied when it is first modified, and only then.  Backward must run inside, too, or it raises
    AssertionError.  Raises RuntimeError inside another such block.  Source:
    torch.autograd.graph.allow_mutation_on_saved_tensors.
    """

    __slots__ = ("_mode",)

    _mask = SAVED_TENSOR_HOOKS_BIT | PYTHON

    def _inside(self) -> State:
        if _is_allowed.get():
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        self._mode = mode = _CopiesSaved()
        hooks, _ = saved_tensors_hooks(mode.pack, mode.unpack)._inside()
        modes, _ = mode._inside()
        return (_is_allowed, True), hooks, modes, (MODE_WORD, mode_word() | self._mask)

    def _ended(self) -> None:
        self._mode.forget()
