"""docs/exercises.md: the example's commands print what the page shows.

Python blocks are written to the file that their first line names. ``python
tests/learn/exercises/test_exercises_page.py`` updates the output below each command of a console block.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "exercises.md"
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def updated(text: str, folder: Path) -> str:
    """The page with the output of its commands, which run in ``folder``; the first block is an overview."""
    blocks = list(_BLOCK.finditer(text))[1:]
    for block in blocks:
        if block[1] == "python":
            name, _, source = block[2].removeprefix("# ").partition("\n")
            (folder / name).write_text(source, "utf-8")
            continue
        commands = [line for line in block[2].splitlines() if line.startswith("$ gnomon ")]
        shown = "".join(f"{each}\n{printed(each, folder)}" for each in commands)
        text = text.replace(block[0], f"```console\n{shown}```", 1) if shown != block[2] else text
    return text


def printed(command: str, folder: Path) -> str:
    """What a command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "gnomon.cli", *command.split()[2:]],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.stdout


def test_the_page_shows_what_the_commands_print(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    assert len(_BLOCK.findall(text)) == 9
    assert updated(text, tmp_path) == text


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PAGE.write_text(updated(PAGE.read_text("utf-8"), Path(made)), "utf-8")
