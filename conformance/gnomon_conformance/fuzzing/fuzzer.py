"""The search: makes generated calls (properties.py) until the time is over, and shrinks one that fails.

The calls depend only on the seed and the operator; the time limits how many of them are made.
"""

from __future__ import annotations

import time
import unittest
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import hypothesis

from gnomon.calls import launch
from gnomon.memory.backend import claim_of

from ..collection.selection import SHRINKING_SECONDS
from ..execution.check import check_forward
from ..reporting.reproduction import explain
from .properties import Drawn, calls, subject_for

FIRST_CALLS = 4  # in the first round; each further round has twice as many


class Found(NamedTuple):
    """The result of a search.

    calls      how many calls were compared
    unclaimed  how many were not, because they need a kernel that the backend does not claim
    message    what is wrong with the smallest failing call; "" if none fails
    drawn      that call; ``what`` is the first thing that is wrong with it
    """

    calls: int
    unclaimed: int
    message: str
    drawn: Drawn | None = None
    what: str = ""


class Counterexample(AssertionError):
    """A failing call."""


def search(operator: Any, backend: Any, dtypes: Sequence[str], seed: int, seconds: float) -> Found:
    """Make calls of ``operator`` on ``backend`` for ``seconds``, or until one fails; then shrink it.

    At least one call is made.
    """
    subject = subject_for(
        operator, dtypes, *(trait in backend.traits for trait in ("in_place", "strided_out"))
    )
    if not subject.samples:
        return Found(0, 0, "")
    hunt = _Hunt(backend, seconds)
    size = FIRST_CALLS
    number = 0
    while not hunt.is_over():
        drawn_from = zlib.crc32(f"{seed}/{operator.name}/{number}".encode())
        test = hypothesis.given(calls(subject))(hunt.try_call)
        settings = hypothesis.settings(
            max_examples=size,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=False,
            verbosity=hypothesis.Verbosity.quiet,
            suppress_health_check=list(hypothesis.HealthCheck),
            phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        )
        try:
            settings(hypothesis.seed(drawn_from)(test))()
        except Counterexample as error:
            way = f"{hunt.calls} calls passed, {hunt.failures} failed on the way to it"
            began = f"drawn with --seed {seed}; {way}"
            what, line, rest = str(error).partition("\n")
            message = f"{what}{line}({began})\n{rest}"
            first = rest.partition("\n")[0]
            return Found(hunt.calls, hunt.unclaimed, message, hunt.last_failed, first)
        except unittest.SkipTest:
            break
        number += 1
        size *= 2
    return Found(hunt.calls, hunt.unclaimed, "")


class _Hunt:
    """The calls of one search."""

    def __init__(self, backend: Any, seconds: float):
        self.backend = backend
        self.end = time.monotonic() + seconds
        self.shrunk_at = float("inf")
        # results for failing calls are kept, so that hypothesis sees the same failure when it repeats one
        self.problems: dict[str, str] = {}
        self.calls = self.unclaimed = self.failures = self.turns = 0
        self.last_failed: Drawn | None = None  # the smallest, once hypothesis has finished shrinking

    def is_over(self) -> bool:
        return self.turns > 0 and time.monotonic() > self.end

    def try_call(self, drawn: Drawn | None) -> None:
        """Make one call.  Raises Counterexample if it fails."""
        if not self.problems and self.is_over():
            # the one exception that hypothesis treats as an end, not as a failure
            raise unittest.SkipTest("the time is over")
        self.turns += 1
        if drawn is None:
            return
        problem = self.problems.get(drawn.key)
        if problem is None and time.monotonic() < self.shrunk_at:
            checked = check_claimed(drawn, self.backend)
            self.unclaimed += checked is None
            self.calls += checked == ""
            problem = checked or ""
        if not problem:
            return
        if not self.problems:
            self.shrunk_at = time.monotonic() + SHRINKING_SECONDS
        if drawn.key not in self.problems:
            self.failures += 1
            self.problems[drawn.key] = problem
        self.last_failed = drawn
        raise Counterexample(problem)


def check_claimed(drawn: Drawn, backend: Any) -> str | None:
    """The problem with a call; None if it needs a kernel that the backend does not claim.

    It is also a problem if a claimed kernel did not run.
    """
    fallen, refused = Counter(launch.fallbacks), Counter(launch.declined)
    policy = launch._policy
    launch.set_fallback_policy("allow")
    try:
        problem = check_forward(drawn.operator, drawn.sample, drawn.dtype, "contiguous", backend.device_type)
    finally:
        launch.set_fallback_policy(policy)
    problem = problem or _fallback(drawn, backend, refused)
    missing = [
        key
        for key, count in launch.fallbacks.items()
        if key[0] == backend.device_type
        and count > fallen[key]
        and launch.declined[key] == refused[key]
        and (key[1] in backend.kernels or claim_of(backend, key[1]) is None)
    ]
    if not missing:
        return problem
    for key in missing:
        launch.fallbacks[key] = fallen[key]
    return None


def _fallback(drawn: Drawn, backend: Any, refused: Counter[tuple[str, str]]) -> str:
    """A message if a kernel declined a call that the backend claims, else ""."""
    kernels = [name for device, name in launch.declined - refused if device == backend.device_type]
    if not kernels:
        return ""
    problem = f"{backend.name} claims {', '.join(sorted(kernels))}, but the reference's kernel ran"
    devices = ("reference", backend.device_type)
    return explain([problem], drawn.operator, drawn.sample, drawn.dtype, "contiguous", devices)
