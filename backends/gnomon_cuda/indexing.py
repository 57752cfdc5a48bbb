"""Indexing: reads, writes, fills and combines elements by index, with csrc/cuda/index.cu and combine.cu.

Operators are described by picks: each pick is a slice of a tensor, the target, that indices select, with the
corresponding elements of another tensor.  A pick has a number, its position in the indexed dimensions;
``_find_numbers`` computes it on the device and reports an index out of range, before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gnomon.memory.prepared import BAD_VALUE, OK
from gnomon.values.dtype import ALL, LIMITED, complex32
from gnomon.values.scalar import scalar_forms

from .allocator import Memory
from .direct import Direct, Work, tables
from .geometry import (
    ELEMENT_BYTES,
    MOVED_DTYPE,
    NUMBERS,
    Operand,
    element,
    in_vectors,
    merged,
    number,
    product,
)
from .launcher import THREADS
from .order import PACKED, WIDE, last_of_each, sorted_numbers
from .programs import Program, one_by_one
from .tables import DTYPES

TEXT, COMBINING = "index.cu", "combine.cu"
STRUCTURES = """
typedef struct {
    int64_t size; int64_t factor; int64_t dropped; int64_t limit; int32_t wraps; int32_t adds;
} gn_numbering;
typedef struct {
    int64_t picks; int64_t rows; int64_t inner; int64_t limit; int32_t with_self; int32_t mean;
} gn_combination;
"""
FEW = 64  # as in combine.cu
SPARSE = 32  # from so many positions per pick on, picks are sorted instead of using a table of positions
LEAST_SPARSE = 2**16
WIDEST = 32  # adjacent elements that a block of combine_many processes
UNDIVIDED, MEAN_OF_PICKS, MEAN_OF_ROWS = range(3)
_NO_INDEX = -(2**63)  # equals no index, so that none is dropped
_WINNERS, _MANY_WINNERS, _MARKS = "uint32_t", "unsigned long long", "uint8_t"  # types of marks


def _number_kernel(count: str) -> str:
    return f"number_picks<{count}>"


def _name_kernel(winner: str) -> str:
    return f"name_winners<{winner}>"


def _move_kernel(itemsize: int, count: str, puts: bool, winner: str) -> str:
    return f"move_picked<{element(itemsize)}, {count}, {int(puts)}, {winner}>"


def _gather_kernel(itemsize: int, count: str) -> str:
    return f"gather<{element(itemsize)}, {count}>"


def _copy_kernel(itemsize: int, count: str) -> str:
    return f"copy_places<{element(itemsize)}, {count}>"


def _moves(count: str) -> list[str]:
    """The kernels that move elements with indices of type ``count``, except those of rare mark types."""
    found = [_number_kernel(count)]
    for itemsize in ELEMENT_BYTES:
        found += [_move_kernel(itemsize, count, puts, _WINNERS) for puts in (False, True)]
        found += [_gather_kernel(itemsize, count), _copy_kernel(itemsize, count)]
    return found


_MOVES = [_name_kernel(_WINNERS), *_moves(NUMBERS[0])]  # compiled together
_HOWS = {"sum": "gn_total", "prod": "gn_product", "amax": "gn_most", "amin": "gn_least", "mean": "gn_total"}
_COMBINATIONS = ("few", "many")


def _combine_kernel(each: str, entry: str, how: str) -> str:
    return f"combine_{each}<{entry}, {how}>"


def _combine_kernels(dtype: str, entry: str) -> list[str]:
    hows = dict.fromkeys(_HOWS.values()) if dtype in DTYPES["ORDERED"] else ("gn_total", "gn_product")
    return [_combine_kernel(each, entry, how) for each in _COMBINATIONS for how in hows]


def _combined(dtype: str) -> tuple[str, ...]:
    """The kernels that are compiled together."""
    return (*_combine_kernels(dtype, PACKED), "put_number", "convert_number")


class Index(NamedTuple):
    """One index tensor: indices in [0, size), each of which contributes index * ``factor`` to a number."""

    operand: Operand
    size: int
    factor: int
    beside: Operand  # strides of the contribution of an index's own position


class Picks(NamedTuple):
    """The picks of an operator.

    whole    the target with the dimensions of ``other``, with stride 0 along the picks
    other    the elements of all picks: ``before`` dimensions, ``ndim`` ones of the picks, and the rest
    picked   the indexed dimensions of the target
    indices  the index tensors
    """

    whole: Operand
    other: Operand
    picked: Operand
    indices: list[Index]
    before: int
    ndim: int
    wraps: bool

    @property
    def total(self) -> int:
        """The number of picks."""
        return product(self.other.sizes[self.before : self.before + self.ndim])

    @property
    def inner(self) -> int:
        """The number of elements in the dimensions after those of the picks."""
        return product(self.other.sizes[self.before + self.ndim :])

    @property
    def numbers(self) -> int:
        """The number of positions in the indexed dimensions."""
        return product(self.picked.sizes)


def _index(operand: Operand, size: int, factor: int = 1, beside: Sequence[int] = ()) -> Index:
    strides = list(beside) or [0] * len(operand.sizes)
    return Index(operand, size, factor, Operand(0, 0, 1, operand.sizes, strides))


def _picks(
    target: Operand, other: Operand, dims: Sequence[int], indices: Sequence[Any], before: int, wraps: bool
) -> Picks:
    """Picks along ``dims`` of the target, with one index tensor for each; in ``other`` the index tensors'
    dimensions follow ``before`` dimensions of the target.
    """
    spec = indices[0]._spec
    ndim = spec.ndim or 1
    sizes, strides = list(other.sizes), list(other.strides)
    rest = [dim for dim in range(len(target.sizes)) if dim not in dims]
    if len(sizes) < len(rest) + ndim:  # a 0-dim index is one pick
        sizes.insert(before, 1)
        strides.insert(before, 0)
    along = [target.strides[dim] for dim in rest]
    picked = target.chosen(dims)
    return Picks(
        target.seen(sizes, [*along[:before], *[0] * ndim, *along[before:]]),
        other.seen(sizes, strides),
        picked,
        [
            _index(Operand.of(index), picked.sizes[k], product(picked.sizes[k + 1 :]))
            for k, index in enumerate(indices)
        ],
        before,
        ndim,
        wraps,
    )


def _flat_picks(target: Operand, other: Operand, index: Operand) -> Picks:
    """Picks of the target's elements by their row-major index."""
    whole = target.seen(other.sizes, [0] * len(other.sizes))
    indices = [_index(index, target.numel)]
    return Picks(whole, other, target, indices, 0, len(other.sizes), True)


def picks_along(target: Operand, other: Operand, dim: int, index: Operand) -> Picks:
    """Picks of elements whose position is that of the index, except along ``dim``, where it is the index."""
    other = other.narrowed(index.sizes)
    whole = target.seen(index.sizes, [0] * len(index.sizes))
    steps = [product(target.sizes[place + 1 :]) for place in range(len(target.sizes))]
    factor, steps[dim] = steps[dim], 0
    indices = [_index(index, target.sizes[dim], factor, steps)]
    return Picks(whole, other, target, indices, 0, len(index.sizes), False)


def _find_numbers(work: Work, picks: Picks, flag: Memory, dropped: int = _NO_INDEX) -> Memory:
    """The picks' numbers; sets the flag if an index is out of range.  An index equal to ``dropped`` gets a
    number past the end.
    """
    numbers = work.temporary(picks.total * 8)
    for place, each in enumerate(picks.indices):
        _number(work, each, picks.wraps, flag, numbers, dropped, picks.numbers, place > 0)
    return numbers


def _number(
    work: Work,
    index: Index,
    wraps: bool,
    flag: Memory,
    numbers: Memory | None,
    dropped: int = _NO_INDEX,
    limit: int = 0,
    adds: bool = False,
) -> None:
    operand, beside = merged(index.operand, index.beside)
    rule = work.structure("gn_numbering", (index.size, index.factor, dropped, limit, wraps, adds))
    count = operand.numel
    kernel = _number_kernel(number(count))
    parameters = [operand.view(work), beside.view(work), rule, work.pointer(numbers), work.pointer(flag)]
    _launch_move(work, kernel, count, parameters)


def _launch_move(work: Work, kernel: str, count: int, parameters: list[Any]) -> None:
    if count:
        group = _MOVES if kernel in _MOVES else ()
        work.launch(TEXT, MOVED_DTYPE, kernel, work.grid(count), parameters, group)


def copy(work: Work, out: Operand, source: Operand) -> None:
    """Copies elements between operands with the same sizes and itemsize."""
    (out, source), _ = in_vectors(merged(out, source))
    count = out.numel
    kernel = _copy_kernel(out.itemsize, number(count))
    _launch_move(work, kernel, count, [out.view(work), source.view(work)])


def clear(work: Work, tensor: Any) -> None:
    """Fills a tensor with 0."""
    target = Operand.of(tensor)
    zero = work.zeros(target.itemsize)
    one = Operand(zero.address, target.code, target.itemsize, target.sizes, [0] * len(target.sizes))
    copy(work, target, one)


def _begin(work: Work, tensors: Sequence[Any]) -> None:
    """Copies the first input to the output, unless they are the same memory."""
    if int(tensors[0]._address) != int(tensors[1]._address):
        copy(work, Operand.of(tensors[0]), Operand.of(tensors[1]))


def _find_winners(work: Work, picks: Picks, numbers: Memory) -> tuple[str, Memory]:
    """Finds which of equal picks is written; returns the type of the marks, and the marks.  Uses a table with
    an entry for each number, or, if there are far more numbers than picks, sorts the picks.
    """
    if picks.numbers > max(SPARSE * picks.total, LEAST_SPARSE):
        return _MARKS, last_of_each(work, numbers, picks.total, picks.numbers.bit_length())
    winner, nbytes = (_WINNERS, 4) if picks.total < 2**32 - 1 else (_MANY_WINNERS, 8)
    winners = work.zeros(picks.numbers * nbytes)
    parameters = [work.pointer(numbers), work.int64(picks.total), work.pointer(winners)]
    _launch_move(work, _name_kernel(winner), picks.total, parameters)
    return winner, winners


def _move(work: Work, picks: Picks, numbers: Memory, puts: bool) -> None:
    """Reads the picks' elements from the target, or writes them to it; of equal picks the last one wins."""
    (other, whole), lanes = in_vectors(merged(picks.other, picks.whole), picks.picked.strides)
    (picked,) = merged(picks.picked)
    winner, winners = _WINNERS, None
    if puts and any(picks.other.strides[picks.before : picks.before + picks.ndim]):
        winner, winners = _find_winners(work, picks, numbers)
    count = other.numel
    kernel = _move_kernel(other.itemsize, number(count), puts, winner)
    parameters = [
        other.view(work),
        whole.view(work),
        picked.view(work),
        work.pointer(numbers),
        work.pointer(winners),
        work.int64(picks.total),
        work.int64(picks.inner // lanes),
    ]
    _launch_move(work, kernel, count, parameters)


def combine(
    work: Work,
    dtype: str,
    picks: Picks,
    numbers: Memory,
    how: str = "sum",
    with_self: bool = True,
    mean: int = UNDIVIDED,
    scale: Any = 1,
) -> None:
    """Combines the elements of all picks of each position into the target, which is already initialized."""
    if picks.total == 0 or picks.other.numel == 0:
        return
    entries, entry = sorted_numbers(work, numbers, picks.total, picks.numbers.bit_length())
    after = picks.before + picks.ndim
    dims = [*range(picks.before), *range(after, len(picks.other.sizes))]
    rows = product(picks.other.sizes[dim] for dim in dims)
    out, other = merged(picks.whole.chosen(dims), picks.other.chosen(dims))
    (picked,) = merged(picks.picked)
    (offered,) = merged(picks.other.chosen(range(picks.before, after)))
    content = (picks.total, rows, picks.inner, picks.numbers, with_self, mean)
    parameters = [
        *(operand.view(work) for operand in (out, other, picked, offered)),
        work.pointer(entries),
        work.structure("gn_combination", content),
        _numbers_of(work, scale),
    ]
    few, many = (_combine_kernel(each, entry, _HOWS[how]) for each in _COMBINATIONS)
    _launch_combining(work, dtype, few, work.grid(picks.total * rows), parameters)
    if picks.total > FEW:
        width = min(WIDEST, 1 << (picks.inner - 1).bit_length())
        blocks = -(-picks.total // FEW) * (rows // picks.inner) * -(-picks.inner // width)
        parameters.append(work.int32(width))
        _launch_combining(work, dtype, many, work.grid(blocks * THREADS), parameters)


def _launch_combining(
    work: Work, dtype: str, kernel: str, grid: tuple[int, int, int], parameters: list[Any]
) -> None:
    group = _combined(dtype)
    work.launch(COMBINING, dtype, kernel, grid, parameters, group if kernel in group else ())


def _numbers_of(work: Work, value: Any) -> Any:
    return work.structure("gn_numbers", ([], [scalar_forms(value)], []))


def _one(work: Work, tensor: Any, value: Any) -> tuple[Operand, Memory]:
    """A number as an element of a tensor's dtype on the device, without dimensions."""
    dtype = tensor._spec.dtype
    held = work.temporary(dtype.itemsize)
    _launch_combining(
        work, dtype.name, "put_number", (1, 1, 1), [_numbers_of(work, value), work.pointer(held)]
    )
    return Operand(held.address, dtype.code, dtype.itemsize, [], []), held


def _spread(one: Operand, sizes: Sequence[int]) -> Operand:
    return one.seen(sizes, [0] * len(sizes))


# -- reading -----------------------------------------------------------------------------------------------


def _take_picks(work: Work, picks: Picks) -> int:
    flag = work.flag()
    numbers = _find_numbers(work, picks, flag)
    if picks.total and work.is_set(flag):
        return BAD_VALUE
    _move(work, picks, numbers, False)
    return OK


def _dim(tensor: Any, dim: int) -> int:
    return int(dim % max(tensor._spec.ndim, 1))


def _cat(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out = Operand.of(tensors[0])
    dim = _dim(tensors[0], arguments["dim"])
    at = out.address
    for tensor in tensors[1:]:
        source = Operand.of(tensor)
        if source.numel == 0:  # cat skips empty 1-D tensors
            continue
        part = Operand(at, out.code, out.itemsize, source.sizes, out.strides)
        copy(work, part, source)
        at += source.sizes[dim] * out.strides[dim]
    return OK


def _index_select(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, self, index = tensors
    dim = _dim(self, arguments["dim"])
    return _take_picks(work, _picks(Operand.of(self), Operand.of(out), [dim], [index], dim, False))


def _embedding(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, weight, indices = tensors
    return _take_picks(work, _picks(Operand.of(weight), Operand.of(out), [0], [indices], 0, False))


def _take(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, self, index = tensors
    return _take_picks(work, _flat_picks(Operand.of(self), Operand.of(out), Operand.of(index)))


def _present(target: Any, other: Any, indices: Sequence[Any]) -> Picks:
    """The picks of _index and _index_put: ``indices`` has an index tensor or None for each dimension."""
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    is_adjacent = dims == list(range(dims[0], dims[-1] + 1))
    before = dims[0] if is_adjacent else 0
    given = [indices[dim] for dim in dims]
    return _picks(Operand.of(target), Operand.of(other), dims, given, before, True)


def _index_by_tensors(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, self, *indices = tensors
    return _take_picks(work, _present(self, out, indices))


def _gather(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, self, index = (Operand.of(each) for each in tensors)
    dim = _dim(tensors[1], arguments["dim"]) if tensors[1]._spec.ndim else 0
    if index.numel == 0:
        return OK
    flag = work.flag()
    _number(work, _index(index, self.sizes[dim]), False, flag, None)
    if work.is_set(flag):
        return BAD_VALUE
    strides = list(self.strides)
    step, strides[dim] = strides[dim], 0
    out, index, self = merged(out, index, self.seen(index.sizes, strides))
    kernel = _gather_kernel(self.itemsize, number(out.numel))
    parameters = [*(each.view(work) for each in (out, index, self)), work.int64(step)]
    _launch_move(work, kernel, out.numel, parameters)
    return OK


# -- writing -----------------------------------------------------------------------------------------------


def _put_picks(work: Work, tensors: Sequence[Any], picks: Picks, flag: Memory | None = None) -> int:
    """Copies the first input to the output, and writes the picks' elements."""
    flag = flag or work.flag()
    numbers = _find_numbers(work, picks, flag)
    if picks.total and work.is_set(flag):
        return BAD_VALUE
    _begin(work, tensors)
    _move(work, picks, numbers, True)
    return OK


def _combine_picks(work: Work, tensors: Sequence[Any], picks: Picks, **how: Any) -> int:
    spec = tensors[0]._spec
    flag = work.flag()
    numbers = _find_numbers(work, picks, flag)
    if picks.total and work.is_set(flag):
        return BAD_VALUE
    _begin(work, tensors)
    combine(work, spec.dtype.name, picks, numbers, **how)
    return OK


def _with_indices(function: Any) -> Any:
    """``function``, or a copy if there are no indices, whose dimensions then need not match the target's."""

    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        if tensors[2]._spec.numel == 0:
            _begin(work, tensors)
            return OK
        return function(work, tensors, arguments)

    return run


def _scatter_picks(tensors: Sequence[Any], arguments: dict[str, Any], other: Operand) -> Picks:
    index = Operand.of(tensors[2])
    dim = _dim(tensors[0], arguments["dim"])
    return picks_along(Operand.of(tensors[0]), other, dim, index)


def _scatter(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    return _put_picks(work, tensors, _scatter_picks(tensors, arguments, Operand.of(tensors[3])))


def _scatter_value(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    one, _held = _one(work, tensors[0], arguments["value"])
    other = _spread(one, Operand.of(tensors[2]).sizes)
    return _put_picks(work, tensors, _scatter_picks(tensors, arguments, other))


def _scatter_add(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    return _combine_picks(work, tensors, _scatter_picks(tensors, arguments, Operand.of(tensors[3])))


def _scatter_combine(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    how = "sum" if arguments["reduce"] == "add" else "prod"
    if "value" in arguments:
        one, _held = _one(work, tensors[0], arguments["value"])
        other = _spread(one, Operand.of(tensors[2]).sizes)
    else:
        other = Operand.of(tensors[3])
    return _combine_picks(work, tensors, _scatter_picks(tensors, arguments, other), how=how)


def _scatter_reduce(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    picks = _scatter_picks(tensors, arguments, Operand.of(tensors[3]))
    how = arguments["reduce"]
    mean = MEAN_OF_PICKS if how == "mean" else UNDIVIDED
    return _combine_picks(work, tensors, picks, how=how, with_self=bool(arguments["include_self"]), mean=mean)


def _slices(tensors: Sequence[Any], arguments: dict[str, Any], other: Operand, wraps: bool) -> Picks:
    """Picks of slices along ``dim``, with a 1-D index."""
    target = Operand.of(tensors[0])
    dim = _dim(tensors[0], arguments["dim"])
    return _picks(target, other, [dim], [tensors[2]], dim, wraps)


def _index_add(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    picks = _slices(tensors, arguments, Operand.of(tensors[3]), False)
    return _combine_picks(work, tensors, picks, scale=arguments["alpha"])


def _index_reduce(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    picks = _slices(tensors, arguments, Operand.of(tensors[3]), False)
    how = arguments["reduce"]
    mean = MEAN_OF_PICKS if how == "mean" else UNDIVIDED
    return _combine_picks(work, tensors, picks, how=how, with_self=bool(arguments["include_self"]), mean=mean)


def _index_copy(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    return _put_picks(work, tensors, _slices(tensors, arguments, Operand.of(tensors[3]), False))


def _index_fill(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, _, index = tensors[:3]
    flag = work.flag()
    if "value" in arguments:
        one, held = _one(work, out, arguments["value"])
    else:
        dtype = out._spec.dtype
        held = work.temporary(dtype.itemsize)
        one = Operand(held.address, dtype.code, dtype.itemsize, [], [])
        parameters = [work.view(tensors[3]), work.pointer(held), work.pointer(flag)]
        _launch_combining(work, dtype.name, "convert_number", (1, 1, 1), parameters)
        if not index._spec.numel and work.is_set(flag):
            return BAD_VALUE
    sizes = Operand.of(out).sizes
    sizes[_dim(out, arguments["dim"])] = index._spec.numel
    picks = _slices(tensors, arguments, _spread(one, sizes), True)
    return _put_picks(work, tensors, picks, flag)


def _index_put(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, _, *indices, values = tensors
    picks = _present(out, values, indices)
    if arguments["accumulate"]:
        return _combine_picks(work, tensors, picks)
    return _put_picks(work, tensors, picks)


def _put(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, _, index, source = tensors
    picks = _flat_picks(Operand.of(out), Operand.of(source), Operand.of(index))
    if arguments["accumulate"]:
        return _combine_picks(work, tensors, picks)
    return _put_picks(work, tensors, picks)


def _embedding_backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, gradient, indices = tensors
    target = Operand.of(out)
    picks = _picks(target, Operand.of(gradient), [0], [indices], 0, False)
    flag = work.flag()
    padding = arguments["padding_idx"]
    numbers = _find_numbers(work, picks, flag, padding if padding >= 0 else _NO_INDEX)
    if picks.total and work.is_set(flag):
        return BAD_VALUE
    clear(work, out)
    mean = MEAN_OF_ROWS if arguments["scale_grad_by_freq"] else UNDIVIDED
    combine(work, out._spec.dtype.name, picks, numbers, with_self=False, mean=mean)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield Program(TEXT, MOVED_DTYPE, tuple(_MOVES))
    alone = [_name_kernel(_MANY_WINNERS), *_moves(NUMBERS[1])]
    for winner in (_MANY_WINNERS, _MARKS):
        alone += [_move_kernel(each, count, True, winner) for each in ELEMENT_BYTES for count in NUMBERS]
    yield from one_by_one(TEXT, MOVED_DTYPE, alone)
    for dtype in DTYPES["ALL"]:
        yield Program(COMBINING, dtype, _combined(dtype))
        yield from one_by_one(COMBINING, dtype, _combine_kernels(dtype, WIDE))


def _moved(name: str) -> tuple[str, ...]:
    """The dtypes of a kernel that moves elements: all that the operator takes."""
    every = ("cat", "embedding", "index_select", "_index")
    limited = LIMITED if name in every else [complex32] if name == "index_copy" else []
    return tuple(each.name for each in (*ALL, *limited))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    every = tuple(each.name for each in ALL)
    moved = {
        "cat": _cat,
        "index_select": _index_select,
        "embedding": _embedding,
        "take": _take,
        "_index": _index_by_tensors,
        "gather": _gather,
        "scatter.src": _with_indices(_scatter),
        "index_copy": _index_copy,
    }
    combined = {
        "scatter.value": _with_indices(_scatter_value),
        "scatter_add": _with_indices(_scatter_add),
        "scatter.reduce": _with_indices(_scatter_combine),
        "scatter.value_reduce": _with_indices(_scatter_combine),
        "scatter_reduce.two": _with_indices(_scatter_reduce),
        "index_add": _index_add,
        "index_reduce": _index_reduce,
        "index_fill.int_Scalar": _index_fill,
        "index_fill.int_Tensor": _index_fill,
        "_index_put": _index_put,
        "put": _put,
        "embedding_dense_backward": _embedding_backward,
    }
    found = [Direct(name, _moved(name), function, f"csrc/cuda/{TEXT}") for name, function in moved.items()]
    found += [Direct(name, every, function, f"csrc/cuda/{COMBINING}") for name, function in combined.items()]
    return tables(runtime, found)
