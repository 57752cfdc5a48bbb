"""Keeps the output of commands that pages show: blocks that begin with ```console and ``$ gnomon``.

python tools/pages.py docs/life_of_a_call.md       # runs the commands, and writes their output below each
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_LINE = re.compile(r"(\w\.\w+):\d+ *")
_BLOCK = re.compile(r"^```console\n\$ (gnomon .*)\n((?:.*\n)*?)```$", re.MULTILINE)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Each command in a page's blocks, with the lines that the page shows below it."""
    for found in _BLOCK.finditer(page):
        yield found[1], found[2]


def printed(command: str) -> str:
    """The output of a command of a page, run in a new process, where nothing is cached.

    Raises RuntimeError if it can not be understood; an expression that raises is explained.
    """
    done = subprocess.run(
        [sys.executable, "-m", "gnomon.cli", *shlex.split(command)[1:]],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120"},
        check=False,
    )
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def without_lines(text: str) -> str:
    """A text without the numbers of lines in files, the spaces after them, and rules under headings."""
    return re.sub(r"--+ *", "", _LINE.sub(r"\1 ", text))


def write(page: Path) -> None:
    """Update the output below each command of a page."""
    new = _BLOCK.sub(
        lambda found: f"```console\n$ {found[1]}\n{printed(found[1])}```", page.read_text("utf-8")
    )
    page.write_text(new, "utf-8")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", type=Path, help="Markdown files")
    for page in parser.parse_args().pages:
        write(page)


if __name__ == "__main__":
    main()
