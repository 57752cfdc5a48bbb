"""The package itself: the time to import it, and to run its conformance suite."""

from __future__ import annotations

import re
import subprocess
import sys
import time

from .operators import BACKEND, library

OPERATORS = r"^(add|sum|mm|gather|softmax)([._]|$)"


class Import:
    """``import gnomon`` in a new Python process."""

    def timeraw_import(self) -> str:
        return "import gnomon"

    def peakmem_import(self) -> None:
        library()


class Conformance:
    """``gnomon conform`` on some operators, float32, in one worker process."""

    timeout = 600.0
    unit = "tests a second"

    def setup(self) -> None:
        library()

    def track_throughput(self) -> float:
        command = [sys.executable, "-m", "gnomon.cli", "conform", BACKEND, "--ops", OPERATORS]
        command += ["--dtypes", "float32", "--property-seconds", "0", "-n", "1"]
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.perf_counter() - started
        found = re.search(r"(\d+) of (\d+) tests pass", done.stdout)
        if found is None:
            raise RuntimeError(done.stdout[-1000:] + done.stderr[-1000:])
        return int(found.group(2)) / seconds
