"""The readable path of a call, and the Python code that a call runs, to compare the C speedups with."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

from gnomon.dispatch.record_function import RecordFunctionCallback, observing


def readably(call: Callable[[], Any]) -> Any:
    """The result of a call on the readable path."""
    with observing(RecordFunctionCallback(lambda *told: None, is_traced=True)):
        return call()


def python_calls(call: Callable[[], Any]) -> list[str]:
    """The Python functions that ``call`` runs, without itself; the garbage collector is off meanwhile."""
    called: list[str] = []
    gc.disable()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return called[1:]
