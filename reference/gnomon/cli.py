"""The command ``gnomon``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (default: those of the process); returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="gnomon", description="A reference tensor library with plug-in backends."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("backends", help="list the backends: available or why not, device, native operators")
    listed = commands.add_parser(
        "operators",
        help="list the operators: what each is, its dtypes, its agreement with PyTorch, its schema",
    )
    listed.add_argument("--markdown", action="store_true", help="as a page of Markdown: docs/operators.md")
    commands.add_parser(
        "demo", help="train on handwritten digits on every host backend and compare", add_help=False
    )
    if given[:1] == ["demo"]:
        from .demo import main as demo

        return demo(given[1:])
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help()
        return 2
    from . import listing

    if options.command == "backends":
        print(listing.backends_table())
    else:
        print(listing.operators_markdown() if options.markdown else listing.operators_table())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
