"""The exponential of matrices, by csrc/cuda/matrix_exp.cu.

A block of threads treats one matrix, which is fast for many small ones; for a large one a library that uses
the whole device would be faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .direct import Work
from .matrices import Batch, group_of, programs_of, tables_of
from .programs import Program

TEXT = "matrix_exp.cu"
_GROUP = group_of("matrix_exp")


_COPIES = 6  # four powers, and the last two sums


def _matrix_exp(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = tensors
    side, dtype = source._spec.sizes[-1], source._spec.dtype
    batch = Batch(work, source)
    parameters = [batch.operand(out), batch.operand(source), work.int64(side)]
    nbytes = _COPIES * side * side * dtype.itemsize
    return batch.launch(TEXT, dtype.name, _GROUP, "matrix_exp", side, nbytes, parameters)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(TEXT, _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return tables_of(runtime, TEXT, {"linalg_matrix_exp": _matrix_exp})
