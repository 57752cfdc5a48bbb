"""Builds the site of gnomon's documentation: static files that need no server.

python tools/site build/site        # writes build/site/html/index.html; nothing is fetched

The pages of docs/, a page for each operator, the Python interface from docstrings, and the source files that
pages link to.  Needs `pip install '.[docs]'`.  Fails if a page cannot be made or a link leads nowhere.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import interface
import links
import operator_pages
import sources
from markdown_pages import Pages

ROOT = Path(__file__).resolve().parents[2]


def prepare(folder: Path, only: str | None = None) -> None:
    """Write what Sphinx reads into ``folder``; ``only``: operators whose names match this expression."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = Pages(ROOT, folder / "pages")
    pages.copy()
    operator_pages.write(folder / "pages" / "operators", ROOT, only)
    interface.write(folder / "pages" / "interface")
    pages.write_index()
    sources.write(ROOT, folder / "extra")
    pages.copy_raw_files(folder / "extra")


def build(folder: Path, html: Path) -> int:
    """Run Sphinx; returns its exit status.  Warnings are errors."""
    configuration = Path(__file__).parent
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-j", "auto"]
    command += ["-c", str(configuration), str(folder / "pages"), str(html)]
    return subprocess.run(command, check=False).returncode


def main() -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where to write; html/index.html is the site")
    parser.add_argument("--only", metavar="REGEX", help="pages of only these operators, to build faster")
    options = parser.parse_args()
    source, html = options.folder / "source", options.folder / "html"
    prepare(source, options.only)
    status = build(source, html)
    if status:
        return status
    shutil.copytree(source / "extra", html, dirs_exist_ok=True)
    broken = links.broken(html)
    for each in broken:
        print(f"site: {each}", file=sys.stderr)
    if not broken:
        print(f"{html / 'index.html'}")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
