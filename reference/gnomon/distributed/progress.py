"""Which collectives this process has begun and ended: what a timeout and the launcher tell of it."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Iterator
from contextvars import ContextVar

_numbers = itertools.count(1)


# The number of a call of the user's that consists of several collectives.
_shared: ContextVar[int | None] = ContextVar("_shared", default=None)


@contextlib.contextmanager
def one_call() -> Iterator[None]:
    """What is called inside is one call of the user's, and has one number."""
    token = _shared.set(_shared.get() or next(_numbers))
    try:
        yield
    finally:
        _shared.reset(token)


class Call:
    """One call of a collective: its number in this process, its name, its group, and where it is.

    A comparison of debug.py is not counted: it has the number of the call that follows it.  ``kept`` is
    what must live until the end, even if nobody waits for it: MPI uses its memory.
    """

    __slots__ = ("begin", "group", "is_waiting", "kept", "name", "number", "rank")

    def __init__(self, name: str, group: str, rank: int, is_counted: bool = True) -> None:
        shared = _shared.get()
        self.number = shared or (next(_numbers) if is_counted else progress.count + 1)
        if is_counted or shared:
            progress.count = self.number
        self.name = name
        self.group = group
        self.rank = rank
        self.begin = time.monotonic()
        self.is_waiting = False
        self.kept: object = None
        progress.begun(self)

    def end(self) -> None:
        """The call has ended."""
        progress.ended(self)

    def __str__(self) -> str:
        return (
            f"{self.name} of group {self.group!r} on rank {self.rank} (its collective number {self.number})"
        )


class Progress:
    """The calls of this process: those under way, and the last that ended."""

    def __init__(self) -> None:
        self.under_way: dict[Call, None] = {}  # in their order
        self.count = 0
        self.last = "none"
        self.changed = time.monotonic()

    def begun(self, call: Call) -> None:
        self.under_way[call] = None
        self.changed = time.monotonic()

    def ended(self, call: Call) -> None:
        self.under_way.pop(call, None)
        self.last = f"{call.name} (number {call.number})"
        self.changed = time.monotonic()

    def report(self) -> dict[str, object]:
        """What the launcher is told: how many calls began, for which one this process waits, the last that
        ended, and for how many seconds nothing has changed.
        """
        waiting = next((str(each) for each in list(self.under_way) if each.is_waiting), None)
        return {
            "count": self.count,
            "waiting": waiting,
            "last": self.last,
            "still": time.monotonic() - self.changed,
        }


progress = Progress()
