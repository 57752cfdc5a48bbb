"""``gnomon conform NAME``: run the suite on a backend, show the progress, and write the report.

The tests run in at least one worker process of pytest-xdist, so that a kernel that crashes or hangs costs
only one test.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pathlib
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from gnomon.backends.listing import table
from gnomon.memory.backend import get_backend
from gnomon.values.errors import BackendUnavailableError

from . import census, plugin
from .collection import selection, signatures, tiers
from .fuzzing import found_calls
from .libraries import command as libraries
from .reporting import report, verdicts
from .reporting.outcomes import (
    COMPOSED,
    FAIL,
    NOT_OWN,
    OUTCOMES,
    OWN,
    Result,
    counts,
    origins,
    score,
    versions,
)

HANG_LIMIT = 300.0  # seconds
SHOWN = 10  # failures shown in the terminal; the report has all

OK, FAILED, WRONG_COMMAND = 0, 1, 2

_PLAIN = {*libraries.WITH_THE_SUITE} - {"array_api"}  # the adaptors that need no argument

# Options of this command that are passed on to the plug-in, by their names there.
_PASSED_ON = (
    *("--ops", "--dtypes", "--tier", "--expectations", "--no-fallback", "--full"),
    *("--property-seconds", "--seed", "--samples", "--huge", "--census"),
)


def make_parser() -> argparse.ArgumentParser:
    """The command's options."""
    parser = argparse.ArgumentParser(
        prog="gnomon conform",
        description="Test a backend against the reference: every operator, dtype, layout, gradient and error "
        "that it claims.",
        epilog="Exit status: 0 if no test fails except those in the expectations file, 1 if one does, 2 for "
        "invalid arguments.",
    )
    add = parser.add_argument
    add("backend", nargs="?", metavar="NAME", help="an installed backend, as `gnomon backends` lists them")
    for name in _PASSED_ON:
        add(name, **{key: value for key, value in plugin.OPTIONS[name].items() if key != "type"})
    plain = ", ".join(sorted(_PLAIN))
    library_help = (
        "test a library with tensors of its own instead of a backend: FILE.py, FILE.py:NAME or MODULE:NAME, "
        f"a subclass of gnomon_conformance.libraries.Library; or {plain}, torch:DEVICE, or "
        "array_api:MODULE.  Takes --tier, --ops, --dtypes, --expectations and --hang-limit, and runs in one "
        "process.  A NAME of these with a colon needs no --library: gnomon conform torch:cuda"
    )
    add("--library", metavar="NAME", help=library_help)
    report_help = "write report.html, report.json, junit.xml, badge.svg and failing calls into this folder"
    add("--report", metavar="DIR", help=report_help)
    workers = "number of worker processes (default: the number of processors; with --library always 1)"
    add("-n", dest="workers", type=int, metavar="WORKERS", help=workers)
    limit = "time limit of a test, after which it counts as hung (default: %(default)g)"
    add("--hang-limit", type=float, default=HANG_LIMIT, metavar="SECONDS", help=limit)
    add("--diff", nargs=2, metavar=("A.json", "B.json"), help="compare two reports instead of running tests")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.diff:
        return _compare(parser, *options.diff)
    if options.library is None and options.backend is not None and _is_library(options.backend):
        options.library, options.backend = options.backend, None
    if options.library is not None:
        return _test_library(parser, options)
    if options.workers is None:
        options.workers = os.cpu_count() or 1
    if options.backend is None:
        parser.error("the name of a backend is required; `gnomon backends` lists them")
    if options.workers < 1:
        parser.error(f"-n: expected at least 1 worker, got {options.workers}")
    if options.hang_limit <= 0:
        parser.error(f"--hang-limit: expected more than 0 seconds, got {options.hang_limit:g}")
    # checked here, because in a worker it would be an internal error of pytest-xdist
    problem = selection.problem_of_pattern(options.gnomon_ops)
    if problem:
        parser.error(problem)
    try:
        backend = get_backend(options.backend)
        problem = selection.problem_of_claims(backend)
        if problem:
            parser.error(problem)
        if options.gnomon_census is not None:
            census.load(options.gnomon_census)
        if options.gnomon_samples is not None:
            found_calls.check_folder(options.gnomon_samples)
    except (BackendUnavailableError, census.CensusError, OSError, ValueError) as error:
        is_library = isinstance(error, BackendUnavailableError) and options.backend in _PLAIN
        also = f"; to test the library {options.backend}: --library {options.backend}" if is_library else ""
        parser.error(f"{error}{also}")
    folder = None if options.report is None else pathlib.Path(options.report)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"--report: {error}")
    if options.gnomon_ops and not options.gnomon_dtypes:
        print("gnomon conform: --ops without --dtypes tests each operator in every dtype", file=sys.stderr)
    for problem in signatures.problems(backend, options.gnomon_ops):
        print(f"gnomon conform: {problem}", file=sys.stderr)
    watcher = Watcher(options.backend)
    began = time.time()
    status = int(pytest.main(_pytest_arguments(options), plugins=[watcher]))
    watcher.bar.stop()
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        print("gnomon conform: no tests were selected", file=sys.stderr)
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return WRONG_COMMAND
    config = watcher.config
    run = report.Run(
        backend=options.backend,
        results=list(config.stash[plugin.results_key].values()),
        foundations=config.stash[verdicts.foundations_key].get(options.backend, {}),
        loosened=verdicts.expectations_of(config, backend).loosened,
        environment=report.environment(backend) | plugin.search_options(config),
        coverage=config.stash[plugin.coverage_key].as_data(backend.device_type),
        selection=" ".join(_selection(options)),
        began=began,
        seconds=time.time() - began,
    )
    print(summary(run))
    if folder is not None:
        report.write(run, folder)
        print(f"\nThe report: {folder / 'report.html'}")
    return FAILED if run.is_bad else OK


_OF_BACKENDS = {  # options that a library is not tested with
    "NAME of a backend": lambda options: options.backend,
    "--report": lambda options: options.report,
    "--full": lambda options: options.gnomon_full,
    "--census": lambda options: options.gnomon_census,
    "--samples": lambda options: options.gnomon_samples,
    "--huge": lambda options: options.gnomon_huge,
    "--no-fallback": lambda options: options.gnomon_no_fallback,
    "--seed": lambda options: options.gnomon_seed != plugin.SEED,
    "--property-seconds": lambda options: options.gnomon_property_seconds != plugin.PROPERTY_SECONDS,
    "-n, or 1, as the tests of a library run in one process": lambda options: (
        options.workers not in (None, 1)
    ),
}


def _is_library(name: str) -> bool:
    """Whether a name is an adaptor with an argument, such as ``torch:cuda``: no backend has a colon."""
    adaptor, colon, _ = name.partition(":")
    return bool(colon) and adaptor in libraries.WITH_THE_SUITE


def _test_library(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """``--library``."""
    for name, given in _OF_BACKENDS.items():
        if given(options):
            parser.error(f"--library: expected no {name}")
    problem = selection.problem_of_pattern(options.gnomon_ops)
    try:
        if options.gnomon_dtypes is not None:
            options.gnomon_dtypes = plugin.dtype_list(options.gnomon_dtypes)
    except pytest.UsageError as error:
        problem = str(error)
    if problem:
        parser.error(problem)
    return libraries.main(options, Bar(f"conform {options.library}"))


def _selection(options: argparse.Namespace) -> list[str]:
    """The options that select the tests, as arguments for the plug-in."""
    given = []
    for name in _PASSED_ON:
        fields = plugin.OPTIONS[name]
        value = getattr(options, fields["dest"])
        if value is True:
            given.append(name)
        elif isinstance(value, list):
            given += [part for each in value for part in (name, each)]
        elif value not in (None, False, fields["default"]):
            given += [name, str(value)]
    return given


# Plug-ins whose output no report shows; they take a fifth of the time of short tests.
UNUSED_PLUGINS = ("terminal", "faulthandler", "logging", "threadexception", "unraisableexception")


def _pytest_arguments(options: argparse.Namespace) -> list[str]:
    return [
        # nothing from the current folder: no settings, no plug-ins, no cache
        *("-c", os.devnull, "--rootdir", str(pathlib.Path(__file__).parent), "-p", "no:cacheprovider"),
        *("-p", plugin.NAME, "--pyargs"),
        "gnomon_conformance.tests.test_census" if options.gnomon_census else "gnomon_conformance",
        *(part for name in UNUSED_PLUGINS for part in ("-p", f"no:{name}")),
        *("-n", str(options.workers), "--max-worker-restart", "1000000", "-m", "not oracle"),
        *("--hang-limit", str(options.hang_limit), "--gnomon-backend", options.backend),
        *(() if options.report is None else ("--write-found", str(pathlib.Path(options.report, "found")))),
        *_selection(options),
    ]


class Watcher:
    """The plug-in that shows the progress of a run."""

    def __init__(self, backend: str):
        self.backend = backend
        self.config: Any = None
        self.bar = Bar(f"conform {backend}")
        self._seen = 0

    def pytest_configure(self, config: Any) -> None:
        self.config = config

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        self.bar.start(len(ids))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        results = self.config.stash[plugin.results_key]
        # only the new results, at the end: going through all of them each time would take minutes
        for key in itertools.islice(reversed(results), len(results) - self._seen):
            self.bar.count(results[key])
        self._seen = len(results)


class Bar:
    """A progress bar with time left and counts, on a terminal; elsewhere a line per tenth of the tests."""

    def __init__(self, title: str):
        self.title = title
        self.counts: Counter[str] = Counter()
        self.total = 0
        self._progress: Any = None
        self._task: Any = None

    def start(self, total: int) -> None:
        """``total`` tests will run.  Each worker reports this; only the first counts."""
        if self.total:
            return
        self.total = total
        if sys.stderr.isatty():
            from rich import progress
            from rich.console import Console

            columns = ("{task.description}", progress.BarColumn(), progress.MofNCompleteColumn())
            left = (progress.TimeRemainingColumn(), progress.TextColumn("{task.fields[counts]}"))
            self._progress = progress.Progress(*columns, *left, console=Console(stderr=True))
            self._progress.start()
            self._task = self._progress.add_task(self.title, total=total, counts="")

    def count(self, result: Result) -> None:
        """Count one finished test."""
        self.counts[result.outcome] += 1
        done = self.counts.total()
        text = ", ".join(f"{self.counts[outcome]} {outcome}" for outcome in OUTCOMES if self.counts[outcome])
        if self._progress is not None:
            self._progress.update(self._task, completed=done, counts=text)
        elif self.total and done * 10 // self.total > (done - 1) * 10 // self.total:
            print(f"{self.title}: {done} of {self.total}: {text}", file=sys.stderr, flush=True)

    def stop(self) -> None:
        """Stop the bar, when the run has ended."""
        if self._progress is not None:
            self._progress.stop()


def summary(run: report.Run) -> str:
    """The final output: one row per tier, the first failures, the score."""
    rows: list[tuple[str, ...]] = [("tier", *OUTCOMES, "score")]
    for tier in tiers.TIERS:
        found = [each for each in run.results if each.tier == tier]
        if found:
            passed, claimed = score(found)
            shown = f"{passed:.1%}" if claimed else "-"  # where no kernel had to run, there is none to score
            rows.append((tier, *map(str, counts(found).values()), shown))
    lines = [table(rows), ""]
    for tier, problem in run.foundations.items():
        if problem:
            lines += [f"The foundation of {tier!r} fails; tests that depend on it are blocked:", problem, ""]
    bad = [each for each in run.results if each.is_bad and each.outcome != "blocked"]
    bad.sort(key=lambda each: each.outcome != FAIL)  # failures first, then tests that did not run
    for each in bad[:SHOWN]:
        lines += [f"{each.outcome}: {each.test}", *(f"    {line}" for line in each.message.splitlines()[:6])]
        if each.program:
            lines += ["", *(f"        {line}" for line in each.program.splitlines()), ""]
    if len(bad) > SHOWN:
        lines.append(f"... and {len(bad) - SHOWN} more; --report DIR has them all")
    passed, claimed = score(run.results)
    passes = origins(run.results)
    lines.append(versions(run.environment))
    lines.append(
        f"of {len(run.results)} tests, {passes[OWN]} passed and ran the kernel under test, "
        f"{passes[COMPOSED]} passed and ran other kernels of the backend (of a composite operator, or of "
        "tensors that are made of others, as sparse ones are), "
        f"{passes[NOT_OWN]} passed without its kernels and do not count"
    )
    if not claimed:
        lines.append(f"{run.backend}: no test of this selection runs a kernel that it claims; no score")
    else:
        lines.append(
            f"{run.backend}: {passes[OWN] + passes[COMPOSED]} tests pass on its own kernels, {passed:.2%} of "
            f"those that it claims; it claims {claimed:.1%} of the tests; {run.seconds:.0f} s"
        )
    return "\n".join(lines)


def _compare(parser: argparse.ArgumentParser, before: str, after: str) -> int:
    """``--diff``: print the differences; the exit status is 1 if something got worse."""
    try:
        pair = report.read(before), report.read(after)
    except (OSError, ValueError) as error:
        parser.error(f"--diff: {error}")
    for problem in report.unlike(*pair):
        print(f"gnomon conform --diff: {problem}", file=sys.stderr)
    changes = report.compare(*pair)
    print(report.changes_text(changes))
    return FAILED if any(each.is_worse for each in changes) else OK
