"""Source files as pages with numbered lines, to which the other pages link; and a page for each folder."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

FOLDERS = (
    "reference",
    "backends",
    "conformance",
    "csrc",
    "cffi_build",
    "benchmarks",
    "examples",
    "tests",
    "tools",
)
FILES = ("Makefile", "pyproject.toml", "setup.py", "LICENSE", "MANIFEST.in")
SUFFIXES = (
    ".py",
    ".pyi",
    ".c",
    ".h",
    ".def",
    ".cu",
    ".cuh",
    ".md",
    ".txt",
    ".toml",
    ".cfg",
    ".js",
    ".css",
    ".template",
    "",
)
LARGEST = 400_000  # bytes; generated tables are larger
_HIDDEN = ("__pycache__", "node_modules")

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title><link rel="stylesheet" href="{up}_static/source.css"></head>
<body><header><a href="{up}../index.html">gnomon</a> {crumbs}</header><main>{body}</main></body></html>
"""


def listed(root: Path) -> Iterator[Path]:
    """The source files, and the folders that they are in."""
    yield from (root / name for name in FILES if (root / name).is_file())
    for folder in FOLDERS:
        for here, folders, files in os.walk(root / folder):
            folders[:] = sorted(
                each
                for each in folders
                if each not in _HIDDEN and not each.startswith(".") and not each.endswith(".egg-info")
            )
            yield Path(here)
            for name in sorted(files):
                path = Path(here, name)
                if path.suffix in SUFFIXES and path.stat().st_size <= LARGEST:
                    yield path


def write(root: Path, target: Path) -> None:
    """Write the pages below ``target/source``."""
    folder = target / "source"
    folder.mkdir(parents=True, exist_ok=True)
    paths = [root, *listed(root)]
    known = set(paths)
    for path in paths:
        name = path.relative_to(root)
        place = folder / f"{'index' if path == root else name}.html"
        place.parent.mkdir(parents=True, exist_ok=True)
        depth = len(place.relative_to(folder).parts) - 1
        body = _listing(path, root, known) if path.is_dir() else _code(path)
        text = _PAGE.format(
            name=html.escape(str(name)), up="../" * depth, crumbs=_crumbs(name, depth), body=body
        )
        place.write_text(text, "utf-8")
    static = folder / "_static"
    static.mkdir(exist_ok=True)
    (static / "source.css").write_text(_style(), "utf-8")


def _crumbs(name: Path, depth: int) -> str:
    parts, links = name.parts, []
    for count in range(1, len(parts) + 1):
        address = "../" * depth + "/".join(parts[:count]) + ".html"
        links.append(f'<a href="{html.escape(address)}">{html.escape(parts[count - 1])}</a>')
    return " / ".join(['<a href="{}index.html">source</a>'.format("../" * depth), *links])


def _listing(folder: Path, root: Path, known: set[Path]) -> str:
    found = sorted(each for each in known if each.parent == folder and each != folder)
    rows = []
    for each in found:
        base = "" if folder == root else f"{folder.name}/"
        shown = html.escape(each.name + ("/" if each.is_dir() else ""))
        rows.append(f'<li><a href="{html.escape(base + each.name)}.html">{shown}</a></li>')
    return f"<ul>{''.join(rows)}</ul>"


def _code(path: Path) -> str:
    try:
        lexer = get_lexer_for_filename(path.name if path.suffix != ".def" else "x.c")
    except ClassNotFound:
        lexer = TextLexer()
    formatter = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True)
    shown = highlight(path.read_text("utf-8", errors="replace"), lexer, formatter)
    return shown.replace('id="L-', 'id="L').replace('name="L-', 'name="L').replace('href="#L-', 'href="#L')


_LAYOUT = """
body { margin: 0; font: 14px/1.5 system-ui, sans-serif; }
header { padding: 0.6em 1em; border-bottom: 1px solid #8884; }
main { padding: 0 1em; overflow-x: auto; }
pre { font: 13px/1.45 ui-monospace, monospace; }
:target { background: #fc03; }
"""
_DARK_LAYOUT = "body { background: #0d1117; color: #e6edf3; } a { color: #79c0ff; }"


def _style() -> str:
    light, dark = (
        HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("default", "github-dark")
    )
    return f"{_LAYOUT}{light}\n@media (prefers-color-scheme: dark) {{\n{_DARK_LAYOUT}\n{dark}\n}}\n"
