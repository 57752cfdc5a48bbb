"""An interrupt (Ctrl-C) is raised as itself, and leaves the modes of its thread as they were.

Each test runs a program that interrupts itself 1000 times at random. If calls run in C, no interrupt is lost
and none leaves a mode; if they run in Python alone, few leave one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.values.speedups import speedups
from time_limits import LIMIT

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signal.setitimer")

PROGRAM = Path(__file__).parent / "interrupted_program.py"
IN_C = speedups is not None and gn.backends()["c"].available


def interrupt(work: str, times: int, **environment: str) -> dict[str, Any]:
    """The outcome of ``times`` interrupts of ``work``."""
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), work, str(times)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
        timeout=LIMIT,
    )
    told: dict[str, Any] = json.loads(ran.stdout)
    assert told["interrupts"] == times
    return told | {"said": ran.stderr}


@pytest.mark.skipif(not IN_C, reason="needs calls that run in C")
@pytest.mark.parametrize("work", ["step", "transforms", "views", "blocks"])
def test_in_c_every_interrupt_comes_out_and_leaves_all_as_it_was(work: str) -> None:
    told = interrupt(work, 1000, GNOMON_BACKEND="c")
    assert (told["replaced"], told["left"], told["lost"]) == ({}, {}, 0)
    assert told["same_afterwards"]
    assert "Exception ignored" not in told["said"]


@pytest.mark.parametrize("work", ["step", "blocks"])
def test_in_python_none_is_replaced_and_few_leave_a_mode(work: str) -> None:
    backend = "c" if IN_C else "reference"  # "c" is faster, so that more interrupts hit finalizers
    told = interrupt(work, 1000, GNOMON_BACKEND=backend, GNOMON_SPEEDUPS="none")
    assert told["replaced"] == {}
    assert sum(told["left"].values()) <= 50  # the interrupt kept a block's __exit__ from starting
    assert told["same_afterwards"]
