"""ThreadLocalStateGuard: changes thread-local state for a block, and restores it however the block ends.

An interrupt (Ctrl-C) is raised between two steps of Python code, which may be between a change and the
``try`` that would undo it.  So a change is made inside its ``try``, by a function of the interpreter, which
is atomic.  Python can still be interrupted on its way into ``__exit__``; the C speedups' ``__enter__`` and
``__exit__`` can not.

Source: aten/src/ATen/ThreadLocalState.h, c10/core/impl/LocalDispatchKeySet.h.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, ClassVar, TypeVar

from .dispatch_key import MODE_WORD
from .speedups import speedups

Guard = TypeVar("Guard", bound="ThreadLocalStateGuard")
State = tuple[tuple[ContextVar[Any], Any], ...]


class ThreadLocalStateGuard:
    """Sets context variables to other values for a block, and restores the earlier ones after it.

    A subclass returns the values from ``_inside``.  Of the mode word only the bits in ``_mask`` are restored:
    other modes keep the values that the block left.  ``as`` returns ``_given``.  ``_ended`` is called after
    the block, when everything is restored.  A guard may be entered again, even within its own block.
    """

    __slots__ = ("_before",)

    _before: list[State]
    _mask: ClassVar[int] = -1
    _given: Any = None

    def __new__(cls: type[Guard], *args: Any, **kwargs: Any) -> Guard:
        made = object.__new__(cls)
        made._before = []
        return made

    def _inside(self) -> State:
        """The variables and their values inside the block; called whenever it is entered."""
        raise NotImplementedError

    def _ended(self) -> None:
        """Called after the block."""

    def __enter__(self) -> Any:
        state, given = self._inside(), self._given
        before = tuple([(variable, variable.get()) for variable, _ in state])
        self._before.append(before)
        try:
            for variable, inside in state:
                variable.set(inside)
        except BaseException:
            for variable, value in before:
                variable.set(value)
            self._before.pop()
            raise
        return given

    def __exit__(self, *exception: object) -> None:
        before = self._before[-1]
        try:
            self._put_back(before)
        except KeyboardInterrupt:
            self._put_back(before)
            raise
        finally:
            del self._before[-1]
        self._ended()

    def _put_back(self, before: State) -> None:
        for variable, value in before:
            if variable is MODE_WORD:
                value = MODE_WORD.get() & ~self._mask | value & self._mask
            variable.set(value)


if speedups is not None:
    ThreadLocalStateGuard.__enter__ = speedups.guard("enter", ThreadLocalStateGuard.__enter__)  # type: ignore[method-assign]
    ThreadLocalStateGuard.__exit__ = speedups.guard("exit", ThreadLocalStateGuard.__exit__)  # type: ignore[method-assign]
