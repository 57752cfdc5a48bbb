"""The calls of a census as benchmarks, only for gnomon, because other libraries lack its operators."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gnomon_conformance.census import CensusCall, load
from gnomon_conformance.execution.runner import Gnomon as OnDevice
from gnomon_conformance.execution.runner import prepare

from .benchmark import Benchmark, Cost, Point, Work
from .library import Library


def points(path: str | os.PathLike[str]) -> Iterator[Point]:
    """One point per distinct call.  Raises CensusError and OSError as ``load`` does."""
    program, calls = load(path)
    for place, call in enumerate(calls):
        yield Point(_benchmark(program, place, call), {})


def counts(path: str | os.PathLike[str]) -> dict[str, int]:
    """How often the program made each distinct call, by the point's name."""
    program, calls = load(path)
    return {Point(_benchmark(program, place, call), {}).name: call.count for place, call in enumerate(calls)}


def _benchmark(program: str, place: int, call: CensusCall) -> Benchmark:
    def make(library: Library) -> Work:
        operator = call.find()
        device = library.module.get_default_device().type
        arguments = prepare(OnDevice(device), operator.schema, call.sample(), "float32", "contiguous").values

        def work() -> None:
            operator(*arguments)

        return work

    work = call.work()
    return Benchmark(
        f"{place} {call.described()}",
        program,
        make,
        cost=lambda: Cost(work.operations, work.bytes),
        elements=lambda: max(work.elements, work.operations / 2),
        kinds=("gnomon",),
    )
