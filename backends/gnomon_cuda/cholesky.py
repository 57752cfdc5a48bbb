"""The Cholesky factorization, by csrc/cuda/cholesky.cu.

A block of threads treats one matrix, which is fast for many small ones; for a large one a library that uses
the whole device would be faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .direct import Work
from .matrices import Batch, group_of, programs_of, tables_of
from .programs import Program

TEXT = "cholesky.cu"
_GROUP = group_of("cholesky")


def _cholesky(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """A matrix is read and written as an upper triangle: a lower one is that of the adjoint."""
    out, info, source = tensors
    is_lower = not arguments["upper"]
    side = source._spec.sizes[-1]
    batch = Batch(work, source)
    parameters = [
        batch.operand(out, transposed=is_lower),
        batch.operand(info, 0),
        batch.operand(source, transposed=is_lower),
        work.int64(side),
        work.int32(is_lower),
    ]
    nbytes = side * side * source._spec.dtype.itemsize
    refuses = bool(arguments["check_errors"])
    return batch.launch(TEXT, source._spec.dtype.name, _GROUP, "cholesky", side, nbytes, parameters, refuses)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(TEXT, _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return tables_of(runtime, TEXT, {"linalg_cholesky_ex": _cholesky})
