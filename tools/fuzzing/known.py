"""Known differences from PyTorch that the fuzzer meets and no sample of the conformance suite shows.

Each has a reason, and a case that shows it: the fuzzer tells of one that no longer does.  What the suite
shows is in gnomon_conformance/departures.py, which the fuzzer asks first.
"""

from __future__ import annotations

from .difference import ANY, Known
from .known_calls import CALLS
from .known_programs import PROGRAMS

EVERYWHERE: list[Known] = [
    Known(
        ANY,
        "INTERNAL ASSERT FAILED",
        "PyTorch's own words for what should not be",
        "mse_loss(tensor(), tensor(), -1)  # float64, contiguous",
    ),
]

KNOWN = [*CALLS, *PROGRAMS, *EVERYWHERE]


def unknown(name: str, text: str, problems: list[str]) -> list[str]:
    """The problems of a case that no known difference covers."""
    return [each for each in problems if not any(known.covers(name, text, each) for known in KNOWN)]
