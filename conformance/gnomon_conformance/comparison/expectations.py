"""Expectations: a backend author's list of known failures, and of operators with larger errors.

A text file in the author's distribution, named by ``Backend.conformance_file`` or ``--expectations FILE``.
It has one entry per line; blank lines and lines that start with ``#`` are ignored:

    fail    TEST                       REASON
    loosen  OPERATOR  DTYPE  ULPS      REASON

    fail    forward[exp-float16]       the driver flushes subnormal results to zero
    fail    out[*-complex64]           strided complex output is on the way
    loosen  exp       float32  8       the vendor's fast exponential promises 8 ulp

TEST is the name of a test in reports; ``*`` matches any run of characters, and ``{exp,sin}`` either of these.
Every line needs a reason, which is printed in the report.  The list is strict: if an expected failure does
not occur, the entry is stale and the run fails.  ULPS are units in the last place of the result's dtype.
"""

from __future__ import annotations

import functools
import pathlib
import re
from typing import NamedTuple


class ExpectationsError(ValueError):
    """An invalid line, with the file and the line number."""


class Expected(NamedTuple):
    """A ``fail`` line; ``test`` is the name as written."""

    test: str
    pattern: re.Pattern[str]
    reason: str
    line: int


class Loosened(NamedTuple):
    """A ``loosen`` line."""

    operator: str
    dtype: str
    ulps: float
    reason: str
    line: int


class Expectations(NamedTuple):
    """The contents of an expectations file."""

    failures: tuple[Expected, ...] = ()
    loosened: tuple[Loosened, ...] = ()

    def reason(self, test: str) -> str:
        """Why ``test`` is expected to fail; "" if it is not."""
        return next((each.reason for each in self.failures if each.pattern.fullmatch(test)), "")

    def loosening(self, operator: str, dtype: str) -> Loosened | None:
        """The line that loosens the tolerance of ``operator`` in ``dtype``, or None."""
        for each in self.loosened:
            if operator in (each.operator, f"{each.operator}.default") and dtype == each.dtype:
                return each
        return None


def pattern_of(text: str) -> re.Pattern[str]:
    """A pattern in which only ``*`` and ``{one,another}`` are special: names of tests contain brackets."""
    parts = re.split(r"(\*|\{[^{}]*\})", text)
    return re.compile("".join(map(_part_of_pattern, parts)))


def _part_of_pattern(text: str) -> str:
    if text == "*":
        return ".*"
    if text.startswith("{") and text.endswith("}"):
        return f"(?:{'|'.join(re.escape(each) for each in text[1:-1].split(','))})"
    return re.escape(text)


def parse(text: str, name: str = "expectations") -> Expectations:
    """Parse a file's text.  Raises ExpectationsError, naming ``name`` and the line, for an invalid line."""
    failures, loosened = [], []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        word, _, rest = stripped.partition(" ")
        try:
            if word == "fail":
                test, reason = rest.split(maxsplit=1)
                failures.append(Expected(test, pattern_of(test), reason, number))
            elif word == "loosen":
                operator, dtype, ulps, reason = rest.split(maxsplit=3)
                loosened.append(Loosened(operator, dtype, float(ulps), reason, number))
            else:
                raise ValueError
        except ValueError:
            raise ExpectationsError(
                f"{name}, line {number}: expected 'fail TEST REASON' or 'loosen OPERATOR DTYPE ULPS REASON', "
                f"got {stripped!r}"
            ) from None
    return Expectations(tuple(failures), tuple(loosened))


@functools.cache
def read(path: str | None) -> Expectations:
    """Read a file; no expectations for None.  Raises ExpectationsError, and OSError for a missing file."""
    return Expectations() if path is None else parse(pathlib.Path(path).read_text("utf-8"), str(path))
