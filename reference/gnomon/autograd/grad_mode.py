"""Grad modes: whether operators are recorded, and inference mode.

Each is a context manager (``with no_grad():``) and a decorator of functions.  They are local to the thread
and the async task.

Source: torch/autograd/grad_mode.py, torch/utils/_contextlib.py.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any, TypeVar, overload

from ..dispatch.mode import (
    EXCLUDE_AUTOGRAD,
    MODE_WORD,
    is_grad_enabled,
    is_inference_mode_enabled,
    mode_word,
    set_mode_word,
)
from ..values.dispatch_key import GRAD_MODE_BIT, INFERENCE_MODE_BIT
from ..values.errors import warn
from ..values.thread_local_state import State, ThreadLocalStateGuard

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound="_ModeContext")


# Is this thread running a function for ``func.grad``, ``func.vmap`` or another transform?
in_transform: ContextVar[bool] = ContextVar("gnomon_in_transform", default=False)


class _ModeContext(ThreadLocalStateGuard):
    """A mode for a block or for a function: ``enter`` computes the new mode word from the old one.

    ``_mask`` has the mode's bits; other bits keep their values when the block ends.
    """

    __slots__ = ()

    _mask = GRAD_MODE_BIT

    def enter(self, word: int) -> int:
        """The mode word inside the block."""
        raise NotImplementedError

    def copy(self) -> _ModeContext:
        """A new guard for the same mode: several threads may call a decorated function at once."""
        return type(self)()

    def _inside(self) -> State:
        return ((MODE_WORD, self.enter(mode_word())),)

    def __call__(self, function: F) -> F:
        if inspect.isclass(function):
            warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only "
                "decorate functions or methods. To preserve the current behavior of class decoration, you "
                "can directly decorate the `__init__` method and nothing else.",
                FutureWarning,
            )
        if inspect.isgeneratorfunction(function):
            return _in_generator(self, function)  # type: ignore[return-value]

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            word = mode_word()
            try:
                with self.copy():
                    return function(*args, **kwargs)
            except KeyboardInterrupt:  # it may have prevented __exit__
                set_mode_word(word)
                raise

        return wrapper  # type: ignore[return-value]


def _in_generator(context: _ModeContext, function: Callable[..., Any]) -> Callable[..., Any]:
    """A generator function whose body runs in the mode whenever it is resumed, while its caller does not."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        try:
            with context.copy():
                produced = generator.send(None)
            while True:
                try:
                    received = yield produced
                except GeneratorExit:
                    with context.copy():
                        generator.close()
                    raise
                except BaseException as error:
                    with context.copy():
                        produced = generator.throw(error)
                else:
                    with context.copy():
                        produced = generator.send(received)
        except StopIteration as end:
            return end.value

    return wrapper


class _BareDecorator(_ModeContext):
    """A mode without arguments, which also decorates without parentheses: ``@no_grad``."""

    __slots__ = ()

    @overload
    def __new__(cls: type[C], function: None = None) -> C: ...

    @overload
    def __new__(cls, function: F) -> F: ...  # type: ignore[misc]  # no_grad: a decorated function

    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        return made if function is None else made(function)


class no_grad(_BareDecorator):
    """Inside, operators are not recorded.  A context manager and a decorator.  Source: torch.no_grad."""

    __slots__ = ()

    def enter(self, word: int) -> int:
        return word & ~GRAD_MODE_BIT


class enable_grad(_BareDecorator):
    """Inside, operators are recorded, also within ``no_grad``.  A context manager and a decorator.

    Source: torch.enable_grad.
    """

    __slots__ = ()

    def enter(self, word: int) -> int:
        return word | GRAD_MODE_BIT


class set_grad_enabled(_ModeContext):
    """Turns grad mode on or off: from now on, for a block as a context manager, or for a decorated function.

    Source: torch.set_grad_enabled.
    """

    __slots__ = ("_mode",)

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self._mode = mode
        super().__enter__()

    def enter(self, word: int) -> int:
        return word | GRAD_MODE_BIT if self._mode else word & ~GRAD_MODE_BIT

    def copy(self) -> _ModeContext:
        return enable_grad() if self._mode else no_grad()

    def __enter__(self) -> None:
        self._before.append(self._before[0])  # the end of the block restores the state from before __init__
        set_mode_word(self.enter(mode_word()))

    def __call__(self, function: F) -> F:
        self._put_back(self._before[0])  # the mode is only for the function
        return super().__call__(function)


class inference_mode(_ModeContext):
    """Inside, nothing is recorded, and new tensors are *inference tensors*, which have no version counter.

    Outside, these can't be saved for backward or written to.  ``inference_mode(False)`` ends the mode inside
    such a block.  A context manager and a decorator.  Source: torch.inference_mode.
    """

    __slots__ = ("_mode",)

    _mask = GRAD_MODE_BIT | INFERENCE_MODE_BIT | EXCLUDE_AUTOGRAD

    @overload
    def __new__(cls: type[C], mode: bool = True) -> C: ...

    @overload
    def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]  # a decorated function

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if callable(mode):
            made._mode = True
            return made(mode)
        return made

    def __init__(self, mode: bool = True) -> None:
        self._mode = bool(mode)

    def enter(self, word: int) -> int:
        if self._mode:
            return word & ~GRAD_MODE_BIT | INFERENCE_MODE_BIT | EXCLUDE_AUTOGRAD
        return word & ~(INFERENCE_MODE_BIT | EXCLUDE_AUTOGRAD) | GRAD_MODE_BIT

    def copy(self) -> inference_mode:
        return inference_mode(self._mode)


_multithreading: ContextVar[bool] = ContextVar("gnomon_multithreading", default=True)


def is_multithreading_enabled() -> bool:
    """May backward use several threads, one per device?"""
    return _multithreading.get()


class set_multithreading_enabled(_ModeContext):
    """Sets whether backward uses one thread per device for a graph on several devices (the default).

    Otherwise it uses only the calling thread.  From now on, or for a block as a context manager.
    Source: torch.autograd.set_multithreading_enabled.
    """

    __slots__ = ("_mode",)

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_multithreading_enabled(): argument 'enabled' (position 1) must be bool, not "
                f"{type(mode).__name__}"
            )
        self._mode = mode
        super().__enter__()

    def copy(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self._mode)

    def _inside(self) -> State:
        return ((_multithreading, self._mode),)

    def __enter__(self) -> None:
        self._before.append(self._before[0])


__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
