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
FORWARD = "; (jvp|jacfwd|hessian|jvp of grad)  #"
BATCHED = "; (vmap|jacrev|jacfwd|hessian|vmap of grad)  #"
DERIVED = "(gradient|gradients|jacobian|hessian|tangent|second)[^:]*"  # numbers of derivatives
# numbers that overflow or underflow, or NaN
HOSTILE = r"(values=\"(special|extreme|tiny|nothing|nonfinite|wide)\"|\b(inf|nan|1e308|1e-45)\b|log|sqrt|/|%)"
# NaN, or operations that produce it
UNORDERED = r"(values=\"(special|nonfinite)\"|\b(inf|nan|1e308)\b|log|sqrt|/|%)"
