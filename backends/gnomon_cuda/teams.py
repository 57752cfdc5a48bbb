"""Teams: threads that share a row (csrc/cuda/team.cuh), and how much of it each holds in registers."""

from __future__ import annotations

from collections.abc import Sequence

from .launcher import THREADS

WARP = 32
MOST_THREADS = 512  # per block, so that each has 128 registers


def holding(dtype: str, teams: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Converts teams that hold a row in registers from (threads, bytes each) to (threads, elements each)."""
    return [(threads, nbytes // (8 if dtype == "float64" else 4)) for threads, nbytes in teams]


def block_of(threads: int) -> int:
    """The threads of a block: of several small teams, or of one large team."""
    return threads if threads > WARP else THREADS
