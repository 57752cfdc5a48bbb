"""Figures: medians, their uncertainty, and ratios of samples that were taken in turn."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Spread(NamedTuple):
    """The median and the quartiles: half of the samples are between ``low`` and ``high``."""

    median: float
    low: float
    high: float


def spread(samples: Sequence[float]) -> Spread:
    """The Spread of at least one sample."""
    if len(samples) < 2:
        return Spread(samples[0], samples[0], samples[0])
    quarters = statistics.quantiles(samples, n=4, method="inclusive")
    return Spread(quarters[1], quarters[0], quarters[2])


class Ratio(NamedTuple):
    """The ratio of two times, and its 95 % confidence interval (by bootstrap)."""

    value: float
    low: float
    high: float


RESAMPLES = 300


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The ratio of the medians.  If both have equally many samples, the bootstrap draws rounds in pairs."""
    drawn = random.Random(len(ours) * 1000 + len(theirs))
    found = []
    for _ in range(RESAMPLES):
        chosen = [drawn.randrange(len(ours)) for _ in ours]
        if len(ours) == len(theirs):
            others = chosen
        else:
            others = [drawn.randrange(len(theirs)) for _ in theirs]
        found.append(
            statistics.median(ours[each] for each in chosen)
            / statistics.median(theirs[each] for each in others)
        )
    found.sort()
    value = statistics.median(ours) / statistics.median(theirs)
    return Ratio(value, found[RESAMPLES // 40], found[-1 - RESAMPLES // 40])


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of positive numbers; 1 for none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1.0


def in_units(seconds: float) -> str:
    """Seconds as text with three significant digits."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def in_words(limits: Mapping[str, Any]) -> str:
    """The limits of a machine or an accelerator, as text."""
    rates = f"{limits['bandwidth'] / 1e9:.3g} GB/s copied, {limits['operations'] / 1e9:.3g} GFLOP/s (float32)"
    threads = f"{limits['threads']} threads, " if limits["threads"] else ""
    return f"{rates}, {in_units(limits['call'])} a call ({threads}by {limits['source']})"


def distinct_limits(data: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[str]]]:
    """The distinct limits in a report, each with the labels of the libraries that it applies to."""
    found: list[tuple[Mapping[str, Any], list[str]]] = []
    for library in data["libraries"]:
        if library["limits"] is None:
            continue
        for limits, labels in found:
            if limits == library["limits"]:
                labels.append(library["label"])
                break
        else:
            found.append((library["limits"], [library["label"]]))
    return found


def took(data: Mapping[str, Any]) -> str:
    """When a report was made, how long it took, and whether it was stopped early."""
    done, asked = len(data["results"]), data["asked"]
    stopped = f", stopped after {done} of {asked} points" if done < asked else ""
    return f"{data['began']}, {data['seconds']:.0f} s{stopped}"
