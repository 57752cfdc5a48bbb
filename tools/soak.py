"""Compares random calls of operators on the C backend with the reference, for a given time.

    python tools/soak.py                        # half an hour
    python tools/soak.py --seconds 600 --only 'conv|index'
    python tools/soak.py --case 123456          # repeats one case
    python tools/soak.py --valgrind             # under memcheck, at a tenth of the speed or less
    python tools/sanitize.py address --soak 600 # on the library built with sanitizers

A case is determined by its number: a sample of the conformance suite with other sizes, a dtype, a layout and
a number of threads.  The C backend has to give the reference's results; for large tensors, for which the
reference is too slow, its own results with one thread.  A difference is printed with the number of its case
and a program that reproduces it; so is a crash.  The exit status is 1 if there was one.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEVICE = "c"
CASE_SECONDS = 5  # a case for which the reference takes longer is skipped
MOST_FAILURES = 20
THREADS = (1, 2, 3, 4)
# The most elements of the largest tensor of a case; the reference computes only SMALL and MIDDLE ones.
SMALL, MIDDLE, LARGE = 60, 1500, 400_000
SIZES = (
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    129,
    255,
    257,
    511,
    513,
    1000,
    1025,
    2049,
    4099,
)
LARGE_SIZES = (*SIZES, 16385, 32769, 65537, 131073, 300_000)
# Every dtype represents at least this many different numbers.
DISTINCT = 100
# Operators whose cost is not linear in the number of elements: no large tensors for them.
COSTLY = re.compile(
    r"svd|cdist|pdist|ctc|einsum|conv|bilinear|histogram|determinant|grid|attention|embedding_bag"
)


# Python's integers and a BLAS read uninitialized bytes that they do not use.
SUPPRESSED = "".join(
    f"{{\n{kind} in {name}\nMemcheck:{kind}\nobj:*{name}*\n...\n}}\n"
    for kind in ("Cond", "Value1", "Value2", "Value4", "Value8", "Value16", "Value32")
    for name in ("python", "openblas")
)


class TooLong(BaseException):  # not an Exception, so that it is not taken for one that a call raises
    """The reference takes too long for this case."""


_is_running = False  # whether a case is running


def _stop(number: int, frame: Any) -> None:
    if _is_running:
        raise TooLong


class Exact:
    """The tolerance for results that have to be equal."""

    def bounds(self, expected: Any, position: int) -> None:
        return None


def grown(sample: Any, rng: random.Random, largest: int, with_special: bool) -> Any:
    """The sample with other sizes (equal ones stay equal), and at most ``largest`` elements per tensor."""
    from gnomon_conformance.inputs.description import GivenTensor, TensorDescription, descriptions

    values = [*sample.args, *sample.kwargs.values()]
    tensors = list(descriptions(values))
    sizes = sorted({size for each in tensors for size in each.sizes if size > 1})
    choices = LARGE_SIZES if largest == LARGE else SIZES
    for _ in range(40):
        change = {size: size if rng.random() < 0.3 else rng.choice(choices) for size in sizes}
        counts = [1]
        for each in tensors:
            counts.append(1)
            for size in each.sizes:
                counts[-1] *= change.get(size, size)
        if max(counts) <= largest and (largest != LARGE or max(counts) > MIDDLE):
            break
    else:
        change = {}

    def changed(value: Any) -> Any:
        if isinstance(value, GivenTensor):  # its numbers are part of the sample
            return value
        if isinstance(value, TensorDescription):
            sizes = tuple(change.get(size, size) for size in value.sizes)
            values = value.values
            if values == "distinct" and math.prod(sizes) > DISTINCT:
                values = "normal"
            if values == "normal" and with_special and rng.random() < 0.15:
                values = "special"
            return value._replace(sizes=sizes, seed=rng.randrange(1 << 30), values=values)
        if type(value) in (list, tuple):
            return type(value)(changed(each) for each in value)
        return value

    return sample._replace(
        args=tuple(changed(each) for each in sample.args),
        kwargs={name: changed(each) for name, each in sample.kwargs.items()},
    )


def make_case(number: int, only: str) -> tuple[Any, Any, str, str, int, bool] | None:
    """Operator, sample, dtype, layout, threads and whether it is large; None if the number gives no case."""
    from gnomon_conformance.collection.selection import UNDETERMINED, operators, random_operators
    from gnomon_conformance.inputs.description import DTYPES, LAYOUTS
    from gnomon_conformance.samples import TOLERANCES, good_samples

    rng = random.Random(number)
    names = [name for name in sorted(operators()) if re.search(only, name) and not UNDETERMINED.match(name)]
    name = rng.choice(names)
    dtype = rng.choice(DTYPES)
    samples = good_samples(name, dtype)
    if not samples:
        return None
    sample = rng.choice(samples)[1]
    size = rng.random()
    largest = SMALL if size < 0.3 else MIDDLE if size < 0.7 else LARGE
    if largest == LARGE and (COSTLY.search(name) or name in random_operators()):
        largest = MIDDLE
    # when several steps are summed, infinities and overflows may combine in any order
    with_special = TOLERANCES.get(name, "exact") in ("exact", "choice", "arithmetic", "elementary")
    sample = grown(sample, rng, largest, with_special)
    return operators()[name], sample, dtype, rng.choice(LAYOUTS), rng.choice(THREADS), largest == LARGE


def check(number: int, only: str, patience: float) -> str | None:
    """The problem in this case, or None.  Raises TooLong after ``patience`` seconds."""
    global _is_running
    import gnomon as gn
    from gnomon_conformance.comparison.differences import differences, unchanged
    from gnomon_conformance.comparison.tolerances import Tolerance
    from gnomon_conformance.execution.check import written_tensors
    from gnomon_conformance.execution.runner import Gnomon, prepare, run, run_call
    from gnomon_conformance.reporting.reproduction import explain

    made = make_case(number, only)
    if made is None:
        return None
    operator, sample, dtype, layout, threads, is_large = made
    candidate = Gnomon(DEVICE)
    # repeatedly, because an exception raised inside a destructor is lost
    signal.setitimer(signal.ITIMER_REAL, patience, 0.5)
    try:
        _is_running = True
        gn.set_num_threads(1)
        other = candidate if is_large else Gnomon("reference")
        expected = run(other, operator, sample, dtype, layout)
        gn.set_num_threads(threads + is_large)
        call = prepare(candidate, operator.schema, sample, dtype, layout)
        actual = run_call(candidate, operator, call)
        tolerance: Any = Exact() if is_large else Tolerance(operator, sample, dtype, layout)
        problems = differences(actual, expected, tolerance)
        problems += unchanged(actual, call.contents, *written_tensors(operator.schema, sample))
    finally:
        _is_running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
    if not problems:
        return None
    if is_large:
        what = f"{operator.name}, {dtype}, {layout}, {sample.args} {sample.kwargs}"
        return f"{what}\non {threads + 1} threads it differs from one thread:\n" + "\n".join(problems[:6])
    return explain(problems, operator, sample, dtype, layout, ("reference", DEVICE))


def run_cases(first: int, seconds: float, only: str, patience: float, announce: bool) -> int:
    """Check cases from number ``first`` on; return how many failed."""
    import gnomon as gn

    gn.set_default_device(DEVICE)
    gn.set_fallback_policy("allow")
    signal.signal(signal.SIGALRM, _stop)
    until = time.monotonic() + seconds
    failures = checked = left_out = 0
    number = first
    while time.monotonic() < until and failures < MOST_FAILURES:
        if announce:
            print(f"case {number}", flush=True)
        try:
            problem = check(number, only, patience)
        except (TooLong, ValueError, OverflowError, RuntimeError):
            # exceptions of calls are part of their outcome; these are for numbers that the dtype cannot hold
            problem = None
            left_out += 1
        checked += 1
        if problem is not None:
            failures += 1
            print(f"--- case {number}\n{problem}\n", file=sys.stderr, flush=True)
        number += 1
    print(f"{checked} cases from {first} on, {left_out} left out, {failures} failed", flush=True)
    return failures


def run_child(arguments: argparse.Namespace, first: int) -> int:
    """Run the cases in a child process, which may crash; return its exit status."""
    command = [sys.executable, __file__, "--child", "--first", str(first), "--only", arguments.only]
    environment = dict(os.environ)
    if arguments.valgrind:
        found = shutil.which("valgrind")
        if found is None:
            raise SystemExit("valgrind is not there")
        suppressions = Path(tempfile.mkdtemp()) / "suppressed"
        suppressions.write_text(SUPPRESSED)
        # memory that Python keeps until it exits is no leak; a fault ends the process, to identify its case
        options = ["--quiet", "--leak-check=no", "--exit-on-first-error=yes", "--error-exitcode=9"]
        command = [found, *options, f"--suppressions={suppressions}", *command]
        command += ["--patience", str(20 * CASE_SECONDS)]
        environment.update(PYTHONMALLOC="malloc", GNOMON_C_ISA="baseline", OPENBLAS_CORETYPE="PRESCOTT")
    command += ["--seconds", str(arguments.seconds)]
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("case "):
                last = line.split()[1]
            else:
                print(line, end="", flush=True)
    if child.returncode not in (0, 1):
        only = f" --only '{arguments.only}'" if arguments.only else ""
        print(f"--- case {last} ended the process: {child.returncode}", file=sys.stderr)
        print(f"again: python tools/soak.py --case {last}{only}", file=sys.stderr)
    return 1 if child.returncode else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1800, help="duration (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="REGEX", help="only operators whose name matches")
    parser.add_argument("--first", type=int, help="the number of the first case (default: by the clock)")
    parser.add_argument("--case", type=int, help="check only this case; --only must be the same as before")
    parser.add_argument("--valgrind", action="store_true", help="run under valgrind's memcheck")
    parser.add_argument("--patience", type=float, default=CASE_SECONDS, help=argparse.SUPPRESS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    first = int(time.time()) * 1000 if arguments.first is None else arguments.first
    if arguments.case is not None:
        return min(1, run_cases(arguments.case, 0.001, arguments.only, 1e6, False))
    if arguments.child:
        return min(1, run_cases(first, arguments.seconds, arguments.only, arguments.patience, True))
    return run_child(arguments, first)


if __name__ == "__main__":
    sys.exit(main())
