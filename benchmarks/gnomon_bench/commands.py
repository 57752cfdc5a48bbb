"""The command ``gnomon bench``, for its entry point: its imports happen when it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def bench(arguments: Sequence[str]) -> int:
    """Time backends and other libraries in turn, and compare."""
    try:
        from . import bench as command
    except ImportError as error:
        print(f"gnomon bench requires more packages: pip install 'gnomon[bench]' ({error})", file=sys.stderr)
        return 2
    return command.main(arguments)
