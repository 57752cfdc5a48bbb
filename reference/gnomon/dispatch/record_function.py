"""RecordFunction: callbacks that run when calls begin and end.

    heard = []
    callback = RecordFunctionCallback(
        lambda scope, name, arguments: heard.append(name), scopes=(RecordScope.FUNCTION, RecordScope.KERNEL)
    )
    with observing(callback):
        gn.ones(2) + 1

A *callback* declares which scopes it observes.  It is called on the thread (or async task) that added it and
on the workers of that thread's backward passes, and nowhere else.  There may be several; they are called in
the order they were added.  Observed code calls ``start`` before and ``end`` after, whatever happens between.

Two bits of the mode word say that there is a callback, so that an unobserved call only tests a number that it
has already read.  ``OBSERVED_BIT``: there is a callback.  Speedups may still run, if they report operators,
kernels and Nodes themselves.  ``TRACED_BIT``, in addition: a callback needs each step, so every call runs in
the readable tier, without speedups.

Source: aten/src/ATen/record_function.h (RecordScope, RecordFunctionCallback with needsOutputs,
addThreadLocalCallback).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from enum import IntEnum
from typing import Any

from ..values.dispatch_key import MODE_WORD, OBSERVED_BIT, TRACED_BIT, mode_word, set_mode_word
from ..values.thread_local_state import State, ThreadLocalStateGuard


class RecordScope(IntEnum):
    """What is observed, and what callbacks get as its ``arguments``.

    Source: at::RecordScope; in PyTorch, DISPATCH is in its dispatch trace, and KERNEL in Kineto.
    """

    FUNCTION = 0  # an operator, also a composite: the schema's arguments; a backward pass: its grad_outputs
    BACKWARD_FUNCTION = 1  # a Node, by its name: the gradients that it got
    USER_SCOPE = 2  # a block that the program has named: nothing
    KERNEL = 3  # a backend's kernel: a ``calls.launch.Launch``; from speedups its first two fields
    DISPATCH = 4  # the kernel of a dispatch key: (operator, key, arguments)


FUNCTION = RecordScope.FUNCTION
BACKWARD_FUNCTION = RecordScope.BACKWARD_FUNCTION
USER_SCOPE = RecordScope.USER_SCOPE
KERNEL = RecordScope.KERNEL
DISPATCH = RecordScope.DISPATCH

USUAL_SCOPES = (FUNCTION, BACKWARD_FUNCTION, USER_SCOPE, KERNEL)


class RecordFunctionCallback:
    """Callbacks, and the scopes they observe.

    start      is called with the scope, a name and the arguments (see RecordScope) before the call begins.
               Its result is passed to ``end``.  An exception prevents the call, and is raised to the caller
    end        is called with that result, and with whether the call succeeded: False if it raised or, for a
               kernel, declined.  An exception is raised to the caller, in place of the result.  None: not
               called
    scopes     the observed scopes
    is_traced  whether every call runs in the readable tier meanwhile.  Always true with ``DISPATCH``, which
               speedups do not report.  Of kernels, only those launched in the readable tier have all fields
               of ``Launch``
    needs_outputs  whether ``end`` gets a third argument, what the call returned: None if it returned nothing
               or raised, and for kernels, which write to given tensors

    Both run during the call, on its thread.  Operators that they call are observed as well, even by
    themselves.
    """

    __slots__ = ("end", "is_traced", "needs_outputs", "scopes", "start")

    def __init__(
        self,
        start: Callable[[RecordScope, str, Sequence[Any]], Any],
        end: Callable[..., None] | None = None,
        scopes: Iterable[RecordScope] = USUAL_SCOPES,
        is_traced: bool = False,
        needs_outputs: bool = False,
    ):
        self.start = start
        self.end = end
        self.scopes = frozenset(map(RecordScope, scopes))
        self.is_traced = is_traced or DISPATCH in self.scopes
        self.needs_outputs = needs_outputs


_callbacks: ContextVar[tuple[RecordFunctionCallback, ...]] = ContextVar("gnomon_record_function", default=())

# The callbacks of this thread, in order.
callbacks: Callable[[], tuple[RecordFunctionCallback, ...]] = _callbacks.get

# If not empty, calls of all threads run in the readable tier, although nothing observes them: for anomaly
# mode.  The mode word can't say so, because a thread can not write another thread's; speedups test this list.
readable_everywhere: list[str] = []


def bits_of(told: Sequence[RecordFunctionCallback]) -> int:
    """The bits of the mode word for these callbacks."""
    if not told:
        return 0
    return OBSERVED_BIT | TRACED_BIT if any(each.is_traced for each in told) else OBSERVED_BIT


def add_thread_local_callback(callback: RecordFunctionCallback) -> None:
    """Add ``callback`` to this thread's callbacks, as the last one."""
    _tell((*callbacks(), callback))


def remove_callback(callback: RecordFunctionCallback) -> None:
    """Remove ``callback``; ``end`` is still called for what it has seen begin.

    Raises ValueError if it is not a callback of this thread.
    """
    told = list(callbacks())
    told.remove(callback)
    _tell(tuple(told))


def _tell(told: tuple[RecordFunctionCallback, ...]) -> None:
    """Set the callbacks.  An interrupt may leave bits without callbacks, but never the reverse."""
    word = mode_word() & ~(OBSERVED_BIT | TRACED_BIT)
    if told:
        set_mode_word(word | bits_of(told))
        _callbacks.set(told)
    else:
        _callbacks.set(told)
        set_mode_word(word)


class observing(ThreadLocalStateGuard):
    """Observes with ``callback`` inside the block; the earlier callbacks and bits are restored after it."""

    __slots__ = ("_callback",)
    _mask = OBSERVED_BIT | TRACED_BIT

    def __init__(self, callback: RecordFunctionCallback):
        self._callback = callback

    def _inside(self) -> State:
        told = (*callbacks(), self._callback)
        return (MODE_WORD, mode_word() | bits_of(told)), (_callbacks, told)


Token = list[tuple[RecordFunctionCallback, Any]]


def start(scope: RecordScope, name: str, arguments: Sequence[Any]) -> Token:
    """Call ``start`` of this thread's callbacks for this scope; returns the argument of ``end``.

    To be called if the mode word has OBSERVED_BIT, also by speedups in C.  If a callback raises, ``end`` is
    called for those before it, and the caller must not call ``end``.
    """
    token: Token = []
    try:
        for callback in callbacks():
            if scope in callback.scopes:
                token.append((callback, callback.start(scope, name, arguments)))
    except BaseException:
        end(token, False)
        raise
    return token


def end(token: Token, is_done: bool = True, outputs: Any = None) -> None:
    """Call ``end`` of the callbacks of ``token``, in reverse order.

    All are called, even if one raises; the first exception is then raised.
    """
    failure: BaseException | None = None
    while token:
        callback, started = token.pop()
        if callback.end is not None:
            try:
                callback.end(started, is_done, *((outputs,) if callback.needs_outputs else ()))
            except BaseException as error:
                failure = failure or error
    if failure is not None:
        raise failure


def observed(
    scope: RecordScope, name: str, arguments: Sequence[Any], function: Callable[..., Any], *given: Any
) -> Any:
    """Call ``function(*given)``, observed.  Callers test the mode word first."""
    token = start(scope, name, arguments)
    result, is_done = None, False
    try:
        result = function(*given)
        is_done = True
        return result
    finally:
        end(token, is_done, result)
