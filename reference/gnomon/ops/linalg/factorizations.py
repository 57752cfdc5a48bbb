"""The Cholesky, QR and LU factorizations.

The kernels are textbook algorithms in float64 (Golub and Van Loan, "Matrix Computations", 4.2, 5.2, 3.4) that
return what LAPACK returns: the same signs, pivots and ``info``.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp; derivatives: FunctionsManual.cpp (cholesky_backward,
linalg_qr_backward, householder_product_backward, plu_backward_base).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, check_floating_or_complex, check_square_matrices, refuse_half
from ...calls.meta_functions import column_major
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide, exact_sum
from ...numerics.matrices import (
    Matrix,
    adjoint,
    batch_indices,
    dot,
    identity,
    read_matrix,
    reflection,
    write_matrix,
)
from ...values.device import contiguous_format
from ...values.dtype import int32
from ...values.errors import LinAlgError

_FACTORIZATION_FAILED = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor "
    "of order {0} is not positive-definite)."
)
_INVERSION_FAILED = (
    "The diagonal element {0} is zero, the inversion could not be completed because the input matrix is "
    "singular."
)
_DIVISION_BY_ZERO = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
    "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)
_ZERO_BLOCK = (
    "The block of D at the diagonal element {0} is zero and using it on ldl_solve would result in a division "
    "by zero. If you still want to perform the factorization, consider calling linalg.ldl_factor_ex(A)"
)
_FAILURES = {
    "cholesky": _FACTORIZATION_FAILED,
    "inv": _INVERSION_FAILED,
    "cholesky_inverse": _INVERSION_FAILED,
    "solve": "The solver failed because the input matrix is singular.",
    "eigh": "The algorithm failed to converge because the input matrix is ill-conditioned or has too many "
    "repeated eigenvalues (error code: {0}).",
    "svd": "The algorithm failed to converge because the input matrix contained non-finite values.",
    "lu_factor": _DIVISION_BY_ZERO,
    "ldl_factor": _ZERO_BLOCK,
    "lstsq": "The least squares solution could not be computed because the input matrix does not have full "
    "rank (error code: {0}).",
}


def _check_errors(info: Any, api_name: str, is_matrix: bool) -> None:
    if not can_be_read(info):
        return
    codes = info.flatten().tolist()
    if not any(codes):
        return
    for number, code in enumerate(codes):
        if code:
            name = api_name.rpartition(".")[2].removesuffix("_ex")
            kind = RuntimeError if name in ("lu_factor", "ldl_factor") else LinAlgError
            which = "" if is_matrix else f"(Batch element {number}): "
            raise kind(f"{api_name}: {which}{_FAILURES[name].format(code)}")


check_errors = native_function(
    "_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()",
    explicit=_check_errors,
    derivatives={},
    doc="""Raises LinAlgError if a factorization has failed, which ``info`` (*) says for each matrix.

    For lu_factor and ldl_factor, whose results are defined, it is a RuntimeError.""",
)


def unless_failed(result: tuple[Any, ...], api_name: str, wanted: bool = True) -> Any:
    """The results, of which the last is ``info``, after ``_linalg_check_errors`` if that is ``wanted``."""
    if wanted:
        info = result[-1]
        aten._linalg_check_errors.default(info, api_name, info.ndim == 0)
    return result


# -- Cholesky ------------------------------------------------------------------------------------------------


def _cholesky_meta(self: Spec, upper: bool, check_errors: bool) -> tuple[Spec, Spec]:
    check_square_matrices("linalg.cholesky", self)
    check_floating_or_complex(self.dtype)
    refuse_half(self.dtype)
    return column_major(self.sizes, self), self.contiguous(self.sizes[:-2], int32)


def _factor_lower(matrix: Matrix) -> int:
    """Replaces the lower triangle of a Hermitian matrix by its Cholesky factor.

    Returns 0, or the order of the first leading minor that is not positive-definite, where it stops.
    """
    for j, row in enumerate(matrix):
        square = row[j].real - exact_sum([x.real * x.real + x.imag * x.imag for x in row[:j]])
        if not square > 0:
            row[j] = square
            return j + 1
        row[j] = math.sqrt(square)
        conjugates = [x.conjugate() for x in row[:j]]
        for below in matrix[j + 1 :]:
            below[j] = divide(below[j] - dot(below[:j], conjugates), row[j])
    return 0


def _cholesky_kernel(L: Tensor, info: Tensor, self: Tensor, upper: bool, check_errors: bool) -> None:
    """The factor of each matrix, of which one triangle is read."""
    source, output, codes = TensorAccessor(self), TensorAccessor(L), TensorAccessor(info)
    for index in batch_indices(source.sizes[:-2]):
        matrix = read_matrix(source, index)
        matrix = adjoint(matrix) if upper else matrix
        codes[index] = _factor_lower(matrix)
        lower = [[number if j <= i else 0.0 for j, number in enumerate(row)] for i, row in enumerate(matrix)]
        write_matrix(output, index, adjoint(lower) if upper else lower)
    if check_errors:
        _check_errors(info, "linalg.cholesky_ex", not source.sizes[:-2])


def _cholesky_grad(grad: Any, L: Any, upper: bool) -> Any:
    """``L^-H sym(tril(L^H gL)) L^-1``, where sym halves the lower triangle and adds its adjoint.

    Source: cholesky_backward; Murray, "Differentiation of the Cholesky decomposition", 2016.
    """
    if upper:
        L, grad = L.mH, grad.mH
    inner = L.mH.matmul(grad).tril()
    inner = 0.5 * (inner + inner.tril(-1).mH)
    inner = aten.linalg_solve_triangular.default(L.mH, inner, upper=True)
    return aten.linalg_solve_triangular.default(L, inner, upper=False, left=False)


cholesky_ex = native_function(
    "linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor "
    "info)",
    meta=_cholesky_meta,
    kernel=_cholesky_kernel,
    derivatives={"self": _cholesky_grad},
    python_module="linalg",
    variants="function",
    batching="leading",
    out=Out(
        "linalg_cholesky_ex.L(Tensor self, *, bool upper=False, bool check_errors=False, Tensor(a!) L, "
        "Tensor(b!) info) -> (Tensor(a!) L, Tensor(b!) info)",
        exact=True,
    ),
    doc="""Computes the Cholesky factor L of Hermitian positive-definite matrices (*, n, n), ``A = L L^H``.

    With ``upper`` it is ``L^H``, and the upper triangle is read instead of the lower one.  ``info`` (*),
    int32, is 0, or the order of the first leading minor that is not positive-definite; with ``check_errors``
    that raises LinAlgError.  Raises RuntimeError for matrices that are not square and for integers,
    NotImplementedError for half precision.""",
)


def _linalg_cholesky(self: Any, upper: bool) -> Any:
    check_square_matrices("linalg.cholesky", self)
    return unless_failed(aten.linalg_cholesky_ex.default(self, upper=upper), "linalg.cholesky")[0]


linalg_cholesky = native_function(
    "linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
    composite=_linalg_cholesky,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes the Cholesky factor of Hermitian positive-definite matrices (*, n, n); see cholesky_ex.

    Raises LinAlgError for a matrix that is not positive-definite.""",
)


def _cholesky(self: Any, upper: bool) -> Any:
    check_square_matrices("cholesky", self)
    refuse_half(self.dtype, "bool", "integer")
    if not self.numel():
        return self.new_empty(self.shape)
    return unless_failed(aten.linalg_cholesky_ex.default(self, upper=upper), "cholesky")[0]


cholesky = native_function(
    "cholesky(Tensor self, bool upper=False) -> Tensor",
    explicit=_cholesky,
    derivatives={"self": lambda grad, result, upper: _cholesky_grad(grad, result, upper)},
    batching="composed",
    out=Out(row_major=True),
    doc="""Computes the Cholesky factor of Hermitian positive-definite matrices; see linalg.cholesky.

    Raises LinAlgError for a matrix that is not positive-definite.""",
)


# -- QR ------------------------------------------------------------------------------------------------------


def _geqrf_meta(self: Spec) -> tuple[Spec, Spec]:
    if self.ndim < 2:
        raise RuntimeError("gnomon.geqrf: input must have at least 2 dimensions.")
    refuse_half(self.dtype, "bool", "integer")
    *batch, rows, columns = self.sizes
    return column_major(self.sizes, self), self.contiguous((*batch, min(rows, columns)))


def _reflect(matrix: Matrix, vector: Sequence[Any], factor: Any, row: int, column: int) -> None:
    """Applies ``I - factor v v^H`` to the part of the matrix from ``row`` and ``column``, in place."""
    part = matrix[row:]
    for j in range(column, len(matrix[0])):
        share = factor * dot([x.conjugate() for x in vector], [each[j] for each in part])
        for x, each in zip(vector, part):
            each[j] -= x * share


def _householder_qr(matrix: Matrix) -> list[Any]:
    """Replaces the matrix by R and, below its diagonal, the vectors of the reflections; returns their
    factors.

    A reflection is ``I - tau v v^H`` with 1 as the first element of v.  Source: LAPACK's geqr2.
    """
    taus: list[Any] = []
    for k in range(min(len(matrix), len(matrix[0]) if matrix else 0)):
        beta, tau, vector = reflection([row[k] for row in matrix[k:]])
        if tau != 0:
            _reflect(matrix, vector, tau.conjugate(), k, k + 1)
            matrix[k][k] = beta
            for x, row in zip(vector[1:], matrix[k + 1 :]):
                row[k] = x
        taus.append(tau)
    return taus


def _geqrf_kernel(a: Tensor, tau: Tensor, self: Tensor) -> None:
    """Factors each matrix."""
    source, factors, output = TensorAccessor(self), TensorAccessor(tau), TensorAccessor(a)
    for index in batch_indices(source.sizes[:-2]):
        matrix = read_matrix(source, index)
        for k, factor in enumerate(_householder_qr(matrix)):
            factors[index + (k,)] = factor
        write_matrix(output, index, matrix)


geqrf = native_function(
    "geqrf(Tensor self) -> (Tensor a, Tensor tau)",
    meta=_geqrf_meta,
    kernel=_geqrf_kernel,
    batching="leading",
    out=Out("geqrf.a(Tensor self, *, Tensor(a!) a, Tensor(b!) tau) -> (Tensor(a!) a, Tensor(b!) tau)"),
    doc="""Computes the QR factorization of matrices (*, n, m) as R and Householder reflections.

    R is the upper triangle of ``a``; reflection i is ``I - tau[i] v v^H``, with v 1 at i and the elements of
    column i of ``a`` below.  tau is (*, min(n, m)).  Raises RuntimeError for fewer than two dimensions.""",
)


def _householder_meta(input: Spec, tau: Spec) -> Spec:
    name = "gnomon.linalg.householder_product"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if input.sizes[-2] < input.sizes[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if tau.ndim and input.sizes[-1] < tau.sizes[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if input.ndim != tau.ndim + 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to "
            f"{tau.ndim} and input.ndim is equal to {input.ndim}"
        )
    if input.sizes[:-2] != tau.sizes[:-1]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau.sizes[:-1])}"
        )
    if tau.dtype is not input.dtype:
        raise RuntimeError(
            f"{name}: tau dtype {tau.dtype.name} does not match input dtype {input.dtype.name}"
        )
    refuse_half(input.dtype, "bool", "integer")
    return column_major(input.sizes, input)


def _householder_kernel(output: Tensor, input: Tensor, tau: Tensor) -> None:
    """The first columns of the product, from the last reflection to the first."""
    source, factors, out = TensorAccessor(input), TensorAccessor(tau), TensorAccessor(output)
    *batch, rows, columns = source.sizes
    for index in batch_indices(tuple(batch)):
        matrix, product = read_matrix(source, index), identity(rows, columns)
        for k in reversed(range(factors.sizes[-1])):
            vector = [1.0, *(row[k] for row in matrix[k + 1 :])]
            _reflect(product, vector, factors[index + (k,)], k, k)
        write_matrix(out, index, product)


def _householder_grad(grad: Any, input: Any, tau: Any) -> tuple[Any, Any]:
    """The gradients of the vectors and of the factors, from the first reflection to the last.

    The product is ``P_0``, with ``P_k = H_k P_k+1``; the gradient of ``P_k+1`` is ``H_k^H`` times that of
    ``P_k``.
    """
    rows, columns, count = input.size(-2), input.size(-1), tau.size(-1)
    if not input.numel() or not tau.numel():
        return None, None
    ones = aten.eye(rows, columns, dtype=input.dtype, device=input.device)
    vectors = (input.tril(-1) + ones).unsqueeze(-1)  # vector k is [..., k, :]
    factors = tau.unsqueeze(-1).unsqueeze(-1)
    products = [ones.expand(input.shape)]
    for k in reversed(range(count)):
        vector, product = vectors.select(-2, k), products[-1]
        products.append(product - factors.select(-3, k) * vector.matmul(vector.mH.matmul(product)))
    products.reverse()
    of_vectors, of_factors = [], []
    for k in range(count):
        vector, factor, product = vectors.select(-2, k), factors.select(-3, k), products[k + 1]
        along, share = vector.mH.matmul(grad), vector.mH.matmul(product)
        of_factors.append(-(along * share.conj()).sum(-1).squeeze(-1))
        of_vectors.append(
            -(factor.conj() * grad.matmul(share.mH) + factor * product.matmul(along.mH)).squeeze(-1)
        )
        grad = grad - factor.conj() * vector.matmul(along)
    wide = aten.stack(of_vectors, -1)
    if count < columns:
        wide = aten.constant_pad_nd(wide, (0, columns - count), 0)
    return wide.tril(-1), aten.stack(of_factors, -1)


householder_product = native_function(
    "linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
    meta=_householder_meta,
    kernel=_householder_kernel,
    derivatives={"input, tau": _householder_grad},
    python_module="linalg",
    variants="function",
    batching="leading",
    out="out",
    doc="""Computes the first m columns of the product of Householder reflections, (*, n, m) with n >= m.

    ``input`` (*, n, m) and ``tau`` (*, k), k <= m, are as geqrf returns them.  Raises RuntimeError for other
    sizes and for different dtypes.""",
)

orgqr = native_function(
    "orgqr(Tensor self, Tensor input2) -> Tensor",
    composite=lambda self, input2: aten.linalg_householder_product.default(self, input2),
    out="out",
    doc="The former name of linalg.householder_product.",
)


def _check_ormqr(input: Any, tau: Any, other: Any, left: bool) -> None:
    """Source: BatchLinearAlgebra.cpp, ormqr_out."""
    for name, each in (("input", input), ("other", other)):
        if each.ndim < 2:
            raise RuntimeError(f"gnomon.ormqr: {name} must have at least 2 dimensions.")
    where = -2 if left else -1
    if tau.ndim != input.ndim - 1:
        raise RuntimeError(
            "gnomon.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal to "
            f"{tau.ndim} and input.ndim is equal to {input.ndim}"
        )
    if other.shape[where] != input.shape[-2]:
        raise RuntimeError(f"gnomon.ormqr: other.shape[{where}] must be equal to input.shape[-2]")
    if tau.shape[-1] != min(other.shape[where], input.shape[-1]):
        raise RuntimeError(
            f"gnomon.ormqr: tau.shape[-1] must be equal to min(other.shape[{where}], input.shape[-1])"
        )
    if other.ndim != input.ndim:
        raise RuntimeError(
            "gnomon.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim "
            f"equal to {other.ndim} and input.ndim is equal to {input.ndim}"
        )
    for name, batch in (("tau", tau.shape[:-1]), ("other", other.shape[:-2])):
        if batch != input.shape[:-2]:
            raise RuntimeError(
                f"gnomon.ormqr: Expected batch dimensions of {name} to be equal to input.shape[:-2], but got "
                f"{list(batch)}"
            )
    for name, each in (("tau", tau), ("other", other)):
        if each.dtype is not input.dtype:
            raise RuntimeError(
                f"gnomon.ormqr: Expected input and {name} to have the same dtype, but input has dtype "
                f"{input.dtype.name} and {name} has dtype {each.dtype.name}"
            )


def _ormqr(self: Any, input2: Any, input3: Any, left: bool, transpose: bool) -> Any:
    """Q as I - V T V^H, so that nothing is square but T, whose size is the number of reflections.

    Source: Schreiber and Van Loan, "A storage-efficient WY representation for products of Householder
    transformations" (1989).
    """
    _check_ormqr(self, input2, input3, left)
    refuse_half(self.dtype, "bool", "integer")
    if not self.numel():  # no reflections: Q is the identity, and does not depend on them
        return aten.clone.default(input3.mT, contiguous_format).mT
    count = input2.size(-1)
    V = aten.tril(self.narrow(-1, 0, count), -1)
    V = V + aten.eye.m(*V.shape[-2:], dtype=V.dtype, device=V.device)
    # T is tau_i in its diagonal, and each column minus tau_i times products with the columns before
    steps = input2.unsqueeze(-1) * aten.triu(V.mH.matmul(V), 1)
    T = aten.linalg_solve_triangular(steps, aten.diag_embed(input2), upper=True, unitriangular=True)
    T = T.mH if transpose else T
    change = V.matmul(T.matmul(V.mH.matmul(input3))) if left else input3.matmul(V).matmul(T).matmul(V.mH)
    return aten.clone.default((input3 - change).mT, contiguous_format).mT  # in column-major order


ormqr = native_function(
    "ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
    composite=_ormqr,
    out=Out(exact=True),
    doc="""Multiplies ``input3`` (*, n, k) by the square matrix Q (*, n, n) that a product of Householder
    reflections is: ``Q input3``, or with ``transpose`` ``Q^H input3``.

    If not ``left``, it is ``input3 Q`` or ``input3 Q^H``, with ``input3`` (*, k, n).  ``self`` (*, n, m) and
    ``input2`` (*, min(n, m)) are as geqrf returns them.  Raises RuntimeError for other sizes and for
    different dtypes.""",
)


def _qr_mode(mode: str) -> tuple[bool, bool]:
    """Whether Q is computed, and whether only its first columns are."""
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
            "'complete'"
        )
    return mode != "r", mode != "complete"


def _linalg_qr(A: Any, mode: str) -> tuple[Any, Any]:
    if A.ndim < 2:
        raise RuntimeError("linalg.qr: The input tensor A must have at least 2 dimensions.")
    if A.dtype.category < 2:
        raise RuntimeError(
            f"linalg.qr: Expected a floating point or complex tensor as input. Got {A.dtype.name}"
        )
    compute_q, is_reduced = _qr_mode(mode)
    rows, columns = A.shape[-2:]
    count = min(rows, columns) if is_reduced else rows
    reflections, tau = aten.geqrf.default(A)
    R = reflections.narrow(-2, 0, min(rows, count)).mT.tril().mT
    if not compute_q:
        return A.new_empty((0,)), R
    vectors = reflections.narrow(-1, 0, min(columns, count))
    if count > columns:
        vectors = aten.constant_pad_nd(vectors, (0, count - columns), 0)
    return aten.linalg_householder_product.default(vectors, tau), R


def _qr_grad(grads: Sequence[Any], Q: Any, R: Any, mode: str) -> Any:
    """For a tall matrix ``(gQ + Q sym(triu(gR R^H - Q^H gQ))) R^-H``, where sym adds the adjoint and halves
    the diagonal's real part.

    A wide matrix is a square one, with the same Q, and the columns ``Q V`` of the rest, V of R; the gradient
    of V reaches Q.

    Source: linalg_qr_backward; Walter and Lehmann, "Algorithmic differentiation of linear algebra functions",
    2018.
    """
    grad_q, grad_r = grads
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    rows, columns = Q.size(-2), R.size(-1)
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    grad_q = aten.zeros_like(Q) if grad_q is None else grad_q
    grad_r = aten.zeros_like(R) if grad_r is None else grad_r
    rest = None
    if rows < columns:
        rest = grad_r.narrow(-1, rows, columns - rows)
        grad_q = grad_q + Q.matmul(R.narrow(-1, rows, columns - rows).matmul(rest.mH))
        R, grad_r = R.narrow(-1, 0, rows), grad_r.narrow(-1, 0, rows)
    inner = (grad_r.matmul(R.mH) - Q.mH.matmul(grad_q)).triu()
    diagonal = inner.diagonal(0, -2, -1)
    inner = inner + inner.mH - aten.diag_embed(diagonal.real.to(inner.dtype))
    result = aten.linalg_solve_triangular.default(R.mH, grad_q + Q.matmul(inner), upper=False, left=False)
    return result if rest is None else aten.cat([result, Q.matmul(rest)], -1)


linalg_qr = native_function(
    "linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)",
    explicit=_linalg_qr,
    derivatives={"A": _qr_grad},
    python_module="linalg",
    variants="function",
    batching="composed",
    out=Out(
        "linalg_qr.out(Tensor A, str mode='reduced', *, Tensor(a!) Q, Tensor(b!) R) -> (Tensor(a!) Q, "
        "Tensor(b!) R)",
        exact=True,
    ),
    doc="""Computes the QR factorization ``A = Q R`` of matrices (*, n, m): Q with orthonormal columns, R
    upper triangular.

    With k = min(n, m), ``mode`` "reduced" gives Q (*, n, k) and R (*, k, m), "complete" Q (*, n, n) and R
    (*, n, m), "r" an empty Q and the reduced R.  Raises RuntimeError for other modes, for fewer than two
    dimensions, and for integers.""",
)

qr = native_function(
    "qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)",
    composite=lambda self, some: aten.linalg_qr.default(self, "reduced" if some else "complete"),
    out=Out(
        "qr.Q(Tensor self, bool some=True, *, Tensor(a!) Q, Tensor(b!) R) -> (Tensor(a!) Q, Tensor(b!) R)",
        exact=True,
    ),
    doc='The former linalg.qr: mode "reduced", or "complete" if not ``some``.',
)


# -- LU ------------------------------------------------------------------------------------------------------


def _lu_meta(A: Spec, pivot: bool, check_errors: bool) -> tuple[Spec, Spec, Spec]:
    if A.ndim < 2:
        raise RuntimeError(
            f"gnomon.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.sizes)} instead"
        )
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    refuse_half(A.dtype, "bool", "integer")
    *batch, rows, columns = A.sizes
    pivots = A.contiguous((*batch, min(rows, columns)), int32)
    return column_major(A.sizes, A), pivots, A.contiguous(tuple(batch), int32)


def _factor_lu(matrix: Matrix) -> tuple[list[int], int]:
    """Replaces the matrix by U and, below its diagonal, L, with partial pivoting.

    Returns the row, counted from 1, that each row was swapped with, and 0 or the number of the first pivot
    that is 0.  Source: LAPACK's getf2.
    """
    pivots: list[int] = []
    info = 0
    for k in range(min(len(matrix), len(matrix[0]) if matrix else 0)):
        chosen = max(range(k, len(matrix)), key=lambda i: abs(matrix[i][k].real) + abs(matrix[i][k].imag))
        pivots.append(chosen + 1)
        matrix[k], matrix[chosen] = matrix[chosen], matrix[k]
        top = matrix[k]
        if top[k] == 0:
            info = info or k + 1
            continue
        for row in matrix[k + 1 :]:
            row[k] = factor = divide(row[k], top[k])
            for j in range(k + 1, len(row)):
                row[j] -= factor * top[j]
    return pivots, info


def _lu_kernel(LU: Tensor, pivots: Tensor, info: Tensor, A: Tensor, pivot: bool, check_errors: bool) -> None:
    """Factors each matrix."""
    source, output = TensorAccessor(A), TensorAccessor(LU)
    swaps, codes = TensorAccessor(pivots), TensorAccessor(info)
    for index in batch_indices(source.sizes[:-2]):
        matrix = read_matrix(source, index)
        chosen, codes[index] = _factor_lu(matrix)
        for k, row in enumerate(chosen):
            swaps[index + (k,)] = row
        write_matrix(output, index, matrix)
    if check_errors:
        _check_errors(info, "gnomon.linalg.lu_factor_ex", not source.sizes[:-2])


def _plu_grad(grad_l: Any, grad_u: Any, P: Any, L: Any, U: Any) -> Any:
    """``P L^-H (tril(L^H gL, -1) + triu(gU U^H)) U^-H`` for a square matrix; None if nothing is needed.

    Of a wide matrix ``(A1 A2)``, U is ``(U1 U2)`` with ``U2 = L^-1 P^T A2``; a tall one likewise.

    Source: plu_backward_base.
    """
    if grad_l is None and grad_u is None:
        return None
    rows, columns = L.size(-2), U.size(-1)
    count = min(rows, columns)
    lower, upper = L.narrow(-2, 0, count), U.narrow(-1, 0, count)
    grad_l = aten.zeros_like(L) if grad_l is None else grad_l.tril(-1)
    grad_u = aten.zeros_like(U) if grad_u is None else grad_u.triu()
    below = lower.mH.matmul(grad_l.narrow(-2, 0, count))
    above = grad_u.narrow(-1, 0, count).matmul(upper.mH)
    solve = aten.linalg_solve_triangular.default
    if rows > columns:
        rest = grad_l.narrow(-2, count, rows - count)
        above = above - L.narrow(-2, count, rows - count).mH.matmul(rest)
    elif rows < columns:
        rest = grad_u.narrow(-1, count, columns - count)
        below = below - rest.matmul(U.narrow(-1, count, columns - count).mH)
    inner = solve(upper.mH, below.tril(-1) + above.triu(), upper=False, left=False)
    result = solve(lower.mH, inner, upper=True, unitriangular=True)
    if rows > columns:
        result = aten.cat([result, solve(upper.mH, rest, upper=False, left=False)], -2)
    elif rows < columns:
        result = aten.cat([result, solve(lower.mH, rest, upper=True, unitriangular=True)], -1)
    return P.matmul(result)


def _lu_factor_grad(grad: Any, LU: Any, pivots: Any) -> Any:
    count = min(LU.shape[-2:])
    P, L, U = aten.lu_unpack.default(LU, pivots)
    return _plu_grad(grad.narrow(-1, 0, count), grad.narrow(-2, 0, count), P, L, U)


lu_factor_ex = native_function(
    "linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor "
    "pivots, Tensor info)",
    meta=_lu_meta,
    kernel=_lu_kernel,
    derivatives={"A": _lu_factor_grad},
    python_module="linalg",
    variants="function",
    batching="leading",
    out=Out(
        "linalg_lu_factor_ex.out(Tensor A, *, bool pivot=True, bool check_errors=False, Tensor(a!) LU, "
        "Tensor(b!) pivots, Tensor(c!) info) -> (Tensor(a!) LU, Tensor(b!) pivots, Tensor(c!) info)",
        exact=True,
    ),
    doc="""Computes the LU factorization with partial pivoting of matrices (*, n, m), ``A = P L U``.

    LU (*, n, m) contains U and, below its diagonal, L, whose diagonal is 1.  ``pivots`` (*, min(n, m)),
    int32: row i was swapped with row ``pivots[i] - 1``.  ``info`` (*), int32, is 0, or the number of the
    first diagonal element of U that is 0; with ``check_errors`` that raises RuntimeError.  Raises
    RuntimeError for fewer than two dimensions, and for ``pivot=False``.""",
)


def _lu_factor(A: Any, pivot: bool) -> Any:
    return unless_failed(aten.linalg_lu_factor_ex.default(A, pivot=pivot), "gnomon.linalg.lu_factor")[:2]


lu_factor = native_function(
    "linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)",
    composite=_lu_factor,
    python_module="linalg",
    variants="function",
    out=Out(
        "linalg_lu_factor.out(Tensor A, *, bool pivot=True, Tensor(a!) LU, Tensor(b!) pivots) -> (Tensor(a!) "
        "LU, Tensor(b!) pivots)",
        exact=True,
    ),
    doc="""Computes the LU factorization of matrices (*, n, m); see lu_factor_ex.

    Raises RuntimeError if a diagonal element of U is 0.""",
)


def _unpack_meta(
    LU_data: Spec, LU_pivots: Spec, unpack_data: bool, unpack_pivots: bool
) -> tuple[Spec, Spec, Spec]:
    if LU_data.ndim < 2:
        raise RuntimeError(
            f"gnomon.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data.sizes)} "
            "instead"
        )
    if unpack_pivots and LU_pivots.dtype is not int32:
        raise RuntimeError(
            "gnomon.lu_unpack: LU_pivots is expected to be a contiguous tensor of gnomon.int32 dtype.\nNote: "
            "this function is intended to be used with the output produced by gnomon.linalg.lu_factor"
        )
    *batch, rows, columns = LU_data.sizes
    count = min(rows, columns)
    if unpack_pivots and LU_pivots.sizes != (*batch, count):
        raise RuntimeError(
            f"gnomon.lu_unpack: Expected LU_pivots of size {[*batch, count]}, but got {list(LU_pivots.sizes)}"
        )
    none = (0,)
    return (
        LU_data.contiguous((*batch, rows, rows) if unpack_pivots else none),
        LU_data.contiguous((*batch, rows, count) if unpack_data else none),
        LU_data.contiguous((*batch, count, columns) if unpack_data else none),
    )


def _unpack_kernel(
    P: Tensor,
    L: Tensor,
    U: Tensor,
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool,
    unpack_pivots: bool,
) -> None:
    """The three matrices of each factorization."""
    source, swaps = TensorAccessor(LU_data), TensorAccessor(LU_pivots)
    permutation, lower, upper = (TensorAccessor(each) for each in (P, L, U))
    *batch, rows, columns = source.sizes
    count = min(rows, columns)
    for index in batch_indices(tuple(batch)):
        if unpack_pivots:
            order = list(range(rows))
            for k in range(count):
                row = swaps[index + (k,)] - 1
                if not 0 <= row < rows:
                    raise RuntimeError(
                        "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you "
                        "properly pass the result of lu_factor?"
                    )
                order[k], order[row] = order[row], order[k]
            ones = [[1 if order[j] == i else 0 for j in range(rows)] for i in range(rows)]
            write_matrix(permutation, index, ones)
        if unpack_data:
            matrix = read_matrix(source, index)
            write_matrix(
                lower,
                index,
                [[row[j] if j < i else int(j == i) for j in range(count)] for i, row in enumerate(matrix)],
            )
            write_matrix(
                upper,
                index,
                [[x if j >= i else 0 for j, x in enumerate(row)] for i, row in enumerate(matrix[:count])],
            )


def _unpack_grad(grads: Sequence[Any], LU_data_spec: Spec) -> Any:
    """Each triangle's gradient; both are square, or smaller than LU_data."""
    _, grad_l, grad_u = grads
    rows, columns = LU_data_spec.sizes[-2:]
    parts = []
    if grad_l is not None:
        parts.append(aten.constant_pad_nd(grad_l.tril(-1), (0, columns - grad_l.size(-1)), 0))
    if grad_u is not None:
        parts.append(aten.constant_pad_nd(grad_u.triu(), (0, 0, 0, rows - grad_u.size(-2)), 0))
    return sum(parts[1:], parts[0]) if parts else None


lu_unpack = native_function(
    "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor "
    "P, Tensor L, Tensor U)",
    meta=_unpack_meta,
    kernel=_unpack_kernel,
    derivatives={"LU_data": _unpack_grad},
    non_differentiable_outputs=(0,),
    batching="leading",
    out=Out(
        "lu_unpack.out(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True, *, "
        "Tensor(a!) P, Tensor(b!) L, Tensor(c!) U) -> (Tensor(a!) P, Tensor(b!) L, Tensor(c!) U)",
        exact=True,
    ),
    doc="""Returns the matrices P (*, n, n), L (*, n, k) and U (*, k, m) of a result of lu_factor, k = min(n,
    m).

    L and U are empty without ``unpack_data``, P without ``unpack_pivots``.  Raises RuntimeError for pivots
    that lu_factor can not have returned.""",
)


def _linalg_lu(A: Any, pivot: bool) -> Any:
    LU, pivots, _ = aten.linalg_lu_factor_ex.default(A, pivot=pivot)
    return aten.lu_unpack.default(LU, pivots)


linalg_lu = native_function(
    "linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
    explicit=_linalg_lu,
    derivatives={"A": lambda grads, P, L, U: _plu_grad(grads[1], grads[2], P, L, U)},
    non_differentiable_outputs=(0,),
    python_module="linalg",
    variants="function",
    batching="composed",
    out=Out(
        "linalg_lu.out(Tensor A, *, bool pivot=True, Tensor(a!) P, Tensor(b!) L, Tensor(c!) U) -> "
        "(Tensor(a!) P, Tensor(b!) L, Tensor(c!) U)",
        exact=True,
    ),
    doc="""Computes the LU factorization ``A = P L U`` of matrices (*, n, m); see lu_factor_ex and lu_unpack.

    Raises RuntimeError for fewer than two dimensions, and for ``pivot=False``.""",
)

lu_with_info = native_function(
    "_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, "
    "Tensor info)",
    composite=lambda self, pivot, check_errors: aten.linalg_lu_factor_ex.default(self, pivot=pivot),
    variants="function",
    doc="The former name of linalg.lu_factor_ex; as in PyTorch ``check_errors`` has no effect.",
)
