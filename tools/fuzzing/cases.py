"""Cases: calls and programs, made in both libraries, judged, and made smaller."""

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
Say = Callable[[str], None]  # hears who is at work, so that of a process that ends it is known who ended it
PROGRAMS = 0.35  # of the cases
OTHER_KIND = re.compile(r"raised \w+: .*\n(?s:.*)expected \w+: ")


def draw(seed: int, number: int, only: str) -> Case | None:
    """The case of a number; None for one that has no samples."""
    rng = random.Random(f"{seed}/{number}")
    has_programs = re.search(only, programs.NAME) is not None
    if has_programs and (rng.random() < PROGRAMS or not calls.names(only)):
        return programs.draw(rng)
    return calls.draw(rng, only)


def parse(text: str) -> Case:
    """The case that is printed so."""
    return programs.parse(text) if text.startswith(f"{programs.NAME}: ") else calls.parse(text)


def problems(case: Case, device: str, say: Say) -> list[str]:
    """All that differs in a case, known or not."""
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
    if found and case.ending in programs.PLAIN_ENDS:  # PyTorch's transforms do not always as PyTorch does
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
    """What differs in a case, and is not known to."""
    return unknown(case.name(), str(case), problems(case, device, say))


def shrunk(case: Case, device: str, say: Say) -> tuple[Case, list[str]]:
    """The smallest part of a case that shows something, and what; nothing where two faults were needed.

    Of a call that has two faults both libraries say one, and which is nobody's promise: that the kind of an
    exception differs counts where a single change of a good call shows it.
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
    """Does a known difference show in the case that is to show it?"""
    case = parse(known.shows)
    found = problems(case, device, say)
    return any(known.covers(case.name(), str(case), each) for each in found)
