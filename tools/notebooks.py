"""Converts Markdown pages whose Python can be run, such as the chapters of docs/tour, to Jupyter notebooks.

python tools/notebooks.py docs/tour/[0-9]*.md --output build/tour

Python blocks and commands (``$ gnomon …``) become code cells, without the output that the page shows: the
notebook makes its own. Pictures that a block draws are shown by its cell. All other text becomes Markdown
cells. It needs nbformat.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FENCED = r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n.*?^```\n)?(?:\n!\[[^\]]*\]\(\w+\.svg\)\n)?"
_COMMAND = r"^```console\n\$ (?P<command>gnomon .*?)\n.*?^```\n"
_CELL = re.compile(f"{_FENCED}|{_COMMAND}", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<path>[^):#]+)\.md(?P<rest>(?:#[^)]*)?)\)")
_RAISES = re.compile(r"# raises \w+")


def parts(page: str) -> Iterator[tuple[str, str]]:
    """The page in order, as pairs of a kind ("markdown", "code" or "command") and a text."""
    end = 0
    for found in _CELL.finditer(page):
        if text := page[end : found.start()].strip():
            yield "markdown", text
        end = found.end()
        if found["code"] is not None:
            yield "code", found["code"].rstrip()
        else:
            yield "command", found["command"]
    if text := page[end:].strip():
        yield "markdown", text


def _with_links(text: str, page: Path, output: Path, converted: set[Path]) -> str:
    """Links to pages that are converted lead to their notebooks, others to the pages."""

    def link(found: re.Match[str]) -> str:
        target = page.parent.joinpath(f"{found['path']}.md").resolve()
        if target in converted:
            return f"]({target.stem}.ipynb{found['rest']})"
        return f"]({os.path.relpath(target, output.resolve())}{found['rest']})"

    return _LINK.sub(link, text)


def notebook(page: Path, output: Path, converted: set[Path]) -> Any:
    """The notebook of a page, as nbformat represents it; ``converted``: all pages that become notebooks."""
    import nbformat

    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, (kind, text) in enumerate(parts(page.read_text("utf-8"))):
        if kind == "markdown":
            cell = nbformat.v4.new_markdown_cell(_with_links(text, page, output, converted))
        else:
            cell = nbformat.v4.new_code_cell(f"!{text}" if kind == "command" else text)
            if _RAISES.search(text):
                cell.metadata["tags"] = ["raises-exception"]
        cell.id = f"{page.stem}-{number}"  # the same each time
        made.cells.append(cell)
    nbformat.validate(made)
    return made


def write(pages: list[Path], output: Path) -> list[Path]:
    """Write the notebooks of pages into a folder; returns their paths."""
    import nbformat

    output.mkdir(parents=True, exist_ok=True)
    converted = {page.resolve() for page in pages}
    written = []
    for page in pages:
        target = output / f"{page.stem}.ipynb"
        temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
        temporary.write_text(nbformat.writes(notebook(page, output, converted)), "utf-8")
        temporary.replace(target)
        written.append(target)
    return written


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", type=Path, help="Markdown files")
    parser.add_argument(
        "--output", type=Path, default=Path("build/tour"), help="a folder (default: build/tour)"
    )
    options = parser.parse_args()
    for each in write(options.pages, options.output):
        print(each)


if __name__ == "__main__":
    main()
