"""Linear systems: with triangular matrices, with factorizations, and in general; inverses.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp; derivatives: FunctionsManual.cpp
(linalg_solve_triangular_backward, linalg_lu_solve_LU, linalg_solve_backward, cholesky_solve_backward).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_precise, check_solvable, check_square_matrices, refuse_half
from ...calls.meta_functions import column_major
from ...calls.native import native_function
from ...calls.record import Inputs, Out
from ...dispatch.dispatcher import aten
from ...dispatch.mode import is_differentiating
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.matrices import (
    Matrix,
    adjoint,
    batch_indices,
    read_matrix,
    substitute,
    transposed,
    write_matrix,
)
from ...values.device import contiguous_format
from ...values.dtype import int32
from ...values.geometry import broadcast_sizes


def _outer(a: Any, b: Any) -> Any:
    return a.matmul(b.mH)


def _column_major_copy(matrices: Any) -> Any:
    return aten.clone.default(matrices.mT, contiguous_format).mT


# -- triangular ----------------------------------------------------------------------------------------------


def _triangular_meta(self: Spec, B: Spec, upper: bool, left: bool, unitriangular: bool) -> Spec:
    check_solvable("linalg.solve_triangular", self, B, left)
    refuse_half(self.dtype, "bool", "integer")
    sizes = (*broadcast_sizes(self.sizes[:-2], B.sizes[:-2]), *B.sizes[-2:])
    return column_major(sizes, self)


def _triangular_kernel(
    output: Tensor, self: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool
) -> None:
    """Substitutes in each system; one from the right is the transpose of one from the left."""
    if not output._spec.numel:
        return
    triangles, rights, out = TensorAccessor(self), TensorAccessor(B), TensorAccessor(output)
    for index in batch_indices(out.sizes[:-2]):
        triangle, right = read_matrix(triangles, index), read_matrix(rights, index)
        if left:
            write_matrix(out, index, substitute(triangle, right, upper, unitriangular))
        else:
            solution = substitute(transposed(triangle), transposed(right), not upper, unitriangular)
            write_matrix(out, index, transposed(solution))


def _triangular_grad(
    grad: Any,
    self: Any,
    result: Any,
    upper: bool,
    left: bool,
    unitriangular: bool,
    grad_input_mask: Sequence[bool],
) -> tuple[Any, Any]:
    of_right = aten.linalg_solve_triangular.default(
        self.mH, grad, upper=not upper, left=left, unitriangular=unitriangular
    )
    if not grad_input_mask[0]:
        return None, of_right
    inner = -_outer(of_right, result) if left else -_outer(result.mH, of_right.mH)
    diagonal = int(unitriangular)
    return inner.triu(diagonal) if upper else inner.tril(-diagonal), of_right


solve_triangular = native_function(
    "linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) "
    "-> Tensor",
    meta=_triangular_meta,
    kernel=_triangular_kernel,
    inputs=Inputs(promoted=True),
    derivatives={"self, B": _triangular_grad},
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Solves ``A X = B``, or ``X A = B`` if not ``left``, with triangular matrices A (*, n, n) and B (*,
    n, k) or (*, k, n).

    The other triangle of A is not read; with ``unitriangular`` its diagonal is taken to be 1.  Batches
    broadcast. Raises RuntimeError for sizes that do not match.""",
)


def check_system(operator: str, self: Any, A: Any, argument: str) -> None:
    """Source: linearSolveCheckInputs, and cholesky_solve and triangular_solve of BatchLinearAlgebra.cpp."""
    for name, each in (("b", self), (argument, A)):
        if each.ndim < 2:
            raise RuntimeError(
                f"{operator}: {name} should have at least 2 dimensions, but has {each.ndim} dimensions "
                "instead"
            )
    if self.dtype is not A.dtype:
        raise RuntimeError(
            f"{operator}: Expected b and A to have the same dtype, but found b of type {self.dtype.name} and "
            f"A of type {A.dtype.name} instead."
        )
    check_square_matrices(operator, A)
    if A.shape[-2] != self.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {operator}: each A matrix is {A.shape[-1]} by {A.shape[-1]} but "
            f"each b matrix is {self.shape[-2]} by {self.shape[-1]}"
        )


def _triangular_solve(
    self: Any, A: Any, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Any, Any]:
    check_system("triangular_solve", self, A, "A")
    matrix, is_upper = (A.mT, not upper) if transpose else (A, upper)
    solution = aten.linalg_solve_triangular.default(matrix, self, upper=is_upper, unitriangular=unitriangular)
    return solution, _column_major_copy(A.expand((*solution.shape[:-2], *A.shape[-2:])))


def _triangular_solve_grad(
    grads: Sequence[Any],
    A: Any,
    solution: Any,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
    grad_input_mask: Sequence[bool],
) -> tuple[Any, Any]:
    of_solution, of_copy = grads
    of_self = of_matrix = None
    if of_solution is not None:
        A = A.to_dense()  # its gradient is strided in any layout
        matrix, is_upper = (A.mT, not upper) if transpose else (A, upper)
        of_matrix, of_self = _triangular_grad(
            of_solution, matrix, solution, is_upper, True, unitriangular, grad_input_mask[::-1]
        )
        if transpose and of_matrix is not None:
            of_matrix = of_matrix.mT
    if of_copy is not None and of_copy.ndim > 1:
        of_matrix = of_copy if of_matrix is None else of_matrix + of_copy
    return of_self, of_matrix


triangular_solve = native_function(
    "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool "
    "unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
    explicit=_triangular_solve,
    derivatives={"self, A": _triangular_solve_grad},
    batching="composed",
    out=Out(
        "triangular_solve.X(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool "
        "unitriangular=False, *, Tensor(a!) X, Tensor(b!) M) -> (Tensor(a!) solution, Tensor(b!) "
        "cloned_coefficient)",
        exact=True,
    ),
    doc="""The former linalg.solve_triangular: solves ``A X = self``, or ``A^T X = self`` with ``transpose``.

    Also returns a copy of A.  Raises RuntimeError for sizes or dtypes that do not match.""",
)


# -- with a Cholesky factor ----------------------------------------------------------------------------------


def _cholesky_solve(self: Any, input2: Any, upper: bool) -> Any:
    check_system("cholesky_solve", self, input2, "u")
    first = input2.mH if upper else input2
    solve = aten.linalg_solve_triangular.default
    return solve(first.mH, solve(first, self, upper=False), upper=True)


def _cholesky_solve_grad(
    grad: Any, input2: Any, result: Any, upper: bool, grad_input_mask: Sequence[bool]
) -> tuple[Any, Any]:
    of_self = aten.cholesky_solve.default(grad, input2, upper)
    if not grad_input_mask[1]:
        return of_self, None
    inner = _outer(of_self, result)
    inner = -(inner + inner.mH)
    return of_self, (input2.triu().matmul(inner).triu() if upper else inner.matmul(input2.tril()).tril())


cholesky_solve = native_function(
    "cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
    explicit=_cholesky_solve,
    derivatives={"self, input2": _cholesky_solve_grad},
    batching="composed",
    out=Out(row_major=True),
    doc="""Solves ``A X = self`` with the Cholesky factor ``input2`` (*, n, n) of A, for (*, n, k).

    Batches broadcast.  Raises RuntimeError for sizes or dtypes that do not match.""",
)


def _cholesky_inverse(self: Any, upper: bool) -> Any:
    check_square_matrices("cholesky_inverse", self)
    refuse_half(self.dtype, "bool", "integer")
    diagonal = self.diagonal(0, -2, -1)
    zeros = diagonal == 0
    places = aten.arange(1, self.size(-1) + 1, dtype=int32, device=self.device)
    last = self.size(-1) + 1
    info = aten.where(zeros, places, last).amin(-1) if self.size(-1) else zeros.sum(-1)
    info = aten.where(info == last, 0, info)
    aten._linalg_check_errors.default(info, "cholesky_inverse", self.ndim == 2)
    ones = aten.eye(self.size(-1), dtype=self.dtype, device=self.device)
    inverse = aten.linalg_solve_triangular.default(self.mH if upper else self, ones, upper=False)
    return inverse.mT.matmul(inverse.conj()).mT  # L^-H L^-1, in columns


def _cholesky_inverse_grad(grad: Any, self: Any, result: Any, upper: bool) -> Any:
    inner = result.matmul(grad + grad.mH).matmul(result)
    return -(self.triu().matmul(inner).triu() if upper else inner.matmul(self.tril()).tril())


cholesky_inverse = native_function(
    "cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
    explicit=_cholesky_inverse,
    derivatives={"self": _cholesky_inverse_grad},
    batching="composed",
    out="out",
    doc="""Computes the inverse of matrices with the Cholesky factors ``self`` (*, n, n).

    Raises LinAlgError for a factor with a 0 on its diagonal, RuntimeError for matrices that are not
    square.""",
)


# -- with an LU factorization --------------------------------------------------------------------------------


def _lu_solve_meta(LU: Spec, pivots: Spec, B: Spec, left: bool, adjoint: bool) -> Spec:
    name = "linalg.lu_solve"
    if LU.dtype.category < 2:
        raise RuntimeError(
            f"gnomon.{name}: Expected a floating point or complex tensor as input. Got {LU.dtype.name}"
        )
    if LU.dtype is not B.dtype:
        raise RuntimeError(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type {LU.dtype.name} and B "
            f"of type {B.dtype.name} instead"
        )
    if pivots.dtype is not int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type gnomon.int32")
    check_solvable(name, LU, B, left)
    if not pivots.ndim or pivots.sizes[-1] != LU.sizes[-1]:
        raise RuntimeError(
            f"{name}: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if pivots.sizes != LU.sizes[:-1]:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.sizes)} instead"
        )
    refuse_half(LU.dtype)
    sizes = (*broadcast_sizes(LU.sizes[:-2], B.sizes[:-2]), *B.sizes[-2:])
    return column_major(sizes, B) if left else B.contiguous(sizes)


def _swapped(rows: Matrix, pivots: Sequence[int], is_reversed: bool) -> Matrix:
    rows = list(rows)
    steps = list(enumerate(pivots))
    for k, pivot in reversed(steps) if is_reversed else steps:
        if not 1 <= pivot <= len(rows):
            raise RuntimeError(
                "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the "
                "result of lu_factor?"
            )
        rows[k], rows[pivot - 1] = rows[pivot - 1], rows[k]
    return rows


def _solve_factored(matrix: Matrix, pivots: Sequence[int], right: Matrix, is_adjoint: bool) -> Matrix:
    """The solution of ``P L U X = right``, or of ``(P L U)^H X = right``."""
    if not is_adjoint:
        inner = substitute(matrix, _swapped(right, pivots, False), upper=False, unitriangular=True)
        return substitute(matrix, inner, upper=True, unitriangular=False)
    flipped = adjoint(matrix)
    inner = substitute(flipped, right, upper=False, unitriangular=False)
    return _swapped(substitute(flipped, inner, upper=True, unitriangular=True), pivots, True)


def _lu_solve_kernel(
    output: Tensor, LU: Tensor, pivots: Tensor, B: Tensor, left: bool, is_adjoint: bool
) -> None:
    """Solves each system; one from the right is the adjoint of one from the left."""
    if not output._spec.numel:
        return
    matrices, rights, out = TensorAccessor(LU), TensorAccessor(B), TensorAccessor(output)
    swaps = TensorAccessor(pivots.unsqueeze(-2))
    for index in batch_indices(out.sizes[:-2]):
        matrix, right = read_matrix(matrices, index), read_matrix(rights, index)
        (rows,) = read_matrix(swaps, index)
        if left:
            write_matrix(out, index, _solve_factored(matrix, rows, right, is_adjoint))
        else:
            solution = _solve_factored(matrix, rows, adjoint(right), not is_adjoint)
            write_matrix(out, index, adjoint(solution))


def _lu_solve_grad(
    grad: Any,
    LU: Any,
    pivots: Any,
    result: Any,
    left: bool,
    adjoint: bool,
    grad_input_mask: Sequence[bool],
) -> tuple[Any, Any]:
    """The gradient of A is -a b; those of L and U follow from ``dA = P (dL U + L dU)``."""
    of_right = aten.linalg_lu_solve.default(LU, pivots, grad, left=left, adjoint=not adjoint)
    if not grad_input_mask[0]:
        return None, of_right
    a, b = (of_right, result.mH) if left else (result.mH, of_right)
    if adjoint:
        a, b = b.mH, a.mH
    P, L, U = aten.lu_unpack.default(LU, pivots)
    a = P.mT.matmul(a)
    below = a.matmul(b.matmul(U.mH)).tril(-1)
    above = L.mH.matmul(a).matmul(b).triu()
    return -(below + above), of_right


linalg_lu_solve = native_function(
    "linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
    meta=_lu_solve_meta,
    kernel=_lu_solve_kernel,
    derivatives={"LU, B": _lu_solve_grad},
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Solves ``A X = B``, or ``X A = B`` if not ``left``, with the factorization of A (*, n, n) by
    lu_factor.

    With ``adjoint`` it solves it for A^H.  Batches broadcast.  Raises RuntimeError for sizes or dtypes that
    do not match, and for invalid pivots.""",
)

lu_solve = native_function(
    "lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
    composite=lambda self, LU_data, LU_pivots: aten.linalg_lu_solve.default(LU_data, LU_pivots, self),
    out=Out(exact=True),
    doc="The former linalg.lu_solve, with B first.",
)


# -- general -------------------------------------------------------------------------------------------------


def _is_vector(A: Any, B: Any) -> bool:
    """Are the right sides vectors, rather than matrices?  Source: linalg_solve_is_vector_rhs."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])


def _solve_ex(A: Any, B: Any, left: bool, check_errors: bool) -> tuple[Any, Any, Any, Any]:
    if A.ndim < 2:
        raise RuntimeError("linalg.solve: The input tensor A must have at least 2 dimensions.")
    if A.dtype.category < 2:
        raise RuntimeError(
            f"linalg.solve: Expected a floating point or complex tensor as input. Got {A.dtype.name}"
        )
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {A.dtype.name} and "
            f"B of type {B.dtype.name} instead"
        )
    is_vector = _is_vector(A, B)
    right = B.unsqueeze(-1) if is_vector else B
    check_solvable("linalg.solve", A, right, left)
    LU, pivots, info = aten.linalg_lu_factor_ex.default(A)
    if check_errors:
        aten._linalg_check_errors.default(info, "gnomon.linalg.solve_ex", A.ndim == 2)
    result = aten.linalg_lu_solve.default(LU, pivots, right, left=left)
    if is_vector:
        result = result.squeeze(-1)
        if result.ndim > 1:  # PyTorch's strides, which take the vectors for a matrix
            result = _column_major_copy(result)
    return result, LU, pivots, info


def _solve_grad(
    grad: Any,
    A: Any,
    B_spec: Any,
    LU: Any,
    pivots: Any,
    result: Any,
    left: bool,
    grad_input_mask: Sequence[bool],
) -> tuple[Any, Any]:
    is_vector = B_spec.ndim == 1 or (A.ndim - 1 == B_spec.ndim and B_spec.sizes == A.shape[:-1])
    if is_vector:
        grad, result = grad.unsqueeze(-1), result.unsqueeze(-1)
    if is_differentiating():  # LU has no derivative here
        of_right = aten.linalg_solve_ex.default(A.mH, grad, left=left)[0]  # A itself is checked
    else:
        of_right = aten.linalg_lu_solve.default(LU, pivots, grad, left=left, adjoint=True)
    of_matrix = None
    if grad_input_mask[0]:
        of_matrix = -_outer(of_right, result) if left else -_outer(result.mH, of_right.mH)
    return of_matrix, of_right.squeeze(-1) if is_vector else of_right


inner_solve_ex = native_function(
    "_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, "
    "Tensor LU, Tensor pivots, Tensor info)",
    explicit=_solve_ex,
    derivatives={"A, B": _solve_grad},
    non_differentiable_outputs=(1, 2, 3),
    node_name="LinalgSolveExBackward0",
    variants="function",
    batching="composed",
    out=Out(
        "_linalg_solve_ex.result(Tensor A, Tensor B, *, bool left=True, bool check_errors=False, Tensor(a!) "
        "result, Tensor(b!) LU, Tensor(c!) pivots, Tensor(d!) info) -> (Tensor(a!) result, Tensor(b!) LU, "
        "Tensor(c!) pivots, Tensor(d!) info)",
        exact=True,
    ),
    doc="linalg.solve_ex, which also returns the LU factorization of A.",
)


def _linalg_solve_ex(A: Any, B: Any, left: bool, check_errors: bool) -> tuple[Any, Any]:
    result, _, _, info = aten._linalg_solve_ex.default(A, B, left=left, check_errors=check_errors)
    return result, info


linalg_solve_ex = native_function(
    "linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, "
    "Tensor info)",
    composite=_linalg_solve_ex,
    python_module="linalg",
    variants="function",
    out=Out(
        "linalg_solve_ex.out(Tensor A, Tensor B, *, bool left=True, bool check_errors=False, Tensor(a!) "
        "result, Tensor(b!) info) -> (Tensor(a!) result, Tensor(b!) info)",
        exact=True,
    ),
    doc="""Solves ``A X = B``, or ``X A = B`` if not ``left``, with matrices A (*, n, n) and B (*, n, k), or
    (*, n).

    ``info`` (*), int32, is 0, or the number of the first pivot that is 0; with ``check_errors`` that raises
    LinAlgError.  Batches broadcast.  Raises RuntimeError for sizes or dtypes that do not match.""",
)


def _linalg_solve(A: Any, B: Any, left: bool) -> Any:
    result, _, _, info = aten._linalg_solve_ex.default(A, B, left=left)
    aten._linalg_check_errors.default(info, "gnomon.linalg.solve", A.ndim == 2)
    return result


linalg_solve = native_function(
    "linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
    composite=_linalg_solve,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Solves ``A X = B``, or ``X A = B`` if not ``left``; see solve_ex.

    Raises LinAlgError for a singular matrix.""",
)


def _inv_ex(A: Any, check_errors: bool) -> tuple[Any, Any]:
    check_square_matrices("linalg.inv", A)
    check_precise("linalg.inv", A.dtype)
    LU, pivots, info = aten.linalg_lu_factor_ex.default(A)
    if check_errors:
        aten._linalg_check_errors.default(info, "linalg.inv_ex", A.ndim == 2)
    ones = aten.eye(A.size(-1), dtype=A.dtype, device=A.device)
    return aten.linalg_lu_solve.default(LU, pivots, ones), info


inv_ex = native_function(
    "linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
    explicit=_inv_ex,
    derivatives={"A": lambda grad, inverse: -inverse.mH.matmul(grad.matmul(inverse.mH))},
    python_module="linalg",
    variants="function",
    batching="composed",
    out=Out(
        "linalg_inv_ex.inverse(Tensor A, *, bool check_errors=False, Tensor(a!) inverse, Tensor(b!) info) -> "
        "(Tensor(a!) inverse, Tensor(b!) info)",
        exact=True,
    ),
    doc="""Computes the inverse of matrices (*, n, n).

    ``info`` (*), int32, is 0, or the number of the first pivot that is 0; with ``check_errors`` that raises
    LinAlgError.  Raises RuntimeError for matrices that are not square.""",
)


def _linalg_inv(A: Any) -> Any:
    inverse, info = aten.linalg_inv_ex.default(A)
    aten._linalg_check_errors.default(info, "linalg.inv", A.ndim == 2)
    return inverse


linalg_inv = native_function(
    "linalg_inv(Tensor A) -> Tensor",
    composite=_linalg_inv,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes the inverse of matrices (*, n, n).

    Raises LinAlgError for a singular matrix, RuntimeError for matrices that are not square.""",
)

inverse = native_function(
    "inverse(Tensor self) -> Tensor",
    composite=lambda self: aten.linalg_inv.default(self),
    out=Out(exact=True),
    doc="The same as linalg.inv.  Raises LinAlgError for a singular matrix.",
)
