"""The C speedups and the readable tier give the same reports after each line of many random programs.

Each program (random_programs.py) runs three times here, where later runs use the plans of the first, and once
in a process on the readable tier, which gives the expected reports. ``GNOMON_PROGRAMS`` sets their number.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

import gnomon as gn
import random_programs
from gnomon.backends.listing import backend_info
from gnomon.values.speedups import speedups
from random_programs import Machine, generate, run
from time_limits import LONG_LIMIT

COUNT = int(os.environ.get("GNOMON_PROGRAMS", "160"))
SOME = 60  # so many are compared by `make test`, the others by `make test-all`
FIRST = int(os.environ.get("GNOMON_FIRST_PROGRAM", "0"))

pytestmark = pytest.mark.skipif(
    speedups is None or not backend_info("c").available, reason="needs the C backend and the C speedups"
)

Program = tuple[list[str], bool]

# What some of the lines must contain.
PARTS = [
    ".select(",
    ".as_strided(",
    ".unbind(",
    ".expand(",
    ".data",
    ".detach_()",
    ".requires_grad_(",
    "out=",
    "del t",
    "register_hook(failing)",
    "register_prehook",
    "retain_grad",
    "saved_tensors_hooks",
    "no_grad",
    "inference_mode",
    "Mode()",
    "wrapped(",
    "Parameter(",
    "create_graph=True",
    "allow_unused=True",
    "copy.deepcopy",
    "weakref.ref",
    "Failing.apply",
    "Dirty.apply",
    "'reference'",
    "'meta'",
    "F.layer_norm",
    "F.cross_entropy",
    "gn.cat(",
    " @ ",
]


def on_the_readable_tier(programs: list[Program], speedups: str = "none") -> list[list[str]]:
    """The reports of programs that run in another process, by default on the readable tier."""
    done = subprocess.run(
        [sys.executable, random_programs.__file__],
        input=json.dumps(programs),
        env={**os.environ, "GNOMON_SPEEDUPS": speedups},
        capture_output=True,
        text=True,
        timeout=LONG_LIMIT,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def difference(mine: list[str], other: list[str]) -> tuple[int, str] | None:
    """The first line with another report, and the difference; None if there is none."""
    for number, (here, there) in enumerate(zip(mine, other)):
        if here != there:
            seen_here, seen_there = here.split("\n"), there.split("\n")
            left_here = [each for each in seen_here if each not in seen_there]
            left_there = [each for each in seen_there if each not in seen_here]
            both = ["  with speedups:", *left_here[:3], "  on the readable tier:", *left_there[:3]]
            return number, "\n".join(both)
    return None


def differs_by_itself(program: Program) -> bool:
    """Whether the tiers differ if each runs nothing but this program, three times."""
    in_c, in_python = (on_the_readable_tier([program] * 3, tier) for tier in ("", "none"))
    return in_c != in_python


def shortened(lines: list[str], everything: bool) -> list[str]:
    """The lines without which the tiers would not differ; all, if the difference needs other programs."""
    if not differs_by_itself((lines, everything)):
        return lines
    for number in reversed(range(len(lines) - 1)):
        shorter = lines[:number] + lines[number + 1 :]
        if differs_by_itself((shorter, everything)):
            lines = shorter
    return lines


def describe(seed: int, program: Program, found: tuple[int, str], time: int) -> str:
    number, what = found
    lines = shortened(program[0][: number + 1], program[1])
    return "\n".join([f"program {seed}, run {time + 1} of 3, differs after its last line:", *lines, what])


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    gn.set_fallback_policy(None)


@pytest.mark.parametrize(
    ("first", "count"),
    [(FIRST, min(COUNT, SOME)), pytest.param(FIRST + SOME, COUNT - SOME, marks=pytest.mark.slow)],
    ids=["some", "others"],
)
def test_random_programs_leave_the_same_on_both_tiers(first: int, count: int) -> None:
    seeds = range(first, first + count)
    programs = [(generate(seed), seed % 3 != 0) for seed in seeds]
    expected = on_the_readable_tier(programs)
    assert len(expected) == len(programs)
    for seed, program, wanted in zip(seeds, programs, expected):
        for time in range(3):
            found = difference(run(*program), wanted)
            if found is not None:
                pytest.fail(describe(seed, program, found, time), pytrace=False)


@pytest.mark.slow
def test_programs_are_of_all_kinds() -> None:
    """Programs contain all kinds of lines, and most lines succeed."""
    lines = [line for seed in range(FIRST, FIRST + 200) for line in generate(seed)]
    text = "\n".join(lines)
    for part in PARTS:
        assert part in text, part
    assert len(lines) > 200 * 12
    left = [seen for seed in range(FIRST, FIRST + 40) for seen in run(generate(seed))]
    raised = sum("\n    raised " in seen for seen in left)
    assert len(left) / 20 < raised < len(left) / 3


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("t0.add_(1)", "version 1"),
        ("t1 = t0[0]", "is_view True"),
        ("t1 = t0 * 2", "graph 'MulBackward0(AccumulateGrad():0, -:0)'"),
        ("t0 = t0 / 0", "values [inf, inf]"),
        ("t0 = t0 * -0.0", "values [-0.0, -0.0]"),
        ("t0[5]", "raised IndexError"),
        ("t0.sum().backward()", "grad [1.0, 1.0]"),
        ("log.append(3)", "noted 3"),
        ("import warnings; warnings.warn('so')", "warned UserWarning: so"),
    ],
)
def test_what_is_told(line: str, what: str) -> None:
    machine = Machine()
    leaf = "add_" not in line
    first = machine.step(f"t0 = gn.ones(2, device='c', requires_grad={leaf})")
    assert what not in first
    assert what in machine.step(line)


def test_a_difference_is_shown_as_a_short_program(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["t0 = gn.ones(2)", "t1 = gn.zeros(3)", "t2 = t0 + t0", "t2.mul_(2)"]
    left = run(lines)
    other = [each.replace("values [4.0, 4.0]", "values [5.0, 5.0]") for each in left]
    found = difference(left, other)
    assert found is not None and found[0] == 3
    assert "values [4.0, 4.0]" in found[1] and "values [5.0, 5.0]" in found[1]
    assert difference(left, left) is None

    def needs(program: Program) -> bool:
        return {lines[0], lines[2], lines[3]} <= set(program[0])

    monkeypatch.setitem(globals(), "differs_by_itself", needs)
    assert shortened(lines, True) == [lines[0], lines[2], lines[3]]
    assert describe(4, (lines, True), found, 0).startswith("program 4, run 1 of 3")
