"""Operators on lists of tensors, such as fused optimizer steps, in one launch, by csrc/cuda/foreach.cu."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK
from gnomon.values import geometry
from gnomon.values.dtype import ALL
from gnomon.values.scalar import scalar_forms

from .direct import Direct, Work, tables
from .programs import Program, one_by_one
from .tables import DTYPES

TEXT = "foreach.cu"
CHUNK = 4096  # FOREACH_CHUNK: elements that a block processes at once
PARTS = 5  # FOREACH_PARTS
_VECTOR_BYTES = 16
STRUCTURES = """
typedef struct { uintptr_t at; int32_t dtype; } gn_stored;
typedef struct { uintptr_t parts[5]; int64_t count; int64_t first_chunk; gn_stored step; } gn_entry;
typedef struct {
    double lr; double lr_decay; double weight_decay; double momentum; double dampening; double beta1;
    double beta2; double eps;
    int32_t has_momentum; int32_t is_first; int32_t nesterov; int32_t amsgrad; int32_t decoupled;
    int32_t maximize; gn_stored scale; gn_stored found; gn_scalar number;
} gn_step;
"""
# A tensor with its gradient and state (None for one that is not given), and its step.
Entry = tuple[Sequence[Any], Any]


def _dense_kernel(operation: str, lanes: int) -> str:
    return f"foreach_dense<{operation}_operation, {lanes}>"


def _strided_kernel(operation: str) -> str:
    return f"foreach_strided<{operation}_operation>"


def _lanes(itemsize: int) -> int:
    """The number of elements that a thread may read at once."""
    return max(1, _VECTOR_BYTES // itemsize)


def _stored(tensor: Any) -> tuple[int, int]:
    """A ``gn_stored``: the address and dtype code of a one-element tensor."""
    return (0, 0) if tensor is None else (int(tensor._address), tensor._spec.dtype.code)


def _lie_alike(tensors: Sequence[Any]) -> bool:
    """Are all tensors dense, with the same order of elements in memory?"""
    specs = [each._spec for each in tensors if each is not None]
    first = specs[0]
    if all(each.is_contiguous for each in specs):
        return True
    return geometry.is_non_overlapping_and_dense(first.sizes, first.strides) and all(
        one == other
        for each in specs
        for one, other, size in zip(each.strides, first.strides, first.sizes)
        if size > 1
    )


def _overlap(entries: Sequence[Entry]) -> bool:
    """Do tensors of different entries share memory?"""
    tensors = [entry[0][0] for entry in entries]
    spans = sorted((int(each._address), each._spec.numel * each._spec.dtype.itemsize) for each in tensors)
    return any(start + nbytes > after for (start, nbytes), (after, _) in itertools.pairwise(spans))


def _run(work: Work, operation: str, entries: Sequence[Entry], step: dict[str, Any]) -> None:
    """Runs ``operation`` on the elements of each entry's tensors, all of one dtype."""
    dense: list[Entry] = []
    options = work.structure("gn_step", step)
    for entry in entries:
        tensors, number = entry
        if not tensors[0]._spec.numel:
            continue
        if _lie_alike(tensors):
            dense.append(entry)
            continue
        views = [work.view(each) for each in (*tensors, *[None] * (PARTS - len(tensors)))]
        parameters = [*views, work.structure("gn_stored", _stored(number)), options]
        _launch(work, tensors[0], _strided_kernel(operation), tensors[0]._spec.numel, parameters)
    if dense and _overlap(dense):  # sequentially, since each must see the previous one's writes
        for entry in dense:
            _run_dense(work, operation, [entry], options)
    elif dense:
        _run_dense(work, operation, dense, options)


def _run_dense(work: Work, operation: str, entries: Sequence[Entry], options: Any) -> None:
    rows, chunks = [], 0
    itemsize = entries[0][0][0]._spec.dtype.itemsize
    lanes = _lanes(itemsize)
    for tensors, number in entries:
        places = [0 if each is None else int(each._address) for each in tensors]
        if any(place % _VECTOR_BYTES for place in places):
            lanes = 1
        count = tensors[0]._spec.numel
        rows.append((places, count, chunks, _stored(number)))
        chunks += -(-count // CHUNK)
    table = work.upload("gn_entry", rows)
    parameters = [work.pointer(table), work.int64(len(rows)), work.int64(chunks), options]
    kernel = _dense_kernel(operation, lanes)
    _launch(work, entries[0][0][0], kernel, chunks * CHUNK, parameters)


def _launch(work: Work, tensor: Any, kernel: str, elements: int, parameters: Sequence[Any]) -> None:
    work.launch(TEXT, tensor._spec.dtype.name, kernel, work.grid(elements // 8), parameters)


def _by_dtype(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The entries grouped by dtype, in order of first occurrence."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry[0][0]._spec.dtype.name, []).append(entry)
    return list(found.values())


def _add(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    step = {"number": scalar_forms(arguments["scalar"])}
    for entries in _by_dtype([((each,), None) for each in tensors]):
        _run(work, "add", entries, step)
    return OK


def _optimizer(operation: str, lists: Sequence[str], decoupled: bool = False) -> Any:
    """The operator of an optimizer, with parameters and ``lists`` of as many tensors, or of none."""

    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        *rest, scale, found = tensors
        count = arguments["self"]
        columns: dict[str, Sequence[Any]] = {}
        for name in lists:
            length = arguments[name]
            columns[name] = rest[:length] if length else [None] * count
            rest = rest[length:]
        if any(each._spec.dtype.name not in DTYPES["FLOATING"] for each in columns["self"]):
            return NOT_IMPLEMENTED
        steps = columns.pop("state_steps", [None] * count)
        names = ("lr", "lr_decay", "weight_decay", "momentum", "dampening", "beta1", "beta2", "eps")
        step: dict[str, Any] = {name: float(arguments[name]) for name in names if name in arguments}
        flags = {each: each for each in ("nesterov", "amsgrad", "maximize")} | {"is_first_step": "is_first"}
        step |= {field: int(arguments[name]) for name, field in flags.items() if name in arguments}
        step |= {
            "has_momentum": int(arguments.get("momentum_buffer_list", 0) > 0),
            "decoupled": int(decoupled),
            "scale": _stored(scale),
            "found": _stored(found),
        }
        entries = [(each, done) for each, done in zip(zip(*columns.values()), steps)]
        for group in _by_dtype(entries):
            _run(work, operation, group, step)
        return OK

    return run


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in ALL:
        operations = ["add", *(["sgd", "adam", "adagrad"] if dtype.name in DTYPES["FLOATING"] else [])]
        for operation in operations:
            found = [_dense_kernel(operation, lanes) for lanes in sorted({1, _lanes(dtype.itemsize)})]
            yield from one_by_one(TEXT, dtype.name, [*found, _strided_kernel(operation)])


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    every, floats = tuple(each.name for each in ALL), DTYPES["FLOATING"]
    sgd = ("self", "grads", "momentum_buffer_list")
    adam = ("self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "state_steps")
    adagrad = ("self", "grads", "state_sums", "state_steps")
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime,
        [
            Direct("_foreach_add_.Scalar", every, _add, source),
            Direct("_fused_sgd_", floats, _optimizer("sgd", sgd), source),
            Direct("_fused_adagrad_", floats, _optimizer("adagrad", adagrad), source),
            Direct("_fused_adam_", floats, _optimizer("adam", adam), source),
            Direct("_fused_adamw_", floats, _optimizer("adam", adam, decoupled=True), source),
        ],
    )
