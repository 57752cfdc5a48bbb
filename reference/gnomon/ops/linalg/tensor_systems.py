"""Tensors as matrices of several row and column dimensions, and the Vandermonde matrix.

Source: aten/src/ATen/native/LinearAlgebra.cpp (linalg_tensorinv, linalg_tensorsolve),
BatchLinearAlgebra.cpp (linalg_vander), TensorFactories.cpp (vander).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.dtype import bfloat16, bool_, float16, int64, promote_types


def _tensorinv(self: Any, ind: int) -> Any:
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > self.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {self.ndim}")
    rows, columns = self.shape[:ind], self.shape[ind:]
    size = math.prod(columns)
    if size != math.prod(rows):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
            f"got {size} != {math.prod(rows)}"
        )
    inverse, info = aten.linalg_inv_ex.default(self.reshape((size, size)))
    aten._linalg_check_errors.default(info, "inv", is_matrix=True)
    return inverse.reshape((*columns, *rows))


linalg_tensorinv = native_function(
    "linalg_tensorinv(Tensor self, int ind=2) -> Tensor",
    composite=_tensorinv,
    python_module="linalg",
    variants="function",
    out=Out(row_major=True),
    doc="""Computes the inverse of a tensor as a matrix, whose rows are its first ``ind`` dimensions, and
    whose columns are the others: of (*rows, *columns) it is (*columns, *rows).

    Raises RuntimeError unless there are as many rows as columns, and LinAlgError for a singular one.""",
)


def _tensorsolve(self: Any, other: Any, dims: Sequence[int] | None) -> Any:
    if dims is not None:
        self = self.movedim(dims, tuple(range(self.ndim - len(dims), self.ndim)))
    if other.ndim > self.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {other.ndim}; size = {self.ndim}")
    sizes = self.shape[other.ndim :]
    count = math.prod(sizes)
    if count != other.numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {count} != {other.numel()}"
        )
    return aten.linalg_solve.default(self.reshape((count, count)), other.flatten()).reshape(sizes)


linalg_tensorsolve = native_function(
    "linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor",
    composite=_tensorsolve,
    python_module="linalg",
    variants="function",
    out=Out(),
    doc="""Solves ``tensordot(self, X, X.ndim) = other`` for X; ``dims`` of ``self`` are moved last before.

    The first ``other.ndim`` dimensions of ``self`` are the rows of a matrix, and the others, which are the
    sizes of X, its columns.  Raises RuntimeError unless there are as many rows as columns, and LinAlgError
    for a singular matrix.""",
)


def _linalg_vander(x: Any, N: int | None) -> Any:
    if x.dtype in (bool_, float16, bfloat16):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype.name}"
        )
    column = x.unsqueeze(-1) if x.ndim else x.reshape((1, 1))
    count = column.size(-2) if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = column.expand((*column.shape[:-1], count - 1)).cumprod(-1)
    return aten.cat([powers.new_ones(column.shape), powers], -1)


linalg_vander = native_function(
    "linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor",
    composite=_linalg_vander,
    python_module="linalg",
    variants="function",
    doc="""Computes the Vandermonde matrices (*, n, N) of vectors (*, n): column k contains ``x ** k``.

    ``N`` is n by default.  Integers give int64.  Raises RuntimeError for bool and half precision, and for
    ``N`` less than 2.""",
)


def _vander(x: Any, N: int | None, increasing: bool) -> Any:
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.size(0) if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    dtype = promote_types(x.dtype, int64)
    parts = []
    if count:
        parts.append(aten.ones((x.size(0), 1), dtype=dtype, device=x.device))
    if count > 1:
        parts.append(x.to(dtype).unsqueeze(1).expand((x.size(0), count - 1)).cumprod(1))
    if not parts:
        return aten.empty((x.size(0), 0), dtype=dtype, device=x.device)
    result = aten.cat(parts, 1)
    return result if increasing else result.flip((1,))


vander = native_function(
    "vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
    composite=_vander,
    variants="function",
    doc="""Computes the Vandermonde matrix (n, N) of a vector (n,): its columns are the powers of ``x``, the
    highest first, or last with ``increasing``.

    ``N`` is n by default.  Integers and bool give int64.  Raises RuntimeError unless ``x`` is a vector, and
    for a negative ``N``.""",
)
