"""Cases: calls and programs, run in both libraries, compared, and shrunk."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import torch

import gnomon as gn

from . import calls, judging, programs
from .calls import BoundedGnomon, BoundedTorch
from .known import Known, unknown

Case = Any  # a calls.Case or a programs.Program
Say = Callable[[str], None]  # reports the library at work, so that a crash can be attributed
PROGRAMS = 0.35  # the fraction of cases that are programs
OTHER_KIND = re.compile(r"raised \w+: .*\n(?s:.*)expected \w+: ")


def draw(seed: int, number: int, only: str) -> Case | None:
    """The case with this number; None if the chosen operator and dtype have no samples."""
    rng = random.Random(f"{seed}/{number}")
    has_programs = re.search(only, programs.NAME) is not None
    if has_programs and (rng.random() < PROGRAMS or not calls.names(only)):
        return programs.draw(rng)
    return calls.draw(rng, only)


def parse(text: str) -> Case:
    """The case with this printed text."""
    return programs.parse(text) if text.startswith(f"{programs.NAME}: ") else calls.parse(text)


def problems(case: Case, device: str, say: Say) -> list[str]:
    """All differences in a case, known or not."""
    if not isinstance(case, programs.Program):
        say("torch")
        expected = calls.outcome(BoundedTorch(), case)
        say("gnomon")
        return calls.compare(case, calls.outcome(BoundedGnomon(device), case), expected)
    say("torch")
    wanted = programs.Machine(BoundedTorch(), torch).run(case)
    say("gnomon")
    with gn.device(device):
        made = programs.Machine(BoundedGnomon(device), gn).run(case)
    found = programs.compare(case, made, wanted)
    others: list[Any] = []
    if found and case.ending in programs.PLAIN_ENDS:  # PyTorch's transforms may differ from plain PyTorch
        say("torch")
        others.append(programs.Machine(BoundedTorch(), torch, plain=True).run(case))
        found = programs.compare(case, made, wanted, *others)
    if any(": element" in each for each in found):
        say("torch")
        loose = [programs.Machine(BoundedTorch(), torch, nudge).run(case) for nudge in (4, -4)]
        names = {name for each in loose for name in programs.moved(wanted, each)}
        found = [each for each in found if each.partition(": element")[0] not in names]
    if found:
        others.append(
            judging.guided((BoundedGnomon(device), BoundedTorch()), (gn, torch), case, gn.device(device))
        )
        again = programs.compare(case, made, wanted, *others)
        found = [each for each in found if each in again]
    if any(": element" in each for each in found) and judging.overlaps(BoundedTorch(), case):
        found = [each for each in found if ": element" not in each]
    return found


def check(case: Case, device: str, say: Say) -> list[str]:
    """The differences in a case that are not known."""
    return unknown(case.name(), str(case), problems(case, device, say))


def shrunk(case: Case, device: str, say: Say) -> tuple[Case, list[str]]:
    """The smallest part of a case that shows a difference, and the difference; none if it needs two faults.

    For a call with two faults, which of them a library reports is unspecified: a different kind of exception
    counts only if a single change of a valid call shows it.
    """
    found = check(case, device, say)
    place = 0
    while place < _parts(case):
        smaller = case.without(place)
        left = check(smaller, device, say)
        if left:
            case, found, place = smaller, left, 0
        else:
            place += 1
    if isinstance(case, calls.Case) and all(OTHER_KIND.search(each) for each in found):
        is_alone = len(case.changed) == 1
        say("torch")
        if not is_alone or calls.outcome(BoundedTorch(), case.without(0)).failure is not None:
            return case, []
    return case, found


def _parts(case: Case) -> int:
    return len(case.statements if isinstance(case, programs.Program) else case.changed)


def still_shows(known: Known, device: str, say: Say) -> bool:
    """Whether a known difference occurs in the case that is listed for it."""
    case = parse(known.shows)
    found = problems(case, device, say)
    return any(known.covers(case.name(), str(case), each) for each in found)
