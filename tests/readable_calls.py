"""What tests compare the C speedups with: the same call, made the readable way in the same process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon.dispatch.record_function import RecordFunctionCallback, observing


def readably(call: Callable[[], Any]) -> Any:
    """What a call returns that is made the readable way."""
    with observing(RecordFunctionCallback(lambda *told: None, is_traced=True)):
        return call()
