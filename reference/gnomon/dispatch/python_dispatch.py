"""The Python key: modes and tensor subclasses that see every operator before its kernel runs.

A ``DispatchMode`` is a block in which its ``__gnomon_dispatch__`` is called instead of each operator's
kernel; a subclass of Tensor that has a ``__gnomon_dispatch__`` of its own is asked wherever one of its
tensors takes part.  Both are called below autograd: compositions have been taken apart, the graph is
recorded around them, and what they call themselves is not recorded again.

The innermost mode is asked first; while it is at work it is off, so that what it calls goes to the next one
out, then to the subclasses, then to the kernel.

Source: torch/utils/_python_dispatch.py (TorchDispatchMode), aten/src/ATen/core/PythonFallbackKernel.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from ..memory.tensor import Tensor
from ..values.dispatch_key import (
    AD_INPLACE_OR_VIEW,
    AUTOGRAD,
    EXCLUDED_SHIFT,
    MODE_WORD,
    PYTHON,
    DispatchKey,
    mode_word,
    set_mode_word,
)
from ..values.thread_local_state import State, ThreadLocalStateGuard
from .dispatcher import OpOverload, register_boxed_fallback

_modes: ContextVar[tuple[DispatchMode, ...]] = ContextVar("gnomon_dispatch_modes", default=())


class DispatchMode(ThreadLocalStateGuard):
    """Derive from it and write ``__gnomon_dispatch__``; then ``with MyMode():`` sees every operator.

    Modes belong to the thread, and within it to the async task.  Source: TorchDispatchMode.
    """

    def __gnomon_dispatch__(
        self, func: OpOverload, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """What to do instead of ``func(*args, **kwargs)``, which is what it does unless it is overridden.

        func: the operator, with its overload, as ``gnomon.ops.aten.add.Tensor``.  types: the subclasses with
        a ``__gnomon_dispatch__`` among the arguments.  Arguments that have their default values are left out.
        """
        return func(*args, **(kwargs or {}))

    _mask = PYTHON

    @property
    def _given(self) -> DispatchMode:
        return self

    def _inside(self) -> State:
        return (_modes, (*_modes.get(), self)), (MODE_WORD, mode_word() | PYTHON)


def split_arguments(operator: OpOverload, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """All arguments of a schema as a person would write them: positional ones, keywords, no defaults; and
    lists of their own, which whoever gets them may change.
    """
    schema = operator.schema.arguments
    arguments = [
        list(value) if argument.is_list and isinstance(value, (list, tuple)) else value
        for argument, value in zip(schema, arguments)
    ]
    positional = [value for argument, value in zip(schema, arguments) if not argument.kwarg_only]
    while positional and _is_default(schema[len(positional) - 1], positional[-1]):
        positional.pop()
    keywords = {
        argument.name: value
        for argument, value in zip(schema, arguments)
        if argument.kwarg_only and not _is_default(argument, value)
    }
    return tuple(positional), keywords


def _is_default(argument: Any, value: Any) -> bool:
    if isinstance(value, Tensor):
        return False
    default = argument.default
    if isinstance(value, (list, tuple)):
        return isinstance(default, (list, tuple)) and tuple(default) == tuple(value)
    return type(default) is type(value) and default == value


def dispatching_types(operator: OpOverload, arguments: Sequence[Any]) -> tuple[type, ...]:
    """The subclasses with a ``__gnomon_dispatch__`` among the arguments, derived before base classes."""
    found: list[type] = []
    for tensor in operator.tensors(arguments):
        kind = type(tensor)
        if tensor._keys & PYTHON and kind not in found:
            bases = [position for position, each in enumerate(found) if issubclass(kind, each)]
            found.insert(bases[0] if bases else len(found), kind)
    return tuple(found)


def python_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Ask the innermost mode, or the subclasses: the kernel for Python."""
    types = dispatching_types(operator, arguments)
    args, kwargs = split_arguments(operator, arguments)
    word = mode_word()
    inside = word | (AUTOGRAD | AD_INPLACE_OR_VIEW) << EXCLUDED_SHIFT
    modes = _modes.get()
    if word & PYTHON and modes:
        outer = modes[:-1]
        try:  # one thing in each: an interrupt between two must not keep the second from being put back
            try:
                _modes.set(outer)
                set_mode_word(inside if outer else inside & ~PYTHON)
                return modes[-1].__gnomon_dispatch__(operator, types, args, kwargs)
            finally:
                _modes.set(modes)
        finally:
            set_mode_word(word)
    if not types:
        return operator.redispatch(keys & ~PYTHON, arguments)
    try:
        set_mode_word(inside)
        for kind in types:
            result = kind.__gnomon_dispatch__(operator, types, args, kwargs)  # type: ignore[attr-defined]
            if result is not NotImplemented:
                return result
    finally:
        set_mode_word(word)
    raise TypeError(
        f"{operator.schema.name}: Multiple dispatch failed: __gnomon_dispatch__ of all of "
        f"{', '.join(each.__name__ for each in types)} returned NotImplemented"
    )


class no_dispatch(ThreadLocalStateGuard):
    """Inside, neither modes nor subclasses are asked: what a ``__gnomon_dispatch__`` may use to look at its
    own tensors.

    Source: torch.utils._mode_utils.no_dispatch.
    """

    __slots__ = ()

    def _inside(self) -> State:
        return ((MODE_WORD, mode_word() & ~PYTHON | PYTHON << EXCLUDED_SHIFT),)


register_boxed_fallback(DispatchKey.Python, python_kernel)
