"""Instructions: how many a call executes, counted by valgrind's callgrind.

They are the same in each run of the same code, whatever else the machine does; and say nothing of caches or
of waiting.  A run with calls and one without differ by the calls alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping

CALLS = 200


class CountingError(RuntimeError):
    """valgrind could not run it."""


def is_possible() -> bool:
    """Is valgrind there?"""
    return shutil.which("valgrind") is not None


def of_a_call(point: str, library: str, environment: Mapping[str, str], calls: int = CALLS) -> float:
    """Instructions of one call of a benchmark's work.  Raises CountingError."""
    counts = [_count(point, library, environment, number) for number in (calls, 3 * calls)]
    return (counts[1] - counts[0]) / (2 * calls)


def _count(point: str, library: str, environment: Mapping[str, str], calls: int) -> int:
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", sys.executable]
    command += ["-m", "gnomon_bench.instructions", library, point, str(calls)]
    fixed = {**os.environ, **environment, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=fixed)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        raise CountingError(f"callgrind ended with status {done.returncode}: {done.stderr[-300:]}")
    return int(found.group(1))


def main() -> None:
    """Call the work of a point so many times: what is counted."""
    from .library import open_library
    from .worker import points_of

    library, point, calls = sys.argv[1], points_of(None)[sys.argv[2]], int(sys.argv[3])
    work = point.make(open_library(library))
    for _ in range(calls):
        work()


if __name__ == "__main__":
    main()
