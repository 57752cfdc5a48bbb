"""gnomon's types for users: whole programs, which run, and which mypy --strict and pyright accept.

The programs are in tests/typing/programs.  Those in tests/typing/errors are wrong: both checkers must report
the lines that say so, ``# error: `` and mypy's code, and no others.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import pytest

import gnomon as gn
from time_limits import LIMIT

HERE = Path(__file__).parent
REFERENCE = HERE.parents[1] / "reference"
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
ERRORS = sorted((HERE / "errors").glob("*.py"))


def needs(module: str) -> pytest.MarkDecorator:
    """Skips a test where a type checker is not installed."""
    return pytest.mark.skipif(
        importlib.util.find_spec(module) is None, reason=f"{module} is not installed: pip install .[dev]"
    )


def run(command: list[str], folder: Path, **environment: str) -> str:
    """What a type checker prints.  Raises AssertionError if it failed itself."""
    finished = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        cwd=folder,
        timeout=LIMIT,
    )
    assert finished.returncode in (0, 1), finished.stdout + finished.stderr
    return finished.stdout


def mypy(folder: Path, files: list[Path]) -> dict[tuple[str, int], list[str]]:
    """The codes of the errors that ``mypy --strict`` finds, by file and line."""
    for file in files:
        shutil.copy(file, folder)
    names = [file.name for file in files]
    options = ["--strict", "--config-file=", "--follow-imports=silent", "--cache-dir", str(folder / "cache")]
    text = run([sys.executable, "-m", "mypy", *options, *names], folder, MYPYPATH=str(REFERENCE))
    found = re.findall(r"^(\S+?):(\d+): error: .*  \[([\w-]+)\]$", text, re.M)
    assert len(found) == len(re.findall("^.*: error: ", text, re.M)), text
    codes = defaultdict(list)
    for name, line, code in found:
        codes[name, int(line)].append(code)
    return dict(codes)


def pyright(folder: Path, files: list[Path]) -> dict[tuple[str, int], str]:
    """The errors that pyright finds with its standard rules, by file and line."""
    for file in files:
        shutil.copy(file, folder)
    settings = {"extraPaths": [str(REFERENCE)], "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    # PYRIGHT_PYTHON_IGNORE_WARNINGS: it does not look for a newer version
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    found = json.loads(run(command, folder, PYRIGHT_PYTHON_IGNORE_WARNINGS="1"))
    assert found["summary"]["filesAnalyzed"] == len(files), found
    return {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1): each["message"]
        for each in found["generalDiagnostics"]
        if each["severity"] == "error"
    }


def expected() -> dict[tuple[str, int], str]:
    """mypy's codes of the errors in the wrong programs, by file and line."""
    found = {}
    for file in ERRORS:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            code = re.search(r"# error: ([\w-]+)$", line)
            if code is not None:
                found[file.name, number] = code[1]
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_runs(program: Path) -> None:
    before = gn.get_default_dtype(), gn.is_grad_enabled(), gn.get_rng_state()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # anomaly mode is slow
            runpy.run_path(str(program), run_name="__main__")
        assert (gn.get_default_dtype(), gn.is_grad_enabled()) == before[:2]
    finally:
        gn.set_rng_state(before[2])


def test_there_are_programs_and_errors() -> None:
    assert len(PROGRAMS) >= 20 and len(ERRORS) >= 6
    marks = expected()
    assert {name for name, _ in marks} == {file.name for file in ERRORS}
    for program in PROGRAMS:
        assert re.search(r"type: ignore|\bcast\(", program.read_text()) is None, program


@pytest.mark.slow
@needs("mypy")
def test_mypy_accepts_the_programs(tmp_path: Path) -> None:
    assert mypy(tmp_path, PROGRAMS) == {}


@pytest.mark.slow
@needs("mypy")
def test_mypy_refuses_the_errors_and_nothing_else(tmp_path: Path) -> None:
    found, marks = mypy(tmp_path, ERRORS), expected()
    assert set(found) == set(marks)
    assert {place: codes for place, codes in found.items() if marks[place] not in codes} == {}


@pytest.mark.slow
@needs("pyright")
def test_pyright_accepts_the_programs(tmp_path: Path) -> None:
    assert pyright(tmp_path, PROGRAMS) == {}


@pytest.mark.slow
@needs("pyright")
def test_pyright_refuses_the_errors_and_nothing_else(tmp_path: Path) -> None:
    assert set(pyright(tmp_path, ERRORS)) == set(expected())
