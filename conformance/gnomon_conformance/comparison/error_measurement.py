"""Records the largest error in a running test, and holds the tolerances that the backend's author loosened.

The comparisons of a test record errors here; the pytest plug-in opens a block around each test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .expectations import Expectations


class Worst(NamedTuple):
    """The largest error of a test, relative to its bound.

    ulps     the error, in units in the last place of the result's dtype
    allowed  the bound, in the same units
    where    the element, and the inputs there
    """

    ulps: float
    allowed: float
    where: str

    @property
    def share(self) -> float:
        """The error as a fraction of the bound."""
        return self.ulps / self.allowed if self.allowed else (float("inf") if self.ulps else 0.0)


class Measured:
    """What has been measured in one test so far."""

    def __init__(self, expectations: Expectations):
        self.expectations = expectations
        self.worst: Worst | None = None

    def note(self, ulps: float, allowed: float, where: Callable[[], str]) -> None:
        """Record an element's error; ``where`` is called only if it is the largest so far."""
        found = Worst(ulps, allowed, "")
        if self.worst is None or found.share > self.worst.share:
            self.worst = found._replace(where=where())

    def as_data(self) -> dict[str, Any] | None:
        """The largest error as plain data, for a report."""
        return None if self.worst is None else self.worst._asdict()


class _Unread(Measured):
    def note(self, ulps: float, allowed: float, where: Callable[[], str]) -> None:
        """Discard it: no test is running."""


_current: Measured = _Unread(Expectations())


def current() -> Measured:
    """The measurements of the running test; outside of tests, an object that discards them."""
    return _current


@contextmanager
def measuring(expectations: Expectations) -> Iterator[Measured]:
    """Inside the block, comparisons record their errors, and apply the tolerances of ``expectations``."""
    global _current
    before, _current = _current, Measured(expectations)
    try:
        yield _current
    finally:
        _current = before
