"""Report: what an explanation says, as data, and its renderings: text, Markdown, JSON, rich in a terminal.

A report is a title and sections; a section is a heading and blocks.  There are four kinds of blocks: facts,
tables, trees and lines.  Every rendering shows all of them, in the same order.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

WIDTH = 100  # columns of plain text


def shown(value: Any) -> str:
    """A value as text: None is a dash, a bool yes or no, texts are joined by commas."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        parts = ", ".join(map(shown, value))
        if value and all(isinstance(each, str) for each in value):
            return parts
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    return str(value)


def _json_value(value: Any) -> Any:
    """A value for JSON: numbers, texts, bools and None as they are, tuples as lists, others as text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_json_value(each) for each in value]
    return str(value)


@dataclass(frozen=True)
class Facts:
    """Names with values."""

    rows: Sequence[tuple[str, Any]]

    def lines(self) -> Iterator[str]:
        """Plain text: the names in one column, the values in another."""
        width = max((len(name) for name, _ in self.rows), default=0)
        for name, value in self.rows:
            head = f"{name.ljust(width)}  "
            yield from _filled(shown(value), head, " " * len(head))

    def markdown(self) -> Iterator[str]:
        """A list."""
        for name, value in self.rows:
            yield f"- {_plain(name)}: {_code(shown(value))}"

    def data(self) -> Any:
        """A list of pairs, because a name may occur twice."""
        return {"facts": [[name, _json_value(value)] for name, value in self.rows]}

    def rich(self) -> Any:
        """A grid of two columns."""
        from rich.table import Table as RichTable
        from rich.text import Text

        grid = RichTable.grid(padding=(0, 2))
        grid.add_column(style="cyan", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in self.rows:
            grid.add_row(Text(name), Text(shown(value)))
        return grid


@dataclass(frozen=True)
class Table:
    """Rows under headings."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def _cells(self) -> list[list[str]]:
        return [list(self.headings), *([shown(each) for each in row] for row in self.rows)]

    def lines(self) -> Iterator[str]:
        """Plain text in aligned columns."""
        cells = self._cells()
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.headings))]
        cells.insert(1, ["-" * width for width in widths])
        for row in cells:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()

    def markdown(self) -> Iterator[str]:
        """A table; cells with signs that Markdown knows are code."""
        yield "| " + " | ".join(map(_plain, self.headings)) + " |"
        yield "|" + " --- |" * len(self.headings)
        for row in self._cells()[1:]:
            yield "| " + " | ".join(map(_code, row)) + " |"

    def data(self) -> Any:
        """The headings, and the rows."""
        return {
            "headings": list(self.headings),
            "rows": [[_json_value(each) for each in row] for row in self.rows],
        }

    def rich(self) -> Any:
        """A table."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE, pad_edge=False)
        for heading in self.headings:
            table.add_column(Text(heading), overflow="fold")
        for row in self._cells()[1:]:
            table.add_row(*map(Text, row))
        return table


@dataclass(frozen=True)
class Tree:
    """A text, and the trees below it."""

    label: str
    children: Sequence[Tree] = ()

    def _walk(self, depth: int = 0) -> Iterator[tuple[int, str]]:
        yield depth, self.label
        for each in self.children:
            yield from each._walk(depth + 1)

    def lines(self) -> Iterator[str]:
        """Plain text, indented by two spaces a level."""
        for depth, label in self._walk():
            yield f"{'  ' * depth}{label}"

    def markdown(self) -> Iterator[str]:
        """Nested lists."""
        for depth, label in self._walk():
            yield f"{'  ' * depth}- {_code(label)}"

    def data(self) -> Any:
        """The text, and the list of trees below it."""
        return {"tree": self._nested()}

    def _nested(self) -> Any:
        return {"label": self.label, "children": [each._nested() for each in self.children]}

    def rich(self) -> Any:
        """A tree."""
        from rich.text import Text
        from rich.tree import Tree as RichTree

        def below(node: Tree, at: Any) -> Any:
            for each in node.children:
                below(each, at.add(Text(each.label)))
            return at

        return below(self, RichTree(Text(self.label)))


@dataclass(frozen=True)
class Lines:
    """Sentences, or lines of a drawing or of code, which keep their spaces."""

    rows: Sequence[str]
    is_code: bool = False

    def lines(self) -> Iterator[str]:
        """Plain text; sentences are filled."""
        for row in self.rows:
            yield from (f"  {row}".rstrip(),) if self.is_code else _filled(row, "", "")

    def markdown(self) -> Iterator[str]:
        """A block of code, or one paragraph a sentence."""
        if self.is_code:
            yield from ("```text", *self.rows, "```")
            return
        for number, row in enumerate(self.rows):
            yield from ("", _plain(row)) if number else (_plain(row),)

    def data(self) -> Any:
        """A list of texts."""
        return {"code" if self.is_code else "lines": list(self.rows)}

    def rich(self) -> Any:
        """The text."""
        from rich.text import Text

        return Text("\n".join(self.rows), style="green" if self.is_code else "")


Block = Facts | Table | Tree | Lines


@dataclass(frozen=True)
class Section:
    """A heading, and what is below it."""

    heading: str
    blocks: Sequence[Block]

    def lines(self) -> Iterator[str]:
        """Plain text below an underlined heading."""
        yield from (self.heading, "-" * len(self.heading))
        for number, block in enumerate(self.blocks):
            yield from [""] if number else []
            yield from block.lines()

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def fact(self, name: str) -> Any:
        """The value of the first fact with this name.  Raises KeyError."""
        for block in self.blocks:
            if isinstance(block, Facts):
                for each, value in block.rows:
                    if each == name:
                        return value
        raise KeyError(f"section {self.heading!r} has no fact {name!r}")

    def table(self, number: int = 0) -> Table:
        """The table with this number.  Raises IndexError."""
        return [each for each in self.blocks if isinstance(each, Table)][number]


@dataclass
class Report:
    """An explanation.

    ``result`` is what the explained call returned; None for everything else.  ``error`` is the exception that
    the call raised, or that is explained.
    """

    title: str
    sections: list[Section] = field(default_factory=list)
    result: Any = field(default=None, repr=False)
    error: BaseException | None = field(default=None, repr=False)

    def add(self, heading: str, *blocks: Block | None) -> None:
        """Add a section of those blocks that are not None and not empty; none without any."""
        present = [each for each in blocks if each is not None and (isinstance(each, Tree) or each.rows)]
        if present:
            self.sections.append(Section(heading, present))

    def only(self, *headings: str) -> Report:
        """The Report of those sections whose headings begin with one of these words.

        Raises KeyError if one of them begins none.
        """
        for each in headings:
            if not any(section.heading.startswith(each) for section in self.sections):
                self[each]
        kept = [each for each in self.sections if each.heading.startswith(headings)]
        return Report(self.title, kept, self.result, self.error)

    def __getitem__(self, heading: str) -> Section:
        """The section with this heading.  Raises KeyError."""
        for each in self.sections:
            if each.heading == heading:
                return each
        raise KeyError(f"no section {heading!r}; there are {[each.heading for each in self.sections]}")

    # -- renderings ------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Plain text."""
        lines = [self.title, "=" * len(self.title)]
        for section in self.sections:
            lines += ["", *section.lines()]
        return "\n".join(lines)

    def markdown(self) -> str:
        """Markdown, with the title as a heading of the second level."""
        lines = [f"## {_plain(self.title)}"]
        for section in self.sections:
            lines += ["", f"### {_plain(section.heading)}"]
            for block in section.blocks:
                lines += ["", *block.markdown()]
        return "\n".join(lines)

    def data(self) -> dict[str, Any]:
        """Dictionaries and lists of texts and numbers, for JSON."""
        sections = [
            {"heading": each.heading, "blocks": [block.data() for block in each.blocks]}
            for each in self.sections
        ]
        return {"title": self.title, "sections": sections}

    def json(self, indent: int | None = 2) -> str:
        """``data()`` as JSON."""
        return json.dumps(self.data(), indent=indent, ensure_ascii=False)

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.markdown()

    def __rich__(self) -> Any:
        """What rich's console prints: the same content, in colour."""
        from rich.console import Group
        from rich.rule import Rule
        from rich.text import Text

        parts: list[Any] = [Text(self.title, style="bold")]
        for section in self.sections:
            parts.append(Rule(Text(section.heading, style="bold"), align="left"))
            parts += [block.rich() for block in section.blocks]
        return Group(*parts)

    def show(self) -> None:
        """Print it: with rich if that is installed and the output is a terminal, else as plain text."""
        import sys

        try:
            from rich.console import Console
        except ImportError:
            Console = None  # type: ignore[assignment,misc]
        if Console is None or not sys.stdout.isatty():
            print(self.text())
        else:
            Console().print(self)


def _filled(text: str, head: str, indent: str) -> list[str]:
    """Text behind ``head``, broken into lines of WIDTH at most; further lines begin with ``indent``."""
    found = textwrap.wrap(
        text, WIDTH, initial_indent=head, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False, drop_whitespace=True,
    )  # fmt: skip
    return found or [head.rstrip()]


def _plain(text: str) -> str:
    """Text in which no sign has a meaning for Markdown."""
    for sign in "\\`*_<>[]|":
        text = text.replace(sign, f"\\{sign}")
    return text


def _code(text: str) -> str:
    """Text as code, if it has signs that Markdown knows, else as it is."""
    if text == _plain(text) or not text:
        return text
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")
