"""Runs the public test suite of the Python array API standard, array-api-tests, on gnomon.array_api.

    python tools/array_api_suite.py SUITE                        SUITE: a checkout, with its submodule
    python tools/array_api_suite.py SUITE --pytorch-operators    operators and indices as PyTorch has them
    python tools/array_api_suite.py SUITE -- -k sort             arguments of pytest

The suite needs pytest-xdist and its own requirements: pytest, hypothesis, ndindex, pytest-json-report.
It runs on the default device (GNOMON_BACKEND), in ``gnomon.array_api.standard_operators()``; the tests
that tools/array_api_xfails.txt lists may fail.  The exit status is pytest's, and 2 if there is no suite.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

XFAILS = Path(__file__).with_name("array_api_xfails.txt")
NEEDED = ("hypothesis", "ndindex", "pytest_jsonreport", "xdist")
URL = "https://github.com/data-apis/array-api-tests"
# The suite runs a text of this form, and tests what it calls xp.
INSIDE_THE_MODE = "exec('import gnomon.array_api as xp; xp.standard_operators().__enter__()')"


def what_is_missing(suite: Path | None) -> str:
    """What keeps the suite from running, and what to do; empty if nothing does."""
    if suite is None:
        return f"SUITE=path is needed, a checkout of array-api-tests: git clone --recurse-submodules {URL}"
    if not (suite / "array_api_tests" / "test_has_names.py").is_file():
        return f"{suite} is no checkout of array-api-tests: git clone --recurse-submodules {URL}"
    if not (suite / "array-api" / "src" / "array_api_stubs").is_dir():
        return f"{suite} has no array-api: git -C {suite} submodule update --init"
    absent = [name for name in NEEDED if not _is_installed(name)]
    if absent:
        return (
            f"{', '.join(absent)} not installed: {sys.executable} -m pip install -r {suite}/requirements.txt"
        )
    return ""


def _is_installed(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


def commit_of(suite: Path) -> str:
    """The commit of the checkout, or 'unknown'."""
    answer = subprocess.run(["git", "-C", suite, "rev-parse", "HEAD"], capture_output=True, text=True)
    return answer.stdout.strip() or "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "suite", type=lambda text: Path(text) if text else None, help="a checkout of array-api-tests"
    )
    parser.add_argument("--pytorch-operators", action="store_true", help="do not enter standard_operators()")
    parser.add_argument("--examples", type=int, default=100, help="Hypothesis' examples for each test")
    parser.add_argument("-n", "--workers", default="2", help="processes that run tests")
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)  # argparse would take only the first of several
    options = parser.parse_args(given[:end])
    if missing := what_is_missing(options.suite):
        print(f"array-api: {missing}", file=sys.stderr)
        return 2
    environment = {
        "GNOMON_FALLBACK": "allow",
        **os.environ,
        "ARRAY_API_TESTS_MODULE": "gnomon.array_api" if options.pytorch_operators else INSIDE_THE_MODE,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", options.workers, "-rxX", "--disable-deadline"]
    command += [f"--max-examples={options.examples}", f"--xfails-file={XFAILS}", "-p", "no:cacheprovider"]
    print(f"array-api-tests {commit_of(options.suite)}", flush=True)
    suite = options.suite.resolve()
    return subprocess.run(
        [*command, *given[end + 1 :], "array_api_tests"], cwd=suite, env=environment
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
