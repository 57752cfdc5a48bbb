"""Keeps docs/mistakes.md: what PyTorch and gnomon say of the commonest mistakes.

python tools/mistakes.py docs/mistakes.md       # makes each mistake in both, and writes their errors below it

Each mistake of the page is a block of Python with ``gn`` for the library, and a block of text below it.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_MISTAKE = re.compile(
    r"(?<=^### )([^\n]*)\n\n```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
NAMES = ("PyTorch", "gnomon")
WIDTH = 9  # of a name and the space after it


class Mistake(NamedTuple):
    """A mistake of the page: its title, its code, and the error that each library raises, by its name."""

    title: str
    code: str
    errors: dict[str, str]


def mistakes(page: str) -> Iterator[Mistake]:
    """The mistakes of a page's text."""
    for title, code, shown in _MISTAKE.findall(page):
        errors: dict[str, str] = {}
        name = ""
        for line in shown.splitlines():
            name = line[:WIDTH].strip() or name
            errors[name] = f"{errors[name]}\n{line[WIDTH:]}" if name in errors else line[WIDTH:]
        yield Mistake(title, code, errors)


def error_of(code: str, library: Any) -> str:
    """The kind and the text of the exception that code raises.  Raises AssertionError if it raises none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(code, "<mistake>", "exec"), {"gn": library})
        except Exception as error:
            lines = f"{type(error).__name__}: {error}".splitlines()
            return "\n".join(line.rstrip() for line in lines)
    raise AssertionError(f"no error: {code}")


def _shown(errors: dict[str, str]) -> str:
    lines = []
    for name, text in errors.items():
        first, *rest = text.splitlines()
        lines.append(f"{name:<{WIDTH}}{first}")
        lines += [f"{'':<{WIDTH}}{line}".rstrip() for line in rest]
    return "\n".join(lines)


def write(page: Path) -> None:
    """Write the errors anew."""
    import torch

    import gnomon as gn

    def replaced(found: re.Match[str]) -> str:
        title, code, _ = found.groups()
        errors = {name: error_of(code, library) for name, library in zip(NAMES, (torch, gn))}
        return f"{title}\n\n```python\n{code}```\n\n```text\n{_shown(errors)}\n```"

    page.write_text(_MISTAKE.sub(replaced, page.read_text("utf-8")), "utf-8")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", type=Path, help="a Markdown file")
    write(parser.parse_args().page)


if __name__ == "__main__":
    main()
