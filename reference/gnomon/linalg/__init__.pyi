"""Types of gnomon.linalg.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, overload

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
_Device: TypeAlias = device | str
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | complex
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

def cholesky(input: Tensor, *, upper: _bool = ..., out: Tensor | None = ...) -> Tensor: ...
def cholesky_ex(
    input: Tensor, *, upper: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_cholesky_ex_result: ...
@overload
def cond(input: Tensor, p: _Scalar | None = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def cond(input: Tensor, p: str, *, out: Tensor | None = ...) -> Tensor: ...
def cross(input: Tensor, other: Tensor, *, dim: _int = ..., out: Tensor | None = ...) -> Tensor: ...
def det(A: Tensor, *, out: Tensor | None = ...) -> Tensor: ...
def diagonal(A: Tensor, *, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor: ...
def eig(input: Tensor, *, out: Sequence[Tensor] | None = ...) -> _linalg_eig_result: ...
def eigh(input: Tensor, UPLO: str = ..., *, out: Sequence[Tensor] | None = ...) -> _linalg_eigh_result: ...
def eigvals(input: Tensor, *, out: Tensor | None = ...) -> Tensor: ...
def eigvalsh(input: Tensor, UPLO: str = ..., *, out: Tensor | None = ...) -> Tensor: ...
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = ...) -> Tensor: ...
def inv(A: Tensor, *, out: Tensor | None = ...) -> Tensor: ...
def inv_ex(
    A: Tensor, *, check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_inv_ex_result: ...
def ldl_factor(
    input: Tensor, *, hermitian: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_ldl_factor_result: ...
def ldl_factor_ex(
    input: Tensor, *, hermitian: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_ldl_factor_ex_result: ...
def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = ..., out: Tensor | None = ...
) -> Tensor: ...
def lstsq(
    input: Tensor,
    b: Tensor,
    rcond: _float | None = ...,
    *,
    driver: str | None = ...,
    out: Sequence[Tensor] | None = ...,
) -> _linalg_lstsq_result: ...
def lu(A: Tensor, *, pivot: _bool = ..., out: Sequence[Tensor] | None = ...) -> _linalg_lu_result: ...
def lu_factor(
    A: Tensor, *, pivot: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_lu_factor_result: ...
def lu_factor_ex(
    A: Tensor, *, pivot: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_lu_factor_ex_result: ...
def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: _bool = ...,
    adjoint: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor: ...
@overload
def matrix_norm(
    input: Tensor,
    ord: _Scalar,
    dim: Sequence[_int] = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def matrix_norm(
    input: Tensor,
    ord: str = ...,
    dim: Sequence[_int] = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = ...) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor, tol: _float, hermitian: _bool = ..., *, out: Tensor | None = ...
) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor,
    *,
    atol: Tensor | None = ...,
    rtol: Tensor | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor,
    *,
    atol: _float | None = ...,
    rtol: _float | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def matrix_rank(
    input: Tensor, tol: Tensor, hermitian: _bool = ..., *, out: Tensor | None = ...
) -> Tensor: ...
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor: ...
@overload
def norm(
    input: Tensor,
    ord: _Scalar | None = ...,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def norm(
    input: Tensor,
    ord: str,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def pinv(input: Tensor, rcond: _float, hermitian: _bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def pinv(
    input: Tensor,
    *,
    atol: Tensor | None = ...,
    rtol: Tensor | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def pinv(
    input: Tensor,
    *,
    atol: _float | None = ...,
    rtol: _float | None = ...,
    hermitian: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
@overload
def pinv(input: Tensor, rcond: Tensor, hermitian: _bool = ..., *, out: Tensor | None = ...) -> Tensor: ...
def qr(A: Tensor, mode: str = ..., *, out: Sequence[Tensor] | None = ...) -> _linalg_qr_result: ...
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = ...) -> _linalg_slogdet_result: ...
def solve(A: Tensor, B: Tensor, *, left: _bool = ..., out: Tensor | None = ...) -> Tensor: ...
def solve_ex(
    A: Tensor, B: Tensor, *, left: _bool = ..., check_errors: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_solve_ex_result: ...
def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: _bool,
    left: _bool = ...,
    unitriangular: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
def svd(
    A: Tensor, full_matrices: _bool = ..., *, driver: str | None = ..., out: Sequence[Tensor] | None = ...
) -> _linalg_svd_result: ...
def svdvals(A: Tensor, *, driver: str | None = ..., out: Tensor | None = ...) -> Tensor: ...
def tensorinv(input: Tensor, ind: _int = ..., *, out: Tensor | None = ...) -> Tensor: ...
@overload
def tensorsolve(
    input: Tensor, other: Tensor, dims: Sequence[_int] | None = ..., *, out: Tensor | None = ...
) -> Tensor: ...
@overload
def tensorsolve(input: Tensor, other: Tensor, *dims: _int, out: Tensor | None = ...) -> Tensor: ...
def vander(x: Tensor, *, N: _int | None = ...) -> Tensor: ...
def vecdot(x: Tensor, y: Tensor, *, dim: _int = ..., out: Tensor | None = ...) -> Tensor: ...
def vector_norm(
    input: Tensor,
    ord: _Scalar = ...,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor: ...
