"""Systems of linear equations whose matrix has a compressed layout.

Source: aten/src/ATen/native/sparse/SparseBlas.cpp, aten/src/ATen/native/mkl/SparseBlasImpl.cpp
(triangular_solve_out_sparse_csr); aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp (_spsolve).
"""

from __future__ import annotations

import math
from typing import Any

from ..calls.checks import check_precise, refuse_dtype
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..ops.linalg.solve import check_system
from ..values.device import sparse_bsr, sparse_csr, strided
from .compressed_construction import compressed_kernel
from .compressed_conversion import to_dense
from .compressed_tensor import CompressedTensor
from .registration import no_kernel


def _triangular_solve(
    self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Tensor, Tensor]:
    """The second result, the copy of A, is empty.  A is not read outside of its triangle."""
    if not isinstance(A, CompressedTensor) or self._spec.layout is not strided:
        raise no_kernel("triangular_solve", "SparseCsrCPU")
    if A._spec.layout not in (sparse_csr, sparse_bsr):
        raise ValueError(f"triangular_solve: unsupported sparse layout {A._spec.layout.title}.")
    check_system("triangular_solve", self, A, "A")
    refuse_dtype(self._spec.dtype, "bool", "integer")
    check_precise("triangular_solve", self._spec.dtype)
    copy = self.new_empty((0,))
    if A._spec.ndim != 2:
        raise RuntimeError(
            f"triangular_solve: expected A to be a matrix, but it has {A._spec.ndim} dimensions"
        )
    if not A.held_nnz:
        return aten.full_like.default(self, math.nan), copy
    solution = aten.triangular_solve.default(self, to_dense(A), upper, transpose, unitriangular)[0]
    return aten.empty.memory_format(
        solution._spec.sizes, solution.dtype, None, solution.device, None, None
    ).copy_(solution), copy


compressed_kernel("triangular_solve")(_triangular_solve)


def _triangular_solve_out(
    self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool, X: Tensor, M: Tensor
) -> tuple[Tensor, Tensor]:
    solution, _ = _triangular_solve(self, A, upper, transpose, unitriangular)
    if X._spec.dtype is not solution._spec.dtype:
        raise RuntimeError(
            f"triangular_solve: Expected X to have the dtype {solution._spec.dtype.name}, but got "
            f"{X._spec.dtype.name}"
        )
    return X.resize_(solution._spec.sizes).copy_(solution), M


compressed_kernel("triangular_solve.X")(_triangular_solve_out)


def spsolve(A: Tensor, B: Tensor) -> Any:
    """Raises NotImplementedError: as in PyTorch, no backend of the host has a kernel."""
    places = {strided: "CPU", sparse_csr: "SparseCsrCPU"}
    raise no_kernel("_spsolve", places.get(A._spec.layout, f"{A._spec.layout.title}CPU"))
