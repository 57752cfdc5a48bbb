"""Eigenvalues and eigenvectors of Hermitian matrices, by csrc/cuda/eigh.cu.

A block of threads treats one matrix, which is fast for many small ones; for a large one a library that uses
the whole device would be faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .direct import Work
from .matrices import Batch, group_of, programs_of, tables_of
from .programs import Program

TEXT = "eigh.cu"
_GROUP = group_of("eigh")


def _eigh(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """The upper triangle is the lower one of the transpose, which is the conjugate."""
    values, vectors, source = tensors
    is_upper = arguments["UPLO"].upper() == "U"
    with_vectors = bool(arguments["compute_v"])
    side, dtype = source._spec.sizes[-1], source._spec.dtype
    batch = Batch(work, source)
    parameters = [
        batch.operand(values, 1),
        batch.operand(vectors) if with_vectors else batch.nothing,
        batch.operand(source, transposed=is_upper),
        work.int64(side),
        work.int32(is_upper),
        work.int32(with_vectors),
    ]
    itemsize = 16 if dtype.is_complex else 8
    nbytes = 2 * side * side * itemsize + side // 2 * (itemsize + 4 * 8) + 2 * side * 8
    return batch.launch(TEXT, dtype.name, _GROUP, "eigh", side, nbytes, parameters, True)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(TEXT, _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return tables_of(runtime, TEXT, {"_linalg_eigh": _eigh})
