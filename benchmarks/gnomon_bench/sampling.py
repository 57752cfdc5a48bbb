"""Sampling: seconds of one call, from as many calls as a clock needs."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

LOOK_SECONDS = 0.005  # and at most so often:
MOST_LOOKS = 60
SAMPLE_SECONDS = 0.005  # a sample repeats its work until it takes about so long


def rest() -> None:
    """Wait until this process's threads sleep.

    Those of some libraries spin for a tenth of a second, and take a processor from whoever is sampled next.
    """
    for _ in range(MOST_LOOKS):
        before = time.process_time()
        time.sleep(LOOK_SECONDS)
        if time.process_time() - before < LOOK_SECONDS / 5:
            return


Clock = Callable[[], float]


class Subject:
    """Work that is sampled.

    work      what does it once (returning its own seconds where ``is_timed``)
    finish    waits for what was begun
    """

    def __init__(self, work: Callable[[], Any], finish: Callable[[], None], is_timed: bool, units: int):
        self._work, self._finish, self._is_timed, self._units = work, finish, is_timed, units
        self.loops = 1
        for _ in range(2):  # the first call plans, compiles and allocates; some compilers want to see two
            started = time.perf_counter()
            work()
            finish()
            self.first = time.perf_counter() - started

    def settle(self, seconds: float = SAMPLE_SECONDS) -> None:
        """Choose how many calls make a sample."""
        took = self._seconds(1)
        if took < seconds / 10:
            took = self._seconds(max(1, int(seconds / 10 / max(took, 1e-9))))
        self.loops = max(1, round(seconds / max(took, 1e-9)))

    def sample(self, least_of: int = 1, clock: Clock = time.perf_counter) -> float:
        """Seconds of one unit of the work, the least of so many times; one call before is not counted."""
        self._work()  # caches and threads are this library's again
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
