"""Known differences from PyTorch that the fuzzer finds and no sample of the conformance suite shows.

Each has a reason, and a case that shows it: the fuzzer reports one that no longer does.  Differences that the
suite shows are in gnomon_conformance/pytorch/departures.py, which the fuzzer checks first.
"""

from __future__ import annotations

from .difference import ANY, Known
from .known_calls import CALLS
from .known_derivatives import DERIVATIVES
from .known_programs import PROGRAMS

EVERYWHERE: list[Known] = [
    Known(
        ANY,
        "INTERNAL ASSERT FAILED",
        "PyTorch's own words for what should not be",
        "mse_loss(tensor(), tensor(), -1)  # float64, contiguous",
    ),
]

KNOWN = [*CALLS, *PROGRAMS, *DERIVATIVES, *EVERYWHERE]


def unknown(name: str, text: str, problems: list[str]) -> list[str]:
    """The problems of a case that no known difference explains."""
    return [each for each in problems if not any(known.covers(name, text, each) for known in KNOWN)]
