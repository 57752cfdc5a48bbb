"""The HTML page made from a report's data, and the badge.

The page is one file and loads nothing.  Without JavaScript it is complete except for the filter and the copy
buttons.  Passes are counted, not listed, so that a page of 20,000 tests stays small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from ..inputs.description import DTYPES
from .outcomes import (
    BLOCKED,
    COMPOSED,
    FAIL,
    FELL_BACK,
    NOT_CLAIMED,
    NOT_OWN,
    OUTCOMES,
    OWN,
    PASS,
    STALE,
    versions,
)

# Worst first: a cell of the matrix shows the first of these that one of its tests has.
_ORDER = (FAIL, FELL_BACK, STALE, BLOCKED, PASS, NOT_CLAIMED)
_MARKS = {PASS: "✓", FAIL: "✗", NOT_CLAIMED: "·", FELL_BACK: "↓", STALE: "?", BLOCKED: "▪"}
_SLOWEST = 15
_WORST = 30


def _data(name: str) -> str:
    return (resources.files("gnomon_conformance") / "data" / name).read_text("utf-8")


def _class(outcome: str) -> str:
    return outcome.replace(" ", "-")


def _percent(share: float) -> str:
    """A fraction as a percentage, never rounded up to 100."""
    return "100 %" if share == 1 else f"{min(share * 100, 99.99):.2f} %".replace(".00 ", " ")


def _table(caption: str, heading: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """A table of HTML cells; the last ``numbers`` columns are numeric."""
    first = len(heading) - numbers
    head = "".join(
        f'<th scope="col"{" class=number" if place >= first else ""}>{each}</th>'
        for place, each in enumerate(heading)
    )
    body = []
    for row in rows:
        cells = "".join(
            f"<td{' class=number' if place >= first else ''}>{each}</td>"
            for place, each in enumerate(row)
            if place
        )
        body.append(f'<tr><th scope="row">{row[0]}</th>{cells}</tr>')
    return (
        f'<div class="wide"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _bar(counts: Mapping[str, int]) -> str:
    """The outcomes as a bar, with an equivalent text."""
    total = max(sum(counts[outcome] for outcome in OUTCOMES), 1)
    text = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome])
    parts = "".join(
        f'<i class="{_class(outcome)}" style="width:{counts[outcome] / total * 100:.3f}%"></i>'
        for outcome in OUTCOMES
        if counts[outcome]
    )
    return f'<span class="bar" role="img" aria-label="{text}">{parts}</span>'


def _tiers(data: Mapping[str, Any]) -> str:
    rows = []
    for tier, found in data["tiers"].items():
        problem = data["foundations"].get(tier)
        shown = _percent(found["score"]) if found["claimed"] else "-"
        rows.append(
            (
                f'<a href="#tier-{_class(tier)}">{escape(tier)}</a>'
                + (" <b>foundation fails</b>" if problem else ""),
                _bar(found),
                shown,
                _percent(found["claimed"]),
                *(str(found[outcome] or "") for outcome in OUTCOMES),
            )
        )
    heading = ("tier", "", "score", "claimed", *(f"{_MARKS[outcome]} {outcome}" for outcome in OUTCOMES))
    caption = (
        "Score: share of claimed tests that pass on the backend's own kernels. Claimed: share of all tests."
    )
    return _table(caption, heading, rows, numbers=len(OUTCOMES) + 2)


def _matrix(data: Mapping[str, Any]) -> str:
    """A table for each tier: one row per operator, one column per dtype, the worst outcome in each cell."""
    cells: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    kernels: dict[str, set[str]] = defaultdict(set)
    for each in data["results"]:
        if each["operator"]:
            cells[each["tier"]][each["operator"]][each["dtype"]].append(each["outcome"])
            if each["kernels"]:
                kernels[each["operator"]].update(
                    each["kernels"].get(name, "") for name in (each["operator"],)
                )
    sections = []
    for tier in data["tiers"]:
        rows = []
        columns = [dtype for dtype in ("", *DTYPES) if any(dtype in row for row in cells[tier].values())]
        for operator, by_dtype in sorted(cells[tier].items()):
            found = "".join(_cell(by_dtype.get(dtype)) for dtype in columns)
            where = "".join(f"<small>{escape(each)}</small>" for each in sorted(kernels[operator]) if each)
            worst = next(o for o in _ORDER if any(o in each for each in by_dtype.values()))
            rows.append(
                f'<tr class="{_class(worst)}-row"><th scope="row"><code>{escape(operator)}</code>{where}</th>'
                f"{found}</tr>"
            )
        head = "".join(f'<th scope="col"><span>{dtype or "any"}</span></th>' for dtype in columns)
        bad = sum(1 for row in rows if not row.startswith(('<tr class="pass', '<tr class="not-claimed')))
        summary = (
            f"{escape(tier)} <small>{len(rows)} operators"
            + (f", {bad} with failures" if bad else "")
            + "</small>"
        )
        if rows:
            sections.append(
                f'<details id="tier-{_class(tier)}"{" open" if bad else ""}><summary>{summary}</summary>'
                f'<div class="wide"><table class="matrix"><caption>{escape(tier)}: the worst outcome of each '
                f'operator and dtype</caption><thead><tr><th scope="col">operator</th>{head}</tr></thead>'
                f"<tbody>{''.join(rows)}</tbody></table></div></details>"
            )
    return "".join(sections)


def _cell(outcomes: Sequence[str] | None) -> str:
    if not outcomes:
        return "<td></td>"
    worst = next(outcome for outcome in _ORDER if outcome in outcomes)
    passed = sum(outcome == PASS for outcome in outcomes)
    if passed == len(outcomes):
        return f"<td class=pass>{_MARKS[PASS]}</td>"
    return (
        f'<td class="{_class(worst)}" title="{worst}: {passed} of {len(outcomes)} pass">{_MARKS[worst]}</td>'
    )


def _failures(data: Mapping[str, Any]) -> str:
    bad = [
        each
        for each in data["results"]
        if each["outcome"] in (FELL_BACK, STALE) or (each["outcome"] == FAIL and not each["known"])
    ]
    articles = [
        _failure(each) for each in sorted(bad, key=lambda each: (_ORDER.index(each["outcome"]), each["test"]))
    ]
    for tier, problem in data["foundations"].items():
        if problem:
            articles.insert(
                0,
                f'<article class="fail"><h3>The foundation of <q>{escape(tier)}</q></h3>'
                f"<pre>{escape(problem)}</pre></article>",
            )
    return "".join(articles) or "<p>None.</p>"


def _failure(result: Mapping[str, Any]) -> str:
    outcome = result["outcome"]
    ran = "".join(
        f"<li><code>{escape(name)}</code> {escape(where)}</li>"
        for name, where in sorted(result["kernels"].items())
    )
    program = ""
    if result["program"]:
        program = (
            "<details><summary>Program to reproduce</summary>"
            f"<button type=button hidden>copy</button><pre>{escape(result['program'])}</pre></details>"
        )
    return (
        f'<article class="{_class(outcome)}"><h3>{_MARKS[outcome]} {outcome}: '
        f"<code>{escape(result['test'])}</code></h3><pre>{escape(result['message'])}</pre>"
        + (f"<details><summary>Kernels that ran</summary><ul>{ran}</ul></details>" if ran else "")
        + program
        + "</article>"
    )


def _expected(data: Mapping[str, Any]) -> str:
    known = [each for each in data["results"] if each["known"]]
    parts = []
    if known:
        reasons = [(f"<code>{escape(each['test'])}</code>", escape(each["known"])) for each in known]
        parts.append(_table("Expected failures (expectations file)", ("test", "reason"), reasons))
    if data["loosened"]:
        rows = [
            (
                f"<code>{escape(each['operator'])}</code>",
                each["dtype"],
                escape(each["reason"]),
                f"{each['ulps']:g}",
            )
            for each in data["loosened"]
        ]
        heading = ("operator", "dtype", "reason", "ULP")
        parts.append(_table("Loosened tolerances (expectations file)", heading, rows, numbers=1))
    return "".join(parts) or "<p>The expectations file is empty.</p>"


def _errors(data: Mapping[str, Any]) -> str:
    measured = [each for each in data["results"] if each["worst"]]
    measured.sort(key=lambda each: -each["worst"]["ulps"] / max(each["worst"]["allowed"], 1e-300))
    if not measured:
        return "<p>No error was measured.</p>"
    rows = [
        (
            f"<code>{escape(each['test'])}</code>",
            f"<code>{escape(each['worst']['where'])}</code>",
            f"{each['worst']['ulps']:.3g}",
            f"{each['worst']['allowed']:.3g}",
        )
        for each in measured[:_WORST]
    ]
    caption = f"The {len(rows)} largest errors, relative to the tolerance"
    return _table(caption, ("test", "where", "ULP", "allowed"), rows, numbers=2)


def _is_variant(name: str) -> bool:
    """Whether the name is that of an in-place or ``out=`` variant."""
    packet, _, overload = name.partition(".")
    return packet.endswith("_") or overload.endswith("out")


def _coverage(data: Mapping[str, Any]) -> str:
    """Counts of what each operator was called with; the JSON has the details."""
    rows = [
        (
            f"<code>{escape(name)}</code>",
            str(len(met["dtypes"])),
            *(
                f'<span title="{escape("; ".join(each or "no tensors" for each in met[column]))}">'
                f"{len(met[column])}</span>"
                for column in ("layouts",)
            ),
            str(len(met["values"])),
            *(f"{met[column]:,}" for column in ("dims", "row", "elements", "calls")),
        )
        for name, met in data["coverage"].items()
        if not _is_variant(name)  # their calls are only in the JSON
    ]
    heading = (
        "operator",
        "dtypes",
        "layouts",
        "kinds of numbers",
        "most dims",
        "longest row",
        "most elements",
    )
    caption = (
        "What the tests cover. Dtypes: combinations of the dtypes of a call's tensors. Dims, row (last "
        "dimension) and elements: the largest of any tensor."
    )
    return (
        f"<details><summary>{len(rows)} operators</summary>"
        + _table(caption, (*heading, "calls"), rows, numbers=len(heading))
        + "</details>"
    )


def _slowest(data: Mapping[str, Any]) -> str:
    slow = sorted(data["results"], key=lambda each: -each["seconds"])[:_SLOWEST]
    rows = [(f"<code>{escape(each['test'])}</code>", f"{each['seconds']:.2f}") for each in slow]
    return _table(f"The {len(rows)} slowest tests", ("test", "seconds"), rows, numbers=1)


def html(data: Mapping[str, Any]) -> str:
    """The whole page, from the data of ``report.as_data``."""
    name = escape(data["backend"])
    environment = [(escape(key), escape(value)) for key, value in data["environment"].items()]
    legend = "".join(
        f'<li><span class="{_class(outcome)} mark">{_MARKS[outcome]}</span> <b>{outcome}</b>: '
        f"{_LEGEND[outcome]}</li>"
        for outcome in OUTCOMES
    )
    selection = f" · {escape(data['selection'])}" if data["selection"] else ""
    good = data["score"] == 1 and not any(data["foundations"].values())
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gnomon conformance: {name}</title>
<style>{_data("page.css")}</style>
</head>
<body>
<header>
<p>gnomon conformance</p>
<h1>{name}</h1>
<p class="score {"pass" if good else "fail"}"><b>{_percent(data["score"])}</b> of the claimed tests pass;
{_percent(data["claimed"])} of the tests are claimed</p>
<p><small>of {len(data["results"]):,} tests, {data["origins"][OWN]:,} passed and ran the kernel under test,
{data["origins"][COMPOSED]:,} passed and ran other kernels of the backend (of a composite operator, or of
tensors that are made of others, as sparse ones are),
{data["origins"][NOT_OWN]:,} passed without a kernel of the backend and do not count ·
{data["began"]} · {data["seconds"]:.0f} s{selection} · {escape(versions(data["environment"]))}</small></p>
</header>
<main>
<section><h2>Tiers</h2>{_tiers(data)}<ul class="legend">{legend}</ul></section>
<section><h2>What fails</h2>{_failures(data)}</section>
<section><h2>Operators and dtypes</h2>
<p class="filter" hidden><label>Only operators with
<input type="search" placeholder="this in their name"></label></p>
{_matrix(data)}</section>
<section><h2>Expected by the author</h2>{_expected(data)}</section>
<section><h2>Largest errors</h2>{_errors(data)}{_BOUNDS}</section>
<section><h2>What was called</h2>{_coverage(data)}</section>
<section><h2>Slowest</h2>{_slowest(data)}</section>
<section><h2>Environment</h2>{_table("Versions and machine", ("what", "value"), environment)}</section>
</main>
<script>{_data("page.js")}</script>
</body>
</html>
"""


# A summary of comparison/tolerances.py, for readers who have only the page.
_BOUNDS = """<p><small>Allowed, of a result by its operator's kind, with eps that of the dtype (of half types:
of float32, and one ULP for the rounding): <b>arithmetic</b> 0, the exact result rounded once;
<b>elementary</b> functions 4 ULP; <b>terms</b>, sums of n products: (n + 2) &middot; eps &middot; the sum of
the terms' magnitudes; <b>composed</b> of several steps: (elements + 16) &middot; eps &middot; the result's
largest magnitude, or 2; all else 0. Errors are distances from the exact result where float64 can give
it.</small></p>"""

_LEGEND = {
    PASS: "the backend's own kernels ran, with the results of the reference",
    FAIL: "the results differ, or a kernel crashed or hung",
    NOT_CLAIMED: "the backend does not claim what the test needs",
    FELL_BACK: "the reference's kernel ran instead of a claimed one",
    STALE: "an expected failure did not occur",
    BLOCKED: "not run, because the foundation of a lower tier fails",
}


def badge(data: Mapping[str, Any]) -> str:
    """A small SVG image: the backend's name, its score, and the fraction that it claims."""
    left = f"gnomon: {data['backend']}"
    right = f"{_percent(data['score'])} of {_percent(data['claimed'])} claimed"
    colour = "#1a7f4b" if data["score"] == 1 else "#a05a00" if data["score"] > 0.9 else "#c02b2b"
    widths = [round(len(text) * 6.4 + 14) for text in (left, right)]
    text = escape(f"{left} {right}")
    size = f'width="{sum(widths)}" height="20"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{text}">
<title>{text}</title>
<clipPath id="edge"><rect {size} rx="3"/></clipPath>
<g clip-path="url(#edge)"><rect width="{widths[0]}" height="20" fill="#3a4452"/>
<rect x="{widths[0]}" width="{widths[1]}" height="20" fill="{colour}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{widths[0] / 2:g}" y="14">{escape(left)}</text>
<text x="{widths[0] + widths[1] / 2:g}" y="14">{escape(right)}</text></g>
</svg>
"""
