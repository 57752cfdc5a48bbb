"""The singular value decomposition, by csrc/cuda/svd.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, OK

from .direct import Direct, Work, tables
from .geometry import Operand, product
from .programs import Program, one_by_one

TEXT = "svd.cu"
STRUCTURES = """
typedef struct {
    int64_t matrices; int64_t rows; int64_t columns; int64_t wanted;
    gn_view source; gn_view u; gn_view values; gn_view vh;
    int64_t in_steps[2]; int64_t u_steps[2]; int64_t value_step; int64_t vh_steps[2];
    int32_t tall; int32_t with_vectors; uintptr_t memory; int64_t memory_bytes; uintptr_t fault;
} gn_svd;
"""
_SCALARS = {"float32": "double", "float64": "double", "complex64": "gn_pair", "complex128": "gn_pair"}
_PARTS = {"complex64": "float32", "complex128": "float64"}
_BYTES = {"double": 8, "gn_pair": 16}
BLOCKS_PER_MULTIPROCESSOR = 4  # each has its own memory


def _kernel(scalar: str) -> str:
    return f"decompose<{scalar}>"


def _svd(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """May write to the outputs before it refuses a matrix: they are new, so nobody sees that."""
    u, values, vh, source = (Operand.of(each) for each in tensors)
    with_vectors = bool(arguments["compute_uv"])
    batch, (rows, columns) = source.sizes[:-2], source.sizes[-2:]
    matrices = product(batch)
    if matrices == 0:
        return OK
    long, short = max(rows, columns), min(rows, columns)
    wanted = (long if arguments["full_matrices"] else short) if with_vectors else 0
    dtype = tensors[3]._spec.dtype.name
    scalar = _SCALARS[dtype]
    numbers = long * short + short * short + long * wanted + long
    nbytes = numbers * _BYTES[scalar] + 2 * short * 8
    nbytes += -nbytes % 16
    blocks = min(matrices, work.multiprocessors * BLOCKS_PER_MULTIPROCESSOR)
    memory, flag = work.temporary(blocks * nbytes), work.flag()
    vectors = [each.strides[-2:] if with_vectors else [0, 0] for each in (u, vh)]
    views = []
    for each, own in ((source, 2), (u, 2), (values, 1), (vh, 2)):
        is_there = with_vectors or each in (source, values)
        views.append(each.seen(batch, each.strides[:-own]) if is_there else each.seen([], []))
    description = work.structure(
        "gn_svd",
        (
            *(matrices, rows, columns, wanted),
            *(each.view(work)[0] for each in views),
            *(source.strides[-2:], vectors[0], values.strides[-1], vectors[1]),
            *(int(rows >= columns), int(with_vectors), memory.address, nbytes, flag.address),
        ),
    )
    text_dtype = _PARTS.get(dtype, dtype)
    work.launch(TEXT, text_dtype, _kernel(scalar), (blocks, 1, 1), [description])
    return BAD_VALUE if work.is_set(flag) else OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in ("float32", "float64"):
        yield from one_by_one(TEXT, dtype, map(_kernel, _BYTES))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    return tables(runtime, [Direct("_linalg_svd", tuple(_SCALARS), _svd, f"csrc/cuda/{TEXT}")])
