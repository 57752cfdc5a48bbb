"""The pseudoinverse, the rank and the condition number: what the singular values decide.

Source: aten/src/ATen/native/LinearAlgebra.cpp (linalg_pinv, linalg_matrix_rank, linalg_cond); derivative:
FunctionsManual.cpp (pinv_backward).
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import check_square_matrices
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.dtype import complex64, complex128, float32, float64, int64
from ...values.limits import finfo

_PRECISE = (float32, float64, complex64, complex128)


# -- tolerances ----------------------------------------------------------------------------------------------


def _check_tolerance(operator: str, name: str, tolerance: Any) -> None:
    """Raises RuntimeError for a complex tolerance."""
    if tolerance is not None and tolerance.dtype.is_complex:
        raise RuntimeError(
            f"gnomon.linalg.{operator}: {name} tensor of complex type is not supported. Got "
            f"{tolerance.dtype.name}"
        )


def _default_tolerance(A: Any) -> float:
    """The relative error that rounding gives to the singular values: the dtype's, times the larger size."""
    return finfo(A.dtype).eps * max(A.size(-2), A.size(-1))


def _numbers(self: Any, atol: float | None, rtol: float | None) -> tuple[Any, Any]:
    """The tolerances as tensors; only a positive ``atol`` replaces the default of ``rtol``."""
    absolute = 0.0 if atol is None else atol
    if rtol is None:
        rtol = 0.0 if absolute > 0 else _default_tolerance(self)
    full = aten.full.default
    return (
        full((), absolute, dtype=float64, device=self.device),
        full((), rtol, dtype=float64, device=self.device),
    )


def _tensors(operator: str, self: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """The same for tensors of tolerances, one for each matrix, or one for all."""
    _check_tolerance(operator, "atol", atol)
    _check_tolerance(operator, "rtol", rtol)
    zero, default = _numbers(self, None, None)
    if rtol is None:
        rtol = default if atol is None else aten.where(atol > 0, zero, default)
    return zero if atol is None else atol, rtol


def _limit(values: Any, atol: Any, rtol: Any) -> Any:
    """The number (*, 1) that singular values exceed unless they count as 0."""
    return aten.maximum(atol.unsqueeze(-1), rtol.unsqueeze(-1) * values.amax(-1, True))


# -- the pseudoinverse ---------------------------------------------------------------------------------------


def _pinv(self: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    if self.dtype not in _PRECISE or self.ndim < 2:
        raise RuntimeError(
            f"linalg.pinv({self.dtype.name}{{{list(self.shape)}}}): expected a tensor with 2 or more "
            "dimensions of float32, float64, complex64 or complex128 dtypes"
        )
    atol, rtol = _tensors("pinv", self, atol, rtol)
    if not self.numel():
        return self.new_zeros((*self.shape[:-2], self.size(-1), self.size(-2)))
    if hermitian:
        values, vectors = aten.linalg_eigh.default(self)
        left, right, sizes = vectors, vectors.mH, values.abs()
    else:
        U, values, Vh = aten.linalg_svd.default(self, False)
        left, right, sizes = Vh.mH, U.mH, values
    inverses = aten.where(sizes > _limit(sizes, atol, rtol), values.reciprocal(), 0.0).to(self.dtype)
    return (left * inverses.unsqueeze(-2)).matmul(right)


def _pinv_grad(grad: Any, result: Any, self: Any) -> Any:
    """``-P^H G P^H + (I - A P) G^H P P^H + P^H P G^H (I - P A)`` for the pseudoinverse P of A.

    The rank must be constant near A.  Source: Golub and Pereyra, "The differentiation of pseudo-inverses and
    nonlinear least squares problems whose variables separate", 1973.
    """
    P, flipped = result, grad.mH
    outside_columns = flipped - self.matmul(P.matmul(flipped))
    outside_rows = flipped - flipped.matmul(P).matmul(self)
    return (
        outside_columns.matmul(P).matmul(P.mH)
        + P.mH.matmul(P.matmul(outside_rows))
        - P.mH.matmul(grad).matmul(P.mH)
    )


_PINV_DOC = """Computes the pseudoinverse (*, m, n) of matrices (*, n, m).

    Singular values up to ``max(atol, rtol * the largest)`` count as 0; ``atol`` is 0 by default, and ``rtol``
    the dtype's eps times max(n, m), or 0 if ``atol`` is positive.  With ``hermitian`` the matrices are
    Hermitian, and only their lower triangles are read.  Raises RuntimeError for other dtypes than float32,
    float64 and complex, and for complex tolerances."""

native_function(
    "linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool "
    "hermitian=False) -> Tensor",
    explicit=_pinv,
    derivatives={"self": lambda grad, result, self: _pinv_grad(grad, result, self)},
    python_module="linalg",
    variants="function",
    batching="composed",
    out=Out("atol_rtol_tensor_out"),
    doc=_PINV_DOC,
)


def _pinv_of_numbers(self: Any, atol: float | None, rtol: float | None, hermitian: bool) -> Any:
    if self.dtype not in _PRECISE:
        return aten.linalg_pinv.atol_rtol_tensor(self)  # which refuses it
    absolute, relative = _numbers(self, atol, rtol)
    return aten.linalg_pinv.atol_rtol_tensor(self, atol=absolute, rtol=relative, hermitian=hermitian)


native_function(
    "linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) "
    "-> Tensor",
    composite=_pinv_of_numbers,
    python_module="linalg",
    variants="function",
    out=Out("atol_rtol_float_out"),
    doc=_PINV_DOC,
)


def _pinv_of_rcond(self: Any, rcond: Any, hermitian: bool) -> Any:
    _check_tolerance("pinv", "rcond", rcond)
    zero = aten.zeros((), dtype=float64, device=self.device)
    return aten.linalg_pinv.atol_rtol_tensor(self, atol=zero, rtol=rcond, hermitian=hermitian)


native_function(
    "linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor",
    composite=_pinv_of_rcond,
    python_module="linalg",
    variants="function",
    out=Out("out_rcond_tensor"),
    doc="linalg.pinv with the relative tolerance ``rcond``.",
)

native_function(
    "linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor",
    composite=lambda self, rcond, hermitian: _pinv_of_numbers(self, 0.0, rcond, hermitian),
    python_module="linalg",
    variants="function",
    out=Out(),
    doc="linalg.pinv with the relative tolerance ``rcond``.",
)

pinverse = native_function(
    "pinverse(Tensor self, float rcond=1e-15) -> Tensor",
    composite=lambda self, rcond: _pinv_of_numbers(self, 0.0, rcond, False),
    doc="""Computes the pseudoinverse (*, m, n) of matrices (*, n, m): linalg.pinv with the relative tolerance
    ``rcond``.

    Raises RuntimeError for other dtypes than float32, float64 and complex.""",
)


# -- the rank ------------------------------------------------------------------------------------------------


def _check_rank_input(A: Any) -> None:
    if A.ndim < 2:
        raise RuntimeError(
            "gnomon.linalg.matrix_rank: The input tensor input must have at least 2 dimensions."
        )
    if A.dtype not in _PRECISE:
        raise RuntimeError("This function doesn't handle types other than float and double")


def _rank(A: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    """How many singular values exceed the limit."""
    if not A.numel():
        return aten.zeros(A.shape[:-2], dtype=int64, device=A.device)
    values = aten.linalg_eigvalsh.default(A).abs() if hermitian else aten.linalg_svdvals.default(A)
    return (values > _limit(values, atol, rtol)).sum(-1)


def _rank_of_tensors(input: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    _check_rank_input(input)
    return _rank(input, *_tensors("matrix_rank", input, atol, rtol), hermitian)


def _rank_of_numbers(self: Any, atol: float | None, rtol: float | None, hermitian: bool) -> Any:
    _check_rank_input(self)
    return _rank(self, *_numbers(self, atol, rtol), hermitian)


def _rank_of_tensor(input: Any, tol: Any, hermitian: bool) -> Any:
    rtol = aten.zeros((), dtype=float64, device=input.device)
    return _rank_of_tensors(input, tol, rtol, hermitian)


_RANK_DOC = """Computes the rank (*), int64, of matrices (*, n, m): how many singular values exceed
    ``max(atol, rtol * the largest)``.

    ``atol`` is 0 by default, and ``rtol`` the dtype's eps times max(n, m), or 0 if ``atol`` is positive.
    With ``hermitian`` the matrices are Hermitian, and only their lower triangles are read.  Raises
    RuntimeError for fewer than two dimensions, for other dtypes than float32, float64 and complex, and for
    complex tolerances."""

native_function(
    "linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool "
    "hermitian=False) -> Tensor",
    composite=_rank_of_tensors,
    python_module="linalg",
    variants="function",
    out=Out("atol_rtol_tensor_out"),
    doc=_RANK_DOC,
)

native_function(
    "linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool "
    "hermitian=False) -> Tensor",
    composite=_rank_of_numbers,
    python_module="linalg",
    variants="function",
    out=Out("atol_rtol_float_out"),
    doc=_RANK_DOC,
)

native_function(
    "linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor",
    composite=lambda self, tol, hermitian: _rank_of_numbers(self, tol, 0.0, hermitian),
    python_module="linalg",
    variants="function",
    out=Out(),
    doc="linalg.matrix_rank with the absolute tolerance ``tol``.",
)

native_function(
    "linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor",
    composite=_rank_of_tensor,
    python_module="linalg",
    variants="function",
    out=Out("out_tol_tensor"),
    doc="linalg.matrix_rank with the absolute tolerance ``tol``.",
)


# -- the condition number ------------------------------------------------------------------------------------


def _product_of_norms(self: Any, norm: Any, ord: Any) -> Any:
    """The norm of the matrix times that of its inverse; infinite if there is none."""
    inverse, info = aten.linalg_inv_ex.default(self)
    inverse = inverse.masked_fill(info.unsqueeze(-1).unsqueeze(-1) > 0, math.inf)
    return (norm(self, ord) * norm(inverse, ord)).nan_to_num(math.inf, math.inf, -math.inf)


def _no_matrix(self: Any) -> Any:
    return self.new_zeros(self.shape[:-2], dtype=self.dtype.to_real())


def _refused(ord: Any) -> RuntimeError:
    return RuntimeError(f"linalg.cond got an invalid norm type: {ord}")


def _cond(self: Any, p: Any) -> Any:
    if self.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if isinstance(p, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    ord = 2 if p is None else p
    if abs(ord) not in (1, 2, math.inf):
        raise _refused(ord)
    if not self.numel():
        return _no_matrix(self)
    if abs(ord) != 2:
        check_square_matrices(f"linalg.cond(ord={ord})", self)
        return _product_of_norms(self, aten.linalg_matrix_norm.default, ord)
    values = aten.linalg_svdvals.default(self)
    largest, smallest = values.narrow(-1, 0, 1), values.narrow(-1, values.size(-1) - 1, 1)
    return (largest / smallest if ord == 2 else smallest / largest).squeeze(-1)


def _named_cond(self: Any, p: str) -> Any:
    check_square_matrices(f"linalg.cond(ord={p})", self)
    if p not in ("fro", "nuc"):
        raise _refused(p)
    if not self.numel():
        return _no_matrix(self)
    if p == "fro":
        return _product_of_norms(self, aten.linalg_matrix_norm.str_ord, p)
    values = aten.linalg_svdvals.default(self)
    return values.sum(-1) * values.reciprocal().sum(-1)


native_function(
    "linalg_cond(Tensor self, Scalar? p=None) -> Tensor",
    composite=_cond,
    python_module="linalg",
    variants="function",
    out=Out(),
    doc="""Computes the condition number (*), real, of matrices (*, n, n): the norm of order ``p`` of the
    matrix times that of its inverse, infinite for a singular one.

    By default, and for 2, it is the largest singular value divided by the smallest, for -2 the inverse of
    that; these two also exist for (*, n, m).  Raises RuntimeError for orders other than 1, -1, 2, -2, inf and
    -inf, for matrices that are not square, and for integers.""",
)

native_function(
    "linalg_cond.p_str(Tensor self, str p) -> Tensor",
    composite=_named_cond,
    python_module="linalg",
    variants="function",
    out=Out("p_str_out"),
    doc="""Computes the condition number (*) of matrices (*, n, n) in the Frobenius norm, "fro", or the
    nuclear norm, "nuc".

    Raises RuntimeError for other names, for matrices that are not square, and for integers.""",
)
