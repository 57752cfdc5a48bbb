"""tools/walk.py prints the calls that an expression makes, and where its kernel is defined."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from time_limits import LIMIT

TOOL = Path(__file__).parents[2] / "tools" / "walk.py"


def printed(*arguments: str) -> list[str]:
    """The lines that the tool prints, on the readable tier."""
    environment = {**os.environ, "GNOMON_SPEEDUPS": "none"}
    done = subprocess.run(
        [sys.executable, str(TOOL), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_sum_is_walked_from_the_sign_to_the_kernel_and_back():
    lines = printed("a + b")
    calls, counts = lines[: lines.index("")], lines[lines.index("") + 1 :]
    assert calls[0].startswith("  ") and not calls[0].startswith("   ")  # the operator's method: depth 0
    kernels = [position for position, line in enumerate(calls, 1) if line.startswith(">")]
    assert len(kernels) == 1 and "ops/" in calls[kernels[0] - 1]
    files = {line.rsplit("  ", 1)[1].rsplit(":", 1)[0] for line in calls}
    assert counts == [
        f"{len(calls)} Python calls, {kernels[0]} up to the kernel",
        f"{len(files)} files",
    ]
    assert {"ops/pointwise/arithmetic.py", "dispatch/dispatcher.py", "calls/launch.py"} <= files


def test_the_first_call_is_longer_and_elements_come_after_the_kernels_first_line():
    third, first, more = (
        printed("a + b", "--counts", *options) for options in ([], ["--call", "1"], ["--elements", "6"])
    )
    calls = [int(each[0].split()[0]) for each in (third, first, more)]
    to_kernel = [int(each[0].split(", ")[1].split()[0]) for each in (third, first, more)]
    assert calls[1] > calls[0] and calls[2] > calls[0]
    assert to_kernel[1] > to_kernel[0] == to_kernel[2]


def test_what_is_run_before_is_not_counted():
    assert printed("y", "--before", "y = a + b") == ["", "0 Python calls, no kernel ran", "0 files"]
    backward = printed("grad(y, a, g)", "--before", "y = a + b", "--grad")
    assert any("autograd/engine.py" in line for line in backward)
    assert not any(line.startswith(">") for line in backward)  # the addition itself ran before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a +"], "SyntaxError"),
        (["a.nothing()"], "AttributeError"),
        (["a + b", "--call", "0"], "--call: expected a number from 1 on, got 0"),
    ],
)
def test_mistakes_are_said(arguments, message):
    done = subprocess.run(
        [sys.executable, str(TOOL), *arguments], capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert done.returncode != 0 and message in done.stderr
