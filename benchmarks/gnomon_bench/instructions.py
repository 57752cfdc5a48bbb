"""Counts the instructions that a call executes, with valgrind's callgrind.

The count is the same in each run of the same code, regardless of other load on the machine; it does not
include effects of caches or waiting.  Python starts slowly under valgrind, so one process counts for all
benchmarks: it marks the beginning and the end of a count by calling a function that nothing else calls, and
callgrind dumps its counters at each mark.  The difference of a run with many calls and one with few is the
cost of the calls alone.
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

MARK = "getppid"  # the function of the C library that `os.getppid` calls
MOST_CALLS = 100
SECONDS = 0.5  # of counted calls, approximately: a slow one is called fewer times


class CountingError(RuntimeError):
    """valgrind failed to run the process."""


def is_possible() -> bool:
    """Whether valgrind is installed."""
    return shutil.which("valgrind") is not None


def of_calls(points: Sequence[str], library: str, environment: Mapping[str, str]) -> dict[str, float]:
    """Instructions per call of each benchmark's work, by name; those that fail are omitted.

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
        # the n-th file contains the counts between mark n - 1 and mark n
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
    """Run the work of the points named on standard input, with marks around each count.

    Prints the number of marks, and for each point its first mark and the two numbers of calls.
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
        except Exception:  # the caller reports it: it ran the same work before
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
        # the counts before the first of the three marks are preparation
        calls[name], first[name] = (few, many), marks + 1
        marks += 3
    print(json.dumps({"marks": marks, "calls": calls, "first": first}))


if __name__ == "__main__":
    main()
