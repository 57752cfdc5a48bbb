"""The process of one library: prepares the benchmarks that it is told to, and times them in its turn.

    python -m gnomon_bench.worker c

Reads commands from standard input and answers on standard output, one line of JSON each: prepare a point, by
its name; take samples; measure the limits of the library's accelerator.
"""

from __future__ import annotations

import gc
import json
import os
import random
import runpy
import sys
import time
from collections.abc import Callable
from typing import Any

from . import definitions, limits
from .benchmark import Point
from .library import open_library
from .sampling import Subject, rest

# A file with BENCHMARKS to use instead of those of definitions.py.
DEFINITIONS = "GNOMON_BENCH_DEFINITIONS"
# A seed for allocations that give each process another memory layout.
SHAKEN = "GNOMON_BENCH_SHAKEN"


def points_of(census_file: str | None) -> dict[str, Point]:
    """All points by name, or those of a census."""
    if census_file:
        from . import census  # imported here because older trees lack it

        return {each.name: each for each in census.points(census_file)}
    benchmarks = definitions.BENCHMARKS
    if DEFINITIONS in os.environ:
        benchmarks = runpy.run_path(os.environ[DEFINITIONS])["BENCHMARKS"]
    return {point.name: point for each in benchmarks for point in each.points()}


def serve(name: str, census_file: str | None, read: Callable[[], str], write: Callable[[Any], None]) -> None:
    """Execute commands until the input ends."""
    try:
        library = open_library(name)
    except Exception as error:  # the parent reports it, and continues without this library
        write({"error": f"{type(error).__name__}: {error}"})
        return
    points = points_of(census_file)
    write({"name": library.name, "version": library.version(), "accelerator": library.accelerator})
    subject: Subject | None = None
    while line := read():
        command = json.loads(line)
        try:
            if command["do"] == "make":
                point = points[command["point"]]
                subject = None
                gc.collect()
                if not point.is_for(library):
                    write({"skipped": "not for this library"})
                    continue
                benchmark = point.benchmark
                subject = Subject(point.make(library), library.finish, benchmark.is_timed, benchmark.units)
                if subject.first < command["most"]:
                    subject.settle(command["seconds"])
                if command.get("rests"):
                    rest()
                write({"first": subject.first, "loops": subject.loops})
            elif command["do"] == "limits":
                write(limits.of_accelerator(library)._asdict() if library.accelerator else {})
            elif command["do"] == "loops":
                assert subject is not None
                subject.loops = command["count"]
                write({})
            elif command["do"] == "sample":
                assert subject is not None
                clock = time.process_time if command.get("of_processor") else time.perf_counter
                seconds = subject.sample(command.get("least_of", 1), clock)
                if command.get("rests"):
                    rest()
                write({"seconds": seconds})
            else:
                subject = None
                gc.collect()
                write({})
        except Exception as error:
            subject = None
            write({"error": f"{type(error).__name__}: {error}"})


def shake() -> list[bytes]:
    """Blocks of random sizes to keep alive, so that later allocations get other addresses."""
    if SHAKEN not in os.environ:
        return []
    drawn = random.Random(int(os.environ[SHAKEN]))
    return [bytes(drawn.randrange(2**10, 2**15)) for _ in range(16)]


def main() -> None:
    """Run the worker process."""
    kept = shake()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # so that what a library prints is not taken for an answer

    def write(answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    serve(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, sys.stdin.readline, write)
    del kept


if __name__ == "__main__":
    main()
