"""Locks, and what becomes of them in a child of fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def new_in_each_process(namespace: dict[str, Any], name: str, make: Callable[[], Any]) -> Any:
    """What ``make`` returns, for ``namespace[name]``; in a child of fork that name gets another.

    A thread that held a lock when the process forked has not come along into the child, so that nobody opens
    it there.  It is not opened by force either, since the thread that forked may be the one that holds it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: namespace.__setitem__(name, make()))
    return make()


def held_over_fork(lock: Any) -> Any:
    """``lock``, which a process takes before it forks: so it does not while another thread is inside.

    For what is imported at first use: a module that a thread is half way through importing when the process
    forks can never be imported in the child, as Python's lock on it is held by a thread that is not there.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
