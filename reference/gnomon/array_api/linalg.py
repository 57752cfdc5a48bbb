"""The extension ``linalg``: linear algebra of matrices (*, m, n).  A matrix that a function can't take raises
gnomon.linalg.LinAlgError, sizes that do not fit RuntimeError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import gnomon as gn
from gnomon import Tensor

from .elementwise import multiply, operands
from .linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from .manipulation import axes_of
from .statistical import sum as total
from .unsigned import on_bits

if TYPE_CHECKING:  # the named tuples of gnomon.return_types
    from gnomon.linalg import (
        _linalg_eig_result,
        _linalg_eigh_result,
        _linalg_qr_result,
        _linalg_slogdet_result,
        _linalg_svd_result,
    )

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of positive definite matrices: ``x`` is the lower one times its adjoint."""
    return gn.linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The cross product of vectors of 3 elements along ``axis``; the other dimensions broadcast.

    Raises ValueError for another size along it.
    """
    first, second = operands("cross", x1, x2)
    axes_of(axis, min(first.ndim, second.ndim))
    if first.shape[axis] != 3 or second.shape[axis] != 3:
        raise ValueError(
            f"cross: expected size 3 along axis {axis}, got {first.shape[axis]} and {second.shape[axis]}"
        )
    return on_bits(gn.linalg.cross)(*gn.broadcast_tensors(first, second), dim=axis)


def det(x: Tensor, /) -> Tensor:
    """The determinants of square matrices."""
    return gn.linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices, a view; above the main diagonal if ``offset`` is positive."""
    return gn.diagonal(x, offset, -2, -1)


def eig(x: Tensor, /) -> _linalg_eig_result:
    """The eigenvalues and eigenvectors of square matrices, complex."""
    return gn.linalg.eig(x)


def eigh(x: Tensor, /) -> _linalg_eigh_result:
    """The eigenvalues, real and in order, and eigenvectors of symmetric or Hermitian matrices."""
    return gn.linalg.eigh(x)


def eigvals(x: Tensor, /) -> Tensor:
    """The eigenvalues of square matrices, complex."""
    return gn.linalg.eigvals(x)


def eigvalsh(x: Tensor, /) -> Tensor:
    """The eigenvalues, real and in order, of symmetric or Hermitian matrices."""
    return gn.linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """The inverses of square matrices."""
    return gn.linalg.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The norms of matrices: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.  None is 'fro'."""
    return gn.linalg.matrix_norm(x, "fro" if ord is None else ord, keepdim=keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Square matrices to an integer power."""
    return gn.linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """How many singular values are greater than the greatest times ``rtol``, int64."""
    return gn.linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of all pairs of two vectors.  Raises ValueError for other tensors."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: expected two vectors, got {x1.ndim} and {x2.ndim} dimensions")
    return multiply(x1.unsqueeze(1), x2)


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """The pseudoinverses; singular values up to the greatest times ``rtol`` count as zero."""
    return gn.linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> _linalg_qr_result:
    """Matrices as products of one with orthonormal columns and an upper triangular one.

    Raises ValueError for a mode other than 'reduced' and 'complete'.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: argument 'mode': expected 'reduced' or 'complete', got {mode!r}")
    return gn.linalg.qr(x, mode)


def slogdet(x: Tensor, /) -> _linalg_slogdet_result:
    """The signs of the determinants, and the logarithms of their magnitudes."""
    return gn.linalg.slogdet(x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions of linear equations with matrices ``x1``; ``x2`` is one vector, or matrices (*, n, k).

    Raises ValueError if ``x1`` is a vector or a number, RuntimeError for sizes that do not fit.
    """
    first, second = operands("solve", x1, x2)
    if first.ndim < 2:
        raise ValueError(f"solve: argument 'x1': expected at least 2 dimensions, got {first.ndim}")
    if second.ndim == 1:
        return solve(first, second.unsqueeze(1)).squeeze(-1)
    # gnomon.linalg.solve takes (b, n) next to (b, n, n) for vectors, so both get all dimensions here
    batch = gn.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    return gn.linalg.solve(
        first.broadcast_to((*batch, *first.shape[-2:])), second.broadcast_to((*batch, *second.shape[-2:]))
    )


def svd(x: Tensor, /, *, full_matrices: bool = True) -> _linalg_svd_result:
    """The singular value decompositions: U, S and the adjoint Vh of V."""
    return gn.linalg.svd(x, full_matrices=full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    """The singular values, the greatest first."""
    return gn.linalg.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sums of the diagonals, in the dtype that ``sum`` has."""
    return total(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The norm of order ``ord`` along some axes, or of all elements."""
    axes = axes_of(axis, x.ndim)
    if not axes:
        norm = x.abs() if ord != 0 else (x != 0).to(x.abs().dtype)
        return norm
    return gn.linalg.vector_norm(x, ord, dim=axes, keepdim=keepdims)
