"""The commands ``gnomon bench`` and ``gnomon plan-scale``, for their entry points: imports happen when one
runs.
"""

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


def plan_scale(arguments: Sequence[str]) -> int:
    """Predict the time of a training step on many ranks."""
    from . import plan_scale as command

    return command.main(arguments)
