"""tools/array_api_suite.py says in words what is missing, and runs a suite."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gnomon

TOOL = Path(__file__).parents[2] / "tools" / "array_api_suite.py"
_spec = importlib.util.spec_from_file_location("array_api_suite", TOOL)
tool = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tool)


@pytest.fixture
def suite(tmp_path):
    """A suite of one test, which shows what it is given."""
    (tmp_path / "array_api_tests").mkdir()
    (tmp_path / "array-api" / "src" / "array_api_stubs").mkdir(parents=True)
    (tmp_path / "array_api_tests" / "test_has_names.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("", "SUITE=path is needed, a checkout of array-api-tests: git clone --recurse-submodules https://"),
        ("absent", "absent is no checkout of array-api-tests: git clone"),
    ],
)
def test_without_a_suite(folder, message, tmp_path):
    given = str(tmp_path / folder) if folder else ""
    answer = subprocess.run([sys.executable, TOOL, given], capture_output=True, text=True)
    assert answer.returncode == 2 and message in answer.stderr and answer.stdout == ""


def test_what_is_missing(suite, monkeypatch):
    monkeypatch.setattr(tool, "NEEDED", ("pytest",))
    assert tool.what_is_missing(suite) == ""
    monkeypatch.setattr(tool, "NEEDED", ("pytest", "no_such_package"))
    assert tool.what_is_missing(suite).startswith("no_such_package not installed: ")
    (suite / "array-api" / "src" / "array_api_stubs").rmdir()
    assert "submodule update --init" in tool.what_is_missing(suite)


def test_each_test_that_may_fail_has_a_reason():
    lines = tool.XFAILS.read_text().splitlines()
    names = [number for number, line in enumerate(lines) if line.startswith("array_api_tests/")]
    assert all(lines[number - 1].startswith("#") for number in names)
    assert names == []  # so far


def test_the_text_that_the_suite_runs_enters_the_mode():
    program = tool.INSIDE_THE_MODE.removeprefix("exec('").removesuffix("')")
    program += "; print(xp.__name__, (xp.ones((2,), dtype=xp.int8) + xp.asarray(1)).dtype)"
    environment = {**os.environ, "PYTHONPATH": str(Path(gnomon.__file__).parents[1])}
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    assert answer.stdout.split() == ["gnomon.array_api", "gnomon.int64"]
