"""The command ``gnomon``."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

# Commands of the conformance suite, which is a package of its own.
_SUITE = {
    "conform": "test a backend against the reference",
    "shadow": "run a program, and compare each of its operators with the reference",
    "census": "record which operators a program calls, on what, and how often",
    "new-backend": "write a new backend, as a distribution of its own",
}
# And of the benchmarks, which are another.
_BENCH = {"bench": "time backends and other libraries in turn, and compare"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (default: those of the process); returns the exit status.

    It ends quietly, with status 1, when nobody reads on what it prints, as in ``gnomon operators | head``.
    """
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more when it ends, which must not fail again
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
        "backends", help="list the backends: available or why not, device, native operators"
    )
    backends.add_argument(
        "--seconds", type=float, default=20, help="end a plug-in whose import takes longer (default: 20)"
    )
    listed = commands.add_parser(
        "operators",
        help="list the operators: what each is, its dtypes, its agreement with PyTorch, its schema",
    )
    listed.add_argument("--markdown", action="store_true", help="as a page of Markdown: docs/operators.md")
    commands.add_parser(
        "demo", help="train on handwritten digits on every host backend and compare", add_help=False
    )
    for name, text in (_SUITE | _BENCH).items():
        commands.add_parser(name, help=text, add_help=False)
    if given[:1] == ["demo"]:
        from .demo import main as demo

        return demo(given[1:])
    if given and given[0] in _SUITE:
        return _run_of_package("gnomon_conformance", "conformance", given[0], given[1:])
    if given and given[0] in _BENCH:
        return _run_of_package("gnomon_bench", "bench", given[0], given[1:])
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help()
        return 2
    from .backends import listing

    if options.command == "backends":
        print(listing.backends_table(options.seconds))
    else:
        print(listing.operators_markdown() if options.markdown else listing.operators_table())
    return 0


def _run_of_package(package: str, extra: str, name: str, given: Sequence[str]) -> int:
    """A command of a package that has dependencies of its own."""
    try:
        command = importlib.import_module(f"{package}.{name.replace('-', '_')}")
    except ImportError as error:
        print(f"gnomon {name} needs more: pip install 'gnomon[{extra}]' ({error})", file=sys.stderr)
        return 2
    status: int = command.main(given)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
