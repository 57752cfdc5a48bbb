"""Triangular systems, by csrc/cuda/triangular.cu.

A block of threads treats one matrix, which is fast for many small ones; for a large one a library that uses
the whole device would be faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .direct import Work
from .matrices import Batch, group_of, programs_of, tables_of
from .programs import Program

TEXT = "triangular.cu"
_GROUP = group_of("solve_triangular")


def _solve_triangular(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """A system from the right is the transpose of one from the left."""
    out, source, right = tensors
    left, upper = bool(arguments["left"]), bool(arguments["upper"])
    count, width = out._spec.sizes[-2:] if left else out._spec.sizes[:-3:-1]
    batch = Batch(work, out)
    parameters = [
        *(batch.operand(each, transposed=not left) for each in (out, source, right)),
        work.int64(count),
        work.int64(width),
        work.int32(upper == left),
        work.int32(bool(arguments["unitriangular"])),
    ]
    nbytes = count * (count + width) * out._spec.dtype.itemsize
    side = max(count, width)
    return batch.launch(TEXT, out._spec.dtype.name, _GROUP, "solve_triangular", side, nbytes, parameters)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(TEXT, _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return tables_of(runtime, TEXT, {"linalg_solve_triangular": _solve_triangular})
