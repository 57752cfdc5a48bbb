"""The LU factorization, its matrices, and systems with them, by csrc/cuda/lu.cu.

A block of threads treats one matrix, which is fast for many small ones; for a large one a library that uses
the whole device would be faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import OK

from .direct import Work
from .matrices import Batch, group_of, programs_of, tables_of
from .programs import Program

TEXT = "lu.cu"
_GROUP = group_of("lu_factor", "lu_solve", "lu_unpack")


def _factor(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, pivots, info, source = tensors
    rows, columns = source._spec.sizes[-2:]
    batch = Batch(work, source)
    parameters = [
        batch.operand(out),
        batch.operand(pivots, 1),
        batch.operand(info, 0),
        batch.operand(source),
        work.int64(rows),
        work.int64(columns),
    ]
    nbytes = rows * columns * source._spec.dtype.itemsize
    side, dtype = max(rows, columns), source._spec.dtype.name
    refuses = bool(arguments["check_errors"])
    return batch.launch(TEXT, dtype, _GROUP, "lu_factor", side, nbytes, parameters, refuses)


def _solve(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """A system from the right is the adjoint of one from the left."""
    out, source, pivots, right = tensors
    left = bool(arguments["left"])
    adjoint = bool(arguments["adjoint"]) == left
    count, width = out._spec.sizes[-2:] if left else out._spec.sizes[:-3:-1]
    if count == 0 or width == 0:
        return OK
    batch = Batch(work, out)
    parameters = [
        batch.operand(out, transposed=not left),
        batch.operand(source, transposed=adjoint),
        batch.operand(pivots, 1),
        batch.operand(right, transposed=not left),
        work.int64(count),
        work.int64(width),
        work.int32(adjoint),
        work.int32(not left),
    ]
    nbytes = count * (count + width) * out._spec.dtype.itemsize
    side, dtype = max(count, width), out._spec.dtype.name
    return batch.launch(TEXT, dtype, _GROUP, "lu_solve", side, nbytes, parameters, True)


def _unpack(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    permutation, lower, upper, source, pivots = tensors
    has_data, has_pivots = bool(arguments["unpack_data"]), bool(arguments["unpack_pivots"])
    rows, columns = source._spec.sizes[-2:]
    batch = Batch(work, source)
    parameters = [
        batch.operand(permutation) if has_pivots else batch.nothing,
        batch.operand(lower) if has_data else batch.nothing,
        batch.operand(upper) if has_data else batch.nothing,
        batch.operand(source),
        batch.operand(pivots, 1) if has_pivots else batch.nothing,
        work.int64(rows),
        work.int64(columns),
    ]
    side, dtype = max(rows, columns), source._spec.dtype.name
    return batch.launch(TEXT, dtype, _GROUP, "lu_unpack", side, rows * 8, parameters, has_pivots)


_FUNCTIONS = {"linalg_lu_factor_ex": _factor, "linalg_lu_solve": _solve, "lu_unpack": _unpack}


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(TEXT, _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return tables_of(runtime, TEXT, _FUNCTIONS)
