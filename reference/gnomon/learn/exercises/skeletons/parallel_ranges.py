"""Work for threads.

A kernel that runs on several threads splits its elements into ranges, one for each thread.  Too small a
range costs more than it gains, so there is a *grain*: no range has fewer elements than the grain, unless
there is only one.

Write ``parallel_ranges``.  There are as many ranges as possible with that rule, but no more than threads.
They cover everything from ``begin`` up to ``end`` in order, and differ by at most one element in size: the
larger ones come first. Without elements there are no ranges.

    parallel_ranges(0, 10, 1, 4)  ->  [(0, 3), (3, 6), (6, 8), (8, 10)]
    parallel_ranges(0, 10, 4, 8)  ->  [(0, 5), (5, 10)]
    parallel_ranges(0, 10, 6, 8)  ->  [(0, 10)]
"""

from __future__ import annotations


def parallel_ranges(begin: int, end: int, grain: int, threads: int) -> list[tuple[int, int]]:
    """The ranges: pairs of a first element, and the one after the last."""
    raise NotImplementedError
