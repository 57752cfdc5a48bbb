"""A known difference from PyTorch: the operators that it affects, its reason, and a case that shows it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """``operators`` is a pattern for a full name, ``problem`` a pattern for part of a difference.

    shows             a case that shows it, as the fuzzer prints it
    call              a pattern that the case's text has to match as well
    on_some_machines  PyTorch selects a kernel by the CPU, and some of them do not show the difference
    """

    operators: str
    problem: str
    reason: str
    shows: str
    call: str = ""
    on_some_machines: bool = False

    def covers(self, name: str, text: str, problem: str) -> bool:
        """Whether this known difference explains the problem."""
        return bool(
            re.fullmatch(self.operators, name)
            and re.search(self.problem, problem)
            and re.search(self.call, text)
        )


ANY = ".*"
MORE = "raised nothing, expected "  # gnomon accepts what PyTorch refuses
NUMBERS = r"element \d+ is"
