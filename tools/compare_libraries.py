"""Compare libraries with the reference, operator by operator, and write docs/library_comparison.md.

    python tools/compare_libraries.py docs/library_comparison.md
    python tools/compare_libraries.py --libraries torch:cuda,numpy --operators '^(sum|exp)' PAGE.md

Each library runs the tests of the conformance suite in a process of its own (gnomon conform --library).  The
operators are those of at least one of the libraries but PyTorch, which has nearly all.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from gnomon_conformance.collection.tiers import TIERS
from gnomon_conformance.conform import Bar
from gnomon_conformance.libraries import apart
from gnomon_conformance.libraries.command import load
from gnomon_conformance.reporting.outcomes import FAIL, PASS, STALE, Result

LIBRARIES = "torch,jax,tinygrad,numpy,array_api:array_api_strict,array_api:array_api_compat.dask.array"
DTYPES = ("bool", "int64", "float32", "complex64")
HANG_LIMIT = 120.0  # seconds
LONGEST_PROGRAM = 700  # characters; a longer one is not shown
LONGEST_OUTPUT = 300

# The kinds of disagreement: a title, and what a difference of the kind matches; the first that does counts,
# but that all differences of gradients are of the first kind.
KINDS = (
    ("gradients", r"(?!)"),
    ("accepts what PyTorch refuses", r"raised nothing, expected"),
    ("raises another kind of exception", r"raised .*\nexpected "),
    ("raises where PyTorch gives a result", r"raised "),
    ("ends the process", r"ended the process|hangs"),
    ("the result is no tensor, or there are more or fewer", r"expected a tensor|gave \d+ results"),
    ("another dtype of the result", r"has dtype"),
    ("other sizes of the result", r"has sizes"),
    ("a view instead of a copy, or a copy instead of a view", r"the memory of argument"),
    ("subnormal numbers", r"(is|expected) -?\d\S*e-(39|4[0-5])\b"),
    ("the sign of zero", r"is -?0\.0, expected -?0\.0"),
    ("NaN", r"is nan, expected|, expected nan"),
    ("infinities", r"is -?inf, expected|, expected -?inf"),
    ("integers", r"is -?\d+, expected -?\d+$|is (True|False), expected"),
    ("rounding: more than the suite's tolerance", r"allowed difference"),
    ("other numbers", r""),
)


def kind_of(result: Result) -> int:
    """The place in KINDS of a failing test's first difference."""
    if result.tier == "autograd":
        return 0
    text = result.message.partition("\n")[2] or result.message
    first = "\n".join(text.split("\n")[:2]) if "\nexpected " in text else text.partition("\n")[0]
    return next(place for place, (_, pattern) in enumerate(KINDS) if re.search(pattern, first))


def results_of(library: str, operators: str) -> list[Result]:
    """Run the tests of a library.  Raises LoadError."""
    bar = Bar(library)

    def watch(total: int, result: Result) -> None:
        bar.start(total)
        bar.count(result)

    try:
        return apart.run(
            library,
            tiers=tuple(TIERS),
            operators=operators,
            dtypes=DTYPES,
            expectations=None,
            hang_limit=HANG_LIMIT,
            watch=watch,
        )[1]
    finally:
        bar.stop()


def output_of(program: str) -> str:
    """What a program prints, or the last line of its exception."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )
    if done.returncode == 0:
        return done.stdout.rstrip()
    said = [line for line in done.stderr.splitlines() if re.match(r"[\w.]+(Error|Exception)\b", line)]
    return said[-1] if said and done.returncode > 0 else f"the process ends with status {done.returncode}"


def page(found: dict[str, list[Result]]) -> str:
    """The page, from the results of each library."""
    lines = [
        "# Libraries compared",
        "",
        "Where other libraries agree with PyTorch's semantics, as gnomon's reference defines them, and where",
        "they do not. Each was tested by the conformance suite ([conformance.md](conformance.md)) with",
        f"{', '.join(DTYPES)}: results, dtypes, sizes, problematic numbers, views, invalid arguments,",
        "and gradients, if the library has them. Differences are no faults: only PyTorch sets out to follow",
        "PyTorch.",
        "`python tools/compare_libraries.py docs/library_comparison.md` writes this page.",
        "",
        "| library | version | tests that pass | that differ | not claimed |",
        "|---|---|---|---|---|",
    ]
    for library, results in found.items():
        passing = sum(each.outcome in (PASS, STALE) for each in results)
        failing = sum(each.outcome == FAIL for each in results)
        cells = library, _version(library), passing, failing, len(results) - passing - failing
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines += [
        "",
        "## Operators",
        "",
        "✓ all tests pass; - not claimed; a number: a kind of disagreement, below.",
        "",
    ]
    lines += _table(found)
    for place, (title, _) in enumerate(KINDS):
        lines += _section(place, title, found)
    return "\n".join(lines).rstrip() + "\n"


def _table(found: dict[str, list[Result]]) -> list[str]:
    kinds: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    claimed = set()
    for library, results in found.items():
        for each in results:
            if each.outcome in (PASS, STALE, FAIL):
                claimed.add((each.operator, library))
            if each.outcome == FAIL:
                kinds[each.operator][library].add(kind_of(each) + 1)
    lines = [f"| operator | {' | '.join(found)} |", f"|---|{'---|' * len(found)}"]
    for operator in sorted({operator for operator, _ in claimed}):
        cells = []
        for library in found:
            numbers = ", ".join(map(str, sorted(kinds[operator][library])))
            cells.append(numbers or ("✓" if (operator, library) in claimed else "-"))
        lines.append(f"| `{operator}` | {' | '.join(cells)} |")
    return lines


def _section(place: int, title: str, found: dict[str, list[Result]]) -> list[str]:
    """A kind of disagreement: for each library the operators, the known reasons, and the shortest program."""
    lines: list[str] = []
    for library, results in found.items():
        failing = [each for each in results if each.outcome == FAIL and kind_of(each) == place]
        if not failing:
            continue
        operators = ", ".join(f"`{name}`" for name in dict.fromkeys(each.operator for each in failing))
        lines += ["", f"**{library}**, {len(failing)} tests: {operators}"]
        reasons = dict.fromkeys(each.known for each in failing if each.known)
        lines += ["", *(f"- {reason}" for reason in reasons)] if reasons else []
        lines += _shown_program(failing)
    return ["", f"## {place + 1}. {title[0].upper()}{title[1:]}", *lines] if lines else []


def _shown_program(failing: Sequence[Result]) -> list[str]:
    programs = sorted((each for each in failing if each.program), key=lambda each: len(each.program))
    for each in programs[:1]:
        if len(each.program) > LONGEST_PROGRAM:
            continue
        comments = [f"# {line}" for line in output_of(each.program)[:LONGEST_OUTPUT].splitlines()]
        *program, difference = each.program.splitlines()
        text = "\n".join([*program, *comments])
        return ["", f"`{each.test}`:", "", "```python", text, "```", "", f"`{difference[2:LONGEST_OUTPUT]}`"]
    return []


def _version(library: str) -> str:
    """The version of the package that a library is."""
    module = library.rpartition(":")[2].removeprefix("array_api_compat.")
    return metadata.version(module.partition(".")[0])


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--libraries", default=LIBRARIES, help="separated by commas (default: %(default)s)")
    parser.add_argument("--operators", help="a regular expression (default: those of the libraries)")
    options = parser.parse_args(arguments)
    names = options.libraries.split(",")
    operators = options.operators
    if operators is None:
        known = {each for name in names if not name.startswith("torch") for each in load(name).functions}
        operators = f"^({'|'.join(map(re.escape, sorted(known)))})$"
    text = page({name: results_of(name, operators) for name in names})
    temporary = options.page.with_suffix(".tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(options.page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
