"""The page of a report: tables and plots in one HTML file that loads nothing else."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .figures import distinct_limits, in_units, in_words, took

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
tr.group th { padding-top: 1rem; border-bottom: 2px solid #888; }
small { opacity: .7; }
figure { margin: 1.5rem 0; background: #fff; color: #000; padding: .5rem; border-radius: .4rem; }
figure svg { max-width: 100%; height: auto; }
.fast { color: #16803c; } .slow { color: #c2410c; }
.wide { overflow-x: auto; }
"""


def render(data: Mapping[str, Any]) -> str:
    """The page for the results of ``gnomon bench``."""
    labels = [each["label"] for each in data["libraries"]]
    what = ", ".join(
        f"{escape(each['label'])} <small>{escape(each['version'])}</small>" for each in data["libraries"]
    )
    machine = data["machine"]
    where = f"{escape(machine['processor'])}, {machine['cores']} cores, {escape(machine['system'])}, "
    where += f"Python {escape(machine['python'])}"
    when = f"{escape(took(data))}, {data['plan']['rounds']} rounds in turn, "
    when += f"{data['limits']['threads']} threads each"
    limits = "<br>".join(
        f"What {escape(', '.join(those))} can reach at best: {escape(in_words(found))}."
        for found, those in distinct_limits(data)
    )
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width, initial-scale=1'>",
        f"<title>gnomon bench</title><style>{STYLE}</style><h1>gnomon bench</h1>",
        f"<p>{what}<br>{where}<br>{when}</p>",
        f"<p>{limits}</p>",
    ]
    for title, figure in plots(data, labels):
        parts.append(f"<h2>{escape(title)}</h2><figure>{figure}</figure>")
    parts += ["<h2>All figures</h2>", _table(data, labels), "</html>"]
    return "\n".join(parts)


def _table(data: Mapping[str, Any], labels: Sequence[str]) -> str:
    head = "".join(f"<th>{escape(label)}<th>ratio<th>of limit" for label in labels)
    meaning = "Medians, and by how much half of the samples are off; ratios to "
    meaning += f"{escape(labels[0])}, coloured where they are surely above or below 1; and the part of the "
    meaning += "machine's limits that is reached."
    lines = [
        f"<p>{meaning}</p>",
        f"<div class=wide><table><thead><tr><th>work{head}</thead><tbody>",
    ]
    group = None
    for row in data["results"]:
        if row["group"] != group:
            group = row["group"]
            lines.append(f"<tr class=group><th colspan={1 + 3 * len(labels)}>{escape(group)}")
        cells = "".join(_cells(row, label) for label in labels)
        lines.append(f"<tr><td>{escape(row['name'].partition('/')[2])}{cells}")
    return "\n".join([*lines, "</tbody></table></div>"])


def _cells(row: Mapping[str, Any], label: str) -> str:
    if label not in row["median"]:
        reason = row["refused"].get(label)
        return f"<td title='{escape(reason, quote=True)}'>failed<td><td>" if reason else "<td>-<td><td>"
    median = row["median"][label]
    low, high = row["quarters"][label]
    text = f"<td title='{in_units(low)} to {in_units(high)}'>{in_units(median)} "
    text += f"<small>±{(high - low) / 2 / median:.0%}</small><td>"
    if label in row.get("ratio", {}):
        value, least, most = row["ratio"][label]
        kind = " class=fast" if most < 1 else " class=slow" if least > 1 else ""
        text += f"<span{kind} title='{least:.2f} to {most:.2f}'>{value:.2f}</span>"
    return text + "<td>" + (f"{row['limit'][label] / median:.0%}" if label in row.get("limit", {}) else "")


def plots(data: Mapping[str, Any], labels: Sequence[str]) -> list[tuple[str, str]]:
    """Titles and plots; none without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "gnomon"  # so that the same figures give the same file
    made = [
        ("Of what the machine can do", _roofline(data, labels)),
        (f"Ratios to {labels[0]}", _ratios(data, labels)),
        ("Distribution of the samples", _distribution(data, labels)),
    ]
    return [(title, figure) for title, figure in made if figure]


def _colours(labels: Sequence[str]) -> dict[str, Any]:
    import matplotlib

    palette = matplotlib.colormaps["tab10"]
    return {label: palette(place % 10) for place, label in enumerate(labels)}


def _as_svg(figure: Any) -> str:
    from matplotlib import pyplot

    file = io.StringIO()
    figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    return file.getvalue().partition("<svg")[1] + file.getvalue().partition("<svg")[2]


def _roofline(data: Mapping[str, Any], labels: Sequence[str]) -> str:
    """A roofline plot: operations per second over operations per byte."""
    from matplotlib import pyplot

    rows = [row for row in data["results"] if row.get("operations") and row.get("bytes")]
    roofs = [(found["bandwidth"], found["operations"], those) for found, those in distinct_limits(data)]
    if not rows or not roofs:
        return ""
    figure, axes = pyplot.subplots(figsize=(10, 5.5))
    intensities = [row["operations"] / row["bytes"] for row in rows]
    farthest = max(4 * peak / bandwidth for bandwidth, peak, _ in roofs)
    ends = min(intensities) / 2, max(max(intensities) * 2, farthest)
    steps = [ends[0] * (ends[1] / ends[0]) ** (step / 100) for step in range(101)]
    for (bandwidth, peak, those), style in zip(roofs, ("-", "--", ":", "-.")):
        name = "limits" if len(roofs) == 1 else f"limits of {', '.join(those)}"
        roof = [min(peak, bandwidth * each) for each in steps]
        axes.plot(steps, roof, color="black", linestyle=style, label=name)
    for label, colour in _colours(labels).items():
        places = [
            (row["operations"] / row["bytes"], row["operations"] / row["median"][label])
            for row in rows
            if label in row["median"]
        ]
        if places:
            intensity, speed = zip(*places)
            axes.scatter(intensity, speed, s=16, alpha=0.7, color=colour, label=label)
    axes.set(xscale="log", yscale="log", xlabel="operations a byte", ylabel="operations a second")
    axes.grid(alpha=0.3)
    axes.legend()
    return _as_svg(figure)


def _ratios(data: Mapping[str, Any], labels: Sequence[str]) -> str:
    """Geometric means by group as bars, and each benchmark as a point."""
    from matplotlib import pyplot

    groups = list(dict.fromkeys(row["group"] for row in data["results"]))
    others = labels[1:]
    if not others or not any(row.get("ratio") for row in data["results"]):
        return ""
    figure, axes = pyplot.subplots(figsize=(10, 0.6 + 0.28 * len(groups) * (len(others) + 1)))
    colours = _colours(labels)
    for number, label in enumerate(others):
        for place, group in enumerate(groups):
            found = [
                row["ratio"][label][0]
                for row in data["results"]
                if row["group"] == group and label in row.get("ratio", {})
            ]
            if not found:
                continue
            height = place * (len(others) + 1) + number
            mean = math.exp(sum(map(math.log, found)) / len(found))
            name = label if place == 0 else None
            axes.barh(height, math.log2(mean), color=colours[label], alpha=0.6, label=name)
            axes.scatter([math.log2(each) for each in found], [height] * len(found), s=6, color="black")
    axes.axvline(0, color="black", linewidth=0.8)
    centres = [place * (len(others) + 1) + (len(others) - 1) / 2 for place in range(len(groups))]
    axes.set_yticks(centres, groups)
    axes.invert_yaxis()
    low, high = axes.get_xlim()
    ticks = range(math.ceil(low), math.floor(high) + 1, max(1, math.floor((high - low) / 10)))
    axes.set_xticks(list(ticks), [f"{2.0**each:.3g}" for each in ticks])
    axes.set_xlabel(f"time as a part of that of {labels[0]}: to the left is faster")
    axes.legend()
    return _as_svg(figure)


def _distribution(data: Mapping[str, Any], labels: Sequence[str]) -> str:
    """All samples relative to their median, which shows the noise of the machine."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(10, 3.5))
    drawn = False
    edges = [2 ** (step / 20 - 1) for step in range(61)]
    for label, colour in _colours(labels).items():
        parts = [
            time / row["median"][label]
            for row in data["results"]
            for time in row["samples"].get(label, ())
            if label in row["median"]
        ]
        if parts:
            drawn = True
            axes.hist(parts, bins=edges, histtype="step", color=colour, label=label)
    if not drawn:
        return ""
    axes.set(xscale="log", xlabel="a sample, as a part of its median", ylabel="samples")
    axes.set_xticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    axes.legend()
    return _as_svg(figure)
