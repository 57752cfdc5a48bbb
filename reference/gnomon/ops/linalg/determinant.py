"""Determinants, from the LU factorization.

Source: aten/src/ATen/native/LinearAlgebra.cpp; derivatives: FunctionsManual.cpp (linalg_det_backward,
slogdet_backward).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, check_precise, check_square_matrices, refuse_half
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...dispatch.mode import is_differentiating
from ...values.dtype import bfloat16, float16, int32


def _factored(A: Any, operator: str) -> tuple[Any, Any, Any]:
    """LU, pivots, and the diagonal of U, whose product is the determinant: negated where rows are swapped."""
    check_square_matrices(operator, A)
    check_precise(operator, A.dtype)
    LU, pivots, _ = aten.linalg_lu_factor_ex.default(A.mT if _is_flipped(A) else A)
    return LU, pivots, _signed(LU.diagonal(0, -2, -1), pivots)


def _is_flipped(A: Any) -> bool:
    """Is the transpose factored, which is then column-major, as in PyTorch?"""
    return bool(A.is_contiguous() and not A.is_complex())


def _signed(diagonal: Any, pivots: Any) -> Any:
    """Numbers, negated where rows are swapped: each swap changes the sign of the determinant."""
    places = aten.arange(1, pivots.size(-1) + 1, dtype=int32, device=pivots.device)
    return aten.where(pivots == places, diagonal, -diagonal)


def _det(A: Any) -> tuple[Any, Any, Any]:
    if A.dtype in (float16, bfloat16):  # PyTorch's det has another error for these than slogdet and logdet
        check_square_matrices("linalg.det", A)
        refuse_half(A.dtype)
    LU, pivots, diagonal = _factored(A, "linalg.det")
    return diagonal.prod(-1), LU, pivots


def _of_singular(A: Any, grad: Any) -> Any:
    """The gradient from the singular value decomposition: without the factor of each singular value in turn.

    Source: Higham, "What is the adjugate of a matrix?", 2020.
    """
    U, S, Vh = aten._linalg_svd.default(A, True)
    alpha = (aten.linalg_det.default(U) * aten.linalg_det.default(Vh)).conj() * grad
    count = S.size(-1)
    ones = aten.eye(count, dtype=S.dtype, device=S.device)
    others = (S.unsqueeze(-2) * (1 - ones) + ones).prod(-1)
    return (U * (alpha.unsqueeze(-1) * others).unsqueeze(-2)).matmul(Vh)


def _det_grad(grad: Any, A: Any, LU: Any, pivots: Any, result: Any) -> Any:
    """``grad conj(det) A^-H``, by a factorization in which a pivot of 0 is replaced by the dtype's epsilon.

    If a second derivative may be wanted, A is factored again; a matrix that is nearly singular, by
    singular values.
    """
    if not A.numel():
        return aten.zeros_like(A)
    eps = 2.0 ** (-52 if A.dtype.to_real().itemsize == 8 else -23)
    if not is_differentiating():
        diagonal = LU.diagonal(0, -2, -1)
        shift = aten.where(diagonal == 0, eps, 0.0).to(LU.dtype)
        result = _signed(diagonal + shift, pivots).prod(-1)
        right = aten.diag_embed((grad * result.conj()).unsqueeze(-1).expand(A.shape[:-1]))
        return aten.linalg_lu_solve.default(
            LU + aten.diag_embed(shift), pivots, right, adjoint=not _is_flipped(A)
        )
    right = aten.diag_embed((grad * result.conj()).unsqueeze(-1).expand(A.shape[:-1]))
    is_singular = result.abs() < 100 * eps
    if can_be_read(is_singular):
        if not is_singular.any().item():
            return aten.linalg_solve.default(A.mH, right)
        if is_singular.all().item():
            return _of_singular(A, grad)
    where = is_singular.unsqueeze(-1).unsqueeze(-1)
    ones = aten.eye(A.size(-1), dtype=A.dtype, device=A.device)
    solved = aten.linalg_solve_ex.default(aten.where(where, ones, A).mH, right)[0]
    return aten.where(where, _of_singular(aten.where(where, A, ones), grad), solved)


inner_det = native_function(
    "_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
    explicit=_det,
    derivatives={"A": _det_grad},
    non_differentiable_outputs=(1, 2),
    node_name="LinalgDetBackward0",
    variants="function",
    batching="composed",
    out=Out(
        "_linalg_det.result(Tensor A, *, Tensor(a!) result, Tensor(b!) LU, Tensor(c!) pivots) -> (Tensor(a!) "
        "result, Tensor(b!) LU, Tensor(c!) pivots)",
        exact=True,
    ),
    doc="linalg.det, which also returns the LU factorization.",
)

linalg_det = native_function(
    "linalg_det(Tensor A) -> Tensor",
    composite=lambda A: aten._linalg_det.default(A)[0],
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes the determinants (*) of matrices (*, n, n).

    Raises RuntimeError for matrices that are not square, for integers, and for half precision.""",
)

det = native_function(
    "det(Tensor self) -> Tensor",
    composite=lambda self: aten.linalg_det.default(self),
    doc="The same as linalg.det.  Raises RuntimeError for matrices that are not square.",
)


def _slogdet(A: Any) -> tuple[Any, Any, Any, Any]:
    LU, pivots, diagonal = _factored(A, "linalg.slogdet")
    return diagonal.sgn().prod(-1), diagonal.abs().log().sum(-1), LU, pivots


def _slogdet_grad(grads: Sequence[Any], A: Any, sign: Any, LU: Any, pivots: Any) -> Any:
    """``(glogabsdet - i Im(conj(gsign) sign)) A^-H``; the sign of a real determinant is constant.

    Source: slogdet_backward.
    """
    grad_sign, grad_log = grads[:2]
    factor = None if grad_log is None else grad_log.to(A.dtype)
    if grad_sign is not None and A.is_complex():
        turn = (grad_sign.conj() * sign).imag
        turn = aten.complex(aten.zeros_like(turn), -turn)
        factor = turn if factor is None else factor + turn
    if factor is None:
        return None
    right = aten.diag_embed(factor.unsqueeze(-1).expand(A.shape[:-1]))
    if is_differentiating():  # LU has no derivative here
        return aten.linalg_solve_ex.default(A.mH, right)[0]  # without a check, as in PyTorch
    return aten.linalg_lu_solve.default(LU, pivots, right, adjoint=not _is_flipped(A))


inner_slogdet = native_function(
    "_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
    explicit=_slogdet,
    derivatives={"A": _slogdet_grad},
    non_differentiable_outputs=(2, 3),
    node_name="LinalgSlogdetBackward0",
    variants="function",
    batching="composed",
    out=Out(
        "_linalg_slogdet.sign(Tensor A, *, Tensor(a!) sign, Tensor(b!) logabsdet, Tensor(c!) LU, Tensor(d!) "
        "pivots) -> (Tensor(a!) sign, Tensor(b!) logabsdet, Tensor(c!) LU, Tensor(d!) pivots)",
        exact=True,
    ),
    doc="linalg.slogdet, which also returns the LU factorization.",
)

linalg_slogdet = native_function(
    "linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
    composite=lambda A: aten._linalg_slogdet.default(A)[:2],
    python_module="linalg",
    variants="function",
    out=Out(
        "linalg_slogdet.out(Tensor A, *, Tensor(a!) sign, Tensor(b!) logabsdet) -> (Tensor(a!) sign, "
        "Tensor(b!) logabsdet)",
        exact=True,
    ),
    doc="""Computes the sign (*) and the logarithm of the absolute value (*) of determinants of matrices (*,
    n, n).

    The sign of a complex determinant has absolute value 1.  For a singular matrix they are 0 and -inf.
    Raises RuntimeError for matrices that are not square, for integers, and for half precision.""",
)

slogdet = native_function(
    "slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
    composite=lambda self: aten.linalg_slogdet.default(self),
    out=Out(
        "slogdet.out(Tensor self, *, Tensor(a!) sign, Tensor(b!) logabsdet) -> (Tensor(a!) sign, Tensor(b!) "
        "logabsdet)",
        exact=True,
    ),
    doc="The same as linalg.slogdet.  Raises RuntimeError for matrices that are not square.",
)


def _logdet(self: Any) -> Any:
    check_square_matrices("logdet", self)
    check_precise("logdet", self.dtype)
    sign, logarithm = aten.linalg_slogdet.default(self)
    return sign.log() + logarithm if self.is_complex() else aten.where(sign == -1, math.nan, logarithm)


logdet = native_function(
    "logdet(Tensor self) -> Tensor",
    composite=_logdet,
    doc="""Computes the logarithm of determinants (*) of matrices (*, n, n); NaN for a negative determinant.

    Raises RuntimeError for matrices that are not square, for integers, and for half precision.""",
)
