"""Outcomes: the result of one test on one backend, as plain data for reports and for other processes.

pass          the backend's own kernels ran, with the reference's results
fail          the results differ, or the process crashed or hung; ``known`` if the author's file expects it
not claimed   the backend does not claim an operator, a dtype, a layout or a trait that the test needs
fell back     a claimed kernel was not the backend's own: it declined, or called the reference's
stale claim   a failure that the author's file expects did not occur
blocked       not run, because the basic calls of a tier below failed

Only the first counts as conformance (``score``), and only if the backend did the work itself (``origin``):

own kernel             the kernel of the operator under test ran
composed               only other kernels of the backend ran: the operator or the expression is a composite,
                       or its tensors are made of others, as sparse ones are
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
    check     the kind of test: "forward", "gradient", "out", ...
    operator  the operator's full name, or the public name of an expression; "" if there is none
    message   for a failure, the differences; otherwise the reason
    known     the reason that the author's file gives for a failure; "" if it expects none
    kernels   operator -> the source location of its kernel, for each of the backend's kernels that ran
    origin    who did the work of a pass: one of ORIGINS
    worst     the largest error: {"ulps", "allowed", "where"}; None if nothing was measured
    program   for a failure, a program that reproduces it without the suite
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
        """Whether it makes the run fail."""
        return self.outcome in (FELL_BACK, STALE, BLOCKED) or (self.outcome == FAIL and not self.known)


def from_data(data: dict[str, Any]) -> Result:
    """A Result from the output of ``_asdict``; fields of other versions are ignored."""
    return Result(**{name: value for name, value in data.items() if name in Result._fields})


def counts(results: Iterable[Result]) -> dict[str, int]:
    """The number of results with each outcome."""
    found = Counter(each.outcome for each in results)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def origins(results: Iterable[Result]) -> dict[str, int]:
    """The number of passes with each origin."""
    found = Counter(each.origin for each in results if each.outcome == PASS)
    return {origin: found[origin] for origin in ORIGINS}


def score(results: Sequence[Result]) -> tuple[float, float]:
    """The fraction of claimed tests that pass, and the fraction of all tests that are claimed.

    A pass in which none of the backend's kernels ran counts in neither.
    """
    tested = [each for each in results if each.outcome != PASS or each.origin != NOT_OWN]
    claimed = [each for each in tested if each.outcome != NOT_CLAIMED]
    passed = sum(each.outcome == PASS for each in claimed)
    return passed / max(len(claimed), 1), len(claimed) / max(len(tested), 1)


# The versions in a report's environment that determine what was tested.
VERSIONS = ("suite", "gnomon", "contract", "backend's contract")  # of a run's environment


def versions(environment: Mapping[str, str]) -> str:
    """One line with the versions of the suite, of gnomon, and of the contract the backend was written for."""
    return ", ".join(f"{name} {environment[name]}" for name in VERSIONS if name in environment)
