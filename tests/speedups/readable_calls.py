"""What the C speedups are compared with: the same call made the readable way, and what Python a call runs."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

from gnomon.dispatch.record_function import RecordFunctionCallback, observing


def readably(call: Callable[[], Any]) -> Any:
    """What a call returns that is made the readable way."""
    with observing(RecordFunctionCallback(lambda *told: None, is_traced=True)):
        return call()


def python_calls(call: Callable[[], Any]) -> list[str]:
    """The Python functions that a call runs, but for its own; none that the garbage collector happens to."""
    called: list[str] = []
    gc.disable()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return called[1:]
