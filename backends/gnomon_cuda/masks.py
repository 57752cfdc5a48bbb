"""nonzero, masked_select and masked_scatter, by csrc/cuda/nonzero.cu and masks.cu."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, OK
from gnomon.values.dtype import ALL

from .allocator import Memory
from .direct import Direct, Grid, Work, tables
from .geometry import MOVED_DTYPE, Operand, element, merged
from .indexing import copy
from .launcher import THREADS
from .order import sum_counts
from .programs import Program, for_each
from .tables import DTYPES

NONZERO, MASKS = "nonzero.cu", "masks.cu"
TILE = 2048  # as in marks.cuh
_PARTS = {"complex64": "float32", "complex128": "float64"}  # a complex number is 0 if both parts are
_NONZERO = ("count_nonzero", "write_nonzero", "fill_rows")
_MASKS = [
    "count_chosen",
    "expect_count",
    *(f"move_chosen<{element(size)}, {puts}>" for size in (1, 2, 4, 8, 16) for puts in (0, 1)),
]


class _Ranks:
    """The number of selected elements before each tile, followed by their total number."""

    def __init__(self, work: Work, count: int, launch: Callable[[Grid, Any], None]):
        tiles = -(-count // TILE)
        self.grid = work.grid(max(tiles, 1) * THREADS)
        self.before: Memory = work.temporary((tiles + 1) * 8)
        launch(work.grid((tiles + 1) * THREADS), work.pointer(self.before))
        sum_counts(work, self.before, tiles + 1)
        self.total = self.before.address + tiles * 8


def _nonzero(work: Work, source: Any) -> tuple[Operand, Callable[..., None], _Ranks]:
    """Counts the nonzero elements; returns the tensor, a launcher of kernels for its dtype, and the ranks."""

    dtype = source._spec.dtype.name
    parts = work.int32(2 if dtype in _PARTS else 1)

    def launch(kernel: str, grid: Grid, arguments: list[Any]) -> None:
        work.launch(NONZERO, _PARTS.get(dtype, dtype), kernel, grid, arguments, _NONZERO)

    (self,) = merged(Operand.of(source))
    ranks = _Ranks(
        work, self.numel, lambda grid, counts: launch("count_nonzero", grid, [self.view(work), parts, counts])
    )
    return self, launch, ranks


def _count_nonzero(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = tensors
    _, _, ranks = _nonzero(work, source)
    found = Operand(ranks.total, out._spec.dtype.code, 8, [1], [8])
    copy(work, Operand.of(out), found)
    return OK


def _nonzero_static(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = tensors
    self, launch, ranks = _nonzero(work, source)
    if out._spec.numel == 0:
        return OK
    if self.numel:
        parts = work.int32(2 if source._spec.dtype.name in _PARTS else 1)
        views = [work.view(out), self.view(work), work.view(source)]
        arguments_of_rows = [*views, parts, work.pointer(ranks.before)]
        launch("write_nonzero", ranks.grid, arguments_of_rows)
    value = work.int64(arguments["fill_value"])
    launch("fill_rows", work.grid(out._spec.numel), [work.view(out), work.address(ranks.total), value])
    return OK


def _launch_mask(work: Work, kernel: str, grid: Grid, arguments: list[Any]) -> None:
    work.launch(MASKS, MOVED_DTYPE, kernel, grid, arguments, _MASKS)


def _expanded(operand: Operand, sizes: Sequence[int]) -> Operand:
    """An operand expanded to sizes that it broadcasts to."""
    new = len(sizes) - len(operand.sizes)
    strides = [0] * new + [
        0 if own == 1 else stride for own, stride in zip(operand.sizes, operand.strides, strict=True)
    ]
    return operand.seen(sizes, strides)


def _broadcast(a: Operand, b: Operand) -> list[int]:
    ndim = max(len(a.sizes), len(b.sizes))
    padded = [[1] * (ndim - len(each.sizes)) + each.sizes for each in (a, b)]
    return [other if own == 1 else own for own, other in zip(*padded, strict=True)]


def _move_chosen(
    work: Work, full: Operand, mask: Operand, row: Operand, least: int, most: int, before_writing: Any
) -> int:
    """Copies the elements of ``full`` that the mask selects to ``row``; if ``before_writing`` is given, calls
    it and then copies from ``row`` to them instead.  Returns BAD_VALUE unless ``least`` to ``most`` elements
    are selected.
    """
    ranks = _Ranks(
        work,
        mask.numel,
        lambda grid, counts: _launch_mask(work, "count_chosen", grid, [merged(mask)[0].view(work), counts]),
    )
    flag = work.flag()
    wanted = [work.address(ranks.total), work.int64(least), work.int64(most), work.pointer(flag)]
    _launch_mask(work, "expect_count", (1, 1, 1), wanted)
    if work.is_set(flag):
        return BAD_VALUE
    if before_writing is not None:
        before_writing()
    full, mask = merged(full, mask)
    (row,) = merged(row)
    kernel = f"move_chosen<{element(full.itemsize)}, {int(before_writing is not None)}>"
    views = [full.view(work), mask.view(work), row.view(work)]
    if mask.numel and row.numel:
        _launch_mask(work, kernel, ranks.grid, [*views, work.pointer(ranks.before)])
    return OK


def _masked_select(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source, mask = (Operand.of(each) for each in tensors)
    sizes = _broadcast(source, mask)
    size = arguments["size"]
    return _move_chosen(work, _expanded(source, sizes), _expanded(mask, sizes), out, size, size, None)


def _masked_scatter(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, self, mask, source = (Operand.of(each) for each in tensors)

    def begin() -> None:
        if out.address != self.address:
            copy(work, out, _expanded(self, out.sizes))

    if out.numel == 0:
        return OK
    return _move_chosen(work, out, _expanded(mask, out.sizes), source, 0, source.numel, begin)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield from for_each(NONZERO, DTYPES["ORDERED"], _NONZERO)
    yield Program(MASKS, MOVED_DTYPE, tuple(_MASKS))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    every = tuple(each.name for each in ALL)
    rows = [
        Direct("_count_nonzero", every, _count_nonzero, f"csrc/cuda/{NONZERO}"),
        Direct("nonzero_static", every, _nonzero_static, f"csrc/cuda/{NONZERO}"),
        Direct("_masked_select", every, _masked_select, f"csrc/cuda/{MASKS}"),
        Direct("masked_scatter", every, _masked_scatter, f"csrc/cuda/{MASKS}"),
    ]
    return tables(runtime, rows)
