"""What the benchmarks share: the axis of backends, and skipping what would take too long on one."""

from __future__ import annotations

import os
from typing import Any

import gnomon as gn

# The axis; GNOMON_BENCHMARK_BACKENDS=c,cuda narrows or widens it.
BACKENDS = os.environ.get("GNOMON_BENCHMARK_BACKENDS", "reference,c").split(",")

# Elements, or multiply-adds, up to which a benchmark runs on the reference: its loops take about a
# microsecond each.
REFERENCE_LIMIT = 2**15


class PerBackend:
    """A benchmark whose first parameter is the backend.

    asv calls ``setup`` before timing, and leaves it untimed.
    """

    params: Any = (BACKENDS,)
    param_names = ["backend"]
    timeout = 120.0

    def use(self, backend: str, work: int = 0) -> None:
        """Make ``backend`` the default device.

        Skips (NotImplementedError, to asv) one that is absent or too slow.
        """
        present = gn.backends()
        if backend not in present or not present[backend].available:
            raise NotImplementedError(f"{backend} is not available")
        if backend == "reference" and work > REFERENCE_LIMIT:
            raise NotImplementedError(f"{work} elements take the reference too long")
        gn.manual_seed(0)
        gn.set_default_device(backend)


def numbers(*sizes: int) -> gn.Tensor:
    """Float32 numbers to compute with; all alike, for drawing millions of random ones takes too long."""
    return gn.full(sizes, 1.5)
