"""A model answer."""

from __future__ import annotations


def parallel_ranges(begin: int, end: int, grain: int, threads: int) -> list[tuple[int, int]]:
    if begin >= end:
        return []
    parts = max(min((end - begin) // grain, threads), 1)
    size, rest = divmod(end - begin, parts)
    ranges = []
    for part in range(parts):
        stop = begin + size + (1 if part < rest else 0)
        ranges.append((begin, stop))
        begin = stop
    return ranges
