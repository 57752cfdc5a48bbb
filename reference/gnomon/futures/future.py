"""Future: a value that is not there yet.  Source: torch.futures.Future."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, cast

from ..values.errors import warn

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """A value that is there later: set by ``set_result``, or by the end of a collective.

    No thread waits for it: functions given to ``then`` and ``add_done_callback`` run in the ``wait`` or
    ``done`` that first sees the value, in the order in which they were given.  Source: torch.futures.Future.
    """

    def __init__(self, *, devices: Any = None) -> None:
        self._value: T | None = None
        self._error: BaseException | None = None
        self._is_set = False
        self._callbacks: list[Callable[[Future[T]], Any]] = []
        self._before: tuple[Callable[[], bool], Callable[[], Any]] | None = None  # asks, and waits

    @classmethod
    def made_by(cls, is_done: Callable[[], bool], settle: Callable[[], T]) -> Future[T]:
        """The Future of what ``settle()`` returns, which waits for it; ``is_done`` asks without waiting."""
        made: Future[T] = cls()

        def set_what_comes() -> None:
            try:
                value = settle()
            except BaseException as error:
                made._settle(None, error)
                if not isinstance(error, Exception):
                    raise
            else:
                made._settle(value, None)

        made._before = (is_done, set_what_comes)
        return made

    def done(self) -> bool:
        """Is the value (or an error) there?"""
        if not self._is_set and self._before is not None and self._before[0]():
            self._before[1]()
        return self._is_set

    def wait(self) -> T:
        """Wait for the value, and return it.  Raises the error, if it ended with one."""
        if not self._is_set and self._before is not None:
            self._before[1]()
        if not self._is_set:
            raise RuntimeError("Future: nobody has set the result, and no other thread can be waited for")
        return self.value()

    def value(self) -> T:
        """The value, which must be there.  Raises RuntimeError if it is not, or the error."""
        if not self._is_set:
            raise RuntimeError("Future: value() was called before the result was there; use wait()")
        if self._error is not None:
            raise self._error
        return cast(T, self._value)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """A Future of ``callback(this)``, which is called when this is done.

        An error of the callback is in the new Future, as a RuntimeError whose cause it is.
        """
        made: Future[S] = Future()

        def call(done: Future[T]) -> None:
            try:
                value = callback(done)
            except Exception as error:
                wrapped = RuntimeError(_in_callback(error))
                wrapped.__cause__ = error
                made._settle(None, wrapped)
            else:
                made._settle(value, None)

        made._before = (self.done, self._try_to_wait)
        self.add_done_callback(call)
        return made

    def add_done_callback(self, callback: Callable[[Future[T]], Any]) -> None:
        """Call ``callback(this)`` when this is done: now, if it is.  Its error becomes a warning."""
        if self._is_set:
            self._call(callback)
        else:
            self._callbacks.append(callback)

    def set_result(self, result: T) -> None:
        """Give the value.  Raises RuntimeError if there is one."""
        self._settle(result, None)

    def set_exception(self, result: BaseException) -> None:
        """End with an error, which ``wait`` and ``value`` raise."""
        self._settle(None, result)

    def _try_to_wait(self) -> None:
        try:
            self.wait()
        except Exception:
            if not self._is_set:
                raise

    def _settle(self, value: T | None, error: BaseException | None) -> None:
        if self._is_set:
            raise RuntimeError("Future: the result is set already")
        self._value, self._error, self._is_set = value, error, True
        callbacks, self._callbacks = self._callbacks, []
        for each in callbacks:
            self._call(each)

    def _call(self, callback: Callable[[Future[T]], Any]) -> None:
        try:
            callback(self)
        except Exception as error:
            warn(_in_callback(error), UserWarning)


def _in_callback(error: Exception) -> str:
    text = "".join(traceback.format_exception_only(error)).strip()
    return f"Got the following error when running the callback: {text}"


def collect_all(futures: Sequence[Future[Any]]) -> Future[list[Future[Any]]]:
    """A Future that is done when all of ``futures`` are.  Source: torch.futures.collect_all."""
    made: Future[list[Future[Any]]] = Future()

    def settle() -> None:
        for each in futures:
            each._try_to_wait()
        made._settle(list(futures), None)

    made._before = (lambda: all(each.done() for each in futures), settle)
    return made


def wait_all(futures: Sequence[Future[Any]]) -> list[Any]:
    """The values of ``futures``, after waiting for all.  Source: torch.futures.wait_all."""
    return [each.wait() for each in futures]
