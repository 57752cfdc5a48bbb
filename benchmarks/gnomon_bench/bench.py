"""``gnomon bench``: times backends and peers in turn, and relates the times to the machine's limits."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import gnomon as gn
from gnomon_conformance.census import CensusError, shipped

from . import census, definitions, limits, page
from .benchmark import Point
from .figures import geometric_mean, in_units, in_words, ratio, spread
from .library import PEERS, installed_peers
from .turns import Plan, Worker, WorkerError, sample

FORMAT = 2
STOPPED = 130  # the exit status of a program that was interrupted
REFERENCE_LIMIT = 2**14  # elements, or multiply-adds: the reference takes about a microsecond for each
QUICK = Plan(rounds=5, seconds=0.002, most=0.1, more=2)


@dataclasses.dataclass(frozen=True)
class Result:
    """The measurements of a point: seconds of each library's samples, by label."""

    point: Point
    samples: dict[str, list[float]]
    refused: dict[str, str]
    count: int = 1


def make_parser() -> argparse.ArgumentParser:
    """The command's options."""
    parser = argparse.ArgumentParser(
        prog="gnomon bench",
        description="Time backends and other libraries in turn on this machine: medians with their spread, "
        "ratios, and the percentage of the machine's limits that is reached.",
    )
    add = parser.add_argument
    add(
        "--backends",
        default=None,
        metavar="LIST",
        help="gnomon's backends, for example reference,c,numpy (default: those with enough kernels)",
    )
    add(
        "--peers",
        default=None,
        metavar="LIST",
        help=f"other libraries, of {', '.join(PEERS)}, or 'none' (default: those installed)",
    )
    add("--ops", default=None, metavar="REGEX", help="only benchmarks whose name (see --list) matches")
    add("--group", action="append", default=[], choices=definitions.groups(), help="a group; repeatable")
    add("--all", action="store_true", help="every size, dtype and layout, not only the usual ones")
    add("--quick", action="store_true", help="few and short samples: takes minutes, with rough results")
    add("--rounds", type=int, default=None, metavar="N", help="samples per library (default: 15)")
    add("--threads", type=int, default=os.cpu_count() or 1, metavar="N", help="threads per library")
    add(
        "--census",
        default=None,
        metavar="FILE|NAME",
        help=f"time the calls of a program: a file of `gnomon census`, or {', '.join(shipped())}",
    )
    add("--report", default=None, metavar="DIR", help="write bench.json and bench.html into this folder")
    add("--list", action="store_true", help="only list the selected benchmarks")
    return parser


def chosen(options: argparse.Namespace) -> list[Point]:
    """The points that the options select: by default the first value of each axis, and each other once."""
    if options.census:
        found = list(census.points(options.census))
    else:
        found = [
            point
            for benchmark in definitions.BENCHMARKS
            for point in (benchmark.points() if options.all else usual(benchmark))
            if not options.group or benchmark.group in options.group
        ]
        if options.quick and not options.all:
            found = [point for point in found if point.elements <= 2**28]
    return [point for point in found if options.ops is None or re.search(options.ops, point.name)]


def usual(benchmark: Any) -> Iterator[Point]:
    """The points that differ from the first in at most one axis."""
    first = {axis: values[0] for axis, values in benchmark.axes.items()}
    yield Point(benchmark, first)
    for axis, values in benchmark.axes.items():
        for value in values[1:]:
            yield Point(benchmark, {**first, axis: value})


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    try:
        points = chosen(options)
    except re.error as error:
        parser.error(f"--ops: {error}")
    except (CensusError, OSError) as error:
        parser.error(f"--census: {error}")
    if not points:
        parser.error("no benchmarks were selected")
    if options.census and (options.group or options.all or options.peers not in (None, "none")):
        parser.error("--census cannot be combined with --group, --all or --peers")
    if options.threads < 1 or (options.rounds is not None and options.rounds < 2):
        parser.error("--threads: expected at least 1; --rounds: at least 2")
    if options.list:
        print("\n".join(point.name for point in points))
        return 0
    folder = None if options.report is None else pathlib.Path(options.report)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):  # checked before anything is measured
                pass
        except OSError as error:
            parser.error(f"--report: {error}")
    plan = QUICK if options.quick else Plan()
    if options.rounds is not None:
        plan = plan._replace(rounds=options.rounds)
    names = _names(parser, options)
    try:
        return _measure(options, names, points, plan, folder)
    except KeyboardInterrupt:
        print("gnomon bench: interrupted", file=sys.stderr)
        return STOPPED


def _measure(
    options: argparse.Namespace,
    names: Sequence[str],
    points: Sequence[Point],
    plan: Plan,
    folder: pathlib.Path | None,
) -> int:
    began = time.time()
    found = limits.measure(options.threads)
    workers = _start(names, options)
    if not workers:
        print("gnomon bench: no library could be started", file=sys.stderr)
        return 2
    of_each = _limits_of_each(workers, found)
    table = Table(of_each)
    print(table.heading())
    results = []
    status = 0
    counts = census.counts(options.census) if options.census else {}
    try:
        for point in points:
            able = [worker for worker in workers if not _is_too_much(worker, point)]
            samples, refused = sample(point.name, able, plan)
            result = Result(point, samples, refused, counts.get(point.name, 1))
            results.append(result)
            print(table.row(result), flush=True)
    except KeyboardInterrupt:
        status = STOPPED
        print("gnomon bench: interrupted; showing the results so far", file=sys.stderr)
    finally:
        for worker in workers:
            worker.close()
    print(table.means(results))
    if counts:
        print(table.totals(results))
    if folder is not None and status and (folder / "bench.json").exists():
        print(f"The report in {folder} was not changed.", file=sys.stderr)
    elif folder is not None:
        data = as_data(results, workers, of_each, found, plan, time.time() - began, len(points))
        write(folder, data)
        print(f"\nThe report: {folder / 'bench.html'}")
    return status


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _names(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[str]:
    """The libraries that the options select: peers first, as the basis of the ratios."""
    if options.backends is None:
        # a backend with few kernels would mostly measure the reference
        found = {name: info for name, info in gn.backends().items() if info.available and name != "meta"}
        backends = [name for name, info in found.items() if info.native >= info.total / 10]
    else:
        backends = list(dict.fromkeys(_listed(options.backends)))
        for name in backends:
            if name not in gn.backends():
                parser.error(f"--backends: unknown backend {name!r}; `gnomon backends` lists them")
    if options.census:
        peers: Iterable[str] = ()
    elif options.peers is None:
        peers = installed_peers()
    else:
        names = [name for name in dict.fromkeys(_listed(options.peers)) if name != "none"]
        for name in names:
            if name.partition("@")[0] not in PEERS:
                parser.error(f"--peers: expected some of {', '.join(PEERS)}, or none; got {name!r}")
        peers = [f"peer:{name}" for name in names]
    return [*peers, *backends]


def _start(names: Sequence[str], options: argparse.Namespace) -> list[Worker]:
    count = str(options.threads)
    environment = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), count)
    workers: list[Worker] = []
    for name in names:
        try:
            worker = Worker(name, environment=environment, census=options.census)
        except WorkerError as error:
            print(f"gnomon bench: skipping {name}: {error}", file=sys.stderr)
            continue
        if worker.label in {each.label for each in workers}:  # a backend with the name of a peer
            worker.label = f"gnomon on {worker.label}"
        workers.append(worker)
    return workers


def _limits_of_each(workers: Sequence[Worker], host: limits.Limits) -> dict[str, limits.Limits | None]:
    """The limits that each library's figures are compared with, by label: the machine's, or its
    accelerator's.

    None if the latter could not be measured.
    """
    measured: dict[str, list[limits.Limits]] = {}
    for worker in workers:
        if worker.accelerator:
            try:
                found = limits.Limits(**worker.ask("limits"))
            except WorkerError as error:
                print(f"gnomon bench: no limits measured by {worker.label}: {error}", file=sys.stderr)
                continue
            measured.setdefault(worker.accelerator, []).append(found)
    best = {accelerator: limits.best_of(found) for accelerator, found in measured.items()}
    return {worker.label: best.get(worker.accelerator) if worker.accelerator else host for worker in workers}


def _is_too_much(worker: Worker, point: Point) -> bool:
    return worker.name == "reference" and point.elements > REFERENCE_LIMIT


class Table:
    """The output on the terminal: one row per point, three columns per library.

    Ratios are to the first library, which is a peer if there is one.  ``of_each``: label -> its limits.
    """

    def __init__(self, of_each: Mapping[str, limits.Limits | None]):
        self.labels = list(of_each)
        self._limits = of_each
        self._group = ""

    def heading(self) -> str:
        """The lines above all rows."""
        lines = [
            *(f"limits: {in_words(found.data)}" for found in dict.fromkeys(self._limits.values()) if found),
            f"{'':44}" + "".join(f"{label[:20]:>27}" for label in self.labels),
            f"{'':44}" + f"{'median':>10}{'ratio':>10}{'limit':>7}" * len(self.labels),
        ]
        return "\n".join(lines)

    def row(self, result: Result) -> str:
        """One line; before the first of a group, also the group's name; a long name has a line of its own."""
        group, _, name = result.point.name.partition("/")
        lines = [] if group == self._group else [f"{group}:"]
        self._group = group
        base = next((label for label in self.labels if label in result.samples), None)
        if len(name) > 41:
            lines.append(f"  {name}")
            name = ""
        text = f"  {name:42}"
        for label in self.labels:
            samples = result.samples.get(label)
            if not samples:
                text += f"{'failed' if label in result.refused else '-':>10}{'':17}"
                continue
            median = statistics.median(samples)
            compared = ""
            if base is not None and label != base:
                compared = f"{ratio(samples, result.samples[base]).value:.2f}"
            text += f"{in_units(median):>10}{compared:>10}{self.share(result.point, label, median):>7}"
        return "\n".join([*lines, text.rstrip()])

    def share(self, point: Point, label: str, seconds: float) -> str:
        """The fraction of the library's limits, as a percentage."""
        cost, found = point.cost, self._limits[label]
        return f"{found.seconds(cost) / seconds:.0%}" if cost and found else ""

    def means(self, results: Sequence[Result]) -> str:
        """Geometric means of the ratios to the first library, by groups."""
        base, *others = self.labels
        lines = [f"\ngeometric means of the ratios to {base}:"]
        for group in dict.fromkeys(each.point.benchmark.group for each in results):
            text = f"  {group:42}"
            for label in others:
                ratios = [
                    statistics.median(each.samples[label]) / statistics.median(each.samples[base])
                    for each in results
                    if each.point.benchmark.group == group
                    and each.samples.get(label)
                    and each.samples.get(base)
                ]
                text += f"{label[:20]:>20}: " + (
                    f"{geometric_mean(ratios):.2f} of {len(ratios)}" if ratios else "-"
                )
            lines.append(text)
        return "\n".join(lines) if others else ""

    def totals(self, results: Sequence[Result]) -> str:
        """For a census: the total time of all calls of the program."""
        lines = ["\nall calls of the program:"]
        for label in self.labels:
            measured = [each for each in results if each.samples.get(label)]
            total = sum(each.count * statistics.median(each.samples[label]) for each in measured)
            lines.append(
                f"  {label:20}{in_units(total):>10}  ({len(measured)} of {len(results)} kinds of calls)"
            )
        return "\n".join(lines)


def machine() -> dict[str, Any]:
    """The machine that the figures were measured on."""
    processor = platform.processor()
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def as_data(
    results: Sequence[Result],
    workers: Sequence[Worker],
    of_each: Mapping[str, limits.Limits | None],
    host: limits.Limits,
    plan: Plan,
    seconds: float,
    asked: int,
) -> dict[str, Any]:
    """The report as JSON data: all samples, in seconds; ``asked`` is the number of points of a full run."""
    rows = []
    base = workers[0].label
    for each in results:
        row: dict[str, Any] = {
            "name": each.point.name,
            "group": each.point.benchmark.group,
            "benchmark": each.point.benchmark.name,
            "values": each.point.values,
            "count": each.count,
            "samples": each.samples,
            "refused": each.refused,
            "median": {label: spread(times).median for label, times in each.samples.items() if times},
            "quarters": {label: list(spread(times)[1:]) for label, times in each.samples.items() if times},
        }
        if each.samples.get(base):
            row["ratio"] = {
                label: list(ratio(times, each.samples[base]))
                for label, times in each.samples.items()
                if times and label != base
            }
        cost = each.point.cost
        if cost is not None:
            row["operations"], row["bytes"] = cost
            row["limit"] = {label: found.seconds(cost) for label, found in of_each.items() if found}
        rows.append(row)
    return {
        "format": FORMAT,
        "machine": machine(),
        "libraries": [_of_library(each, of_each[each.label]) for each in workers],
        "limits": host.data,
        "plan": plan._asdict(),
        "began": time.strftime("%Y-%m-%d %H:%M", time.localtime()),
        "seconds": seconds,
        "asked": asked,
        "results": rows,
    }


def _of_library(worker: Worker, found: limits.Limits | None) -> dict[str, Any]:
    names = {"label": worker.label, "name": worker.name, "version": worker.version}
    return {**names, "limits": found and found.data}


def write(folder: pathlib.Path, data: dict[str, Any]) -> None:
    """Write bench.json and bench.html, each atomically."""
    texts = {"bench.json": json.dumps(data, indent=1), "bench.html": page.render(data)}
    for name, text in texts.items():
        beside = folder / f".{name}.{os.getpid()}"
        beside.write_text(text, "utf-8")
        os.replace(beside, folder / name)
