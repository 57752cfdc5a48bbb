"""A known difference from PyTorch: whom it concerns, why it is there, and a case that shows it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """``operators`` and ``problem`` are patterns, for a whole name and for a part of what differs.

    shows             a case that does, as the fuzzer prints it
    call              a pattern that the case's text has to match, too
    on_some_machines  PyTorch picks another kernel by the CPU: on others the difference does not show
    """

    operators: str
    problem: str
    reason: str
    shows: str
    call: str = ""
    on_some_machines: bool = False

    def covers(self, name: str, text: str, problem: str) -> bool:
        """Is this difference the one that is meant?"""
        return bool(
            re.fullmatch(self.operators, name)
            and re.search(self.problem, problem)
            and re.search(self.call, text)
        )


ANY = ".*"
MORE = "raised nothing, expected "  # gnomon takes what PyTorch refuses
NUMBERS = r"element \d+ is"
