"""Compares the thread implementations for calls of the C backend, its own pool and OpenMP, in one process.

    python benchmarks/parallel.py                  # on an otherwise idle machine
    python benchmarks/parallel.py --busy 1         # next to a program that keeps one processor busy
    python benchmarks/parallel.py --only exp --rounds 100 --threads 2

Prints one row per task: for each implementation the median, the mean, and the 99th percentile of its calls;
and the median with one thread.  A thread that starts late shows in the mean, because most calls have none.  A
round is some calls of each implementation, in varying order, with a pause in between, in which the threads of
the one before stop spinning.  Needs the C backend, built by a compiler with OpenMP.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import gnomon as gn
import gnomon_c

ALONE = "one thread"
SAMPLE_SECONDS = 0.005  # the approximate time of the calls of one turn
# Threads without work spin for a while before they sleep, and would slow those of the next turn.
PAUSE_SECONDS = 0.02


def tasks() -> dict[str, Callable[[], Any]]:
    """Work by name: from barely enough for two threads to some milliseconds."""
    gn.manual_seed(0)
    small, large = gn.rand(65_536), gn.rand(1 << 20)
    matrix, square, image = gn.rand(1000, 1000), gn.rand(256, 256), gn.rand(4, 16, 56, 56)
    filters = gn.rand(32, 16, 3, 3)
    return {
        "add, 64 K elements": lambda: small + small,
        "add, 1 M elements": lambda: large + large,
        "exp, 1 M elements": lambda: large.exp(),
        "sum, 1 M elements": lambda: large.sum(),
        "softmax, 1000 x 1000": lambda: matrix.softmax(1),
        "product, 256 x 256": lambda: square @ square,
        "convolution, 16 to 32 channels": lambda: gn.nn.functional.conv2d(image, filters),
        "sort, 1 M elements": lambda: large.sort(),
    }


def turn(work: Callable[[], Any], calls: int) -> list[float]:
    """Seconds of each call."""
    seconds = []
    for _ in range(calls):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return seconds


def measure(work: Callable[[], Any], rounds: int, threads: int) -> dict[str, list[float]]:
    """Seconds of calls with each of ``gnomon_c.parallels()``, and with one thread."""

    def choose(name: str) -> None:
        gn.set_num_threads(1 if name == ALONE else threads)
        if name != ALONE:
            gnomon_c.set_parallel(name)

    names = [*gnomon_c.parallels(), ALONE]
    found: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        choose(name)
        work()  # the first call plans, allocates and creates threads
    calls = max(1, round(SAMPLE_SECONDS / max(statistics.median(turn(work, 5)), 1e-9)))
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            choose(name)
            time.sleep(PAUSE_SECONDS)
            found[name] += turn(work, calls)
    return found


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Inside the block, ``count`` other processes compute all the time."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()


def in_microseconds(seconds: list[float]) -> str:
    """The median, the mean, and the 99th percentile, as columns."""
    last = statistics.quantiles(seconds, n=100, method="inclusive")[-1]
    return "".join(
        f"{1e6 * each:8,.0f}" for each in (statistics.median(seconds), statistics.fmean(seconds), last)
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=50, help="turns of each (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=None, help="threads of a call (default: as usual)")
    parser.add_argument("--busy", type=int, default=0, metavar="PROGRAMS", help="that compute meanwhile")
    parser.add_argument("--only", default="", metavar="TEXT", help="tasks with this in their name")
    options = parser.parse_args()
    if gnomon_c.parallels() != ["native", "openmp"]:
        print("parallel.py: the C backend was built without OpenMP", file=sys.stderr)
        return 2
    gn.set_default_device("c")
    threads = options.threads or gn.get_num_threads()
    print(
        f"microseconds of a call; {threads} threads, {options.busy} other programs, {options.rounds} rounds"
    )
    print(f"{'':32}{'native':>24}{'openmp':>26}{'1 thread':>12}")
    print(f"{'':32}{'median':>8}{'mean':>8}{'1 %':>8}{'median':>10}{'mean':>8}{'1 %':>8}{'median':>12}")
    with busy(options.busy):
        for name, work in tasks().items():
            if options.only not in name:
                continue
            found = measure(work, options.rounds, threads)
            alone = 1e6 * statistics.median(found[ALONE])
            own, other = in_microseconds(found["native"]), in_microseconds(found["openmp"])
            print(f"{name:32}{own}  {other}{alone:12,.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
