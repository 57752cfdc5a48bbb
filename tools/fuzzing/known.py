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


CALLS: list[Known] = [
    Known(
        r"^grid_sampler",
        r"raised RuntimeError: .*expected (interpolation|padding)_mode to be 0, 1 or 2",
        "of another mode PyTorch's result is memory that nothing was written to",
    ),
    Known(
        r"^polygamma_?\(",
        r"element .* is nan",
        "orders that 32 bits do not count are NaN; PyTorch takes the lower 32 bits of some",
    ),
    Known(
        r"^div.*rounding_mode='trunc'\)  # (b?float16)",
        r"element .* is",
        "the quotient is cut off as it is; PyTorch rounds it to half precision first, where the divisor has "
        "dimensions: 1024 / 0.9 becomes 1138",
    ),
    Known(
        r"^native_group_norm_backward",
        r"element .* is (0.0|inf), expected nan",
        "of no elements the gradient of the weight is 0, and of infinite ones infinite; PyTorch multiplies "
        "by what is NaN",
    ),
]
