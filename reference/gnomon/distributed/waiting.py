"""Waiting for something that must be asked again and again, as MPI's requests must be to make progress."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

# How long a wait asks without a pause, then with the processor offered to others, then with pauses.
# Processes of one machine often share its processors: a process that asks all the time keeps others from
# computing.
_EAGER = 2e-5
_YIELDING = 2e-3
_PAUSE = 5e-5


# What whoever waits, or asks whether something has ended, does besides, by its owner: a message must be taken
# while its receiver waits for something else, as its sender may wait for that.
meanwhile: dict[object, Callable[[], None]] = {}


def do_meanwhile() -> None:
    """Do all that is to be done besides."""
    for each in list(meanwhile.values()):
        each()


def wait_until(is_done: Callable[[], bool], timeout: float | None) -> bool:
    """Ask ``is_done`` until it says so, for at most ``timeout`` seconds.  Returns whether it did."""
    if is_done():
        return True
    begin = time.perf_counter()
    while True:
        do_meanwhile()
        for _ in range(8):
            if is_done():
                return True
        passed = time.perf_counter() - begin
        if timeout is not None and passed > timeout:
            return is_done()
        if passed > _YIELDING:
            time.sleep(_PAUSE)
        elif passed > _EAGER:
            os.sched_yield()
