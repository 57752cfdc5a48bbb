"""Which collectives this process has begun and ended: what a timeout and the launcher tell of it."""

from __future__ import annotations

import itertools
import time

_next_number = itertools.count(1).__next__


class Call:
    """One call of a collective: its number in this process, its name, its group, and where it is.

    ``kept`` is what must live until the end, even if nobody waits for it: MPI uses its memory.
    """

    __slots__ = ("begin", "group", "is_waiting", "kept", "name", "number", "rank")

    def __init__(self, name: str, group: str, rank: int) -> None:
        self.number = _next_number()
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
        self.under_way: dict[int, Call] = {}
        self.count = 0
        self.last = "none"
        self.changed = time.monotonic()

    def begun(self, call: Call) -> None:
        self.under_way[call.number] = call
        self.count = call.number
        self.changed = time.monotonic()

    def ended(self, call: Call) -> None:
        self.under_way.pop(call.number, None)
        self.last = f"{call.name} (number {call.number})"
        self.changed = time.monotonic()

    def report(self) -> dict[str, object]:
        """What the launcher is told: how many calls began, for which one this process waits, the last that
        ended, and for how many seconds nothing has changed.
        """
        waiting = next((str(each) for each in list(self.under_way.values()) if each.is_waiting), None)
        return {
            "count": self.count,
            "waiting": waiting,
            "last": self.last,
            "still": time.monotonic() - self.changed,
        }


progress = Progress()
