"""Teams: how many threads share a row, as in csrc/cuda/team.cuh, and how much of it their registers hold."""

from __future__ import annotations

from collections.abc import Sequence

from .launcher import THREADS

WARP = 32
MOST_THREADS = 512  # of a block, so that each has 128 registers


def holding(dtype: str, teams: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Teams that keep a row in registers, threads and bytes of each thread: threads, and elements of each."""
    return [(threads, nbytes // (8 if dtype == "float64" else 4)) for threads, nbytes in teams]


def block_of(threads: int) -> int:
    """The threads of a block of teams: several in a block, or one that is the block."""
    return threads if threads > WARP else THREADS
