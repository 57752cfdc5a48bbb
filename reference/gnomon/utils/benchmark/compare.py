"""Compare: measurements as a table."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable

from .measurement import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

_BEST = "\033[92m\033[1m"
_GOOD = "\033[34m\033[1m"
_BAD = "\033[2m\033[91m"
_VERY_BAD = "\033[31m\033[1m"
_END = "\033[0m\033[0m"


class Colorize(enum.Enum):
    """What a time's color compares it with."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """Measurements as tables: one for each label, with a row for each sub-label (or statement) and number of
    threads, and a column for each description.  Replicates are merged.

    ``print(compare)`` or ``compare.print()`` shows it.  Raises ValueError for what is no Measurement.
    Source: torch.utils.benchmark.Compare.
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trims = False
        self._colors = Colorize.NONE
        self._warns = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Adds measurements."""
        results = list(results)
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """From now on times have only the digits that are meaningful."""
        self._trims = True

    def colorize(self, rowwise: bool = False) -> None:
        """From now on colors show how far times are from the best one of their column (or row)."""
        self._colors = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """From now on times that vary much are marked."""
        self._warns = True

    def print(self) -> None:
        """Prints the tables."""
        print(str(self))

    def __str__(self) -> str:
        tables: dict[str | None, list[Measurement]] = {}
        for each in Measurement.merge(self._results):
            tables.setdefault(each.label, []).append(each)
        return "\n".join(self._table(label, results) for label, results in tables.items())

    def _table(self, label: str | None, results: list[Measurement]) -> str:
        unit, scale = select_unit(min(each.median for each in results))
        rows = sorted(
            ordered_unique((each.num_threads, each.env, each.as_row_name) for each in results),
            key=lambda row: (row[0], row[1] or ""),  # rows of the same keep their order
        )
        columns = ordered_unique(each.description for each in results)
        cells = {(each.num_threads, each.env, each.as_row_name, each.description): each for each in results}
        grid = [[cells.get((*row, column)) for column in columns] for row in rows]

        texts = [["", *("" if column is None else column for column in columns)]]
        names = _row_names(rows)
        written = [self._column([row[place] for row in grid], scale) for place in range(len(columns))]
        texts += [[name, *(column[number] for column in written)] for number, name in enumerate(names)]
        widths = [max(map(len, column)) for column in zip(*texts)]

        lines = ["  |  ".join(text.center(width) for text, width in zip(texts[0], widths))]
        width = len(lines[0])
        before = None
        for (threads, *_), row, text in zip(rows, grid, texts[1:]):
            if threads != before:
                lines.append(f"{threads} threads: ".ljust(width, "-"))
                before = threads
            parts = [text[0].ljust(widths[0])]
            for place, (cell, part) in enumerate(zip(row, text[1:])):
                part = part.center(widths[place + 1])
                if cell is not None and self._colors is not Colorize.NONE:
                    others = row
                    if self._colors is Colorize.COLUMNWISE:
                        others = [other[place] for key, other in zip(rows, grid) if key[0] == threads]
                    part = _colored(part, cell.median, min(each.median for each in others if each))
                parts.append(part)
            lines.append("  |  ".join(parts))
        title = f" {label or ''} ".center(width - 2, "-")
        lines = [f"[{title}]", *lines, "", f"Times are in {unit_to_english(unit)}s ({unit})."]
        if self._warns and any(each.has_warnings for each in results):
            lines.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return "\n".join([*lines, ""])

    def _column(self, results: list[Measurement | None], scale: float) -> list[str]:
        """The times of a column with the decimal points below each other."""
        found = [each for each in results if each is not None]
        digits = [math.ceil(math.log10(each.median / scale)) for each in found]
        decimals = 1
        if self._trims:
            decimals = min(max(each.significant_figures - digit, 0) for each, digit in zip(found, digits))
        width = max(digits) + decimals + (1 if decimals else 0)
        warns = self._warns and any(each.has_warnings for each in found)
        texts = []
        for each in results:
            if each is None:
                number, mark = 1.0, ""
            else:
                number = each.median / scale
                number = trim_sigfig(number, each.significant_figures) if self._trims else number
                mark = f" (! {each.iqr / each.median * 100:.0f}%)" if warns and each.has_warnings else ""
            text = f"{number:>{max(width, 0)}.{decimals}f}{mark:>{7 if warns else 0}}"
            texts.append(" " * len(text) if each is None else text)
        return texts


def _row_names(rows: list[tuple[int, str | None, str]]) -> list[str]:
    """The names of the rows, after the environment, if there are several, where it changes."""
    environments = {str(env) for _, env, _ in rows}
    has_several = len(environments) > 1
    width = 4 + (max(map(len, environments)) if has_several else 0)
    names, before = [], None
    for threads, env, name in rows:
        shown = f"({env})" if has_several and (threads, env) != before else ""
        names.append(f"  {shown.ljust(width)}{name}")
        before = threads, env
    return names


def _colored(text: str, value: float, best: float) -> str:
    if value <= best * 1.01 or value <= best + 100e-9:
        return f"{_BEST}{text}{_END}"
    if value <= best * 1.1:
        return f"{_GOOD}{text}{_END}"
    if value >= best * 5:
        return f"{_VERY_BAD}{text}{_END}"
    if value >= best * 2:
        return f"{_BAD}{text}{_END}"
    return text
