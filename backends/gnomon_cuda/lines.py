"""Extremes (argmax and relatives) and scans along one dimension, by csrc/cuda/search.cu and scan.cu."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, OK

from .allocator import Memory
from .direct import Direct, Grid, Work, tables
from .geometry import Operand, merged, product
from .indexing import copy
from .launcher import THREADS
from .programs import Program, for_each
from .tables import DTYPES

SEARCH, SCAN = "search.cu", "scan.cu"
STRUCTURES = """
typedef struct { int64_t lines; int64_t length; int64_t parts; } gn_line_parts;
typedef struct { int64_t value; int64_t index; int64_t in; } gn_steps;
"""
FEW_ELEMENTS = 64  # up to here a thread processes a line, if there are enough lines
MANY_LINES = 1024
LEAST_FOR_THREAD = 64  # the least elements per thread if a line is split between threads
LEAST_FOR_BLOCK = 4096
BUSY = 2048  # the threads that keep a multiprocessor busy
_CANDIDATE_BYTES = 16
_SEARCHES = (
    *(f"search_{each}<{least}>" for each in ("threads", "blocks") for least in (0, 1)),
    "search_parts",
)
_SCANS = {
    **dict.fromkeys(("cumsum", "cumprod"), DTYPES["ALL"]),
    "logcumsumexp": DTYPES["FRACTIONAL"],
    **dict.fromkeys(("cummax", "cummin"), DTYPES["ORDERED"]),
}
_TOTAL_BYTES = 32


class Lines:
    """The lines of a tensor along a dimension; without a dimension the whole tensor is one line.

    first    the first element of each line
    step     the stride in bytes within a line
    length   the number of elements of a line
    """

    def __init__(self, work: Work, tensor: Any, dim: int | None):
        operand = Operand.of(tensor)
        if dim is None:
            operand = self._flat(work, operand)
            dim = 0
        dim %= len(operand.sizes)
        self.dim = dim
        self.length = operand.sizes[dim]
        self.step = operand.strides[dim]
        self.itemsize = operand.itemsize
        self.rest = [place for place in range(len(operand.sizes)) if place != dim]
        self.first = operand.chosen(self.rest)
        self.count = product(self.first.sizes)

    def _flat(self, work: Work, operand: Operand) -> Operand:
        (row,) = merged(operand)
        if len(row.sizes) == 1:
            return row
        count = operand.numel
        if len(row.sizes) == 0:
            return row.seen([count], [operand.itemsize])
        self._copied = work.temporary(count * operand.itemsize)
        strides = [product(operand.sizes[dim + 1 :]) * operand.itemsize for dim in range(len(operand.sizes))]
        compact = Operand(self._copied.address, operand.code, operand.itemsize, operand.sizes, strides)
        if count:
            copy(work, compact, operand)
        return compact.seen([count], [operand.itemsize])

    def of_output(self, tensor: Any, keepdim: bool) -> Operand:
        """An output with one element for each line; for an absent output, a view with a null address."""
        if tensor is None:
            return Operand(0, 0, 1, self.first.sizes, [0] * len(self.first.sizes))
        operand = Operand.of(tensor)
        if keepdim and tensor._spec.ndim and len(operand.sizes) > len(self.first.sizes):
            operand = operand.chosen(self.rest) if self.rest else operand.chosen([])
        elif not self.first.sizes:
            operand = operand.chosen([])
        return operand

    def cut(self, work: Work) -> tuple[bool, int]:
        """Whether a thread, not a block, processes each part of a line, and the number of parts."""
        multiprocessors = work.runtime.multiprocessors(work.device)
        few = self.length <= FEW_ELEMENTS and self.count >= MANY_LINES
        beside = abs(self.step) != self.itemsize and self.count > 1
        if few or (beside and self.count >= THREADS // 8):
            wanted = -(-multiprocessors * BUSY // self.count)
            return True, max(1, min(wanted, self.length // LEAST_FOR_THREAD))
        wanted = -(-multiprocessors * 4 // self.count)
        return False, max(1, min(wanted, self.length // LEAST_FOR_BLOCK))


def _grid(work: Work, threads: bool, tasks: int) -> Grid:
    return work.grid(tasks if threads else tasks * THREADS)


# -- extremes ----------------------------------------------------------------------------------------------


def search(work: Work, lines: Lines, dtype: str, values: Operand, indices: Operand, is_least: bool) -> None:
    """Writes the extreme of each line and its position, to those outputs that have memory."""
    values, indices, first = merged(values, indices, lines.first)
    threads, parts = lines.cut(work)
    views = [values.view(work), indices.view(work), first.view(work), work.int64(lines.step)]
    shape = work.structure("gn_line_parts", (lines.count, lines.length, parts))
    found: Memory | None = None
    if parts > 1:
        found = work.temporary(lines.count * parts * _CANDIDATE_BYTES)
    arguments = [*views, shape, work.pointer(found)]
    kernel = f"search_{'threads' if threads else 'blocks'}<{int(is_least)}>"
    work.launch(SEARCH, dtype, kernel, _grid(work, threads, lines.count * parts), arguments, _SEARCHES)
    if parts > 1:
        work.launch(SEARCH, dtype, "search_parts", work.grid(lines.count), arguments, _SEARCHES)


def _search(
    work: Work, source: Any, values: Any, indices: Any, arguments: dict[str, Any], is_least: bool
) -> int:
    lines = Lines(work, source, arguments["dim"])
    if lines.count == 0:
        return OK
    if lines.length == 0:
        return BAD_VALUE
    keepdim = bool(arguments["keepdim"])
    values, indices = (lines.of_output(each, keepdim) for each in (values, indices))
    search(work, lines, source._spec.dtype.name, values, indices, is_least)
    return OK


def _places(is_least: bool) -> Callable[..., int]:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, source = tensors
        return _search(work, source, None, out, arguments, is_least)

    return run


def _extremes(is_least: bool) -> Callable[..., int]:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        values, indices, source = tensors
        return _search(work, source, values, indices, arguments, is_least)

    return run


def _aminmax(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    least, most, source = tensors
    status = _search(work, source, least, None, arguments, True)
    return _search(work, source, most, None, arguments, False) if status == OK else status


# -- scans -------------------------------------------------------------------------------------------------


def _scan_kernels(scan: str) -> list[str]:
    """The kernels that are compiled together."""
    found = [f"scan_threads<{scan}, 0>", f"scan_threads<{scan}, 1>"]
    return found + [f"scan_{each}<{scan}>" for each in ("totals", "parts", "blocks")]


def _scan(name: str) -> Callable[..., int]:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        *outputs, source = tensors
        lines = Lines(work, source, arguments["dim"])
        if lines.count == 0 or lines.length == 0:
            return OK
        values = Operand.of(outputs[0])
        indices = Operand.of(outputs[1]) if len(outputs) > 1 else None
        value_step = values.strides[lines.dim]
        index_step = indices.strides[lines.dim] if indices else 0
        index_lines = indices.chosen(lines.rest) if indices else lines.of_output(None, False)
        operands = merged(values.chosen(lines.rest), index_lines, lines.first)
        views = [operand.view(work) for operand in operands]
        steps = work.structure("gn_steps", (value_step, index_step, lines.step))
        threads, parts = lines.cut(work)
        shape = work.structure("gn_line_parts", (lines.count, lines.length, parts))
        totals = work.temporary(lines.count * parts * _TOTAL_BYTES) if parts > 1 else None
        at = work.pointer(totals)
        grid = _grid(work, threads, lines.count * parts)
        scan = f"{name}_scan"
        group = _scan_kernels(scan)

        def put(kernel: str, grid: Grid, arguments: list[Any]) -> None:
            work.launch(SCAN, source._spec.dtype.name, kernel, grid, arguments, group)

        if parts > 1:
            if threads:
                put(f"scan_threads<{scan}, 1>", grid, [*views, steps, shape, at])
            else:
                put(f"scan_totals<{scan}>", grid, [views[2], steps, shape, at])
            put(f"scan_parts<{scan}>", work.grid(lines.count), [shape, at])
        kernel = f"scan_threads<{scan}, 0>" if threads else f"scan_blocks<{scan}>"
        put(kernel, grid, [*views, steps, shape, at])
        return OK

    return run


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield from for_each(SEARCH, DTYPES["ORDERED"], _SEARCHES)
    for name, dtypes in _SCANS.items():
        yield from for_each(SCAN, dtypes, _scan_kernels(f"{name}_scan"))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    searches = {
        "argmax": _places(False),
        "argmin": _places(True),
        "max.dim": _extremes(False),
        "min.dim": _extremes(True),
        "aminmax": _aminmax,
    }
    dtypes = DTYPES["ORDERED"]
    found = [Direct(name, dtypes, function, f"csrc/cuda/{SEARCH}") for name, function in searches.items()]
    found += [Direct(name, scanned, _scan(name), f"csrc/cuda/{SCAN}") for name, scanned in _SCANS.items()]
    return tables(runtime, found)
