"""``python -m gnomon.distributed.run --nproc 4 train.py``: start a program as several ranks, and watch them.

Source: torch.distributed.run (torchrun).
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence

from .launcher.agent import Agent
from .launcher.mpiexec import NoMpiexec, find_mpiexec


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(
        prog="python -m gnomon.distributed.run",
        description="Start a program as several ranks by mpiexec; put each rank's number before its output; "
        "end all ranks when one fails, and say which and why.",
    )
    made.add_argument(
        "--nproc",
        "--nproc-per-node",
        "--nproc_per_node",
        type=_positive,
        default=1,
        help="the number of ranks (of each host)",
    )
    made.add_argument("--hosts", help="hosts, with commas between them (default: this machine)")
    made.add_argument(
        "--max-restarts",
        "--max_restarts",
        type=_not_negative,
        default=0,
        help="how often to start all again after a failure",
    )
    made.add_argument(
        "--timeout",
        type=_seconds,
        default=1800.0,
        help="seconds after which a rank that others wait for, or that does not answer, counts as hanging "
        "(default: 1800)",
    )
    made.add_argument("--mpiexec", help="the mpiexec to use (default: the one beside Python, or in PATH)")
    made.add_argument(
        "--mpiexec-argument",
        action="append",
        default=[],
        help="one more argument for mpiexec; may be repeated",
    )
    made.add_argument(
        "--no-prefix", action="store_true", help="do not put [rank] before the lines of the output"
    )
    made.add_argument("-m", "--module", action="store_true", help="the program is a module, as in python -m")
    made.add_argument("program", help="a Python file, or with -m a module")
    made.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 if all ranks of a run ended well, else 1; 141 if nobody reads its output."""
    try:
        return _run(arguments)
    except BrokenPipeError:  # as in "| head": the ranks have been ended
        # what is left in the streams goes nowhere: Python writes it once more when it ends
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        return 128 + signal.SIGPIPE


def _run(arguments: Sequence[str] | None) -> int:
    options = parser().parse_args(arguments)
    if not options.module and not os.path.exists(options.program):
        print(f"gnomon.distributed.run: there is no file {options.program!r}", file=sys.stderr)
        return 2
    try:
        mpiexec = find_mpiexec(options.mpiexec)
    except NoMpiexec as error:
        print(f"gnomon.distributed.run: {error}", file=sys.stderr)
        return 2
    hosts = options.hosts.split(",") if options.hosts else []
    program = [*(["-m"] if options.module else []), options.program, *options.arguments]
    command = mpiexec.command(options.nproc, hosts, options.mpiexec_argument)
    size = options.nproc * max(len(hosts), 1)
    agent = Agent(command, program, size, options.timeout, bool(hosts), not options.no_prefix)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    told = ""
    for restart in range(options.max_restarts + 1):
        failure = agent.run(restart)
        if failure is None:
            return 0
        # a program that fails in the same way each time is told in full once
        same, told = told, re.sub(r"rank \d+ on \S+ \(process \d+\)", "", failure)
        shown = f"{failure.splitlines()[0]} (as before)" if told == same else failure
        print(f"gnomon.distributed.run: {shown}", file=sys.stderr, flush=True)
        if agent.is_interrupted:
            return 130
        if restart < options.max_restarts:
            print(
                f"gnomon.distributed.run: restart {restart + 1} of {options.max_restarts}",
                file=sys.stderr,
                flush=True,
            )
    return 1


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, got {text}")
    return value


def _not_negative(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, got {text}")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, got {text}")
    return value


if __name__ == "__main__":
    raise SystemExit(main())
