"""Random calls of operators on gnomon, against PyTorch, for a given time.

    python tools/fuzz.py                            # two minutes
    python tools/fuzz.py --seconds 3600 --only '^conv'
    python tools/fuzz.py --seed 3 --replay 1234     # one case again

A case is a number, from which, with the seed, all follows: an operator of the table, a dtype, layouts, and
hostile numbers for its arguments.  Each is made in a child process, first by PyTorch, then by gnomon, so that
a crash or a call that does not end is a finding, too.

What differs knowingly stands in tools/fuzzing/known.py and, for what the conformance suite shows, in its
departures.  The exit status is 1 if anything else was found.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SECONDS_OF_A_CALL = 20.0  # after which a call is taken not to end
MOST_MEMORY = 10 * 2**30  # of the child, PyTorch in it: a larger result is refused by both


def make(seed: int, number: int, only: str) -> Any:
    """The case of a number, or None."""
    from fuzzing import calls

    return calls.draw(random.Random(f"{seed}/{number}"), only)


def check(case: Any, device: str, say: Any) -> list[str]:
    """What differs in a case; ``say`` hears who is at work."""
    from fuzzing import calls

    say("torch")
    expected = calls.outcome(calls.BoundedTorch(), case)
    say("gnomon")
    return calls.compare(case, calls.outcome(calls.BoundedGnomon(device), case), expected)


def run_child(options: argparse.Namespace) -> None:
    """Check cases from ``options.first`` on; say on standard output which one, who works, what differs."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the frameworks print is not for the parent

    def say(*words: Any) -> None:
        print(*words, file=out, flush=True)

    import torch

    import gnomon as gn

    torch.set_num_threads(1)
    gn.set_fallback_policy("allow")
    soft = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, soft))
    number = options.first
    while True:
        say("case", number)
        case = make(options.seed, number, options.only)
        if case is not None:
            problems = check(case, options.device, say)
            if problems:
                say("found", repr((str(case), problems)))
        say("done")
        number += 1


class Child:
    """The process that makes the calls, and what is known of where it is."""

    def __init__(self, options: argparse.Namespace, first: int):
        passed = ["--seed", str(options.seed), "--only", options.only, "--device", options.device]
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--child", "--first", str(first), *passed],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        assert self.process.stdout is not None
        self.descriptor = self.process.stdout.fileno()
        self.pending = b""
        self.number = first
        self.at_work = "the beginning"
        self.since = time.monotonic()

    def line(self, until: float) -> str | None:
        """The next line; "" where the process has ended, None where the time is over."""
        while b"\n" not in self.pending:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                return None
            got = os.read(self.descriptor, 1 << 16)
            if not got:
                return ""
            self.pending += got
        line, _, self.pending = self.pending.partition(b"\n")
        return line.decode()

    def end(self) -> int:
        self.process.kill()
        return self.process.wait()


def watch(child: Child, until: float, report: Any) -> tuple[int, int, str]:
    """Follow a child: how many cases it made, the number to go on from, how it ended ("" by the clock)."""
    made = 0
    while True:
        patience = SECONDS_OF_A_CALL * (4 if child.at_work == "the beginning" else 1)
        line = child.line(min(until, child.since + patience))
        if line is None:
            child.end()
            over = time.monotonic() >= until
            return made, child.number + 1, "" if over else "does not end"
        if line == "":
            status = child.process.wait()
            return made, child.number + 1, f"ended the process with status {status}"
        word, _, rest = line.partition(" ")
        child.since = time.monotonic()
        if word == "case":
            child.number = int(rest)
        elif word in ("torch", "gnomon"):
            child.at_work = word
        elif word == "found":
            report(child.number, *eval(rest))
        elif word == "done":
            made += 1


def run(options: argparse.Namespace) -> int:
    """Check cases for the time that was asked for; returns how many findings there were."""
    until = time.monotonic() + options.seconds
    findings = made = skipped = 0
    number = options.first

    def report(at: int, case: str, problems: list[str]) -> None:
        nonlocal findings
        findings += 1
        shown = "\n    ".join(problems[:4])
        print(f"--- case {at}: {case}\n    {shown}", flush=True)
        print(f"    again: python tools/fuzz.py --seed {options.seed}{extra} --replay {at}", flush=True)

    extra = f" --only {options.only!r}" if options.only else ""
    extra += f" --device {options.device}" if options.device != "c" else ""
    while time.monotonic() < until and findings < options.most:
        child = Child(options, number)
        done, number, ended = watch(child, until, report)
        made += done
        if ended and child.at_work == "gnomon":
            report(number - 1, str(make(options.seed, number - 1, options.only)), [f"gnomon {ended}"])
        elif ended:
            skipped += 1
    print(
        f"{made} cases from {options.first} on with seed {options.seed}; "
        f"{skipped} that PyTorch did not survive; {findings} findings"
    )
    return findings


def replay(options: argparse.Namespace) -> int:
    """Make one case again, in this process."""
    case = make(options.seed, options.replay, options.only)
    print(case, flush=True)
    problems = check(case, options.device, lambda who: print(f"… {who}", flush=True)) if case else []
    print("\n".join(problems) or "no difference")
    return len(problems)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=120, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="other cases (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="make this one case, in this process")
    parser.add_argument("--only", default="", metavar="REGEX", help="only operators whose name matches")
    parser.add_argument("--device", default="c", help="gnomon's device (default: %(default)s)")
    parser.add_argument("--most", type=int, default=1000, help="stop after so many findings")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        print("tools/fuzz.py compares with PyTorch, which is not installed", file=sys.stderr)
        return 2
    if options.child:
        run_child(options)
    return min(1, replay(options) if options.replay is not None else run(options))


if __name__ == "__main__":
    sys.exit(main())
