"""Runs each test marked ``both_tiers`` on both tiers: with the C speedups, and on the readable tier.

A process chooses its tier when gnomon is imported, as with CPython's pairs of modules, so the readable tier
needs another process: one for each file, with ``GNOMON_SPEEDUPS=none``. It runs the tests of the file that
were selected here and writes its reports into a file. This process then reports them under the same test
names. Without speedups, each test runs once.
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
from time_limits import LONG_LIMIT

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
    """Parametrize each marked test over the tiers."""
    if metafunc.definition.get_closest_marker("both_tiers") is None or not _tiers():
        return
    if "tier" not in metafunc.fixturenames:
        metafunc.fixturenames.append("tier")
    metafunc.parametrize("tier", _tiers(), indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Drop oracle tests on the readable tier: PyTorch has only one tier."""
    items[:] = [
        item
        for item in items
        if not (_is_for_the_other_process(item) and item.get_closest_marker("oracle") is not None)
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Report the outcomes that the other process has for a test on the readable tier."""
    if not _is_for_the_other_process(item):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports_of(item):
        item.ihook.pytest_runtest_logreport(report=report)
    # Tear down what earlier tests set up and the next one does not need, as after every test.
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
    if not found or found[-1]["when"] != "teardown":  # the process ended before the test did
        yield pytest.TestReport(
            item.nodeid, item.location, {}, "failed", f"No report from the readable tier:\n{output}", "call"
        )


def _run_readable(root: Path, names: list[str]) -> tuple[dict[str, list[Any]], str]:
    """The reports of tests on the readable tier, by name, and what that process printed."""
    with TemporaryDirectory() as folder:
        written = Path(folder, "reports")
        written.touch()
        environment = {**os.environ, "GNOMON_SPEEDUPS": "none", _REPORTS: str(written)}
        for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
            environment.pop(name, None)
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(root)]
        output = Path(folder, "output")
        with output.open("w") as file:
            try:
                subprocess.run(
                    [sys.executable, "-m", "pytest", *options, *names],
                    cwd=root,
                    env=environment,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    timeout=LONG_LIMIT,
                )
            except subprocess.TimeoutExpired as error:  # tests that have no report by now fail
                file.write(f"{error}\n")
        reports: dict[str, list[Any]] = {}
        for line in written.read_text().splitlines():
            report = json.loads(line)
            if isinstance(
                report["longrepr"], list
            ):  # file, line and reason of a skip: a tuple, which JSON made a list
                report["longrepr"] = tuple(report["longrepr"])
            reports.setdefault(report["nodeid"], []).append(report)
        return reports, output.read_text(errors="replace")


class _Reporter:
    """In the other process: writes each report as it arrives."""

    def __init__(self, config: pytest.Config, path: str) -> None:
        self.config = config
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        with open(self.path, "a") as file:
            file.write(json.dumps(data) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Register the reporter if this is the other process."""
    if _REPORTS in os.environ:
        config.pluginmanager.register(_Reporter(config, os.environ[_REPORTS]))
