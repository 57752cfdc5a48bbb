"""RecordFunction: the one way to watch calls, from where they begin to where they end.

    heard = []
    callback = RecordFunctionCallback(
        lambda scope, name, arguments: heard.append(name), scopes=(RecordScope.FUNCTION, RecordScope.KERNEL)
    )
    with observing(callback):
        gn.ones(2) + 1

A *callback* says which scopes it wants.  It is told on the thread (or async task) that it was added on, and
on the workers of that one's backwards, and nowhere else; several may be told at once, those first that were
added first.  What is told of, calls ``start`` before and ``end`` after, whatever happens in between.

Two bits of the mode word say that there is somebody to tell, so that a call that nobody watches pays for one
look at a number that it has read anyway.  ``OBSERVED_BIT``: there is a callback.  Speedups may go on, if they
tell of operators, kernels and Nodes themselves.  ``TRACED_BIT``, beside it: one wants to see each step of the
readable way, and no speedup is taken.

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
    """What begins and ends, and what a callback gets as its ``arguments``.

    Source: at::RecordScope; DISPATCH and KERNEL are what PyTorch leaves to its dispatch trace and to Kineto.
    """

    FUNCTION = 0  # an operator, compositions too: the schema's arguments.  A backward: its first gradients
    BACKWARD_FUNCTION = 1  # a Node, by its class's name: the gradients that have arrived
    USER_SCOPE = 2  # a block that the program has named: nothing
    KERNEL = 3  # a backend's kernel: a ``calls.launch.Launch``; of speedups its first two, device and tensors
    DISPATCH = 4  # the kernel of a dispatch key that a call passes through: (operator, key, arguments)


FUNCTION = RecordScope.FUNCTION
BACKWARD_FUNCTION = RecordScope.BACKWARD_FUNCTION
USER_SCOPE = RecordScope.USER_SCOPE
KERNEL = RecordScope.KERNEL
DISPATCH = RecordScope.DISPATCH

USUAL_SCOPES = (FUNCTION, BACKWARD_FUNCTION, USER_SCOPE, KERNEL)


class RecordFunctionCallback:
    """Whom to tell, and of what.

    start      is called with the scope, a name and the arguments (see RecordScope) before that begins.  What
               it returns is given to ``end``.  What it raises keeps the call from being made, and goes to the
               caller
    end        is called with that, and with whether the call is done: False where it has raised or, of a
               kernel, has declined.  What it raises goes to the caller, in place of the result.  None: nobody
               is told
    scopes     of what it is told
    is_traced  whether each call goes the readable way meanwhile.  Always so with ``DISPATCH``, of which
               speedups know nothing.  Of kernels, only what is launched the readable way says all that
               ``Launch`` has
    needs_outputs  whether ``end`` gets a third argument: what the call has returned.  None where that is
               nothing, where it has raised, and of kernels, which write to tensors that they are given

    Both run in the midst of the call, on its thread.  Operators that they call are told of as well, to them
    too.
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

# Whom a call on this thread tells, in their order.
callbacks: Callable[[], tuple[RecordFunctionCallback, ...]] = _callbacks.get

# For whom each call of any thread goes the readable way, though nobody is told: anomaly mode, which is for
# all threads.  A thread's mode word can't say so, for no thread can write another's: speedups ask whether
# this list is empty.
readable_everywhere: list[str] = []


def bits_of(told: Sequence[RecordFunctionCallback]) -> int:
    """What the mode word has where these are told."""
    if not told:
        return 0
    return OBSERVED_BIT | TRACED_BIT if any(each.is_traced for each in told) else OBSERVED_BIT


def add_thread_local_callback(callback: RecordFunctionCallback) -> None:
    """From now on ``callback`` is told of what happens on this thread, after those that are told already."""
    _tell((*callbacks(), callback))


def remove_callback(callback: RecordFunctionCallback) -> None:
    """``callback`` is told no longer.  Calls that it was told the beginning of, it is told the end of.

    Raises ValueError if it was not told on this thread.
    """
    told = list(callbacks())
    told.remove(callback)
    _tell(tuple(told))


def _tell(told: tuple[RecordFunctionCallback, ...]) -> None:
    """An interrupt between the two leaves bits without a callback, and never a callback without its bits."""
    word = mode_word() & ~(OBSERVED_BIT | TRACED_BIT)
    if told:
        set_mode_word(word | bits_of(told))
        _callbacks.set(told)
    else:
        _callbacks.set(told)
        set_mode_word(word)


class observing(ThreadLocalStateGuard):
    """A block in which ``callback`` is told; behind it those are that were told before, and the bits as they
    were, however the block ends.
    """

    __slots__ = ("_callback",)
    _mask = OBSERVED_BIT | TRACED_BIT

    def __init__(self, callback: RecordFunctionCallback):
        self._callback = callback

    def _inside(self) -> State:
        told = (*callbacks(), self._callback)
        return (MODE_WORD, mode_word() | bits_of(told)), (_callbacks, told)


Token = list[tuple[RecordFunctionCallback, Any]]


def start(scope: RecordScope, name: str, arguments: Sequence[Any]) -> Token:
    """Something begins: this thread's callbacks that want its scope are told.  Returns what ``end`` takes.

    To be called where the mode word has OBSERVED_BIT, by speedups in C too.  Where a callback raises, those
    that were told before it are told of an end, and nothing else is to be done.
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
    """It has ended: those are told that were told of its start, the last of them first.

    All of them are told, even if one raises; what was raised first goes on.
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
    """``function(*given)``, told of.  Only for calls that are watched: the others ask the mode word first."""
    token = start(scope, name, arguments)
    result, is_done = None, False
    try:
        result = function(*given)
        is_done = True
        return result
    finally:
        end(token, is_done, result)
