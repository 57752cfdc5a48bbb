"""The limits of this machine, measured, so that figures of different machines can be compared.

bandwidths   bytes read and written per second by copies, from sizes that fit in a cache to larger ones
operations   floating point operations per second: float32 multiply-adds, each counted as two
call         seconds of a call from Python of a function that does nothing but take two arguments

A small C program measures the first two (data/limits.c).  Without a compiler, NumPy's copy and matrix product
are used, which is less exact: the latter measures what a BLAS reaches.  For an accelerator the same is
measured with the libraries that use it, and the best of them counts.
"""

from __future__ import annotations

import operator
import os
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from .benchmark import Cost
from .library import Library

ENOUGH = 0.02  # seconds of a copy or a product, beyond which larger ones would not be more exact
LEAST_SIZES = 3
FLAGS = ("-O3", "-march=native", "-fopenmp", "-ffp-contract=fast")


class Limits(NamedTuple):
    """Measured limits; see above.  ``source`` says with what; those of an accelerator have 0 threads."""

    bandwidths: tuple[tuple[float, float], ...]  # (bytes of a copy, its bytes a second)
    operations: float
    call: float
    threads: int
    source: str

    @property
    def bandwidth(self) -> float:
        """The bandwidth of memory: that of the largest copy."""
        return self.bandwidths[-1][1]

    @property
    def data(self) -> dict[str, Any]:
        """As in reports."""
        return {**self._asdict(), "bandwidth": self.bandwidth}

    def bandwidth_of(self, nbytes: float) -> float:
        """The highest bandwidth of a copy of at least this many bytes."""
        return max(rate for size, rate in self.bandwidths if size >= min(nbytes, self.bandwidths[-1][0]))

    def seconds(self, cost: Cost) -> float:
        """The minimum time of work with this cost: the call, and the slower of moving and computing."""
        return self.call + max(cost.bytes / self.bandwidth_of(cost.bytes), cost.operations / self.operations)


def of_accelerator(library: Library) -> Limits:
    """A library's limits on its accelerator: copies, products of float32 matrices, the smallest additions."""
    count, seconds = 2**12, 0.0
    bandwidths: list[tuple[float, float]] = []
    while count <= 2**26 and (len(bandwidths) < LEAST_SIZES or seconds < ENOUGH):
        source, target = (library.tensor(numpy.ones(count, numpy.float32), "float32") for _ in range(2))
        seconds = _of_each(library, lambda: target.copy_(source), 10)  # noqa: B023
        bandwidths.append((8.0 * count, 8 * count / seconds))
        count *= 4
    side, seconds = 256, 0.0
    rates: list[float] = []
    while side <= 8192 and (len(rates) < LEAST_SIZES or seconds < ENOUGH):
        matrix = library.tensor(numpy.ones((side, side), numpy.float32), "float32")
        seconds = _of_each(library, lambda: matrix @ matrix, 3)  # noqa: B023
        rates.append(2 * side**3 / seconds)
        side *= 2
    one = library.tensor(numpy.ones(1, numpy.float32), "float32")
    return Limits(tuple(bandwidths), max(rates), _of_each(library, lambda: one + one, 1000), 0, library.name)


def best_of(measured: Sequence[Limits]) -> Limits:
    """The best that any of several libraries reached on one accelerator."""
    rates: dict[float, float] = {}
    for size, rate in (each for found in measured for each in found.bandwidths):
        rates[size] = max(rate, rates.get(size, 0.0))
    operations = max(found.operations for found in measured)
    call = min(found.call for found in measured)
    source = ", ".join(found.source for found in measured)
    return Limits(tuple(sorted(rates.items())), operations, call, measured[0].threads, source)


def _of_each(library: Library, work: Callable[[], object], count: int) -> float:
    """Seconds per call, over ``count`` calls with a single wait at the end."""

    def all_of_them() -> None:
        for _ in range(count):
            work()
        library.finish()

    all_of_them()
    return _best(all_of_them, 5) / count


def measure(threads: int) -> Limits:
    """Measure this machine with this number of threads."""
    bandwidths, operations, source = _by_c(threads) or _by_numpy()
    return Limits(bandwidths, operations, _call(), threads, source)


Found = tuple[tuple[tuple[float, float], ...], float, str]  # bandwidths, operations, source


def _by_c(threads: int) -> Found | None:
    source = Path(__file__).parent / "data" / "limits.c"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limits")
        try:
            subprocess.run([*compiler, *FLAGS, str(source), "-o", program], check=True, capture_output=True)
            environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
            done = subprocess.run([program], check=True, capture_output=True, text=True, env=environment)
        except (OSError, subprocess.CalledProcessError):
            return None
    fused, _, *rest = map(float, done.stdout.split())
    return tuple(zip(rest[::2], rest[1::2])), fused, "a C program"


def _best(function: Callable[[], object], count: int) -> float:
    times = []
    for _ in range(count):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def _by_numpy() -> Found:
    source, target = numpy.ones(2**25, numpy.float32), numpy.zeros(2**25, numpy.float32)
    matrix = numpy.ones((1024, 1024), numpy.float32)
    bandwidths = []
    for count in (2**12, 2**16, 2**20, 2**25):
        copied = _best(lambda: numpy.copyto(target[:count], source[:count]), 8)  # noqa: B023
        bandwidths.append((8.0 * count, 8 * count / copied))
    product = _best(lambda: matrix @ matrix, 8)
    return tuple(bandwidths), 2 * 1024**3 / product, "NumPy"


def _call() -> float:
    """The median of many rounds, minus the cost of the loop itself."""
    loops = 10_000
    times = []
    call = operator.is_not
    for _ in range(25):
        started = time.perf_counter()
        for _ in range(loops):
            pass
        empty = time.perf_counter()
        for _ in range(loops):
            call(started, loops)
        times.append((time.perf_counter() - empty - (empty - started)) / loops)
    return statistics.median(times)
