"""sort, topk, medians, mode and searchsorted, by csrc/cuda/sort.cu and order.cu."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gnomon.calls.iterator import result_type
from gnomon.memory.prepared import BAD_VALUE, OK

from . import order
from .allocator import Memory
from .direct import Direct, Work, tables
from .geometry import Operand, merged
from .launcher import THREADS
from .lines import Lines
from .order import PACKED, WIDE, entry_of, first_entries, new_entries, sort
from .programs import Program
from .tables import DTYPES

TEXT = "sort.cu"
STRUCTURES = """
typedef struct { int64_t lines; int64_t length; int64_t step; int32_t is_descending; } gn_sorting;
typedef struct { int64_t length; int64_t width; int32_t is_right; int32_t is_short; } gn_bisection;
"""
OF_RANK, MIDDLE, MIDDLE_NUMBER = range(3)
_KERNELS = ("enter_elements", "leave_sorted", "leave_ranked", "leave_modes")
_SINGLE = ("leave_nan", "check_sorter", "bisect")


def _group(entry: str) -> tuple[str, ...]:
    """The kernels compiled together for this entry type; the first type includes those without entries."""
    return tuple(f"{each}<{entry}>" for each in _KERNELS) + (_SINGLE if entry == PACKED else ())


class SortedLines:
    """The lines of a tensor as sorted entries."""

    def __init__(self, work: Work, tensor: Any, dim: int | None, descending: bool = False):
        self.lines = Lines(work, tensor, dim)
        self.dtype = tensor._spec.dtype.name
        self._work = work
        self._descending = descending
        bits = 8 * tensor._spec.dtype.itemsize
        self.entry = entry_of(bits, self.lines.length)
        self._bits = bits
        self.entries: Memory | None = None
        self._row = self.lines.length  # entries per line

    @property
    def is_empty(self) -> bool:
        """Are there no elements?"""
        return self.lines.count == 0 or self.lines.length == 0

    def sort(self, kept: int | None = None) -> None:
        """Creates and sorts the entries; possibly only the first ``kept`` of each line."""
        lines = self.lines
        entries = new_entries(self._work, self.entry, lines.count * lines.length)
        (first,) = merged(lines.first)
        arguments = [first.view(self._work), self.shape(), self._work.pointer(entries)]
        self.launch("enter_elements", lines.count * lines.length, arguments)
        if kept is not None:
            entries, self._row = first_entries(
                self._work, entries, self.entry, lines.count, lines.length, kept
            )
        self.entries = sort(self._work, entries, self.entry, lines.count, self._row, self._bits)

    def shape(self) -> Any:
        """The parameter gn_sorting."""
        lines = self.lines
        content = (lines.count, self._row, lines.step, self._descending)
        return self._work.structure("gn_sorting", content)

    def launch(self, kernel: str, steps: int, arguments: list[Any]) -> None:
        """Launches a kernel for the lines' dtype and the entries' type."""
        kernel, group = f"{kernel}<{self.entry}>", _group(self.entry)
        self._work.launch(TEXT, self.dtype, kernel, self._work.grid(steps), arguments, group)

    def leave(self, kernel: str, steps: int, outputs: Sequence[Operand], *more: Any) -> None:
        """Launches a kernel that writes values and indices of the lines."""
        views = [operand.view(self._work) for operand in merged(*outputs, self.lines.first)]
        self.launch(kernel, steps, [*views, self.shape(), self._work.pointer(self.entries), *more])


def _leave_first(work: Work, found: SortedLines, values: Any, indices: Any, kept: int) -> int:
    """Writes the first ``kept`` elements of each sorted line, and their indices."""
    lines = found.lines
    if found.is_empty or kept == 0:
        return OK
    found.sort(kept)
    operands = [Operand.of(each) for each in (values, indices)]
    steps = [work.int64(operand.strides[lines.dim]) for operand in operands]
    outputs = [operand.chosen(lines.rest) for operand in operands]
    found.leave("leave_sorted", lines.count * kept, outputs, work.int64(kept), *steps)
    return OK


def _sort(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    values, indices, source = tensors
    found = SortedLines(work, source, arguments["dim"], bool(arguments["descending"]))
    return _leave_first(work, found, values, indices, found.lines.length)


def _topk(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    values, indices, source = tensors
    found = SortedLines(work, source, arguments["dim"], bool(arguments["largest"]))
    kept = arguments["k"] if source._spec.ndim else 1  # a 0-dim output has one element, whatever k is
    return _leave_first(work, found, values, indices, kept)


def _ranked(wanted: int) -> Callable[..., int]:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        values, indices, source = tensors
        found = SortedLines(work, source, arguments["dim"])
        lines = found.lines
        if found.is_empty:
            return OK if lines.count == 0 else BAD_VALUE
        found.sort(arguments.get("k"))
        keepdim = bool(arguments["keepdim"])
        outputs = [lines.of_output(each, keepdim) for each in (values, indices)]
        rank = arguments.get("k", 1) - 1
        found.leave("leave_ranked", lines.count, outputs, work.int32(wanted), work.int64(rank))
        return OK

    return run


def _middle(wanted: int) -> Callable[..., int]:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, source = tensors
        found = SortedLines(work, source, None)
        lines = found.lines
        if found.is_empty:
            work.launch(TEXT, found.dtype, "leave_nan", (1, 1, 1), [work.view(out)], _group(PACKED))
            return OK
        found.sort()
        outputs = [lines.of_output(each, False) for each in (out, None)]
        found.leave("leave_ranked", 1, outputs, work.int32(wanted), work.int64(0))
        return OK

    return run


def _mode(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    values, indices, source = tensors
    found = SortedLines(work, source, arguments["dim"])
    lines = found.lines
    if found.is_empty:
        return OK
    found.sort()
    outputs = [lines.of_output(each, bool(arguments["keepdim"])) for each in (values, indices)]
    found.leave("leave_modes", lines.count * THREADS, outputs)
    return OK


def _searchsorted(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, sequence, numbers, sorter = tensors
    spec = sequence._spec
    count = numbers._spec.numel
    if count == 0:
        return OK
    dtype = result_type(spec, numbers._spec).name
    length = spec.sizes[-1]
    width = (numbers._spec.sizes or (1,))[-1] if spec.ndim > 1 else count
    group = _group(PACKED)
    (places,) = merged(Operand.of(sorter)) if sorter is not None else (Operand(0, 0, 8, [], []),)
    if sorter is not None and sorter._spec.numel:
        flag = work.flag()
        arguments_of_check = [places.view(work), work.int64(length), work.pointer(flag)]
        grid = work.grid(sorter._spec.numel)
        work.launch(TEXT, dtype, "check_sorter", grid, arguments_of_check, group)
        if work.is_set(flag):
            return BAD_VALUE
    is_right = bool(arguments["right"]) or arguments["side"] == "right"
    shape = work.structure("gn_bisection", (length, width, is_right, out._spec.dtype.itemsize == 4))
    views = [merged(Operand.of(each))[0].view(work) for each in (out, sequence, numbers)]
    work.launch(TEXT, dtype, "bisect", work.grid(count), [*views, places.view(work), shape], group)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in DTYPES["ORDERED"]:
        for entry in (PACKED, WIDE):
            yield Program(TEXT, dtype, _group(entry))
    yield from order.programs()


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {
        "sort.stable": (_sort, "ORDERED"),
        "topk": (_topk, "REAL"),
        "kthvalue": (_ranked(OF_RANK), "REAL"),
        "median.dim": (_ranked(MIDDLE), "REAL"),
        "nanmedian.dim": (_ranked(MIDDLE_NUMBER), "REAL"),
        "median": (_middle(MIDDLE), "ORDERED"),
        "nanmedian": (_middle(MIDDLE_NUMBER), "ORDERED"),
        "mode": (_mode, "ORDERED"),
        "searchsorted.Tensor": (_searchsorted, "REAL"),
    }
    return tables(
        runtime,
        [
            Direct(name, DTYPES[dtypes], function, f"csrc/cuda/{TEXT}")
            for name, (function, dtypes) in functions.items()
        ],
    )
