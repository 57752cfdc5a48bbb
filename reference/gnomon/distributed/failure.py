"""What happens when a rank raises what nobody catches: it says so, and ends all ranks.

Without this the others would wait for it, and so would it for them: MPI ends a process only when all end.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

_before: list[Any] = []  # the hook that stood there, while ours does


def install(rank: int, abort: Callable[[], None]) -> None:
    """From now on, an exception that ends the program calls ``abort``, after its traceback was printed."""
    if _before:
        return
    _before.append(sys.excepthook)

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _before[-1](kind, error, trace)
        sys.stdout.flush()
        print(
            f"gnomon.distributed: rank {rank} on {socket.gethostname()} raised {kind.__name__}: ending all "
            "ranks",
            file=sys.stderr,
            flush=True,
        )
        abort()

    sys.excepthook = hook


def remove() -> None:
    """Put the hook back that was there before ``install``."""
    if _before:
        sys.excepthook = _before.pop()
