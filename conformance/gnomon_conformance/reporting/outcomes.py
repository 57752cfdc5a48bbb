"""Outcomes: what came of one test of one backend, as plain data that goes into reports and between processes.

pass          the backend's own kernels ran, and did what the reference does
fail          they did something else, or crashed, or hung; ``known`` where the author's file expects it
not claimed   the backend does not claim an operator, a dtype, a layout or a trait that the test needs
fell back     a kernel that the backend claims was not its own: it declined, or called the reference's
stale claim   a failure that the author's file expects did not come
blocked       not run, because the foundation of a tier below failed

Only the first counts as conformance: ``score``.  And of it only what the backend did itself (``origin``):

own kernel             the kernel of the operator that is tested ran
composed               others of its kernels ran, of which the operator, or the expression, is composed
not the backend's      none ran: a view, a check of sizes, an error that is raised before any kernel
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

PASS = "pass"
FAIL = "fail"
NOT_CLAIMED = "not claimed"
FELL_BACK = "fell back"
STALE = "stale claim"
BLOCKED = "blocked"
OWN = "own kernel"
COMPOSED = "composed"
NOT_OWN = "not the backend's"
ORIGINS = (OWN, COMPOSED, NOT_OWN)
OUTCOMES = (PASS, FAIL, NOT_CLAIMED, FELL_BACK, STALE, BLOCKED)


class Result(NamedTuple):
    """One test of one backend.

    test      the test without its file and backend: "forward[add.Tensor-float32]"
    check     what is checked: "forward", "gradient", "out", ...
    operator  the operator's full name, or the public name of an expression; "" where the test has none
    message   of a failure: what differs; of the others: why
    known     the reason that the author's file gives for a failure; "" where it expects none
    kernels   operator -> where the kernel is written, of the backend's own kernels that ran
    origin    whose work a pass is: one of ORIGINS
    worst     the largest error met: {"ulps", "allowed", "where"}; None where nothing was measured
    program   of a failure: a program that shows it without the suite
    """

    backend: str
    test: str
    check: str
    operator: str
    dtype: str
    tier: str
    outcome: str
    message: str = ""
    known: str = ""
    kernels: dict[str, str] = {}  # noqa: RUF012  (a NamedTuple's default, never written)
    seconds: float = 0.0
    worst: dict[str, Any] | None = None
    program: str = ""
    origin: str = OWN

    @property
    def is_bad(self) -> bool:
        """Does it make the run fail?"""
        return self.outcome in (FELL_BACK, STALE, BLOCKED) or (self.outcome == FAIL and not self.known)


def from_data(data: dict[str, Any]) -> Result:
    """A Result from what ``_asdict`` gave; entries of other versions are left out."""
    return Result(**{name: value for name, value in data.items() if name in Result._fields})


def counts(results: Iterable[Result]) -> dict[str, int]:
    """How many results have each outcome."""
    found = Counter(each.outcome for each in results)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def origins(results: Iterable[Result]) -> dict[str, int]:
    """How many passes are of each origin."""
    found = Counter(each.origin for each in results if each.outcome == PASS)
    return {origin: found[origin] for origin in ORIGINS}


def score(results: Sequence[Result]) -> tuple[float, float]:
    """The share of claimed tests that pass, and the share of all tests that are claimed; 0 to 1 each.

    A pass in which none of the backend's kernels ran is neither: of a backend without kernels, too.
    """
    tested = [each for each in results if each.outcome != PASS or each.origin != NOT_OWN]
    claimed = [each for each in tested if each.outcome != NOT_CLAIMED]
    passed = sum(each.outcome == PASS for each in claimed)
    return passed / max(len(claimed), 1), len(claimed) / max(len(tested), 1)


# What of a report's environment says which suite judged what.
VERSIONS = ("suite", "gnomon", "contract", "backend's contract")  # of a run's environment


def versions(environment: Mapping[str, str]) -> str:
    """Which suite judged, of which gnomon, and by which contract the backend was written: in a line."""
    return ", ".join(f"{name} {environment[name]}" for name in VERSIONS if name in environment)
