"""Eigenvalues and eigenvectors of Hermitian matrices.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp (linalg_eigh); derivative: FunctionsManual.cpp
(linalg_eig_backward).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, check_square_matrices, refuse_half
from ...calls.meta_functions import column_major
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...dispatch.mode import mode_word
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.matrices import Matrix, batch_indices, identity, read_matrix, write_matrix
from ...values.dispatch_key import AUTOGRAD, BATCHED, FORWARD_AD
from ...values.errors import LinAlgError

SWEEPS = 60  # an upper bound: Jacobi converges quadratically, in a handful


def _eigh_meta(A: Spec, UPLO: str, compute_v: bool) -> tuple[Spec, Spec]:
    check_square_matrices("linalg.eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    refuse_half(A.dtype, "bool", "integer")
    values = A.contiguous(A.sizes[:-1], A.dtype.to_real())
    return values, column_major(A.sizes, A) if compute_v else A.contiguous((0,))


def _rotate(matrix: Matrix, vectors: Matrix, p: int, q: int) -> None:
    """Makes the elements (p, q) and (q, p) of a Hermitian matrix 0, by a rotation that ``vectors``
    collect.
    """
    element = matrix[p][q]
    size = abs(element)
    phase = element / size
    zeta = (matrix[q][q].real - matrix[p][p].real) / (2 * size)
    tangent = math.copysign(1.0, zeta) / (abs(zeta) + math.hypot(1.0, zeta))
    cosine = 1 / math.hypot(1.0, tangent)
    sine = cosine * tangent
    for row in (*matrix, *vectors):  # columns p and q
        x, y = row[p] * phase, row[q]
        row[p], row[q] = cosine * x - sine * y, sine * x + cosine * y
    above, below = matrix[p], matrix[q]
    for k in range(len(matrix)):  # rows p and q
        x, y = above[k] * phase.conjugate(), below[k]
        above[k], below[k] = cosine * x - sine * y, sine * x + cosine * y
    matrix[p][q] = matrix[q][p] = 0.0


def _diagonalize(matrix: Matrix) -> tuple[list[float], Matrix]:
    """The eigenvalues of a Hermitian matrix, ascending, and the columns of eigenvectors, by Jacobi rotations.

    Source: Golub and Van Loan, "Matrix Computations", 8.5.
    """
    count = len(matrix)
    vectors = identity(count, count)
    norm = math.hypot(*(part for row in matrix for x in row for part in (x.real, x.imag)))
    for _ in range(SWEEPS):
        turned = False
        for p in range(count):
            for q in range(p + 1, count):
                if abs(matrix[p][q]) > 1e-17 * norm:
                    _rotate(matrix, vectors, p, q)
                    turned = True
        if not turned:
            break
    order = sorted(range(count), key=lambda k: matrix[k][k].real)
    return [matrix[k][k].real for k in order], [[row[k] for k in order] for row in vectors]


def _eigh_kernel(eigenvalues: Tensor, eigenvectors: Tensor, A: Tensor, UPLO: str, compute_v: bool) -> None:
    """Diagonalizes each matrix, of which one triangle is read."""
    source, values, vectors = (TensorAccessor(each) for each in (A, eigenvalues, eigenvectors))
    is_lower = UPLO.upper() == "L"
    count = source.sizes[-1]
    matrices = {}
    for number, index in enumerate(batch_indices(source.sizes[:-2])):
        given = read_matrix(source, index)
        matrices[index] = matrix = [
            [
                given[i][i].real
                if i == j
                else given[i][j]
                if (j < i) == is_lower
                else given[j][i].conjugate()
                for j in range(count)
            ]
            for i in range(count)
        ]
        if any(x != x or abs(x) == math.inf for row in matrix for x in row):
            which = f"(Batch element {number}): " if index else ""
            raise LinAlgError(
                f"linalg.eigh: {which}The algorithm failed to converge because the input matrix is "
                f"ill-conditioned or has too many repeated eigenvalues (error code: {count - 1})."
            )
    for index, matrix in matrices.items():
        found, columns = _diagonalize(matrix)
        for k, value in enumerate(found):
            values[index + (k,)] = value
        if compute_v:
            write_matrix(vectors, index, columns)


def _check_phase(inner: Any) -> None:
    """Raises RuntimeError for a gradient along the phase of a complex eigenvector, which is arbitrary."""
    turn = inner.diagonal(0, -2, -1).imag
    if can_be_read(turn) and not turn._keys & FORWARD_AD and (turn.abs() > 1e-2).any().item():
        raise RuntimeError(
            "linalg_eigh_backward: The eigenvectors in the complex case are specified up to multiplication "
            "by e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined."
        )


def _eigh_grad(grads: Sequence[Any], eigenvalues: Any, eigenvectors: Any, compute_v: bool) -> Any:
    """``V (skew(V^H gV) / E + diag(gL)) V^H``, with ``E_ij = L_j - L_i``, and without the diagonal of the
    skew part.

    Eigenvalues must be distinct.  Source: Magnus, "On differentiating eigenvalues and eigenvectors", 1985.
    """
    grad_values, grad_vectors = grads
    if not compute_v:
        raise RuntimeError(
            "linalg_eigh: a derivative needs the eigenvectors; use linalg.eigvalsh, which computes them for "
            "it"
        )
    V = eigenvectors
    if grad_vectors is None:
        return (V * grad_values.unsqueeze(-2)).matmul(V.mH)
    inner = V.mH.matmul(grad_vectors)
    if V.is_complex():
        _check_phase(inner)
    inner = 0.5 * (inner - inner.mH)
    gaps = eigenvalues.unsqueeze(-2) - eigenvalues.unsqueeze(-1)
    ones = aten.eye(eigenvalues.size(-1), dtype=gaps.dtype, device=gaps.device)
    inner = inner * (1 - ones) / (gaps + ones)
    if grad_values is not None:
        inner = inner + aten.diag_embed(grad_values.to(V.dtype))
    return V.matmul(inner).matmul(V.mH)


inner_eigh = native_function(
    '_linalg_eigh(Tensor A, str UPLO="L", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)',
    meta=_eigh_meta,
    kernel=_eigh_kernel,
    derivatives={"A": _eigh_grad},
    node_name="LinalgEighBackward0",
    variants="function",
    batching="leading",
    out=Out(
        '_linalg_eigh.eigenvalues(Tensor A, str UPLO="L", bool compute_v=True, *, Tensor(a!) eigenvalues, '
        "Tensor(b!) eigenvectors) -> (Tensor(a!) eigenvalues, Tensor(b!) eigenvectors)",
        exact=True,
    ),
    doc="""Computes eigenvalues (*, n), ascending, and eigenvectors (*, n, n) of Hermitian matrices (*, n, n).

    Only the lower triangle is read, or with ``UPLO`` "U" the upper one.  Without ``compute_v`` the
    eigenvectors are empty.  Raises LinAlgError for non-finite input, RuntimeError for matrices that are not
    square.""",
)

linalg_eigh = native_function(
    'linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)',
    composite=lambda self, UPLO: aten._linalg_eigh.default(self, UPLO, True),
    python_module="linalg",
    variants="function",
    out=Out(
        'linalg_eigh.eigvals(Tensor self, str UPLO="L", *, Tensor(a!) eigvals, Tensor(b!) eigvecs) -> '
        "(Tensor(a!) eigenvalues, Tensor(b!) eigenvectors)",
        exact=True,
    ),
    doc="""Computes eigenvalues (*, n), real and ascending, and the columns of eigenvectors (*, n, n) of
    Hermitian matrices (*, n, n).

    Only the lower triangle is read, or with ``UPLO`` "U" the upper one.  Raises LinAlgError for non-finite
    input, RuntimeError for matrices that are not square.""",
)


def _eigvalsh(self: Any, UPLO: str) -> Any:
    is_differentiated = bool(self._keys & (AUTOGRAD | BATCHED) or mode_word() & FORWARD_AD)
    return aten._linalg_eigh.default(self, UPLO, is_differentiated)[0]


linalg_eigvalsh = native_function(
    'linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor',
    composite=_eigvalsh,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="Computes the eigenvalues (*, n) of Hermitian matrices (*, n, n); see eigh.",
)
