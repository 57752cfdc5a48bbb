"""softmax, log_softmax and their gradients, by csrc/cuda/softmax.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import OK

from .direct import Direct, Work, tables
from .launcher import THREADS, VECTOR_BYTES
from .programs import Program
from .tables import DTYPES
from .teams import MOST_THREADS, WARP, block_of, holding

TEXT = "softmax.cu"
STRUCTURES = "typedef struct { gn_view rows; int64_t step; } gn_lines;"
COLUMNS, SLICES = 32, 8  # per block, for rows with adjacent elements
# (threads, bytes of a row that each holds in registers), for shorter rows first.  Gradients hold two rows.
_TEAMS = ((8, 32), (WARP, 32), (WARP, 128), (THREADS, 64), (MOST_THREADS, 128))
_GRADIENT_TEAMS = (*_TEAMS[:-1], (MOST_THREADS, 64))


def teams(dtype: str, prefix: str) -> list[tuple[int, int]]:
    """The teams of a kernel: threads, and elements that each holds."""
    return holding(dtype, _TEAMS if prefix == "softmax" else _GRADIENT_TEAMS)


def kernels_for(dtype: str, prefix: str, is_log: bool) -> list[str]:
    """The kernels of an operator, in the order in which they are compiled."""
    rows = [f"{prefix}_rows<{int(is_log)}, {threads}, {held}>" for threads, held in teams(dtype, prefix)]
    shapes = ((COLUMNS, SLICES), (1, MOST_THREADS))
    return rows + [f"{prefix}_columns<{int(is_log)}, {columns}, {slices}>" for columns, slices in shapes]


def _lines(work: Work, tensor: Any, dim: int) -> Any:
    """The parameter ``gn_lines``: the tensor's rows along ``dim``."""
    spec = tensor._spec
    sizes, strides = list(spec.sizes), [stride * spec.dtype.itemsize for stride in spec.strides]
    step = spec.dtype.itemsize
    if sizes:
        sizes.pop(dim)
        step = strides.pop(dim)
    merged = _merged(sizes, strides)
    view = (int(tensor._address), spec.dtype.code, len(merged), *map(list, zip(*merged)))
    return work.structure("gn_lines", (view if merged else (*view, [], []), step))


def _merged(sizes: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    """Coalesced sizes and strides, with the same elements in the same order."""
    found: list[tuple[int, int]] = []
    for size, stride in zip(sizes, strides):
        if size == 1:
            continue
        if found and found[-1][1] == size * stride:
            found[-1] = found[-1][0] * size, stride
        else:
            found.append((size, stride))
    return found


def _is_dense(tensor: Any, dim: int) -> bool:
    """Are all rows contiguous, and aligned for vector access?"""
    spec = tensor._spec
    strides = spec.strides or (1,)
    others = [each for place, each in enumerate(strides) if place != dim and spec.sizes[place] != 1]
    places = [int(tensor._address), *(each * spec.dtype.itemsize for each in others)]
    return strides[dim] == 1 and all(place % VECTOR_BYTES == 0 for place in places)


def _along_dim(prefix: str, is_log: bool) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        spec = tensors[-1]._spec
        if not spec.numel:
            return OK
        dim = arguments["dim"] % max(spec.ndim, 1)
        length = spec.sizes[dim] if spec.ndim else 1
        rows = spec.numel // length
        parameters = [_lines(work, each, dim) for each in tensors] + [work.int64(length)]
        dtype = spec.dtype.name
        group = kernels_for(dtype, prefix, is_log)
        is_along = all(each._spec.ndim == 0 or each._spec.strides[dim] == 1 for each in tensors)
        held = teams(dtype, prefix)
        fitting = [place for place, (threads, many) in enumerate(held) if threads * many >= length]
        if fitting and (is_along or rows < COLUMNS):
            threads = held[fitting[0]][0]
            parameters.append(work.int64(all(_is_dense(each, dim) for each in tensors)))
            block = block_of(threads)
            grid = (min(-(-rows * threads // block), 2**31 - 1), 1, 1)
            work.launch(TEXT, dtype, group[fitting[0]], grid, parameters, group, block)
        else:
            side_by_side = not is_along and rows >= COLUMNS
            grid = (min(-(-rows // (COLUMNS if side_by_side else 1)), 2**31 - 1), 1, 1)
            block = COLUMNS * SLICES if side_by_side else MOST_THREADS
            work.launch(TEXT, dtype, group[-2 if side_by_side else -1], grid, parameters, group, block)
        return OK

    return run


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in DTYPES["FLOATING"]:
        for prefix in ("softmax", "softmax_gradient"):
            for is_log in (False, True):
                yield Program(TEXT, dtype, tuple(kernels_for(dtype, prefix, is_log)))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {
        "_softmax": _along_dim("softmax", False),
        "_log_softmax": _along_dim("softmax", True),
        "_softmax_backward_data": _along_dim("softmax_gradient", False),
        "_log_softmax_backward_data": _along_dim("softmax_gradient", True),
    }
    return tables(
        runtime,
        [
            Direct(name, DTYPES["FLOATING"], function, f"csrc/cuda/{TEXT}")
            for name, function in functions.items()
        ],
    )
