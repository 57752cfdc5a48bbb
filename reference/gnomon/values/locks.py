"""Locks, and how they survive a fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def new_in_each_process(namespace: dict[str, Any], name: str, make: Callable[[], Any]) -> Any:
    """What ``make`` returns, for ``namespace[name]``; after a fork, the child's name gets a new one.

    A thread that holds a lock during the fork does not exist in the child, so nobody would release it there.
    The child does not release it either, since the forking thread itself may be the one that holds it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: namespace.__setitem__(name, make()))
    return make()


def held_over_fork(lock: Any) -> Any:
    """``lock``, which a process acquires before it forks, so that no other thread holds it meanwhile.

    For modules imported at first use: if another thread is importing a module when the process forks, the
    child can never import it, because a thread that does not exist there holds Python's lock on it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
