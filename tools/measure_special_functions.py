"""Measure the accuracy of the C backend's special functions, and write docs/accuracy_of_special_functions.md.

    python tools/measure_special_functions.py [--count N] [--only REGEX] [--output PATH]

Needs mpmath, which computes the exact values, and some minutes.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import exact_special_functions as exact
import numpy as np
from mpmath import mpf

import gnomon as gn

ROOT = Path(__file__).resolve().parent.parent
HEAD = """# Accuracy of the C backend's special functions

This table lists the largest error found for each function of `gnomon.special`, in units in the last
place (ulp) of the exact result, and the arguments at which it occurred. Near the zeros of a function
that oscillates it is in ulp of the amplitude there; so are the errors of `zeta` for negative arguments,
whose terms have both signs. For each function and dtype, {count} arguments were drawn from its whole
range, most of them where the function has its shape; the exact values are mpmath's with 60 digits.

float16 and bfloat16 are computed in float32 and rounded once. The functions that are in
[accuracy.md](accuracy.md), such as `erf`, are not repeated.

| function | dtype | largest error (ulp) | arguments | result |
|---|---|---|---|---|
"""
TYPES: dict[str, tuple[Any, Any]] = {"float32": (gn.float32, np.float32), "float64": (gn.float64, np.float64)}


def arguments_of(name: str, count: int, dtype: Any) -> Iterator[tuple[float, ...]]:
    """Arguments that the dtype holds."""
    for arguments in exact.arguments_of(name, count, random.Random(f"{name} {dtype.__name__}")):
        rounded = tuple(float(dtype(each)) for each in arguments)
        if name in ("logit", "ndtri") and not 0 < rounded[0] < 1:
            continue
        if name.startswith("multigammaln") and rounded[0] <= (int(name[-1]) - 1) / 2:
            continue
        yield rounded


def measure(name: str, dtype: str, count: int) -> tuple[float, tuple[float, ...], float]:
    """The largest error, its arguments, and the result there."""
    ours, theirs = TYPES[dtype]
    limits = np.finfo(theirs)
    least, greatest = mpf(float(limits.tiny)), mpf(float(limits.max))
    drawn = list(arguments_of(name, count, theirs))
    columns = [gn.tensor(list(each), dtype=ours, device="c") for each in zip(*drawn)]
    found = exact.operator_of(gn.special, name)(*columns).tolist()
    worst = (0.0, drawn[0], found[0])
    for arguments, result in zip(drawn, found):
        wide = tuple(map(mpf, arguments))
        value = exact.EXACT[name](*wide)
        if not least < abs(value) < greatest:  # subnormal results have fewer digits
            continue
        unit = np.spacing(theirs(float(exact.amplitude(name, wide, value))))
        error = float(abs(mpf(result) - value) / mpf(float(unit)))
        worst = max(worst, (error, arguments, result), key=lambda each: each[0])
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500, help="arguments a function (default %(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "accuracy_of_special_functions.md")
    parser.add_argument("--only", default="", help="a regular expression: keep the page's rows of the others")
    options = parser.parse_args()
    text = HEAD.format(count=options.count)
    lines = options.output.read_text().splitlines() if options.only else []
    kept = {line.split("`")[1]: line for line in lines if line.startswith("| `")}
    kept = {name: [each for each in lines if each.startswith(f"| `{name}` ")] for name in kept}
    for name in sorted(exact.EXACT):
        if name in kept and not re.search(options.only, name):
            text += "".join(f"{line}\n" for line in kept[name])
            continue
        for dtype in TYPES:
            error, arguments, result = measure(name, dtype, options.count)
            line = f"| `{name}` | {dtype} | {error:.3f} | {', '.join(map(repr, arguments))} | {result!r} |"
            print(line, flush=True)
            text += line + "\n"
    options.output.write_text(text)


if __name__ == "__main__":
    main()
