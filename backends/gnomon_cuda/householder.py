"""Householder reflections, by csrc/cuda/householder.cu.

A block of threads treats one matrix, which is fast for many small ones; for a large one a library that uses
the whole device would be faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .direct import Work
from .matrices import Batch, group_of, programs_of, tables_of
from .programs import Program

TEXT = "householder.cu"
_GROUP = group_of("geqrf", "householder_product")


def _geqrf(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, taus, source = tensors
    rows, columns = source._spec.sizes[-2:]
    batch = Batch(work, source)
    parameters = [
        batch.operand(out, transposed=True),
        batch.operand(taus, 1),
        batch.operand(source, transposed=True),
        work.int64(rows),
        work.int64(columns),
    ]
    nbytes = rows * columns * source._spec.dtype.itemsize
    dtype = source._spec.dtype.name
    return batch.launch(TEXT, dtype, _GROUP, "geqrf", max(rows, columns), nbytes, parameters)


def _product(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source, taus = tensors
    rows, columns = source._spec.sizes[-2:]
    batch = Batch(work, source)
    parameters = [
        batch.operand(out, transposed=True),
        batch.operand(source, transposed=True),
        batch.operand(taus, 1),
        work.int64(rows),
        work.int64(columns),
        work.int64(taus._spec.sizes[-1]),
    ]
    nbytes = 2 * rows * columns * source._spec.dtype.itemsize
    side, dtype = max(rows, columns), source._spec.dtype.name
    return batch.launch(TEXT, dtype, _GROUP, "householder_product", side, nbytes, parameters)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(TEXT, _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return tables_of(runtime, TEXT, {"geqrf": _geqrf, "linalg_householder_product": _product})
