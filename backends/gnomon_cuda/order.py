"""Sorting of entries, and prefix sums of counts, on the device, by csrc/cuda/order.cu."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .allocator import Memory
from .direct import Grid, Work
from .geometry import MOVED_DTYPE
from .launcher import THREADS
from .programs import Program

TEXT = "order.cu"
# As in order.cu.
SHORT_LINE = 2048
TILE = 4096
COUNTS = 2048
DIGITS = 256
DIGIT_BITS = 8
MOST_KEPT = SHORT_LINE // 8  # up to here, first entries are found without sorting all of a long line
PACKED, WIDE = "gn_packed", "gn_wide"
_BYTES = {PACKED: 8, WIDE: 16}
_KERNELS = (
    "enter_numbers",
    "sort_short",
    "count_digits",
    "move_digits",
    "mark_last",
    "keep_first",
    "find_starts",
)
_SUMS = ("sum_counts", "add_counts")


def entry_of(key_bits: int, length: int) -> str:
    """The C++ type of entries with keys of ``key_bits`` bits, in lines of this length."""
    return PACKED if key_bits <= 32 and length < 2**32 else WIDE


def new_entries(work: Work, entry: str, count: int) -> Memory:
    """Memory for ``count`` entries."""
    return work.temporary(count * _BYTES[entry])


def sum_counts(work: Work, counts: Memory, count: int) -> None:
    """Replaces ``count`` int64 by their exclusive prefix sums."""
    before = None
    parts = -(-count // COUNTS)
    grid = work.grid(parts * THREADS)
    if parts > 1:
        before = work.temporary(parts * 8)
        parameters = [work.pointer(counts), work.int64(count), work.pointer(before)]
        work.launch(TEXT, MOVED_DTYPE, "sum_counts", grid, parameters, _SUMS)
        sum_counts(work, before, parts)
    parameters = [work.pointer(counts), work.int64(count), work.pointer(before)]
    work.launch(TEXT, MOVED_DTYPE, "add_counts", grid, parameters, _SUMS)


def sort(work: Work, entries: Memory, entry: str, lines: int, length: int, key_bits: int) -> Memory:
    """Sorts each of ``lines`` lines of ``length`` entries; returns the same memory or a new one."""
    if length <= SHORT_LINE:
        width = 1 << (length - 1).bit_length()
        grid = work.grid(-(-lines * width // SHORT_LINE) * THREADS)
        parameters = [work.pointer(entries), work.int64(lines), work.int64(length), work.int32(width)]
        _launch(work, "sort_short", entry, grid, parameters)
        return entries
    tiles = -(-length // TILE)
    grid = work.grid(lines * tiles * THREADS)
    others = new_entries(work, entry, lines * length)
    counts = work.temporary(lines * tiles * DIGITS * 8)
    shape = [work.int64(lines), work.int64(length), work.int64(tiles)]
    for shift in range(0, key_bits, DIGIT_BITS):
        parameters = [work.pointer(entries), *shape, work.int32(shift), work.pointer(counts)]
        _launch(work, "count_digits", entry, grid, parameters)
        sum_counts(work, counts, lines * tiles * DIGITS)
        parameters = [
            work.pointer(entries), work.pointer(others), *shape, work.int32(shift), work.pointer(counts),
        ]  # fmt: skip
        _launch(work, "move_digits", entry, grid, parameters)
        entries, others = others, entries
    return entries


def first_entries(
    work: Work, entries: Memory, entry: str, lines: int, length: int, kept: int
) -> tuple[Memory, int]:
    """Reduces long lines to entries that include the first ``kept``; returns them, and how many per line."""
    while length > SHORT_LINE and kept <= MOST_KEPT:
        pieces = -(-length // SHORT_LINE)
        fewer = new_entries(work, entry, lines * pieces * kept)
        shape = [work.int64(lines), work.int64(length), work.int64(kept)]
        parameters = [work.pointer(entries), work.pointer(fewer), *shape]
        _launch(work, "keep_first", entry, work.grid(lines * pieces * THREADS), parameters)
        entries, length = fewer, pieces * kept
    return entries, length


def sorted_numbers(work: Work, numbers: Memory, count: int, key_bits: int) -> tuple[Memory, str]:
    """Sorted entries of ``count`` int64 of ``key_bits`` bits, and their C++ type."""
    entry = entry_of(key_bits, count)
    entries = new_entries(work, entry, count)
    parameters = [work.pointer(numbers), work.int64(count), work.pointer(entries)]
    _launch(work, "enter_numbers", entry, work.grid(count), parameters)
    return sort(work, entries, entry, 1, count, key_bits), entry


def last_of_each(work: Work, numbers: Memory, count: int, key_bits: int) -> Memory:
    """A byte for each of ``count`` int64: whether it is the last one with its value."""
    entries, entry = sorted_numbers(work, numbers, count, key_bits)
    marks = work.temporary(count)
    parameters = [work.pointer(entries), work.int64(count), work.pointer(marks)]
    _launch(work, "mark_last", entry, work.grid(count), parameters)
    return marks


def starts_of(work: Work, entries: Memory, entry: str, count: int, keys: int) -> Memory:
    """The start in sorted entries of each key, followed by the end of the last one, as int64."""
    starts = work.temporary((keys + 1) * 8)
    parameters = [work.pointer(entries), work.int64(count), work.int64(keys), work.pointer(starts)]
    _launch(work, "find_starts", entry, work.grid(keys + 1), parameters)
    return starts


def _launch(work: Work, kernel: str, entry: str, grid: Grid, parameters: list[Any]) -> None:
    work.launch(TEXT, MOVED_DTYPE, f"{kernel}<{entry}>", grid, parameters, _group(entry))


def _group(entry: str) -> tuple[str, ...]:
    """The kernels that are compiled together."""
    return tuple(f"{each}<{entry}>" for each in _KERNELS)


def programs() -> Iterator[Program]:
    """All programs of this text."""
    for group in (_SUMS, _group(PACKED), _group(WIDE)):
        yield Program(TEXT, MOVED_DTYPE, group)
