"""docs/writing_a_backend.md is true: commands print what it says, and its files are a backend that trains.

A Python block whose first line names a file is written to that file, or appended to it if the line says
``further down``; other Python blocks are run. In a console block, ``…`` stands for anything.
"""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "writing_a_backend.md"

pytestmark = pytest.mark.slow


def blocks() -> Iterator[tuple[str, str]]:
    """Language and text of each block, in order."""
    yield from re.findall(r"^```(\w+)\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block, and the lines that it should print."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        yield command, lines


def says(output: str, lines: list[str]) -> bool:
    """Whether a program prints these lines. A line of ``…`` stands for any number of lines."""
    pattern = "\n".join(lines).replace("[", "[[]").replace("…", "*")
    return fnmatch.fnmatchcase(output.rstrip("\n"), pattern)


def tool(folder: Path, name: str, text: str) -> None:
    """Write a shell script as a command of this name."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class Reader:
    """Does what the guide says, in a separate folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.installed, tools = folder, folder / "installed", folder / "tools"
        tools.mkdir()
        # pip installs into the folder, without an index. Of an editable installation only the metadata
        # matter: modules are found where they are written.
        target = f"--target {self.installed} --no-index --no-deps --no-build-isolation --quiet"
        tool(tools, "pip", f"exec {sys.executable} -m pip install {target} .")
        # Nothing may depend on how far a search gets in its time.
        draws = '[ "$1" = conform ] && set -- "$@" --property-seconds 0'
        tool(tools, "gnomon", f'{draws}\nexec {sys.executable} -m gnomon.cli "$@"')
        self.path = f"{tools}{os.pathsep}{os.environ['PATH']}"

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the current folder."""
        found = (self.folder, self.installed, ROOT / "reference", ROOT / "conformance")
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={
                **os.environ,
                "PATH": self.path,
                "PYTHONPATH": os.pathsep.join(map(str, found)),
                "PYTHONDONTWRITEBYTECODE": "1",
                "GNOMON_BACKEND": "",
                "COLUMNS": "200",
            },
            timeout=1800,
        )

    def types(self, command: str, lines: list[str]) -> None:
        """Run a command, and check that it prints what the guide says."""
        if command.startswith("cd "):
            self.folder = self.folder / command[3:]
            return
        done = self.run("sh", "-c", command)
        assert "rror" not in done.stderr, f"$ {command}\n{done.stderr}"
        seen = (done.stdout, done.stdout + done.stderr)  # progress is printed to stderr
        assert not lines or any(says(each, lines) for each in seen), (
            f"$ {command}\n{done.stdout}{done.stderr}"
        )

    def writes(self, text: str) -> None:
        """Write a Python block to the file that it names, or run it if it names none."""
        named = re.match(r"# (\S+\.py)(, further down)?\n", text)
        if named is None:
            done = self.run(sys.executable, "-c", text)
            assert done.returncode == 0, text + done.stderr
            return
        path = self.folder / named[1]
        assert path.exists() == bool(named[2]), f"{named[1]} is {'new' if named[2] else 'there'}"
        with path.open("a") as file:
            file.write(text.partition("\n")[2])


@pytest.mark.skipif(os.environ.get("GNOMON_TEST_GUIDE") != "1", reason="it takes more than a minute")
def test_the_guide_is_true(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    kinds = set()
    for kind, text in blocks():
        kinds.add(kind)
        if kind == "console":
            for command, lines in commands(text):
                reader.types(command, lines)
        elif kind == "python":
            reader.writes(text)
        elif kind == "toml":
            project = (reader.folder / "pyproject.toml").read_text().splitlines()
            assert [line for line in text.splitlines() if line not in project] == []
    assert kinds == {"console", "python", "toml", "text"}


def test_says() -> None:
    assert says("one\ntwo\nthree [x]\n", ["one", "…", "three [x]"])
    assert not says("one\ntwo\nthree\n", ["one", "three"])
    assert not says("one\n", ["two"])
