"""Limits of what tests wait for: a hang fails its test, instead of keeping ``make test`` from ending.

They are so long that no test gets near them, on a slow machine or with a sanitizer either: whether a test
passes must not depend on how long it takes.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LIMIT = 600.0  # seconds for a thread, or for a program
LONG_LIMIT = 3600.0  # for a build, or for a program that runs many tests


def start(work: Callable[..., Any], *arguments: Any) -> threading.Thread:
    """A thread that runs ``work(*arguments)``, started.

    It is a daemon thread, because the process waits for the end of all others before it ends itself.
    """
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def join(*threads: threading.Thread) -> None:
    """Wait for the end of threads.  Raises AssertionError if one of them hangs."""
    for thread in threads:
        thread.join(LIMIT)
        assert not thread.is_alive(), f"{thread.name} has not ended within {LIMIT:g} seconds"


@contextmanager
def killing(process: int) -> Iterator[None]:
    """Kill a process that has not ended by the time limit of the block, so that a wait for it ends."""
    killer = threading.Timer(LIMIT, os.kill, (process, signal.SIGKILL))
    killer.daemon = True
    killer.start()
    try:
        yield
    finally:
        killer.cancel()


def exit_code(child: int) -> int:
    """Wait for the end of a child of ``os.fork``, and return its exit code: that of SIGKILL if it hangs."""
    with killing(child):
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
