"""The guard: checks whether this tree is slower than an earlier commit, and in which benchmarks.

    make perf-check                      # against the preceding commit
    python -m gnomon_bench.guard --base v0.1 --ops dispatch

Both trees run the same benchmarks in turn, in several pairs of processes, on one core.  Each round gives the
ratio of its two samples, in processor seconds, which disturbances affect little.  A benchmark is slower if
far more than half of the rounds are beyond the margin (a sign test), and in five of six pairs more than half.
The margin and the pairs are needed because processes with identical code differ by some per cent, depending
on their memory layout.  (By default the memory layout is the same in each process of a tree, since it depends
on the length of its path; therefore it is randomized for each process.)  If any pair indicates a change, as
many pairs are run again.

The significance level is divided by the number of benchmarks and by the two stages, so that all together
raise a false alarm once in ``1 / level`` runs, provided that pairs seldom differ by more than the margin.  If
the rounds are too noisy, and valgrind is installed, instructions are counted instead.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import io
import itertools
import math
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gnomon.memory.backend import get_backend
from gnomon_c.library import isas

from . import definitions, instructions
from .benchmark import Point
from .turns import Plan, Worker, WorkerError
from .worker import SHAKEN

MARGIN = 0.05
LEVEL = 0.001
LOOKS = 2
PAIRS = 6  # in each stage; one of them may disagree
ROUNDS = 15  # in each pair
SECONDS = 0.001  # of a sample, approximately
LEAST_OF = 3  # samples, of which the minimum counts: disturbances only make them longer
NOISY = 0.15  # the interquartile range of the rounds' ratios from which they count as noisy
LARGEST = 2**26  # elements, or multiply-adds, of the benchmarks that are checked
BASE, HEAD = "base", "head"

SLOWER, FASTER, SAME, NOISE, FAILED = "slower", "faster", "same", "too noisy", "failed"


class Verdict(NamedTuple):
    """The result for a benchmark: head's time relative to base's, and how it was determined."""

    point: str
    outcome: str
    ratio: float
    spread: float  # the interquartile range of the rounds' ratios
    source: str = "time"
    problem: str = ""


def tail(count: int, total: int) -> float:
    """The probability of at least ``count`` heads in ``total`` coin tosses."""
    return sum(math.comb(total, each) for each in range(count, total + 1)) / 2**total


def decide(point: str, pairs: Sequence[Sequence[float]], benchmarks: int, margin: float = MARGIN) -> Verdict:
    """The verdict for the ratios (head / base) of each pair's rounds."""
    rounds = [each for pair in pairs for each in pair]
    ratio = statistics.median(rounds)
    quarters = statistics.quantiles(rounds, n=4)
    spread = quarters[2] - quarters[0]
    medians = [statistics.median(pair) for pair in pairs]
    agreeing = len(pairs) - len(pairs) // PAIRS
    for outcome, moved in ((SLOWER, lambda each: each), (FASTER, lambda each: 1 / each)):
        beyond = sum(moved(each) > 1 + margin for each in rounds)
        pairs_beyond = sum(moved(each) > 1 + margin for each in medians)
        if tail(beyond, len(rounds)) < _level(benchmarks) and pairs_beyond >= agreeing:
            return Verdict(point, outcome, ratio, spread)
    moved_by = max(ratio, 1 / ratio)
    is_unclear = moved_by > 1 + margin or (spread > NOISY and moved_by > 1 + margin / 2)
    return Verdict(point, NOISE if is_unclear else SAME, ratio, spread)


def _level(benchmarks: int) -> float:
    """The significance level for one benchmark in one stage."""
    return LEVEL / LOOKS / max(benchmarks, 1)


def may_have_moved(pairs: Sequence[Sequence[float]], margin: float = MARGIN) -> bool:
    """Whether any pair indicates a change of a benchmark."""
    medians = [statistics.median(pair) for pair in pairs]
    return any(max(each, 1 / each) > 1 + margin for each in medians)


def take_rounds(
    point: str, base: Worker, head: Worker, rounds: int, plan: Plan, is_of_processor: bool = True
) -> list[float]:
    """The ratio of head's seconds to base's, for each round.

    The two always alternate: a process that runs twice in a row may be some per cent faster.

    is_of_processor: measure processor time, which excludes time spent on other processes.
    Raises WorkerError if one of them cannot run the benchmark.
    """
    loops = []
    for worker in (base, head):
        told = worker.ask("make", point=point, seconds=plan.seconds, most=plan.most)
        if "skipped" in told:
            raise WorkerError(told["skipped"])
        loops.append(told["loops"])
    for worker in (base, head):  # the same number of calls in both
        worker.ask("loops", count=max(loops))
    ratios = []
    for _ in range(rounds):
        asked = {"least_of": LEAST_OF, "of_processor": is_of_processor}
        before, after = (worker.ask("sample", **asked)["seconds"] for worker in (base, head))
        ratios.append(after / before)
    for worker in (base, head):
        worker.ask("drop")
    return ratios


def compare(
    points: Sequence[str],
    base: Mapping[str, str],
    head: Mapping[str, str],
    backend: str = "c",
    pairs: int = PAIRS,
    rounds: int = ROUNDS,
    margin: float = MARGIN,
) -> Iterator[Verdict]:
    """The verdicts for benchmarks, given the environment variables that select the two trees.

    Raises ValueError if there are so few rounds that even being slower in all of them could be chance.
    """
    if tail(pairs * rounds, pairs * rounds) >= _level(len(points)):
        raise ValueError(f"{pairs} pairs of {rounds} rounds are too few to tell {len(points)} benchmarks")
    found: dict[str, list[list[float]]] = {point: [] for point in points}
    problems: dict[str, str] = {}
    shaken = itertools.count()

    def look_at(some: Sequence[str]) -> dict[str, Verdict]:
        for _ in range(pairs):
            able = [point for point in some if point not in problems]
            for point, ratios in take_pair(able, base, head, backend, rounds, problems, shaken):
                found[point].append(ratios)
        return {
            point: Verdict(point, FAILED, 1.0, 0.0, problem=problems[point])
            if point in problems
            else decide(point, found[point], len(points), margin)
            for point in some
        }

    verdicts = look_at(points)
    verdicts |= look_at([point for point in points if may_have_moved(found[point], margin)])
    yield from by_instructions([*verdicts.values()], backend, base, head, margin)


def take_pair(
    points: Sequence[str],
    base: Mapping[str, str],
    head: Mapping[str, str],
    backend: str,
    rounds: int,
    problems: dict[str, str],
    shaken: Iterator[int],
) -> Iterator[tuple[str, list[float]]]:
    """The rounds of each benchmark in one pair of processes; those that fail are added to ``problems``.

    shaken: seeds for the memory layout of each process
    """
    if not points:
        return
    plan = Plan(rounds=rounds, seconds=SECONDS)
    is_on_host = "streams" not in get_backend(backend).traits  # with one thread, set by the environments
    can_choose = is_on_host and hasattr(os, "sched_getaffinity")
    core = max(os.sched_getaffinity(0)) if can_choose else None  # the same for both: cores differ
    workers: list[Worker] = []
    try:
        for label, environment in ((BASE, base), (HEAD, head)):
            fixed = {**environment, "PYTHONHASHSEED": "0", SHAKEN: str(next(shaken))}
            workers.append(Worker(backend, label, fixed, core=core))
        before, after = workers
        for point in points:
            try:
                yield point, take_rounds(point, before, after, rounds, plan, is_on_host)
            except WorkerError as error:
                problems[point] = str(error)
    finally:
        for worker in workers:
            worker.close()


def by_instructions(
    verdicts: Sequence[Verdict],
    backend: str,
    base: Mapping[str, str],
    head: Mapping[str, str],
    margin: float = MARGIN,
) -> Iterator[Verdict]:
    """The same verdicts, with those that were too noisy decided by counting instructions."""
    noisy = [each.point for each in verdicts if each.outcome == NOISE]
    counts: list[Mapping[str, float]] = [{}, {}]
    problem = ""
    if noisy and instructions.is_possible():
        try:  # in parallel, which does not affect the counts
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                counts = list(
                    pool.map(lambda each: instructions.of_calls(noisy, backend, each), (base, head))
                )
        except instructions.CountingError as error:
            problem = str(error)
    for verdict in verdicts:
        if verdict.outcome != NOISE:
            yield verdict
        elif not all(verdict.point in each for each in counts):
            yield verdict._replace(problem=problem)
        else:
            ratio = counts[1][verdict.point] / counts[0][verdict.point]
            outcome = SLOWER if ratio > 1 + margin else FASTER if ratio < 1 / (1 + margin) else SAME
            yield verdict._replace(outcome=outcome, ratio=ratio, spread=0.0, source="instructions")


# -- trees ---------------------------------------------------------------------------------------------------

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROOMS = ("reference", "backends", "conformance")
NATIVE = ("csrc", "cffi_build", "backends/gnomon_speedups/plan.py", "setup.py")
EXTENSIONS = ("backends/gnomon_c/*.so", "backends/gnomon_speedups/*.so")


class TreeError(RuntimeError):
    """A commit that does not exist, or does not build."""


def environment_of(tree: pathlib.Path) -> dict[str, str]:
    """Environment variables to import that tree; the benchmarks are always this tree's."""
    places = [*(str(tree / room) for room in ROOMS), str(ROOT / "benchmarks")]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {"PYTHONPATH": os.pathsep.join(places), **threads}


def _git(*arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)
    if done.returncode:
        raise TreeError(f"git {' '.join(arguments)}: {done.stderr.decode().strip()}")
    return done.stdout


@contextlib.contextmanager
def tree_of(commit: str) -> Iterator[pathlib.Path]:
    """A tree of that commit with built extensions, which are this tree's if no native source has changed.

    Raises TreeError.
    """
    with tempfile.TemporaryDirectory(prefix="gnomon_base_") as folder:
        tree = pathlib.Path(folder)
        commit = _git("rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}").decode().strip()
        with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
            archive.extractall(tree, filter="data")
        if _git("diff", "--stat", commit, "--", *NATIVE).strip():
            build = [sys.executable, "setup.py", "build_ext", "--inplace"]
            widest = isas()[-1]  # of the other variants only the baseline is built, and quickly
            chosen = {
                "GNOMON_C_VARIANTS": widest,
                "GNOMON_C_QUICK": "" if widest == "baseline" else "baseline",
            }
            environment = {**os.environ, **chosen}
            done = subprocess.run(build, cwd=tree, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise TreeError(f"{commit} cannot be built: {done.stderr[-500:]}")
        else:
            for pattern in EXTENSIONS:
                for path in ROOT.glob(pattern):
                    shutil.copy(path, tree / path.relative_to(ROOT))
        yield tree


def stale(root: pathlib.Path) -> str:
    """Which extension of a tree is older than one of its sources, as a message, or ""."""
    places = [root / each for each in NATIVE]
    files = [path for place in places for path in (place, *place.rglob("*")) if path.is_file()]
    times = {path: path.stat().st_mtime for path in files if path.suffix != ".pyc"}
    newest = max(times, key=lambda path: times[path])
    try:
        widest = isas()[-1]
    except RuntimeError:  # there is no C backend
        return ""
    library = "_native" if widest == "baseline" else f"_native_{widest}"
    for pattern in (f"backends/gnomon_c/{library}.*so", "backends/gnomon_speedups/_speedups.*so"):
        for built in root.glob(pattern):
            if built.stat().st_mtime < times[newest]:
                names = f"{built.relative_to(root)} is older than {newest.relative_to(root)}"
                return f"{names}: build it first (pip install --editable .)"
    return ""


# -- the command ---------------------------------------------------------------------------------------------


def watched(pattern: str | None = None) -> list[Point]:
    """The points to check: each benchmark once, with its median size, because caches are less noisy."""
    found = []
    for benchmark in definitions.BENCHMARKS:
        first = {axis: values[0] for axis, values in benchmark.axes.items()}
        for axis in benchmark.axes:
            if axis in ("size", "side", "shape"):
                ordered = sorted(benchmark.axes[axis], key=math.prod if axis == "shape" else None)
                first[axis] = ordered[(len(ordered) - 1) // 2]
        found.append(Point(benchmark, first))
    return [
        point
        for point in found
        if point.elements <= LARGEST and (pattern is None or re.search(pattern, point.name))
    ]


def table(verdicts: Sequence[Verdict]) -> str:
    """The benchmarks that changed, the slowest first, and the number of those that did not."""
    moved = [each for each in verdicts if each.outcome != SAME]
    moved.sort(key=lambda each: -each.ratio)
    lines = []
    for each in moved:
        text = f"{each.outcome:10} {each.point:60} "
        text += each.problem if each.outcome == FAILED else f"x {each.ratio:.2f} by {each.source}"
        lines.append(text + (f" (half of the rounds within {each.spread:.2f})" if each.spread else ""))
    count = sum(each.outcome == SAME for each in verdicts)
    return "\n".join([*lines, f"{count} of {len(verdicts)} are as fast as before, within {MARGIN:.0%}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 1 if something became slower, 2 if that cannot be determined."""
    parser = argparse.ArgumentParser(
        prog="gnomon_bench.guard",
        description="Is this tree slower than an earlier commit?  False alarms: "
        f"one in {1 / LEVEL:.0f} runs, where processes differ by less than {MARGIN:.0%}.",
    )
    parser.add_argument("--base", default="HEAD~1", metavar="COMMIT", help="default: %(default)s")
    parser.add_argument("--backend", default="c", metavar="NAME", help="default: %(default)s")
    parser.add_argument("--ops", default=None, metavar="REGEX", help="only benchmarks whose name matches")
    parser.add_argument(
        "--pairs", type=int, default=PAIRS, metavar="N", help="number of process pairs (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, metavar="N", help="rounds per pair (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    try:
        points = [point.name for point in watched(options.ops)]
    except re.error as error:
        parser.error(f"--ops: {error}")
    if not points:
        parser.error("no benchmarks were selected")
    if options.pairs < 1 or options.rounds < 2:
        parser.error("--pairs: expected at least 1; --rounds: at least 2")
    head = environment_of(ROOT)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that processes and trees are removed
    try:
        if problem := stale(ROOT):
            raise TreeError(problem)
        with tree_of(options.base) as tree:
            base = environment_of(tree)
            size = {"pairs": options.pairs, "rounds": options.rounds}
            verdicts = list(compare(points, base, head, options.backend, **size))
    except (RuntimeError, ValueError) as error:  # TreeError, WorkerError, or no C backend here
        print(f"perf-check: {error}", file=sys.stderr)
        return 2
    print(table(verdicts))
    outcomes = {each.outcome for each in verdicts}
    return 1 if SLOWER in outcomes else 2 if outcomes & {FAILED, NOISE} else 0


if __name__ == "__main__":
    raise SystemExit(main())
