"""Runs the commands `gnomon explain` that a page shows, and puts the output of each below it.

    python tools/explain_page.py --write docs/explain.md

Blocks begin with ```console and ``$ gnomon explain``.  ``printed`` gives the output of one; the numbers of
lines in it change with every edit, so a comparison leaves them out: ``without_lines``.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(r"^```console\n\$ (gnomon explain .*)\n((?:.*\n)*?)```$", re.MULTILINE)
_LINE = re.compile(r"(\w\.\w+):\d+ *")


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Each command in a page's blocks, with the lines that the page shows below it."""
    for found in _BLOCK.finditer(page):
        yield found[1], found[2]


def printed(command: str) -> str:
    """What a command prints in a new process.  Raises RuntimeError if it can not be understood."""
    done = subprocess.run(
        [sys.executable, "-m", "gnomon.cli", *shlex.split(command)[1:]],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):  # 1: the expression raised
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def without_lines(text: str) -> str:
    """A text without the numbers of lines in files, the spaces after them, and rules under headings."""
    return re.sub(r"--+ *", "", _LINE.sub(r"\1 ", text))


def write(page: Path) -> None:
    """Update the output below each command of a page."""
    text = page.read_text("utf-8")
    new = _BLOCK.sub(lambda found: f"```console\n$ {found[1]}\n{printed(found[1])}```", text)
    page.write_text(new, "utf-8")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", metavar="PAGE", type=Path, required=True, help="the page to update")
    write(parser.parse_args().write)


if __name__ == "__main__":
    main()
