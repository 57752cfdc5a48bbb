"""Types of gnomon.linalg.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from ..memory.tensor import Tensor
from ..values.device import device, layout, memory_format
from ..values.dtype import dtype
from ..values.errors import LinAlgError as LinAlgError

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_memory_format: TypeAlias = memory_format
_Device: TypeAlias = device | str | _int
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | builtins.complex
_Operand: TypeAlias = Tensor | _Scalar

class _linalg_cholesky_ex_result(NamedTuple):
    L: Tensor
    info: Tensor

class _linalg_eig_result(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class _linalg_eigh_result(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class _linalg_inv_ex_result(NamedTuple):
    inverse: Tensor
    info: Tensor

class _linalg_ldl_factor_result(NamedTuple):
    LD: Tensor
    pivots: Tensor

class _linalg_ldl_factor_ex_result(NamedTuple):
    LD: Tensor
    pivots: Tensor
    info: Tensor

class _linalg_lstsq_result(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class _linalg_lu_result(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class _linalg_lu_factor_result(NamedTuple):
    LU: Tensor
    pivots: Tensor

class _linalg_lu_factor_ex_result(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor

class _linalg_qr_result(NamedTuple):
    Q: Tensor
    R: Tensor

class _linalg_slogdet_result(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class _linalg_solve_ex_result(NamedTuple):
    result: Tensor
    info: Tensor

class _linalg_svd_result(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

def cholesky(input: Tensor, *, upper: _bool = ..., out: Tensor | None = ...) -> Tensor:
    """linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor

    Computes the Cholesky factor of Hermitian positive-definite matrices (*, n, n); see cholesky_ex.
    """

def cholesky_ex(
    input: Tensor, *, upper: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_cholesky_ex_result:
    """linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)

    Computes the Cholesky factor L of Hermitian positive-definite matrices (*, n, n), ``A = L L^H``.
    """

@overload
def cond(input: Tensor, p: _Scalar | None = ..., *, out: Tensor | None = ...) -> Tensor:
    """linalg_cond(Tensor self, Scalar? p=None) -> Tensor

    Computes the condition number (*), real, of matrices (*, n, n): the norm of order ``p`` of the
    matrix times that of its inverse, infinite for a singular one.
    """

@overload
def cond(input: Tensor, p: Literal["fro", "nuc"], *, out: Tensor | None = ...) -> Tensor:
    """linalg_cond.p_str(Tensor self, str p) -> Tensor

    Computes the condition number (*) of matrices (*, n, n) in the Frobenius norm, "fro", or the
    nuclear norm, "nuc".
    """

def cross(input: Tensor, other: Tensor, *, dim: _int = ..., out: Tensor | None = ...) -> Tensor:
    """linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor

    Computes the cross product of the 3-dimensional vectors along ``dim``; the other dimensions
    broadcast.
    """

def det(A: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """linalg_det(Tensor A) -> Tensor

    Computes the determinants (*) of matrices (*, n, n).
    """

def diagonal(A: Tensor, *, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
    """linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)

    Returns a view of the diagonals of matrices, by default with respect to the last two dimensions;
    see diagonal.
    """

def eig(input: Tensor, *, out: Sequence[Tensor] | None = ...) -> _linalg_eig_result:
    """linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)

    Computes eigenvalues (*, n) and the columns of eigenvectors (*, n, n) of matrices (*, n, n).
    """

def eigh(
    input: Tensor, UPLO: Literal["L", "U"] = ..., *, out: Sequence[Tensor] | None = ...
) -> _linalg_eigh_result:
    """linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)

    Computes eigenvalues (*, n), real and ascending, and the columns of eigenvectors (*, n, n) of
    Hermitian matrices (*, n, n).
    """

def eigvals(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """linalg_eigvals(Tensor self) -> Tensor

    Computes the eigenvalues (*, n) of matrices (*, n, n), which are complex; see eig.
    """

def eigvalsh(input: Tensor, UPLO: Literal["L", "U"] = ..., *, out: Tensor | None = ...) -> Tensor:
    """linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor

    Computes the eigenvalues (*, n) of Hermitian matrices (*, n, n); see eigh.
    """

def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """linalg_householder_product(Tensor input, Tensor tau) -> Tensor

    Computes the first m columns of the product of Householder reflections, (*, n, m) with n >= m.
    """

def inv(A: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """linalg_inv(Tensor A) -> Tensor

    Computes the inverse of matrices (*, n, n).
    """

def inv_ex(
    A: Tensor, *, check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_inv_ex_result:
    """linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)

    Computes the inverse of matrices (*, n, n).
    """

def ldl_factor(
    input: Tensor, *, hermitian: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_ldl_factor_result:
    """linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)

    Computes the LDL factorization of symmetric or ``hermitian`` matrices (*, n, n); see ldl_factor_ex.
    """

def ldl_factor_ex(
    input: Tensor, *, hermitian: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_ldl_factor_ex_result:
    """linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)

    Computes the LDL factorization of symmetric, or ``hermitian``, matrices (*, n, n), for ldl_solve.
    """

def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = ..., out: Tensor | None = ...
) -> Tensor:
    """linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor

    Solves ``A X = B`` with the factorization of A (*, n, n) by ldl_factor, B (*, n, k).
    """

def lstsq(
    input: Tensor,
    b: Tensor,
    rcond: _float | None = ...,
    *,
    driver: Literal["gels", "gelsy", "gelsd", "gelss"] | None = ...,
    out: Sequence[Tensor] | None = ...,
) -> _linalg_lstsq_result:
    """linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)

    Solves ``A X = B`` in the sense of least squares: ``solution`` (*, m, k) has the smallest
    ``|A X - B|``, and of these the smallest norm, for A (*, n, m) and B (*, n, k), or (*, n).
    """

def lu(A: Tensor, *, pivot: _bool = ..., out: Sequence[Tensor] | None = ...) -> _linalg_lu_result:
    """linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)

    Computes the LU factorization ``A = P L U`` of matrices (*, n, m); see lu_factor_ex and lu_unpack.
    """

def lu_factor(
    A: Tensor, *, pivot: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_lu_factor_result:
    """linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)

    Computes the LU factorization of matrices (*, n, m); see lu_factor_ex.
    """

def lu_factor_ex(
    A: Tensor, *, pivot: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_lu_factor_ex_result:
    """linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)

    Computes the LU factorization with partial pivoting of matrices (*, n, m), ``A = P L U``.
    """

def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = ...,
    adjoint: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor

    Solves ``A X = B``, or ``X A = B`` if not ``left``, with the factorization of A (*, n, n) by
    lu_factor.
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """linalg_matmul(Tensor self, Tensor other) -> Tensor

    The same as matmul.  Raises RuntimeError for 0-dim operands and sizes that do not match.
    """

def matrix_exp(input: Tensor) -> Tensor:
    """linalg_matrix_exp(Tensor self) -> Tensor

    Computes the exponential, the sum of ``A^k / k!``, of matrices (*, n, n).
    """

@overload
def matrix_norm(
    input: Tensor,
    ord: _Scalar,
    dim: Sequence[_int] = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Computes the norm of matrices in the two dimensions ``dim``.
    """

@overload
def matrix_norm(
    input: Tensor,
    ord: Literal["fro", "nuc"] = ...,
    dim: Sequence[_int] = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Computes the norm of matrices in the two dimensions ``dim``.
    """

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = ...) -> Tensor:
    """linalg_matrix_power(Tensor self, int n) -> Tensor

    Computes the ``n``-th power of matrices (*, n, n); a negative one is a power of the inverse.
    """

@overload
def matrix_rank(input: Tensor, tol: _float, hermitian: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor

    linalg.matrix_rank with the absolute tolerance ``tol``.
    """

@overload
def matrix_rank(
    input: Tensor,
    *,
    atol: Tensor | None = ...,
    rtol: Tensor | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor

    Computes the rank (*), int64, of matrices (*, n, m): how many singular values exceed
    ``max(atol, rtol * the largest)``.
    """

@overload
def matrix_rank(
    input: Tensor,
    *,
    atol: _float | None = ...,
    rtol: _float | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor

    Computes the rank (*), int64, of matrices (*, n, m): how many singular values exceed
    ``max(atol, rtol * the largest)``.
    """

@overload
def matrix_rank(input: Tensor, tol: Tensor, hermitian: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor

    linalg.matrix_rank with the absolute tolerance ``tol``.
    """

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor:
    """linalg_multi_dot(Tensor[] tensors) -> Tensor

    Computes the product of several matrices, in the order with the fewest multiplications.
    """

@overload
def norm(
    input: Tensor,
    ord: _Scalar | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Computes a vector norm over one dimension, a matrix norm over two.
    """

@overload
def norm(
    input: Tensor,
    ord: Literal["fro", "nuc"],
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Computes the matrix norm named 'fro' or 'nuc'; see linalg.matrix_norm.
    """

@overload
def pinv(input: Tensor, rcond: _float, hermitian: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor

    linalg.pinv with the relative tolerance ``rcond``.
    """

@overload
def pinv(
    input: Tensor,
    *,
    atol: Tensor | None = ...,
    rtol: Tensor | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor

    Computes the pseudoinverse (*, m, n) of matrices (*, n, m).
    """

@overload
def pinv(
    input: Tensor,
    *,
    atol: _float | None = ...,
    rtol: _float | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor

    Computes the pseudoinverse (*, m, n) of matrices (*, n, m).
    """

@overload
def pinv(input: Tensor, rcond: Tensor, hermitian: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor

    linalg.pinv with the relative tolerance ``rcond``.
    """

def qr(
    A: Tensor, mode: Literal["reduced", "complete", "r"] = ..., *, out: Sequence[Tensor] | None = ...
) -> _linalg_qr_result:
    """linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)

    Computes the QR factorization ``A = Q R`` of matrices (*, n, m): Q with orthonormal columns, R
    upper triangular.
    """

def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = ...) -> _linalg_slogdet_result:
    """linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)

    Computes the sign (*) and the logarithm of the absolute value (*) of determinants of matrices (*,
    n, n).
    """

def solve(A: Tensor, B: Tensor, *, left: _bool = ..., out: Tensor | None = ...) -> Tensor:
    """linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor

    Solves ``A X = B``, or ``X A = B`` if not ``left``; see solve_ex.
    """

def solve_ex(
    A: Tensor, B: Tensor, *, left: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_solve_ex_result:
    """linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)

    Solves ``A X = B``, or ``X A = B`` if not ``left``, with matrices A (*, n, n) and B (*, n, k), or
    (*, n).
    """

def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: _bool,
    left: _bool = ...,
    unitriangular: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor

    Solves ``A X = B``, or ``X A = B`` if not ``left``, with triangular matrices A (*, n, n) and B (*,
    n, k) or (*, k, n).
    """

def svd(
    A: Tensor,
    full_matrices: _bool = ...,
    *,
    driver: Literal["gesvd", "gesvdj", "gesvda"] | None = ...,
    out: Sequence[Tensor] | None = ...,
) -> _linalg_svd_result:
    """linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)

    Computes the singular value decomposition ``A = U diag(S) Vh`` of matrices (*, n, m).
    """

def svdvals(
    A: Tensor, *, driver: Literal["gesvd", "gesvdj", "gesvda"] | None = ..., out: Tensor | None = ...
) -> Tensor:
    """linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor

    Computes the singular values of matrices (*, n, m), real and in descending order: (*, min(n, m)).
    """

def tensorinv(input: Tensor, ind: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """linalg_tensorinv(Tensor self, int ind=2) -> Tensor

    Computes the inverse of a tensor as a matrix, whose rows are its first ``ind`` dimensions, and
    whose columns are the others: of (*rows, *columns) it is (*columns, *rows).
    """

def tensorsolve(
    input: Tensor, other: Tensor, dims: Sequence[_int] | None = ..., *, out: Tensor | None = ...
) -> Tensor:
    """linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor

    Solves ``tensordot(self, X, X.ndim) = other`` for X; ``dims`` of ``self`` are moved last before.
    """

def vander(x: Tensor, *, N: _int | None = ...) -> Tensor:
    """linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor

    Computes the Vandermonde matrices (*, n, N) of vectors (*, n): column k contains ``x ** k``.
    """

def vecdot(x: Tensor, y: Tensor, *, dim: _int = ..., out: Tensor | None = ...) -> Tensor:
    """linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor

    Computes the dot products of the vectors along ``dim``, ``x`` conjugated; the other dimensions
    broadcast.
    """

def vector_norm(
    input: Tensor,
    ord: _Scalar = ...,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Computes the norm of order ``ord`` over dimensions ``dim`` (all if None), as of one vector.
    """
