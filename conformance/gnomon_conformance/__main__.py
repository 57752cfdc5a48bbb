"""``python -m gnomon_conformance``: pytest on this suite, with its options."""

import argparse
import sys

import pytest

from .plugin import OPTIONS


def help_text() -> str:
    """The text for ``--help``: the suite's own options, of which pytest's help shows little."""
    parser = argparse.ArgumentParser(
        prog="python -m gnomon_conformance",
        usage="python -m gnomon_conformance [options] [options of pytest]",
        description="Compare backends with gnomon's reference, and the reference with PyTorch's answers.",
        epilog='For example: python -m gnomon_conformance --gnomon-backend c --ops "^add" -x -q.  All '
        "options of pytest are taken, too: see pytest --help.",
    )
    for name, fields in OPTIONS.items():
        parser.add_argument(name, **fields)
    return parser.format_help()


def main(given: list[str]) -> int:
    """Run the suite with the arguments ``given``; return the exit status."""
    if "-h" in given or "--help" in given:
        print(help_text(), end="")
        return 0
    return int(pytest.main(["-p", "gnomon_conformance.plugin", "--pyargs", "gnomon_conformance", *given]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
