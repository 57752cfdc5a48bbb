"""Both tiers from one file: what is marked ``both_tiers`` runs with the C speedups, and on the readable
tier.

Which tier a process has is settled when gnomon is imported, as with CPython's pairs of modules, so the
other one is another process: one a file, with ``GNOMON_SPEEDUPS=none``, which runs the file's tests that
were selected here and writes its reports into a file.  These are given out here, under the same names.  Where
there are no speedups, nothing runs twice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from gnomon.values.speedups import speedups

SPEEDUPS, READABLE = "speedups", "readable"
_REPORTS = "GNOMON_TEST_REPORTS"  # the file that the other process writes its reports to
_reports_of_files = pytest.StashKey[dict[Path, tuple[dict[str, list[Any]], str]]]()


def _tiers() -> list[str]:
    if _REPORTS in os.environ:
        return [READABLE]
    return [] if speedups is None else [SPEEDUPS, READABLE]


def _is_for_the_other_process(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    is_readable = callspec is not None and callspec.params.get("tier") == READABLE
    return is_readable and _REPORTS not in os.environ


@pytest.fixture
def tier(request: pytest.FixtureRequest) -> str:
    """The tier that the test runs on: "speedups" or "readable"."""
    return getattr(request, "param", READABLE if speedups is None else SPEEDUPS)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each marked test, once for each tier."""
    if metafunc.definition.get_closest_marker("both_tiers") is None or not _tiers():
        return
    if "tier" not in metafunc.fixturenames:
        metafunc.fixturenames.append("tier")
    metafunc.parametrize("tier", _tiers(), indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PyTorch has one tier."""
    items[:] = [
        item
        for item in items
        if not (_is_for_the_other_process(item) and item.get_closest_marker("oracle") is not None)
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Give out what the other process reported of a test on the readable tier."""
    if not _is_for_the_other_process(item):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports_of(item):
        item.ihook.pytest_runtest_logreport(report=report)
    # What the tests before have set up and the next one does not need is ended here, as after every test.
    ended = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), "teardown")
    if ended.excinfo is not None:
        item.ihook.pytest_runtest_logreport(
            report=item.ihook.pytest_runtest_makereport(item=item, call=ended)
        )
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports_of(item: pytest.Item) -> Iterator[Any]:
    config = item.config
    known = config.stash.setdefault(_reports_of_files, {})
    if item.path not in known:
        names = [
            each.nodeid
            for each in item.session.items
            if each.path == item.path and _is_for_the_other_process(each)
        ]
        known[item.path] = _run_readable(config.rootpath, names)
    reports, output = known[item.path]
    found = reports.get(item.nodeid, [])
    for each in found:
        yield config.hook.pytest_report_from_serializable(config=config, data=each)
    if not found or found[-1]["when"] != "teardown":  # the process has ended before the test has
        yield pytest.TestReport(
            item.nodeid, item.location, {}, "failed", f"No report from the readable tier:\n{output}", "call"
        )


def _run_readable(root: Path, names: list[str]) -> tuple[dict[str, list[Any]], str]:
    """The reports of tests on the readable tier, by name, and what that process has printed."""
    with TemporaryDirectory() as folder:
        written = Path(folder, "reports")
        written.touch()
        environment = {**os.environ, "GNOMON_SPEEDUPS": "none", _REPORTS: str(written)}
        for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
            environment.pop(name, None)
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(root)]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *names],
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        reports: dict[str, list[Any]] = {}
        for line in written.read_text().splitlines():
            report = json.loads(line)
            if isinstance(
                report["longrepr"], list
            ):  # where and why a test was skipped: a tuple, but for JSON
                report["longrepr"] = tuple(report["longrepr"])
            reports.setdefault(report["nodeid"], []).append(report)
    return reports, done.stdout


class _Reporter:
    """In the other process: writes each report, as it is made."""

    def __init__(self, config: pytest.Config, path: str) -> None:
        self.config = config
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        with open(self.path, "a") as file:
            file.write(json.dumps(data) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Report to the process that asked for it."""
    if _REPORTS in os.environ:
        config.pluginmanager.register(_Reporter(config, os.environ[_REPORTS]))
