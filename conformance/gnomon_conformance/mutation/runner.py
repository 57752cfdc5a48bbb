"""Kills the mutants: the suite runs on each, and the tests that it names have to fail.

python -m gnomon_conformance.mutation.runner             kill them all
python -m gnomon_conformance.mutation.runner --markdown  docs/mutants.md
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from gnomon.memory.backend import ReferenceBackend, register_backend

from .. import plugin
from ..reporting.outcomes import Result

# ruff: noqa: F401  (six modules are imported because they add to MUTANTS)
from . import in_time, of_extremes, of_layouts, of_numbers, of_ranges, of_sizes
from .loopback import DEVICE
from .mutants import MUTANTS

# Checks whose module has another name.
_MODULES = {
    "deterministic": "cheats",
    "blocks": "memory",
    "conversions": "memory",
    "copies": "memory",
    "dims": "sizes",
    "errors_agree": "errors",
    "fresh": "cheats",
    "far": "far",
    "grain": "sizes",
    "property": "properties",
    "gradient_layouts": "layouts",
    "inplace_layouts": "layouts",
    "inplace_places": "layouts",
    "inputs_as_outputs": "layouts",
    "lists": "rows",
    "long": "rows",
    "many_numbers": "numbers",
    "memory_of_calls": "cheats",
    "rounding": "numbers",
    "model": "models",
    "no_elements": "layouts",
    "out_layouts": "layouts",
    "out_places": "layouts",
    "own": "cheats",
    "payloads": "memory",
    "poison": "cheats",
    "rounded_conversions": "memory",
    "seeds": "far",
    "threads_of_samples": "threads",
}


class _Kept:
    """A plug-in that keeps pytest's configuration, which holds the results."""

    def pytest_configure(self, config: Any) -> None:
        self.config = config


def _operator(killer: str) -> str:
    """The operator in a test's name: the part between the brackets, without the dtype."""
    check, _, inside = killer.rstrip("]").partition("[")
    own = ("bytes", "errors_agree", "far", "seeds", "threads")
    return inside if check in own else inside.rpartition("-")[0]


def results_of(
    backend: ReferenceBackend, killers: Sequence[str], options: Sequence[str] = ()
) -> dict[str, Result]:
    """The results of these tests' checks and operators on ``backend``, by the name of the test.

    ``options`` are further options of the suite.  Raises RuntimeError if the suite does not run.
    """
    register_backend(backend)
    checks = {each.partition("[")[0] for each in killers}
    modules = sorted({f"gnomon_conformance.tests.test_{_MODULES.get(check, check)}" for check in checks})
    named = {f"^{re.escape(_operator(each))}$" for each in killers if "[" in each}
    operators = ["--ops", "|".join(sorted(named))] if named else []
    kept = _Kept()
    command = ["-p", plugin.NAME, "-p", "no:terminal", "-p", "no:cacheprovider", "-c", os.devnull, "--pyargs"]
    command += [*modules, "--gnomon-backend", DEVICE, "--full", *operators, *options]
    with contextlib.redirect_stdout(io.StringIO()):
        status = pytest.main(command, plugins=[kept])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"the suite failed to run on a mutant: {status!r} of {' '.join(command)}")
    return {test: result for (_, test), result in kept.config.stash[plugin.results_key].items()}


def survivals(name: str) -> list[str]:
    """The tests that the mutant should fail and does not, each with its outcome."""
    mutated = MUTANTS[name]
    found = results_of(mutated.make(), mutated.killers)
    return [
        f"{each}: {found[each].outcome if each in found else 'no such test'}"
        for each in mutated.killers
        if each not in found or found[each].outcome != mutated.outcome
    ]


def markdown() -> str:
    """The table of the mutants, for docs/mutants.md."""
    lines = [
        "# The mutants",
        "",
        "A mutant is a backend with one fault: the reference's kernels on another device, changed in one",
        'place. The suite must fail on each mutant; this table names the tests that do ("killed by") and',
        "their outcome. Without the fault, the same device passes these tests.",
        "",
        "`python -m gnomon_conformance.mutation.runner --markdown` writes this page. A test checks that",
        "it is up to date, and another that each mutant is killed.",
        "",
        "| mutant | fault | killed by | outcome |",
        "|---|---|---|---|",
    ]
    for name, each in MUTANTS.items():
        killers = ", ".join(f"`{killer}`" for killer in each.killers)
        lines.append(f"| {name} | {each.fault} | {killers} | {each.outcome} |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Kill them all, or print the table; the exit status is 1 if a mutant survives."""
    parser = argparse.ArgumentParser(
        prog="python -m gnomon_conformance.mutation.runner", description="Kill the mutants, each by its name."
    )
    parser.add_argument(
        "--markdown", action="store_true", help="print the table of the documentation instead"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutants with this in their name")
    options = parser.parse_args(arguments)
    if options.markdown:
        print(markdown())
        return 0
    alive = 0
    for name in MUTANTS:
        if options.only in name:
            found = survivals(name)
            alive += bool(found)
            print(f"{name}: {'killed' if not found else 'SURVIVES ' + '; '.join(found)}", flush=True)
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
