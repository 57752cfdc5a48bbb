"""Tests of a library in a process of its own, which another one replaces if a test ends it or hangs."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..reporting.outcomes import Result, from_data

PAUSE = 0.02  # seconds between two looks at what the process has written


class Subject(NamedTuple):
    """What is said of a library."""

    name: str
    functions: tuple[str, ...]
    dtypes: tuple[str, ...]


class LoadError(Exception):
    """The library can not be tested; the text says why."""


def run(
    library: str,
    *,
    tiers: Sequence[str],
    operators: str | None,
    dtypes: Sequence[str] | None,
    expectations: str | None,
    hang_limit: float,
    watch: Callable[[int, Result], None] = lambda total, result: None,
) -> tuple[Subject, list[Result]]:
    """The library, and the results of its tests, as ``command.run`` selects them.

    A test fails if it ends the process or takes more than ``hang_limit`` seconds; the tests after it run in a
    new process.  ``watch`` is called after each with the number of all tests, and its result.  Raises
    LoadError.
    """
    request = {
        "library": library,
        "tiers": list(tiers),
        "operators": operators,
        "dtypes": dtypes,
        "expectations": expectations,
    }
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        while True:
            record = Path(folder) / f"from_{len(results)}"
            process = _Process(record, {**request, "first": len(results)}, hang_limit)
            subject, total, begun = None, 0, None
            for line in process.lines():
                if "error" in line:
                    raise LoadError(line["error"])
                if "tests" in line:
                    subject = Subject(line["name"], tuple(line["functions"]), tuple(line["dtypes"]))
                    total = line["tests"]
                elif "test" in line:
                    begun = from_data(line["test"])
                elif "result" in line:
                    results.append(from_data(line["result"]))
                    begun = None
                    watch(total, results[-1])
                elif subject is not None:
                    return subject, results
            if subject is None:
                raise LoadError(f"--library {library}: {process.said} when it was loaded")
            if begun is None:
                raise LoadError(f"--library {library}: {process.said} between two tests")
            results.append(begun._replace(message=process.said))
            watch(total, results[-1])


class _Process:
    """A worker.  ``said`` is what became of it, ``in_test`` whether a test runs."""

    def __init__(self, record: Path, request: dict[str, Any], hang_limit: float):
        record.touch()
        self._record = record
        self._limit = hang_limit
        command = [sys.executable, "-m", f"{__package__}.worker", str(record), json.dumps(request)]
        self._process = subprocess.Popen(command)
        self.said = ""
        self.in_test = False

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it writes, until it ends, or a test has taken more than the time limit."""
        since, part = time.monotonic(), ""
        try:
            with self._record.open(encoding="utf-8") as file:
                while True:
                    status = self._process.poll()  # before reading: what it wrote last is read
                    for line in iter(file.readline, ""):
                        since, part = time.monotonic(), part + line
                        if not line.endswith("\n"):
                            continue  # the rest of a long line has not been written yet
                        found, part = json.loads(part), ""
                        self.in_test = "test" in found
                        yield found
                    if status is not None:
                        self.said = f"the library ended the process, with status {status}"
                        return
                    if self.in_test and time.monotonic() - since > self._limit:
                        self.said = f"it hangs: the test took more than {self._limit:g} seconds"
                        return
                    time.sleep(PAUSE)
        finally:
            self._process.kill()
            self._process.wait()
