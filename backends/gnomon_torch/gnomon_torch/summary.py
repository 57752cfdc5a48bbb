"""The docs page of a report of the suite: ``python -m gnomon_torch.summary report.json > page.md``."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any

HEAD = """# PyTorch's kernels under the conformance suite

`backends/gnomon_torch` makes PyTorch's CPU kernels a backend: memory, checks, dispatch and autograd are
gnomon's, and each kernel calls PyTorch's operator of the same name. [The suite](conformance.md) tests it
like any other backend. The result shows whether the reference agrees with PyTorch, and where PyTorch's
kernels deviate from what the suite requires. `make oracle` runs the suite and writes this page from its
report.

```console
$ pip install ./backends/gnomon_torch
$ gnomon conform torch --report report
```
"""

CLAIMS = """\
PyTorch accesses gnomon's tensors in place, with any strides, and `out=` variants write directly to the
output. A test fails if PyTorch refuses a call that the reference accepts, or if the result has a
different dtype or size. Kernels that draw random numbers are not claimed, because PyTorch's generator is
not gnomon's.
"""

SHARES = 12  # the number of operators in the table of errors


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_tier(tiers: Mapping[str, Any]) -> str:
    """A table with one row per tier; all failures are known ones, else the page is not written."""
    rows = [
        (
            tier,
            *(str(found[outcome]) for outcome in ("pass", "fail", "not claimed")),
            f"{found['score']:.2%}" if found["pass"] + found["fail"] else "-",
        )
        for tier, found in tiers.items()
    ]
    return table(("tier", "pass", "fail", "not claimed", "score"), rows)


def largest_errors(results: Sequence[Mapping[str, Any]]) -> str:
    """The operators with the largest share of the tolerance, each in its worst dtype."""
    worst: dict[str, tuple[float, Mapping[str, Any]]] = {}
    for each in results:
        found = each["worst"]
        if each["outcome"] != "pass" or found is None or not found["allowed"]:
            continue
        share = found["ulps"] / found["allowed"]
        if share > worst.get(each["operator"], (0.0, {}))[0]:
            worst[each["operator"]] = share, each
    first = sorted(worst.values(), key=lambda pair: -pair[0])[:SHARES]
    rows = [
        (
            f"`{each['operator']}`",
            each["dtype"],
            f"{each['worst']['ulps']:.3g}",
            f"{each['worst']['allowed']:.3g}",
            f"{share:.0%}",
        )
        for share, each in first
    ]
    return table(("operator", "dtype", "error, ulp", "allowed, ulp", "share"), rows)


def known_differences(results: Sequence[Mapping[str, Any]], loosened: Sequence[Mapping[str, Any]]) -> str:
    """The reasons in conformance.txt, each with its tests and operators."""
    reasons: dict[str, list[Mapping[str, Any]]] = {}
    for each in results:
        if each["known"]:
            reasons.setdefault(each["known"], []).append(each)
    rows = []
    for reason, tests in reasons.items():
        names = sorted({f"`{each['operator']}`" for each in tests})
        rows.append((", ".join(names), str(len(tests)), reason))
    text = table(("operators", "tests", "what differs"), sorted(rows))
    if loosened:
        pairs = [
            (f"`{each['operator']}`", each["dtype"], f"{each['ulps']:g}", each["reason"]) for each in loosened
        ]
        text += "\n\nAnd larger errors than derived are allowed of\n\n"
        text += table(("operator", "dtype", "ulp", "why"), pairs)
    return text


def page(report: Mapping[str, Any]) -> str:
    """The whole page."""
    results = report["results"]
    where = report["environment"]
    counts = report["counts"]
    text = f"On {where['processor']}, PyTorch {metadata.version('torch')}, the default selection: "
    text += f"{counts['pass']} of {len(results)} tests pass, {report['score']:.2%} of the claimed tests."
    parts = [
        HEAD,
        text,
        "",
        by_tier(report["tiers"]),
        "",
        CLAIMS,
        "## Where they differ",
        "",
        known_differences(results, report["loosened"]),
        "",
        "## The largest errors",
        "",
        "Of those within the bounds, by the share of the bound that they use:",
        "",
        largest_errors(results),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))))
