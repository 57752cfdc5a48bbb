"""Instructions: how many a call executes, counted by valgrind's callgrind.

They are the same in each run of the same code, whatever else the machine does; and say nothing of caches or
of waiting.  Python starts slowly under valgrind, so one process counts for all benchmarks that it is given:
it marks where a count begins and ends by calling a function that nothing else calls, and callgrind writes
down what it counted from mark to mark.  A run with many calls less one with few is the calls alone.
"""

from __future__ import annotations

import gc
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence

MARK = "getppid"  # of the C library: what `os.getppid` calls
MOST_CALLS = 100
SECONDS = 0.5  # of counted calls, about: a slow one is called fewer times


class CountingError(RuntimeError):
    """valgrind could not run it."""


def is_possible() -> bool:
    """Is valgrind there?"""
    return shutil.which("valgrind") is not None


def of_calls(points: Sequence[str], library: str, environment: Mapping[str, str]) -> dict[str, float]:
    """Instructions of one call of each benchmark's work, by name; those that cannot be done are absent.

    Raises CountingError.
    """
    with tempfile.TemporaryDirectory(prefix="gnomon_callgrind_") as folder:
        out = pathlib.Path(folder) / "counts"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", f"--dump-before={MARK}"]
        command += [sys.executable, "-m", "gnomon_bench.instructions", library]
        fixed = {**os.environ, **environment, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, input=json.dumps(points), capture_output=True, text=True, env=fixed)
        if done.returncode:
            raise CountingError(f"callgrind ended with status {done.returncode}: {done.stderr[-300:]}")
        told = json.loads(done.stdout.splitlines()[-1])
        # the n-th file has what came before the n-th mark, and after the one before
        counts = [_count(out.with_name(f"{out.name}.{mark}")) for mark in range(1, told["marks"] + 1)]
    found = {}
    for point, (few, many) in told["calls"].items():
        first = told["first"][point]
        found[point] = (counts[first + 1] - counts[first]) / (many - few)
    return found


def _count(path: pathlib.Path) -> int:
    try:
        found = re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)
    except OSError as error:
        raise CountingError(f"callgrind wrote no count: {error}") from None
    if found is None:
        raise CountingError(f"callgrind wrote no count into {path.name}")
    return int(found.group(1))


def main() -> None:
    """Do the work of the points that standard input names, marked: what is counted.

    Says on standard output how many marks there were, and for each point in which two spaces between them it
    was called how often.
    """
    from .library import open_library
    from .worker import points_of

    known, library = points_of(None), open_library(sys.argv[1])
    marks, calls, first = 0, {}, {}
    for name in json.load(sys.stdin):
        try:
            work = known[name].make(library)
            work()
            started = time.perf_counter()
            work()
            took = time.perf_counter() - started
        except Exception:  # who asked says why: it did the same work before
            continue
        few = 1
        many = few + max(1, min(MOST_CALLS, int(SECONDS / took)))
        gc.collect()
        gc.disable()
        for repeated in (0, few, many):
            for _ in range(repeated):
                work()
            os.getppid()
        gc.enable()
        # what is before the first of the three marks is its preparation
        calls[name], first[name] = (few, many), marks + 1
        marks += 3
    print(json.dumps({"marks": marks, "calls": calls, "first": first}))


if __name__ == "__main__":
    main()
