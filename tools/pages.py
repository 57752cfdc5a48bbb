"""Keeps the output that pages show: of ```console blocks that begin with ``$ gnomon``, of programs that
``gnomon.distributed.run`` starts, and of Python blocks.

python tools/pages.py docs/life_of_a_call.md       # runs the commands, and writes their output below each
python tools/pages.py docs/tour/*.md               # and the Python blocks, with their pictures

Python blocks are run in chapters of docs/tour and in the pages RUN: from top to bottom, in one process and
one namespace.  What a block prints, and the repr of its last expression, stand in a ```text block directly
below it.  A drawing is written to the SVG file that the image below the block names.  A block that raises
says so in a comment: ``# raises RuntimeError``.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import linecache
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]

RUN = ("compat.md", "ecosystem.md", "exchange.md")  # the pages beside the tour whose Python blocks are run

_LINE = re.compile(r"(\w\.\w+):\d+ *")
_RUN = "python -m gnomon.distributed.run "
_BLOCK = re.compile(rf"^```console\n\$ ((?:gnomon |{re.escape(_RUN)}).*)\n((?:.*\n)*?)```$", re.MULTILINE)
_CELL = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?"
    r"(?P<image>\n!\[[^\]]*\]\((?P<file>\w+\.svg)\)\n)?",
    re.MULTILINE | re.DOTALL,
)
_RAISES = re.compile(r"# raises (\w+)")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{9,}")


class Shown(NamedTuple):
    """What a Python block shows: its text, and the SVG of the drawing that its last expression is."""

    text: str
    svg: str | None


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Each command in a page's blocks, with the lines that the page shows below it."""
    for found in _BLOCK.finditer(page):
        yield found[1], found[2]


def cells(page: str) -> Iterator[re.Match[str]]:
    """Each Python block of a page; its groups are ``code``, ``shown``, ``image`` and the image's ``file``."""
    return _CELL.finditer(page)


def printed(command: str) -> str:
    """The output of a command of a page, run in a new process, where nothing is cached.

    Raises RuntimeError if it can not be understood; an expression that raises is explained.
    """
    module = ["gnomon.distributed.run"] if command.startswith(_RUN) else ["gnomon.cli"]
    arguments = shlex.split(command.removeprefix(_RUN).removeprefix("gnomon "))
    done = subprocess.run(
        [sys.executable, "-m", *module, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120"},
        cwd=ROOT,
        check=False,
    )
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def without_lines(text: str) -> str:
    """A text without the numbers of lines in files, the spaces after them, and rules under headings."""
    return re.sub(r"--+ *", "", _LINE.sub(r"\1 ", text))


def run_block(code: str, name: str, names: dict[str, Any]) -> Shown:
    """Run a Python block in ``names``, as a notebook does; ``name`` stands for its file.

    Raises what the block raises, unless it says ``# raises Type``; RuntimeError if it says so and does not.
    """
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)  # for inspect.getsource
    tree = ast.parse(code, name)
    last = tree.body[-1] if tree.body else None
    expression = last.value if isinstance(last, ast.Expr) else None
    if expression is not None:
        tree.body.pop()
    out, svg = io.StringIO(), None
    expected = _RAISES.search(code)
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(tree, name, "exec"), names)
            if expression is not None:
                value = eval(compile(ast.Expression(expression), name, "eval"), names)
                if hasattr(value, "_repr_svg_"):
                    svg = value._repr_svg_()
                elif value is not None:
                    print(repr(value))
    except Exception as error:
        if expected is None or type(error).__name__ != expected[1]:
            raise
        out.write(f"{expected[1]}: {error}\n")
    else:
        if expected is not None:
            raise RuntimeError(f"{name}: should raise {expected[1]}:\n{code}")
    text = _ADDRESS.sub("0x…", out.getvalue().replace(f"{ROOT}{os.sep}", ""))
    return Shown("\n".join(line.rstrip() for line in text.splitlines()).rstrip(), svg)


def run_page(page: Path) -> list[Shown]:
    """Run a page's Python blocks in this process, from top to bottom in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [
        run_block(found["code"], f"<{page.stem}, block {number}>", names)
        for number, found in enumerate(cells(page.read_text("utf-8")), 1)
    ]


def executed(page: Path, environment: dict[str, str] | None = None) -> list[Shown]:
    """What a page's Python blocks show, run in a new process.  Raises RuntimeError if one of them fails."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), "--run", str(page)],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120", **(environment or {})},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{page}: {done.stderr}")
    return [Shown(*each) for each in json.loads(done.stdout)]


def _write_file(file: Path, text: str) -> None:
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(file)


def _with_output(page: Path, text: str) -> str:
    """The text of a page with what its Python blocks show; writes its pictures."""
    results = iter(executed(page))

    def block(found: re.Match[str]) -> str:
        shown = next(results)
        if (shown.svg is None) != (found["file"] is None):
            raise RuntimeError(
                f"{page}: an image stands below each block that draws, and no other:\n{found['code']}"
            )
        if shown.svg is not None:
            _write_file(page.with_name(found["file"]), shown.svg)
        below = f"\n```text\n{shown.text}\n```\n" if shown.text else ""
        return f"```python\n{found['code']}```\n{below}{found['image'] or ''}"

    return _CELL.sub(block, text)


def write(page: Path) -> None:
    """Update the output below each command of a page; of a chapter of the tour or of RUN, also of Python
    blocks.
    """
    new = _BLOCK.sub(
        lambda found: f"```console\n$ {found[1]}\n{printed(found[1])}```", page.read_text("utf-8")
    )
    if page.resolve().parent == ROOT / "docs" / "tour" or page.name in RUN:
        new = _with_output(page, new)
    _write_file(page, new)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", type=Path, help="Markdown files")
    parser.add_argument(
        "--run", action="store_true", help="print what the page's Python blocks show, as JSON"
    )
    options = parser.parse_args()
    for page in options.pages:
        if options.run:
            shown = run_page(page)
            json.dump(shown, sys.stdout)
        else:
            write(page)


if __name__ == "__main__":
    main()
