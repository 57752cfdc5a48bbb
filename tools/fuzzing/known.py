"""Known differences from PyTorch that the fuzzer meets and no sample of the conformance suite shows.

Each has a reason.  What the suite shows is in gnomon_conformance/departures.py, which the fuzzer asks first.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """``call`` and ``problem`` are patterns, for the text of a call and for what differs."""

    call: str
    problem: str
    reason: str

    def covers(self, call: str, problem: str) -> bool:
        """Is this difference the one that is meant?"""
        return bool(re.search(self.call, call) and re.search(self.problem, problem))


CALLS: list[Known] = []
