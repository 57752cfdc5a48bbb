"""Sampling: the seconds of one call, measured over as many calls as the clock's resolution needs."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

LOOK_SECONDS = 0.005  # between checks, of which there are at most:
MOST_LOOKS = 60
SAMPLE_SECONDS = 0.005  # a sample repeats its work until it takes about this long


def rest() -> None:
    """Wait until this process's threads are idle.

    Some libraries' threads spin for a tenth of a second, and would slow the next library that is sampled.
    """
    for _ in range(MOST_LOOKS):
        before = time.process_time()
        time.sleep(LOOK_SECONDS)
        if time.process_time() - before < LOOK_SECONDS / 5:
            return


Clock = Callable[[], float]


class Subject:
    """Work that is sampled.

    work      does it once (and returns its own seconds if ``is_timed``)
    finish    waits for asynchronous work
    """

    def __init__(self, work: Callable[[], Any], finish: Callable[[], None], is_timed: bool, units: int):
        self._work, self._finish, self._is_timed, self._units = work, finish, is_timed, units
        self.loops = 1
        for _ in range(2):  # the first call plans, compiles and allocates; some compilers need two
            started = time.perf_counter()
            work()
            finish()
            self.first = time.perf_counter() - started

    def settle(self, seconds: float = SAMPLE_SECONDS) -> None:
        """Choose the number of calls per sample."""
        took = self._seconds(1)
        if took < seconds / 10:
            took = self._seconds(max(1, int(seconds / 10 / max(took, 1e-9))))
        self.loops = max(1, round(seconds / max(took, 1e-9)))

    def sample(self, least_of: int = 1, clock: Clock = time.perf_counter) -> float:
        """Seconds of one unit of the work, the minimum of ``least_of`` samples, after an untimed call."""
        self._work()  # warms this library's caches and threads
        return min(self._seconds(self.loops, clock) for _ in range(least_of)) / self._units

    def _seconds(self, loops: int, clock: Clock = time.perf_counter) -> float:
        work = self._work
        self._finish()
        gc.collect(0)
        gc.disable()
        try:
            if self._is_timed:
                return sum(work() for _ in range(loops)) / loops
            started = clock()
            for _ in range(loops):
                work()
            self._finish()
            return (clock() - started) / loops
        finally:
            gc.enable()
