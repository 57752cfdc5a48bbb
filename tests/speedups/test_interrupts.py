"""An interrupt (Ctrl-C) comes out as itself, and leaves the modes of its thread as they were.

Each test runs a program of its own, which interrupts itself at random times, thousands of times: nothing is
lost where calls run in C, and within a stated bound where they run in Python alone.
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

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signal.setitimer")

PROGRAM = Path(__file__).parent / "interrupted_program.py"
IN_C = speedups is not None and gn.backends()["c"].available


def interrupt(work: str, times: int, **environment: str) -> dict[str, Any]:
    """What became of ``times`` interrupts of ``work``."""
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), work, str(times)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
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
    backend = "c" if IN_C else "reference"  # "c" is quicker, so that more of them fall into finalizers
    told = interrupt(work, 1000, GNOMON_BACKEND=backend, GNOMON_SPEEDUPS="none")
    assert told["replaced"] == {}
    assert (
        sum(told["left"].values()) <= 50
    )  # of a block's own __exit__, which an interrupt kept from beginning
    assert told["same_afterwards"]
