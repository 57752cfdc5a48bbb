"""Measurement: the times of a statement, and what they say about it."""

from __future__ import annotations

import contextlib
import math
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from ...memory.backend import get_num_threads, set_num_threads

_UNITS = {
    "ns": (1e-9, "nanosecond"),
    "us": (1e-6, "microsecond"),
    "ms": (1e-3, "millisecond"),
    "s": (1, "second"),
}
# Above such a part of the median the interquartile range is worth a warning.
_LARGE_SPREAD = 0.1
_VERY_LARGE_SPREAD = 0.25
_MOST_FIGURES = 4
_LEAST_INTERVAL = 25e-9  # seconds: what a clock can tell apart


@dataclass(frozen=True, repr=False)
class TaskSpec:
    """What a Timer times, without the global variables.  Source: torch.utils.benchmark.TaskSpec."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement."""
        name = self.label
        if name is None and "\n" in self.stmt:
            place = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{place}\n{textwrap.indent(self.stmt, '  ')}"
        name = self.stmt if name is None else name
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """The setup with its name; empty if there is none."""
        if self.setup in ("", "pass"):
            return ""
        if "\n" in self.setup:
            return f"setup:\n{textwrap.indent(self.setup, '  ')}"
        return f"setup: {self.setup}"

    def summarize(self) -> str:
        """The title, the description and the setup."""
        parts = filter(None, (self.title, self.description, self.setup_str()))
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts)


_TASK_FIELDS = frozenset(field.name for field in fields(TaskSpec))


@dataclass(repr=False)
class Measurement:
    """Times of a statement: those of each block of ``number_per_run`` runs, in seconds.

    Attributes of the ``task_spec`` are attributes of the measurement, too.  Times in the properties are those
    of one run.  Source: torch.utils.benchmark.Measurement.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in _TASK_FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Of one run, in seconds."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def median(self) -> float:
        """The time below which half of the times lie."""
        return _quantile(self.times, 0.5)

    @property
    def mean(self) -> float:
        """The sum of the times by their number."""
        times = self.times
        return math.fsum(times) / len(times) if times else -1.0

    @property
    def iqr(self) -> float:
        """The interquartile range: between its ends lies the middle half of the times."""
        return _quantile(self.times, 0.75) - _quantile(self.times, 0.25)

    @property
    def significant_figures(self) -> int:
        """About how many decimal digits of the median are meaningful: 1 to 4.

        By the middle half of the times: the median is known to 1.645 standard deviations of a mean, the 90 %
        interval of a normal distribution.
        """
        times = sorted(self.times)
        middle = times[len(times) // 4 : math.ceil(3 * len(times) / 4)]
        mean = math.fsum(middle) / len(middle)
        deviation = math.sqrt(math.fsum((time - mean) ** 2 for time in middle) / len(middle))
        interval = max(1.645 * deviation / math.sqrt(len(middle)), _LEAST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), _MOST_FIGURES)

    @property
    def has_warnings(self) -> bool:
        """Do the times vary much?"""
        return not self.meets_confidence()

    def meets_confidence(self, threshold: float = _LARGE_SPREAD) -> bool:
        """Is the interquartile range a smaller part of the median than this?"""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        """The label, or the statement."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """The name of the row of a Compare."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        count, runs, median = len(self.raw_times), self.number_per_run, self.median
        unit, scale = select_unit(median)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{median / scale:.2f} {unit}")
        if count >= 4:
            low, high = (_quantile(self.times, part) / scale for part in (0.25, 0.75))
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        each = "s" if count > 1 else ""
        lines.append(
            f"  {count} measurement{each}, {runs} runs {'per measurement,' if count > 1 else ','} {threads}"
        )
        if self.has_warnings:
            lines.append(
                f"  WARNING: Interquartile range is {self.iqr / median * 100:.1f}% of the median measurement."
            )
            is_large = self.meets_confidence(_VERY_LARGE_SPREAD)
            reason = "could indicate system fluctuation"
            reason = reason if is_large else "suggests significant environmental influence"
            lines.append(f"           This {reason}.")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One measurement for each task: the times of all, with one run in each.  Metadata are dropped."""
        times: dict[TaskSpec, list[float]] = {}
        for each in measurements:
            times.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, some, task) for task, some in times.items()]


def _quantile(values: list[float], part: float) -> float:
    """Between two values as by their distance; -1 without values."""
    if not values:
        return -1.0
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time is best read, and how many seconds it is."""
    power = int(math.log10(t) // 3)
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(power, "s")
    return unit, _UNITS[unit][0]


def unit_to_english(u: str) -> str:
    """The word for a unit: "microsecond" for "us"."""
    return _UNITS[u][1]


def trim_sigfig(x: float, n: int) -> float:
    """``x`` rounded to ``n`` significant figures.  Raises AssertionError unless ``n`` is an integer."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(math.log10(abs(x))) - n)
    return round(x / scale) * scale


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The elements without repetitions, in their order."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Inside of it, so many threads are used."""
    before = get_num_threads()
    try:
        set_num_threads(n)
        yield
    finally:
        set_num_threads(before)
