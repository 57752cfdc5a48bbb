"""Tests on both tiers: each runs on its own tier, and a failure on one tier is reported."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.tensor import VersionCounter
from gnomon.values.speedups import speedups
from time_limits import LONG_LIMIT

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
needs_speedups = pytest.mark.skipif(speedups is None, reason="the C speedups are not built")


def count_graphs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of edges of each graph that the extension runs from now on."""
    seen: list[int] = []
    run_graph = speedups.run_graph

    def counted(edges: Any, *others: Any) -> Any:
        seen.append(len(edges))
        return run_graph(edges, *others)

    monkeypatch.setattr(speedups, "run_graph", counted)
    return seen


@pytest.mark.both_tiers
def test_which_tier_runs(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    has_c = tier == "speedups"
    assert ("gnomon_speedups" in sys.modules) is has_c
    assert (speedups is not None) is has_c
    assert type(gn.Tensor.__add__).__name__ == ("Function" if has_c else "function")
    assert type(gn.relu).__module__ == ("gnomon_speedups" if has_c else "builtins")
    assert isinstance(gn.Tensor.__add__, types.FunctionType) is not has_c
    assert ("__slots__" in vars(gn.Tensor)) is not has_c
    assert ("__slots__" in vars(VersionCounter)) is not has_c
    graphs = count_graphs(monkeypatch) if has_c else []
    x = gn.ones(2, requires_grad=True)
    with gn.autograd.set_multithreading_enabled(False):  # otherwise threads run graphs on several devices
        (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert graphs == ([1] if has_c else [])
    with gn.autograd.set_multithreading_enabled(False), x.register_hook(lambda gradient: gradient * 2):
        (x * 3).sum().backward()  # a hook of a leaf: the same engine
    assert x.grad.tolist() == [9.0, 9.0]
    y = x * 3
    with gn.autograd.set_multithreading_enabled(False), y.register_hook(lambda gradient: gradient * 2):
        y.sum().backward()
    assert x.grad.tolist() == [15.0, 15.0]
    assert graphs == ([1, 1] if has_c else [])


# -- the plugin itself ---------------------------------------------------------------------------------------

PROGRAM = """
import os
import sys

import pytest

pytestmark = pytest.mark.both_tiers
ended = []


@pytest.fixture(scope="module")
def of_the_file():
    yield 3
    ended.append(3)


def test_passes(of_the_file):
    assert of_the_file == 3 and not ended


def test_fails_on_the_readable_tier_only():
    assert "gnomon_speedups" in sys.modules, "there are no speedups here"


def test_fails_with_speedups_only():
    assert "gnomon_speedups" not in sys.modules


@pytest.mark.parametrize("number", [1, 2])
def test_of_numbers(number, tier):
    print("the tier is", tier)
    assert number in (1, 2)


@pytest.mark.skip(reason="never")
def test_skipped():
    raise AssertionError


@pytest.mark.skipif("gnomon_speedups" not in sys.modules, reason="needs the speedups")
def test_skipped_on_the_readable_tier():
    pass


@pytest.mark.xfail(reason="as it is")
def test_expected_to_fail():
    raise AssertionError


@pytest.mark.xfail(strict=True, reason="not on the readable tier")
def test_does_not_fail_on_the_readable_tier():
    assert "gnomon_speedups" not in sys.modules


def test_ends_the_process():
    if "gnomon_speedups" not in sys.modules:
        os._exit(3)


@pytest.mark.oracle
def test_of_pytorch():
    pass
"""
OTHER = """
def test_of_one_tier():
    pass
"""
OUTCOMES = {"PASSED", "FAILED", "SKIPPED", "XFAIL", "ERROR"}
SETTINGS = """
[pytest]
addopts = --strict-markers
markers =
    both_tiers: runs on both tiers
    oracle: compares with PyTorch
"""


@pytest.fixture
def report(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Run pytest on the files above; return the outcome of each test."""
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["both_tiers"]\n')
    (tmp_path / "test_program.py").write_text(PROGRAM)
    (tmp_path / "test_zother.py").write_text(OTHER)
    (tmp_path / "pytest.ini").write_text(SETTINGS)

    def run(*arguments: str, environment: dict[str, str] | None = None) -> dict[str, str]:
        path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-vv", "-rA", "-p", "no:cacheprovider", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **(environment or {})},
            capture_output=True,
            text=True,
            timeout=LONG_LIMIT,
        )
        lines = [line.partition(" - ")[0].split() for line in done.stdout.splitlines() if "::" in line]
        said = [
            (next((word for word in line if word in OUTCOMES), None), word)
            for line in lines
            for word in line
            if "::" in word
        ]
        found = {name.partition("::")[2]: outcome for outcome, name in said if outcome is not None}
        found["output"] = done.stdout + done.stderr
        return found

    return run


@needs_speedups
def test_each_tier_is_reported(report: Callable[..., dict[str, str]]) -> None:
    found = report()
    output = found.pop("output")
    assert found == {
        "test_passes[speedups]": "PASSED",
        "test_passes[readable]": "PASSED",
        "test_fails_on_the_readable_tier_only[speedups]": "PASSED",
        "test_fails_on_the_readable_tier_only[readable]": "FAILED",
        "test_fails_with_speedups_only[speedups]": "FAILED",
        "test_fails_with_speedups_only[readable]": "PASSED",
        "test_of_numbers[1-speedups]": "PASSED",
        "test_of_numbers[1-readable]": "PASSED",
        "test_of_numbers[2-speedups]": "PASSED",
        "test_of_numbers[2-readable]": "PASSED",
        "test_skipped[speedups]": "SKIPPED",
        "test_skipped[readable]": "SKIPPED",
        "test_skipped_on_the_readable_tier[speedups]": "PASSED",
        "test_skipped_on_the_readable_tier[readable]": "SKIPPED",
        "test_expected_to_fail[speedups]": "XFAIL",
        "test_expected_to_fail[readable]": "XFAIL",
        "test_does_not_fail_on_the_readable_tier[speedups]": "XFAIL",
        "test_does_not_fail_on_the_readable_tier[readable]": "FAILED",
        "test_ends_the_process[speedups]": "PASSED",
        "test_ends_the_process[readable]": "FAILED",
        "test_of_pytorch[speedups]": "PASSED",
        "test_of_one_tier": "PASSED",
    }
    assert "AssertionError: there are no speedups here" in output
    assert 'assert "gnomon_speedups" in sys.modules, "there are no speedups here"' in output
    assert "No report from the readable tier" in output
    assert "the tier is readable" in output and "the tier is speedups" in output


@needs_speedups
def test_of_those_selected_alone(report: Callable[..., dict[str, str]]) -> None:
    one = report("test_program.py::test_of_numbers[2-readable]")
    assert [one.pop("output").count(" passed in"), one] == [1, {"test_of_numbers[2-readable]": "PASSED"}]
    some = report(
        "-k", "passes or ends_the_process", "--deselect", "test_program.py::test_ends_the_process[readable]"
    )
    del some["output"]
    assert some == {
        "test_passes[speedups]": "PASSED",
        "test_passes[readable]": "PASSED",
        "test_ends_the_process[speedups]": "PASSED",
    }
    first = report("-x", "test_program.py", "--deselect", "test_program.py::test_ends_the_process")
    assert "1 failed, 3 passed" in first["output"]
    marked = report("-m", "oracle")
    assert "1 passed" in marked["output"]


@needs_speedups
def test_on_workers(report: Callable[..., dict[str, str]]) -> None:
    pytest.importorskip("xdist")
    found = report("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    assert "4 failed, 12 passed, 3 skipped, 3 xfailed" in found["output"]
    assert found["test_fails_on_the_readable_tier_only[readable]"] == "FAILED"
    assert found["test_passes[readable]"] == "PASSED"


def test_nothing_runs_twice_without_speedups(report: Callable[..., dict[str, str]]) -> None:
    found = report("-k", "passes or numbers", environment={"GNOMON_SPEEDUPS": "none"})
    assert "3 passed" in found.pop("output")
    assert found == {"test_passes": "PASSED", "test_of_numbers[1]": "PASSED", "test_of_numbers[2]": "PASSED"}
