"""Embedding bags: sums, means and maxima of a table's rows, and their gradients, by
csrc/cuda/embedding_bag.cu.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, NOT_IMPLEMENTED, OK

from .direct import Direct, Work, tables
from .geometry import Operand
from .indexing import clear, combine, picks_along
from .launcher import THREADS
from .order import PACKED, WIDE, sorted_numbers, starts_of
from .programs import Program, one_by_one
from .tables import DTYPES

TEXT = "embedding_bag.cu"
STRUCTURES = """
typedef struct { uintptr_t at; int64_t count; int64_t step; int64_t dtype; } gn_bag_vector;
typedef struct { uintptr_t at; int64_t row; int64_t column; } gn_bag_matrix;
typedef struct {
    int64_t bags; int64_t width; int64_t rows; int64_t padding; int32_t mode; int32_t lines; int32_t columns;
} gn_bags;
typedef struct {
    gn_bag_vector where; gn_bag_vector sizes; gn_bag_vector scales; int32_t by_frequency;
} gn_uses;
"""
SUM, MEAN, MAX = range(3)
FEW = 64  # as in embedding_bag.cu
WIDEST = 32  # the maximum of adjacent elements of a row that a team processes
_KERNELS = [
    *("check_bags", "name_bags", "fold_bags", "number_uses", "number_chosen", "scale_gradients"),
    *(f"{kernel}<{PACKED}>" for kernel in ("sum_few_uses", "sum_many_uses")),
]
_ON_WIDE = [f"{kernel}<{WIDE}>" for kernel in ("sum_few_uses", "sum_many_uses")]
_INDICES = ("int32", "int64")


def _vector(tensor: Any) -> tuple[int, int, int, int]:
    """The content of a ``gn_bag_vector``; for None one with a null address."""
    if tensor is None:
        return 0, 0, 0, 0
    spec = tensor._spec
    step = spec.dtype.itemsize * (spec.strides[-1] if spec.ndim else 0)
    return int(tensor._address), spec.numel, step, spec.dtype.code


def _matrix(work: Work, tensor: Any) -> Any:
    spec = tensor._spec
    row, column = (stride * spec.dtype.itemsize for stride in spec.strides)
    return work.structure("gn_bag_matrix", (int(tensor._address), row, column))


def _power_of_2(number: int) -> int:
    """The smallest power of 2 that is not less than ``number``."""
    return 1 << max(number - 1, 0).bit_length()


def _bags(work: Work, bags: int, width: int, rows: int, padding: int, mode: int, length: int) -> Any:
    """The structure ``gn_bags`` for teams that process bags of about this length."""
    columns = min(_power_of_2(width), WIDEST)
    lines = min(_power_of_2(length), THREADS // columns)
    return work.structure("gn_bags", (bags, width, rows, padding, mode, lines, columns))


def _launch(work: Work, dtype: str, kernel: str, steps: int, parameters: Sequence[Any]) -> None:
    group = _KERNELS if kernel in _KERNELS else ()
    work.launch(TEXT, dtype, kernel, work.grid(steps), parameters, group)


def _embedding_bag(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """The outputs are new; nothing is written to them before the host has checked the flag."""
    out, where, sizes, chosen, table, indices, offsets, scales = tensors
    count, width = out._spec.sizes
    used = indices._spec.numel
    dtype, mode = table._spec.dtype.name, arguments["mode"]
    length = 1 if mode == MAX else used // max(count, 1)
    bags = _bags(work, count, width, table._spec.sizes[0], arguments["padding_idx"], mode, length)
    given, starts = (work.structure("gn_bag_vector", _vector(each)) for each in (indices, offsets))
    flag = work.flag()
    unordered = flag  # offsets out of order are left to the reference
    parameters = [bags, given, starts, work.pointer(flag), work.pointer(unordered)]
    if used or offsets._spec.numel:
        _launch(work, dtype, "check_bags", max(used, offsets._spec.numel), parameters)
        if work.is_set(flag):
            return BAD_VALUE
    if where._spec.numel:
        parameters = [bags, starts, work.structure("gn_bag_vector", _vector(where))]
        _launch(work, dtype, "name_bags", where._spec.numel, parameters)
    if count:
        chunks = max(1, -(-width // bags.columns))
        parameters = [
            bags,
            given,
            starts,
            _matrix(work, table),
            work.structure("gn_bag_vector", _vector(scales)),
            work.pointer(unordered),
            _matrix(work, out),
            work.structure("gn_bag_vector", _vector(sizes)),
            work.structure("gn_bag_vector", _vector(chosen)),
        ]
        _launch(work, dtype, "fold_bags", count * chunks * bags.lines * bags.columns, parameters)
    return OK


def _table_gradient(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, gradient, indices, where, sizes, chosen, scales = tensors
    mode = arguments["mode"]
    if mode == MAX:
        if sizes._spec.dtype.name not in _INDICES:  # the meta function does not check it
            return NOT_IMPLEMENTED
        return _gradient_of_maxima(work, out, gradient, sizes, chosen)
    rows, width = out._spec.sizes
    count = indices._spec.numel
    dtype = out._spec.dtype.name
    bags = _bags(work, gradient._spec.sizes[0], width, rows, arguments["padding_idx"], mode, THREADS)
    by_frequency = int(arguments["scale_grad_by_freq"])
    content = _vector(where), _vector(sizes if mode == MEAN else None), _vector(scales), by_frequency
    uses = work.structure("gn_uses", content)
    numbers = work.temporary(count * 8)
    if count:
        flag = work.flag()
        given = work.structure("gn_bag_vector", _vector(indices))
        parameters = [bags, given, uses, work.pointer(numbers), work.pointer(flag)]
        _launch(work, dtype, "number_uses", count, parameters)
        if work.is_set(flag):
            return BAD_VALUE
    if out._spec.numel == 0:
        return OK
    if count == 0:
        clear(work, out)
        return OK
    entries, entry = sorted_numbers(work, numbers, count, rows.bit_length())
    starts = starts_of(work, entries, entry, count, rows)
    sorted_uses, first = work.pointer(entries), work.pointer(starts)
    matrices = [_matrix(work, gradient), _matrix(work, out)]
    parameters = [bags, uses, sorted_uses, first, *matrices]
    _launch(work, dtype, f"sum_few_uses<{entry}>", out._spec.numel, parameters)
    if count > FEW:
        blocks = -(-count // FEW) * -(-width // bags.columns)
        parameters = [bags, uses, sorted_uses, work.int64(count), first, *matrices]
        _launch(work, dtype, f"sum_many_uses<{entry}>", blocks * THREADS, parameters)
    return OK


def _gradient_of_maxima(work: Work, out: Any, gradient: Any, sizes: Any, chosen: Any) -> int:
    """Adds each gradient to the element that was the maximum."""
    rows, width = out._spec.sizes
    count = gradient._spec.numel
    dtype = out._spec.dtype.name
    numbers = work.temporary(count * 8)
    if count:
        flag = work.flag()
        bags = _bags(work, gradient._spec.sizes[0], width, rows, -1, MAX, 1)
        looked_at = [work.structure("gn_bag_vector", _vector(sizes)), work.view(chosen)]
        parameters = [bags, *looked_at, work.pointer(numbers), work.pointer(flag)]
        _launch(work, dtype, "number_chosen", count, parameters)
        if work.is_set(flag):
            return BAD_VALUE
    if out._spec.numel:
        clear(work, out)
        picks = picks_along(Operand.of(out), Operand.of(gradient), 0, Operand.of(chosen))
        combine(work, dtype, picks, numbers, with_self=False)
    return OK


def _scales_gradient(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, gradient, table, indices, offsets, where = tensors
    count = indices._spec.numel
    if count == 0:
        return OK
    (rows, width), padding = table._spec.sizes, arguments["padding_idx"]
    flag = work.flag()
    parameters = [
        _bags(work, gradient._spec.sizes[0], width, rows, padding, SUM, 1),
        *(work.structure("gn_bag_vector", _vector(each)) for each in (indices, offsets, where)),
        _matrix(work, gradient),
        _matrix(work, table),
        work.structure("gn_bag_vector", _vector(out)),
        work.pointer(flag),
    ]
    _launch(work, out._spec.dtype.name, "scale_gradients", count * 32, parameters)
    return BAD_VALUE if work.is_set(flag) else OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in DTYPES["FLOATING"]:
        yield Program(TEXT, dtype, tuple(_KERNELS))
        yield from one_by_one(TEXT, dtype, _ON_WIDE)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {
        "_embedding_bag": _embedding_bag,
        "_embedding_bag_dense_backward": _table_gradient,
        "_embedding_bag_per_sample_weights_backward": _scales_gradient,
    }
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime, [Direct(name, DTYPES["FLOATING"], function, source) for name, function in functions.items()]
    )
