"""The docs page, from a report of the suite: ``python -m gnomon_torch.summary report.json > page.md``."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any

HEAD = """# What the suite says of PyTorch's own kernels

`backends/gnomon_torch` is PyTorch's CPU wrapped as a backend: gnomon's memory, checks, autograd and
dispatch, and for every kernel PyTorch's operator of the same name. [The suite](conformance.md) treats it as
any other backend. So it is seen from both sides whether the reference does what PyTorch does, and where
PyTorch's kernels leave what the suite derives. `make oracle` runs it, and writes this page from the report.

```console
$ pip install ./backends/gnomon_torch
$ gnomon conform torch --report report
```
"""

CLAIMS = """A tensor is shown to PyTorch in place, whatever its strides; variants with `out=` write into the
output itself. A call that PyTorch alone refuses fails the test, as does a result of another dtype or size.
Not claimed are the kernels that draw random numbers, PyTorch's generator being another than gnomon's.
"""

SHARES = 12  # operators that the table of errors has


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_tier(tiers: Mapping[str, Any]) -> str:
    """A row a tier; failures are known ones, or there would be no page."""
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
    """The operators that use most of what is allowed, each in the dtype where it does."""
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
    """The reasons of the author's file, each with its tests and operators."""
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
    text += f"{counts['pass']} of {len(results)} tests pass, {report['score']:.2%} of what is claimed."
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
