"""The Python key: dispatch modes and tensor subclasses, which intercept every operator before its kernel.

Inside the block of a ``DispatchMode``, its ``__gnomon_dispatch__`` is called instead of each operator's
kernel; the ``__gnomon_dispatch__`` of a Tensor subclass is called if one of its tensors is an argument.  Both
are below Autograd: composites are decomposed already, the graph is recorded above them, and what they call
is not recorded again.

The innermost mode is called first; it is disabled during the call, so that operators that it calls go to the
next outer mode, then to the subclasses, then to the kernel.

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
    """Base class of dispatch modes: in ``with MyMode():`` every operator calls ``__gnomon_dispatch__``.

    Modes belong to the thread, and within it to the async task.  Source: TorchDispatchMode.
    """

    def __gnomon_dispatch__(
        self, func: OpOverload, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Called instead of ``func(*args, **kwargs)``, which is also the default implementation.

        func: the OpOverload, such as ``gnomon.ops.aten.add.Tensor``.  types: the subclasses with a
        ``__gnomon_dispatch__`` among the arguments.  Arguments that equal their defaults are omitted.
        """
        return func(*args, **(kwargs or {}))

    # Are indices allowed that the Python array API standard has, and PyTorch does not?  They are slices with
    # negative steps, ``x[::-1]``, and masks of size 0.
    standard_indices = False

    _mask = PYTHON

    @property
    def _given(self) -> DispatchMode:
        return self

    def _inside(self) -> State:
        return (_modes, (*_modes.get(), self)), (MODE_WORD, mode_word() | PYTHON)


def split_arguments(operator: OpOverload, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Split all arguments of a schema into positional and keyword arguments, without defaults.

    Lists are copied, so the receiver may change them.
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
    """The subclasses with a ``__gnomon_dispatch__`` among the arguments, subclasses before base classes."""
    found: list[type] = []
    for tensor in operator.tensors(arguments):
        kind = type(tensor)
        if tensor._keys & PYTHON and kind not in found:
            bases = [position for position, each in enumerate(found) if issubclass(kind, each)]
            found.insert(bases[0] if bases else len(found), kind)
    return tuple(found)


def python_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """The kernel for the Python key: call the innermost mode, or the subclasses."""
    types = dispatching_types(operator, arguments)
    args, kwargs = split_arguments(operator, arguments)
    word = mode_word()
    inside = word | (AUTOGRAD | AD_INPLACE_OR_VIEW) << EXCLUDED_SHIFT
    modes = _modes.get()
    if word & PYTHON and modes:
        outer = modes[:-1]
        try:  # nested, so that an interrupt between two steps still restores both
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


def standard_indices() -> bool:
    """Does a mode allow the indices of the Python array API standard?"""
    return any(mode.standard_indices for mode in _modes.get())


class no_dispatch(ThreadLocalStateGuard):
    """Disables dispatch modes and subclasses, so that a ``__gnomon_dispatch__`` can handle its own tensors.

    Source: torch.utils._mode_utils.no_dispatch.
    """

    __slots__ = ()

    def _inside(self) -> State:
        return ((MODE_WORD, mode_word() & ~PYTHON | PYTHON << EXCLUDED_SHIFT),)


register_boxed_fallback(DispatchKey.Python, python_kernel)
