"""Every benchmark of gnomon_bench as one of asv: a class each, with its axes as asv's parameters."""

from __future__ import annotations

import os
import re
import statistics
import time
from typing import Any

from gnomon_bench.benchmark import Benchmark, Point
from gnomon_bench.definitions import BENCHMARKS
from gnomon_bench.library import Library, open_library

BACKEND = os.environ.get("GNOMON_BACKEND") or "c"
REFERENCE_LIMIT = 2**14  # elements, or multiply-adds: the reference takes about a microsecond for each
SAMPLES = 7

_opened: list[Library] = []


def library() -> Library:
    """gnomon on the backend of this environment.  Raises NotImplementedError, which asv skips, without it."""
    if not _opened:
        try:
            _opened.append(open_library(BACKEND))
        except Exception as error:
            raise NotImplementedError(f"{BACKEND}: {error}") from None
    return _opened[0]


def timer() -> float:
    """The time, after waiting for asynchronous backends."""
    if _opened:
        _opened[0].finish()
    return time.perf_counter()


class Prepared:
    """The setup that asv runs before a measurement, untimed."""

    benchmark: Benchmark
    timeout = 120.0
    timer = staticmethod(timer)

    def setup(self, *values: Any) -> None:
        point = Point(self.benchmark, dict(zip(self.benchmark.axes, values)))
        opened = library()
        if not point.is_for(opened):
            raise NotImplementedError("the backend does not have this dtype")
        if BACKEND == "reference" and point.elements > REFERENCE_LIMIT:
            raise NotImplementedError(f"{point.elements} elements take the reference too long")
        self.work = point.make(opened)
        self.work()  # one-time planning, compilation and allocation


def as_asv(benchmark: Benchmark) -> type:
    """The class for asv: with ``time_it``, or with ``track_it`` if the work returns its own time."""

    def time_it(self: Any, *values: Any) -> None:
        self.work()

    def track_it(self: Any, *values: Any) -> float:
        return statistics.median(self.work() for _ in range(SAMPLES)) / benchmark.units

    measured = track_it if benchmark.is_timed else time_it
    kind = measured.__name__.removesuffix("it")  # asv takes the kind from the last part of the name
    slug = re.sub(r"\W+", "_", benchmark.name).strip("_")
    measured.benchmark_name = f"{benchmark.group}.{kind}{slug}"  # type: ignore[union-attr]
    fields = {
        "benchmark": benchmark,
        "params": [list(values) for values in benchmark.axes.values()],
        "param_names": list(benchmark.axes),
        "version": str(benchmark.version),
        "unit": "seconds",
        measured.__name__: measured,
        "__module__": __name__,
    }
    return type(_class_name(benchmark), (Prepared,), fields)


def _class_name(benchmark: Benchmark) -> str:
    words = re.findall(r"\w+", f"{benchmark.group} {benchmark.name}")
    return "".join(word.capitalize() for word in words)


globals().update({_class_name(each): as_asv(each) for each in BENCHMARKS})
