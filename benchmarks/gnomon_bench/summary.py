"""Writes a report of ``gnomon bench`` as a Markdown page with its plots: docs/benchmarks.md.

python -m gnomon_bench.summary build/bench/bench.json docs
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from . import page
from .bench import FORMAT
from .figures import distinct_limits, geometric_mean, in_units, in_words, took

HEAD = """# Benchmark results

`python -m gnomon_bench.summary` writes this page from a report of `gnomon bench`;
[performance.md](performance.md) describes how to create such a report on another machine. Each library
used {threads} threads. Times are medians of {rounds} rounds, in which the libraries ran in turn. After
each time follow its ratio to {base}'s time, and the percentage of what the machine can do.
"""


def markdown(data: Mapping[str, Any], pictures: Sequence[tuple[str, str]]) -> str:
    """The page; ``pictures``: titles and file names."""
    labels = [each["label"] for each in data["libraries"]]
    rounds, threads = data["plan"]["rounds"], data["limits"]["threads"]
    lines = [HEAD.format(rounds=rounds, threads=threads, base=labels[0]), *overview(data, pictures)]
    for group in dict.fromkeys(row["group"] for row in data["results"]):
        lines += ["", f"## {group}", "", _row(["work", *labels]), "|---|" + "---:|" * len(labels)]
        for row in data["results"]:
            if row["group"] == group:
                lines.append(_row([row["name"].partition("/")[2], *(_cell(row, each) for each in labels)]))
    return "\n".join(lines) + "\n"


def overview(data: Mapping[str, Any], pictures: Sequence[tuple[str, str]]) -> list[str]:
    """Lines with the machine, the plots, and the means."""
    labels = [each["label"] for each in data["libraries"]]
    machine = data["machine"]
    versions = ", ".join(f"{each['label']} ({each['version']})" for each in data["libraries"])
    where = (
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}"
    )
    lines = [
        f"- machine: {where}",
        *(f"- limits for {', '.join(those)}: {in_words(found)}" for found, those in distinct_limits(data)),
        f"- measured: {versions}; {took(data)}",
        "",
    ]
    for title, name in pictures:
        lines += [f"![{title}]({name})", ""]
    lines += [f"Geometric means of the ratios to {labels[0]}:", "", _row(["group", *labels[1:]])]
    lines.append("|---|" + "---:|" * (len(labels) - 1))
    groups = list(dict.fromkeys(row["group"] for row in data["results"]))
    for group in groups:
        cells = [group]
        for label in labels[1:]:
            ratios = [
                row["ratio"][label][0]
                for row in data["results"]
                if row["group"] == group and label in row.get("ratio", {})
            ]
            cells.append(f"{geometric_mean(ratios):.2f}" if ratios else "")
        lines.append(_row(cells))
    return lines


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(each.replace('|', chr(92) + '|') for each in cells)} |"


def _cell(row: Mapping[str, Any], label: str) -> str:
    if label not in row["median"]:
        return "failed" if label in row["refused"] else ""
    median = row["median"][label]
    parts = [in_units(median)]
    if label in row.get("ratio", {}):
        parts.append(f"{row['ratio'][label][0]:.2f}")
    if label in row.get("limit", {}):
        parts.append(f"{row['limit'][label] / median:.0%}")
    return ", ".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write benchmarks.md and its pictures into a folder."""
    parser = argparse.ArgumentParser(prog="gnomon_bench.summary", description=main.__doc__)
    parser.add_argument("report", type=pathlib.Path, help="bench.json, as `gnomon bench --report` wrote it")
    parser.add_argument("folder", type=pathlib.Path, help="output folder")
    options = parser.parse_args(arguments)
    folder = options.folder
    try:
        data = json.loads(options.report.read_text("utf-8"))
        if data["format"] != FORMAT:
            parser.error(f"{options.report} has format {data['format']}, expected {FORMAT}: create it again")
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(f"{options.report} is not a report: {type(error).__name__}: {error}")
    if not folder.is_dir():
        parser.error(f"{folder} is not a folder")
    pictures = []
    texts: dict[str, str] = {}
    for number, (title, figure) in enumerate(page.plots(data, [each["label"] for each in data["libraries"]])):
        name = f"benchmarks_{number}.svg"
        texts[name] = f'<?xml version="1.0" encoding="utf-8"?>\n{figure}'
        pictures.append((title, name))
    texts["benchmarks.md"] = markdown(data, pictures)
    for name, text in texts.items():
        beside = folder / f".{name}.{os.getpid()}"
        beside.write_text(text, "utf-8")
        os.replace(beside, folder / name)


if __name__ == "__main__":
    main()
