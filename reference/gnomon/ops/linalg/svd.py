"""The singular value decomposition, ``A = U diag(S) Vh``.

Computed by one-sided Jacobi rotations in float64: pairs of columns are rotated until all are orthogonal;
their lengths are then the singular values.  It is the most accurate of the usual methods (Demmel & Veselic,
"Jacobi's method is more accurate than QR", 1992), and the shortest.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp (linalg_svd); derivatives: FunctionsManual.cpp
(svd_backward).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_floating_or_complex, check_matrix, refuse_half
from ...calls.meta_functions import column_major
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...dispatch.mode import mode_word
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics import arithmetic
from ...numerics.matrices import batch_indices, read_matrix
from ...values.dispatch_key import AUTOGRAD, BATCHED, FORWARD_AD
from ...values.errors import LinAlgError

Column = list[Any]
SWEEPS = 60  # an upper bound: Jacobi converges quadratically, in a handful
# A column shorter than this, beside a largest element of about 1, counts as zero: products would underflow.
LEAST = 2.0**-400


def _check_input(A: Spec) -> None:
    check_matrix(A=A)
    check_floating_or_complex(A.dtype)
    refuse_half(A.dtype)


def _svd_meta(A: Spec, full_matrices: bool, compute_uv: bool, driver: str | None) -> tuple[Spec, Spec, Spec]:
    _check_input(A)
    if driver is not None:
        raise RuntimeError("keyword argument `driver=` is only supported on CUDA inputs")
    *batch, rows, columns = A.sizes
    least = min(rows, columns)
    values = A.contiguous((*batch, least), A.dtype.to_real())
    if not compute_uv:
        return A.contiguous((0,)), values, A.contiguous((0,))
    left = (*batch, rows, rows if full_matrices else least)
    right = (*batch, columns if full_matrices else least, columns)
    return column_major(left, A), values, column_major(right, A)


def _inner(a: Column, b: Column) -> Any:
    return arithmetic.exact_sum([x.conjugate() * y for x, y in zip(a, b)])


def _length(a: Column) -> float:
    return math.hypot(*(part for each in a for part in (each.real, each.imag)))


def _rotate(a: Column, b: Column, u: Column, v: Column) -> bool:
    """Makes columns a and b orthogonal by rotating them (and u and v); returns False if they already were."""
    overlap = _inner(a, b)
    size = abs(overlap)
    alpha, beta = _length(a), _length(b)
    if alpha < LEAST or beta < LEAST or size <= 1e-17 * alpha * beta:
        return False
    phase = overlap / size
    zeta = (beta - alpha) * (beta + alpha) / (2 * size)
    tangent = math.copysign(1.0, zeta) / (abs(zeta) + math.hypot(1.0, zeta))
    cosine = 1 / math.hypot(1.0, tangent)
    sine = cosine * tangent
    for x, y in ((a, b), (u, v)):
        for i in range(len(x)):
            p, q = x[i] * phase, y[i]
            x[i], y[i] = cosine * p - sine * q, sine * p + cosine * q
    return True


def _completed(columns: list[Column], size: int) -> list[Column]:
    """Orthonormal columns, completed to ``size`` of them (Gram-Schmidt, twice)."""
    result = list(columns)
    for axis in range(size):
        if len(result) == size:
            break
        candidate: Column = [1.0 if i == axis else 0.0 for i in range(size)]
        for _ in range(2):
            for each in result:
                share = _inner(each, candidate)
                candidate = [x - share * y for x, y in zip(candidate, each)]
        length = _length(candidate)
        if length > 0.5 / math.sqrt(size):
            result.append([x / length for x in candidate])
    return result


def decompose(matrix: list[list[Any]]) -> tuple[list[Column], list[float], list[Column]]:
    """The columns of U, the singular values in descending order, and the columns of V, of a matrix with at
    least as many rows as columns.
    """
    rows, count = len(matrix), len(matrix[0]) if matrix else 0
    largest = max((max(abs(x.real), abs(x.imag)) for row in matrix for x in row), default=0.0)
    _, exponent = math.frexp(largest)
    half = 0.5 ** (exponent // 2)  # twice, because a power of two to the whole exponent may not be a float
    rest = 0.5 ** (exponent - exponent // 2)
    columns = [[matrix[i][j] * half * rest for i in range(rows)] for j in range(count)]
    turns: list[Column] = [[1.0 if i == j else 0.0 for i in range(count)] for j in range(count)]
    for _ in range(SWEEPS):
        turned = [
            _rotate(columns[i], columns[j], turns[i], turns[j])
            for i in range(count)
            for j in range(i + 1, count)
        ]
        if not any(turned):
            break
    lengths = [_length(column) for column in columns]
    order = sorted(range(count), key=lambda j: -lengths[j])
    values = [math.ldexp(lengths[j], exponent) for j in order]
    left = [[x / lengths[j] for x in columns[j]] for j in order if lengths[j] >= LEAST]
    return _completed(left, rows)[:count] if len(left) < count else left, values, [turns[j] for j in order]


def _svd_kernel(
    U: Tensor, S: Tensor, Vh: Tensor, A: Tensor, full_matrices: bool, compute_uv: bool, driver: str | None
) -> None:
    """Decomposes each matrix; one with more columns than rows by its conjugate transpose."""
    source, out_s = TensorAccessor(A), TensorAccessor(S)
    *batch, rows, columns = source.sizes
    out_u, out_v = TensorAccessor(U), TensorAccessor(Vh)
    matrices = {index: read_matrix(source, index) for index in batch_indices(source.sizes[:-2])}
    for number, matrix in enumerate(matrices.values()):
        if any(x != x or abs(x) == math.inf for row in matrix for x in row):
            which = f"(Batch element {number}): " if batch else ""
            raise LinAlgError(
                f"linalg.svd: {which}The algorithm failed to converge because the input matrix contained "
                "non-finite values."
            )
    for index, matrix in matrices.items():
        if rows >= columns:
            left, values, right = decompose(matrix)
        else:
            flipped = [[matrix[i][j].conjugate() for i in range(rows)] for j in range(columns)]
            right, values, left = decompose(flipped)
        for i, value in enumerate(values):
            out_s[index + (i,)] = value
        if not compute_uv:
            continue
        if full_matrices:
            left, right = _completed(left, rows), _completed(right, columns)
        for j, column in enumerate(left):
            for i, value in enumerate(column):
                out_u[index + (i, j)] = value
        for i, column in enumerate(right):
            for j, value in enumerate(column):
                out_v[index + (i, j)] = value.conjugate()


def _adjoint(matrix: Any) -> Any:
    flipped = matrix.transpose(-2, -1)
    return flipped.conj() if matrix.dtype.is_complex else flipped


def _svd_grad(grads: Sequence[Any], U: Any, S: Any, Vh: Any) -> Any:
    """``U (skew(Uh gU) / E * S + S * skew(Vh gV) / E + diag(gS)) Vh``, E_ij = S_j ** 2 - S_i ** 2; plus the
    parts of gU and gV outside the column spaces of U and V.

    Singular values must be distinct.  Source: svd_backward; Townsend, "Differentiating the SVD", 2016.
    """
    grad_u, grad_s, grad_vh = grads
    if all(each is None for each in grads):
        return None
    count = S.size(-1)
    U, Vh = U.narrow(-1, 0, count), Vh.narrow(-2, 0, count)
    inner = None
    if grad_u is not None or grad_vh is not None:
        squares = S * S
        gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1)
        gaps = gaps + aten.eye(count, dtype=gaps.dtype, device=gaps.device)
        terms = []
        if grad_u is not None:
            grad_u = grad_u.narrow(-1, 0, count)
            turned = _adjoint(U).matmul(grad_u)
            skew = turned - _adjoint(turned)
            terms.append(skew / gaps * S.unsqueeze(-2))
            if skew.is_complex():  # the phases of U, which those of V cancel in the other terms
                terms.append(aten.diag_embed(skew.diagonal(0, -2, -1) / (2 * S)))
        if grad_vh is not None:
            grad_v = _adjoint(grad_vh.narrow(-2, 0, count))
            turned = Vh.matmul(grad_v)
            terms.append(S.unsqueeze(-1) * ((turned - _adjoint(turned)) / gaps))
        inner = sum(terms[1:], terms[0])
    if grad_s is not None:
        diagonal = aten.diag_embed(grad_s.to(U.dtype))
        inner = diagonal if inner is None else inner + diagonal
    result = U.matmul(inner).matmul(Vh) if inner is not None else None
    inverse = (1 / S).unsqueeze(-2)
    if grad_u is not None and U.size(-2) > count:
        outside = grad_u - U.matmul(_adjoint(U).matmul(grad_u))
        result = result + (outside * inverse).matmul(Vh)
    if grad_vh is not None and Vh.size(-1) > count:
        outside = grad_v - _adjoint(Vh).matmul(Vh.matmul(grad_v))
        result = result + (U * inverse).matmul(_adjoint(outside))
    return result


svd = native_function(
    "_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor "
    "U, Tensor S, Tensor Vh)",
    meta=_svd_meta,
    kernel=_svd_kernel,
    derivatives={"A": lambda grads, U, S, Vh: _svd_grad(grads, U, S, Vh)},
    node_name="LinalgSvdBackward0",
    batching="leading",
    doc="""Computes the singular value decomposition of matrices (*, n, m): U (*, n, k), S (*, k) descending,
    Vh (*, k, m), k = min(n, m).

    With ``full_matrices`` U is (*, n, n) and Vh (*, m, m); without ``compute_uv`` they are empty.  Raises
    RuntimeError for integers, LinAlgError for non-finite input, NotImplementedError for half precision.""",
)


def _svdvals(A: Any, driver: str | None) -> Any:
    is_differentiated = bool(A._keys & (AUTOGRAD | BATCHED) or mode_word() & FORWARD_AD)
    return aten._linalg_svd.default(A, False, is_differentiated, driver)[1]


linalg_svdvals = native_function(
    "linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor",
    composite=_svdvals,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="Computes the singular values of matrices (*, n, m), real and in descending order: (*, min(n, m)).",
)

linalg_svd = native_function(
    "linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
    composite=lambda A, full_matrices, driver: aten._linalg_svd.default(A, full_matrices, True, driver),
    python_module="linalg",
    variants="function",
    out=Out(
        "linalg_svd.U(Tensor A, bool full_matrices=True, *, str? driver=None, Tensor(a!) U, Tensor(b!) S, "
        "Tensor(c!) Vh) -> (Tensor(a!) U, Tensor(b!) S, Tensor(c!) Vh)",
        exact=True,
    ),
    doc="""Computes the singular value decomposition ``A = U diag(S) Vh`` of matrices (*, n, m).

    With k = min(n, m), S is (*, k), real and descending, U (*, n, n) and Vh (*, m, m), or without
    ``full_matrices`` (*, n, k) and (*, k, m).  Raises LinAlgError for non-finite input.""",
)


def _old_svd(self: Any, some: bool, compute_uv: bool) -> tuple[Any, Any, Any]:
    if self.ndim < 2:
        raise RuntimeError("linalg.svd: input should have at least 2 dimensions")
    if compute_uv:
        U, S, Vh = aten.linalg_svd.default(self, not some)
        return U, S, Vh.mH
    rows, columns = self.shape[-2:]
    batch = self.shape[:-2]
    values = aten.linalg_svdvals.default(self)
    return self.new_zeros((*batch, rows, rows)), values, self.new_zeros((*batch, columns, columns)).mT


svd_of_tensor = native_function(
    "svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)",
    composite=_old_svd,
    out=Out(
        "svd.U(Tensor self, bool some=True, bool compute_uv=True, *, Tensor(a!) U, Tensor(b!) S, Tensor(c!) "
        "V) -> (Tensor(a!) U, Tensor(b!) S, Tensor(c!) V)",
        exact=True,
        row_major=lambda self, some, compute_uv: not compute_uv,
    ),
    doc="""The former linalg.svd, with V instead of its adjoint: ``self = U diag(S) V^H``.

    ``some`` gives the first min(n, m) columns.  Without ``compute_uv`` U and V are zeros.  Raises LinAlgError
    for non-finite input.""",
)
