"""Compares random calls of operators and random programs on gnomon with PyTorch, for a given time.

    python tools/fuzz.py                            # two minutes
    python tools/fuzz.py --seconds 3600 --seed 7 --only '^conv|program'
    python tools/fuzz.py --replay 'neg(tensor(2, 3))  # float32, transposed'

A call is an operator with a dtype, layouts, and hostile numbers as arguments; a program is some statements
(in place, views, any operator) and a way to differentiate them.  Each runs in a child process, first in
PyTorch, then in gnomon, so that a crash or a hang is a finding, too.

A finding is one line, a command that repeats the smallest case that shows it.  Known differences are listed
in tools/fuzzing/known.py, each with a case that shows it, and in the conformance suite's departures; a known
difference that no longer occurs is a finding.  The exit status is 1 if there were any findings.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import select
import shlex
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STARTING_SECONDS = 120.0  # that a child may take to start
MOST_MEMORY = 3 * 2**30  # of the child, in addition to its initial memory: both libraries refuse more
MOST_TEXT = 300  # characters of a printed difference


# ---------------------------------------------------------------------------------------------------------
# The child.


def run_child(options: argparse.Namespace) -> None:
    """Check cases; report on standard output the current case, the library at work, and differences."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # so that the parent does not read what the libraries print

    def say(word: str, *values: Any) -> None:
        print(json.dumps([word, *values]), file=out, flush=True)

    import torch

    import gnomon as gn

    for module in options.imports:
        importlib.import_module(module)
    torch.set_num_threads(1)
    gn.set_fallback_policy("allow")
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (mapped_memory() + MOST_MEMORY, most))
    work = replay_one if options.replay is not None else check_known if options.known else check_drawn
    try:
        work(options, say)
        say("end")
    except Exception:  # a fault of this tool: exceptions of operators are compared
        say("broken", traceback.format_exc())


def mapped_memory() -> int:
    """The bytes of virtual memory of this process."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux: effectively no limit
        return 2**40


def check_drawn(options: argparse.Namespace, say: Callable[..., None]) -> None:
    """Check one case after the other, until the parent ends the process."""
    from fuzzing import cases

    number = options.first
    while True:
        case = cases.draw(options.seed, number, options.only)
        say("case", number, str(case))
        if case is not None:
            found = cases.check(case, options.device, say)
            if found:
                say("suspect", str(case), found)
                say("found", *map(_plain, cases.shrunk(case, options.device, say)))
        say("done")
        number += 1


def replay_one(options: argparse.Namespace, say: Callable[..., None]) -> None:
    """Check the case of ``--replay``."""
    from fuzzing import cases

    case = cases.parse(options.replay)
    say("case", 0, str(case))
    say("found", str(case), cases.check(case, options.device, say))
    say("done")


def check_known(options: argparse.Namespace, say: Callable[..., None]) -> None:
    """Report each known difference that no longer occurs."""
    from fuzzing import cases
    from fuzzing.known import KNOWN

    for number, known in enumerate(KNOWN[options.first :], options.first):
        say("case", number, known.shows)
        if not cases.still_shows(known, options.device, say) and not known.on_some_machines:
            say("found", known.shows, [f"a known difference no longer occurs: {known.reason}"])
        say("done")


def _plain(value: Any) -> Any:
    return value if isinstance(value, list) else str(value)


# ---------------------------------------------------------------------------------------------------------
# The parent.


class Child:
    """The process that makes the calls, and its last reported state."""

    def __init__(self, options: argparse.Namespace, first: int, *more: str):
        passed = ["--seed", str(options.seed), "--only", options.only, "--device", options.device]
        for module in options.imports:
            passed += ["--import", module]
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--child", "--first", str(first), *passed, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        assert self.process.stdout is not None
        self.descriptor = self.process.stdout.fileno()
        self.pending = b""
        self.number = first
        self.text = ""
        self.at_work = "nobody"
        self.suspect: tuple[str, list[str]] | None = None
        self.since = time.monotonic()

    def message(self, until: float) -> list[Any] | None:
        """The next message; an empty one if the process has ended, None if the time is over."""
        while b"\n" not in self.pending:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                return None
            got = os.read(self.descriptor, 1 << 16)
            if not got:
                return []
            self.pending += got
        line, _, self.pending = self.pending.partition(b"\n")
        found: list[Any] = json.loads(line)
        return found

    def end(self) -> int:
        """Kill the process; return its status."""
        self.process.kill()
        return self.process.wait()


class Watch:
    """Follows children, and counts cases and findings."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.until = time.monotonic() + options.seconds
        self.made = self.skipped = self.findings = 0

    def is_over(self) -> bool:
        """Whether the time is over, or there are enough findings."""
        return time.monotonic() >= self.until or self.findings >= self.options.most

    def report(self, text: str, problems: list[str]) -> None:
        """Print a finding as a command that repeats it."""
        if not problems:
            return
        self.findings += 1
        extra = f"--device {self.options.device} " if self.options.device != "c" else ""
        extra += "".join(f"--import {module} " for module in self.options.imports)
        what = "; ".join(" ".join(each.split()) for each in problems[:2])
        print(f"python tools/fuzz.py {extra}--replay {shlex.quote(text)}  # {what[:MOST_TEXT]}", flush=True)

    def follow(self, child: Child) -> int | None:
        """Follow a child to its end; return the number of the next case, or None if there is none."""
        while True:
            patience = self.options.patience if child.at_work != "nobody" else STARTING_SECONDS
            message = child.message(min(self.until, child.since + patience))
            if message is None:
                child.end()
                over = time.monotonic() >= self.until
                return None if over else self.blame(child, f"did not finish within {patience:g} s")
            if not message:
                return self.blame(child, f"ended the process with status {child.process.wait()}")
            if self.hear(child, *message):
                child.end()
                return None

    def hear(self, child: Child, word: str, *values: Any) -> bool:
        """Handle a message; return True if it was the last."""
        child.since = time.monotonic()
        if word == "case":
            child.number, child.text = values
        elif word in ("torch", "gnomon"):
            child.at_work = word
        elif word == "suspect":
            child.suspect = values
        elif word == "found":
            child.suspect = None
            self.report(*values)
        elif word == "done":
            self.made += 1
        elif word == "broken":
            raise SystemExit(f"tools/fuzz.py failed at {child.text}\n{values[0]}")
        return word == "end" or self.findings >= self.options.most

    def blame(self, child: Child, ended: str) -> int:
        """Handle a case that ended its process: a finding if gnomon ran, otherwise a crash of PyTorch."""
        if child.suspect is not None:
            self.report(*child.suspect)
        elif child.at_work == "gnomon":
            self.report(child.text, [f"gnomon {ended}"])
        elif child.at_work == "nobody":
            raise SystemExit(f"tools/fuzz.py: a child process {ended} before its first case")
        else:
            self.skipped += 1
            print(f"PyTorch {ended}: {child.text}", file=sys.stderr)
        return child.number + 1


def run(options: argparse.Namespace) -> int:
    """Check the known differences, then cases for the given time; return the number of findings."""
    watch = check_all_known(options) if not options.only else Watch(options)
    watch.made = 0
    watch.until = time.monotonic() + options.seconds
    number: int | None = options.first
    while number is not None and not watch.is_over():
        number = watch.follow(Child(options, number))
    print(
        f"{watch.made} cases with seed {options.seed} from {options.first} on; "
        f"{watch.skipped} in which PyTorch crashed or hung; {watch.findings} findings"
    )
    return watch.findings


def check_all_known(options: argparse.Namespace) -> Watch:
    """Report the known differences that no longer occur."""
    watch = Watch(options)
    watch.until = float("inf")
    number: int | None = 0
    while number is not None and not watch.is_over():
        number = watch.follow(Child(options, number, "--known"))
    return watch


def replay(options: argparse.Namespace) -> int:
    """Repeat one case."""
    watch = Watch(options)
    watch.until = float("inf")
    watch.follow(Child(options, 0, "--replay", options.replay))
    if watch.skipped:
        print("PyTorch crashes or hangs")
    elif not watch.findings:
        print("no unknown difference")
    return watch.findings


def list_cases(options: argparse.Namespace) -> None:
    """Print cases."""
    from fuzzing import cases

    for number in range(options.first, options.first + options.list):
        print(cases.draw(options.seed, number, options.only))


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    try:
        return find_spec("torch") is not None
    except ValueError:  # sys.modules has None in its place
        return False


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=120, help="duration (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the cases (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--replay", metavar="CASE", help="run one case, as printed for a finding")
    parser.add_argument(
        "--only", default="", metavar="REGEX", help='only operators whose name matches; "program" is one'
    )
    parser.add_argument("--device", default="c", help="gnomon's device (default: %(default)s)")
    parser.add_argument("--most", type=int, default=1000, help="stop after this number of findings")
    parser.add_argument(
        "--patience", type=float, default=20.0, help="seconds after which a call counts as hung"
    )
    parser.add_argument(
        "--import", dest="imports", action="append", default=[], metavar="MODULE", help="import this first"
    )
    parser.add_argument("--list", type=int, metavar="COUNT", help="print COUNT cases without running them")
    parser.add_argument(
        "--known-only", action="store_true", help="only check whether the known differences still occur"
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--known", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not has_torch():
        print("tools/fuzz.py compares with PyTorch, which is not installed", file=sys.stderr)
        return 2
    if options.child:
        run_child(options)
        return 0
    if options.list is not None:
        list_cases(options)
        return 0
    if options.replay is not None:
        return min(1, replay(options))
    return min(1, check_all_known(options).findings if options.known_only else run(options))


if __name__ == "__main__":
    sys.exit(main())
