"""The command ``gnomon bench``, as its entry point names it: it imports what it needs when it is run."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def bench(arguments: Sequence[str]) -> int:
    """Time backends and other libraries in turn, and compare."""
    try:
        from . import bench as command
    except ImportError as error:
        print(f"gnomon bench needs more: pip install 'gnomon[bench]' ({error})", file=sys.stderr)
        return 2
    return command.main(arguments)
