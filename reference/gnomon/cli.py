"""The command ``gnomon``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from .memory import plug_ins

# The commands of gnomon/learn.
_LEARN = {
    "explain": "explain an operator, or the calls that an expression makes: dispatch, promotion, iteration",
    "walk": "show every Python function that a statement calls, with times, allocations, views and copies",
    "draw": "draw a tensor and its storage, an autograd graph, or the dispatch of a call, as SVG",
    "view": "an interactive page: tensors and their storage, views, iteration, and autograd's engine",
    "trace": "run a program, and show the operators, kernels and Nodes that each of its lines runs",
    "exercises": "exercises to the chapters of the tour: begin, check your answers, and get hints",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (default: those of the process); returns the exit status.

    Ctrl-C ends it with one line, and status 130.  It ends quietly, with status 1, if its output is closed, as
    in ``gnomon operators | head``.
    """
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("gnomon: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT  # as a shell reports a program that the signal ended
    except BrokenPipeError:
        # Python flushes again at exit, which must not fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="gnomon", description="A reference tensor library with plug-in backends."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    backends = commands.add_parser(
        "backends",
        help="list the backends: whether (or why not) available, device, number of native operators",
    )
    backends.add_argument(
        "--seconds", type=float, default=20, help="time limit for the import of a plug-in (default: 20)"
    )
    listed = commands.add_parser(
        "operators",
        help="list the operators: kind, dtypes, agreement with PyTorch, schema",
    )
    listed.add_argument(
        "--markdown", action="store_true", help="print a page of Markdown (docs/operators.md)"
    )
    listed.add_argument(
        "--yaml",
        choices=["native_functions", "derivatives"],
        help="print the records as PyTorch's file of this name",
    )
    commands.add_parser(
        "demo",
        help="train a classifier of handwritten digits on every host backend and compare",
        add_help=False,
    )
    for name, summary in _LEARN.items():
        commands.add_parser(name, help=summary, add_help=False)
    offered = plug_ins.offered("gnomon.commands")
    for name, entry_point in sorted(offered.items()):
        commands.add_parser(name, help=_summary(entry_point), add_help=False)
    if given[:1] == ["demo"]:
        from .demo import main as demo

        return demo(given[1:])
    if given[:1] == ["explain"]:
        from .learn.command import main as explain

        return explain(given[1:])
    if given[:1] == ["draw"]:
        from .learn.drawing import main as draw

        return draw(given[1:])
    if given[:1] == ["view"]:
        from .learn.view.view import main as view

        return view(given[1:])
    if given[:1] in (["walk"], ["trace"]):
        from .learn import path_commands

        return (path_commands.walk if given[0] == "walk" else path_commands.trace)(given[1:])
    if given[:1] == ["exercises"]:
        from .learn.exercises.command import main as exercises

        return exercises(given[1:])
    if given and given[0] in offered:
        try:
            command = offered[given[0]].load()
        except Exception as error:  # third-party code
            print(f"gnomon {given[0]} is not available: {plug_ins.reason_of(error)}", file=sys.stderr)
            return 2
        status: int = command(given[1:])
        return status
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help()
        return 2
    from .backends import listing

    if options.command == "operators" and options.yaml is not None:
        from .learn import yaml_records

        print(getattr(yaml_records, f"{options.yaml}_yaml")(), end="")
    elif options.command == "backends":
        print(listing.backends_table(options.seconds))
    else:
        print(listing.operators_markdown() if options.markdown else listing.operators_table())
    return 0


def _summary(entry_point: Any) -> str:
    """A one-line summary of a command: the first line of its docstring."""
    try:
        text = entry_point.load().__doc__ or ""
    except Exception as error:  # third-party code
        return f"not available: {plug_ins.reason_of(error)}"
    first: str = text.strip().partition("\n")[0].rstrip(".")
    return (first[:1].lower() + first[1:]).replace("%", "%%")


if __name__ == "__main__":
    raise SystemExit(main())
