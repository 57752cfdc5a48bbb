"""Measuring: the largest error that a running test meets, and what its author allows beyond the usual.

The comparisons of a test note here; the plug-in opens a block around each test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .expectations import Expectations


class Worst(NamedTuple):
    """The largest error of a test, by how much of what is allowed it uses.

    ulps     the error, in units in the last place of the result's dtype
    allowed  the bound, in the same units
    where    the element, and the inputs there
    """

    ulps: float
    allowed: float
    where: str

    @property
    def share(self) -> float:
        """How much of the bound is used."""
        return self.ulps / self.allowed if self.allowed else (float("inf") if self.ulps else 0.0)


class Measured:
    """What one test has met so far."""

    def __init__(self, expectations: Expectations):
        self.expectations = expectations
        self.worst: Worst | None = None

    def note(self, ulps: float, allowed: float, where: Callable[[], str]) -> None:
        """An element's error; ``where`` is asked only if there was none as large."""
        found = Worst(ulps, allowed, "")
        if self.worst is None or found.share > self.worst.share:
            self.worst = found._replace(where=where())

    def as_data(self) -> dict[str, Any] | None:
        """The worst, for a report."""
        return None if self.worst is None else self.worst._asdict()


class _Unread(Measured):
    def note(self, ulps: float, allowed: float, where: Callable[[], str]) -> None:
        """Nobody asks."""


_current: Measured = _Unread(Expectations())


def current() -> Measured:
    """What the running test has met; outside of tests, what nobody reads."""
    return _current


@contextmanager
def measuring(expectations: Expectations) -> Iterator[Measured]:
    """Inside the block, comparisons note their errors, and are loosened as ``expectations`` say."""
    global _current
    before, _current = _current, Measured(expectations)
    try:
        yield _current
    finally:
        _current = before
