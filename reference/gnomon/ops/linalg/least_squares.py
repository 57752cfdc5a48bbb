"""Least squares: the X for which ``A X - B`` is smallest, and of these the smallest one.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp (linalg_lstsq); derivative: FunctionsManual.cpp
(linalg_lstsq_backward).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...calls.checks import can_be_read, refuse_half
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.dtype import bfloat16, float16, int32, int64
from ...values.geometry import broadcast_sizes
from ...values.limits import finfo

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")  # LAPACK's routines
LARGE = 64  # rows for which a product of so many rows costs little beside QR
LOOSE = 1e-10  # an rcond for which a loose bound of norms is likely to do


def _has_vectors(A: Any, b: Any) -> bool:
    """Are the right sides vectors, rather than matrices?  Source: linalg_solve_is_vector_rhs."""
    return b.ndim == 1 or (A.ndim - 1 == b.ndim and tuple(b.shape) == tuple(A.shape[:-1]))


def _check_lstsq(A: Any, b: Any) -> None:
    name = "gnomon.linalg.lstsq"
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if A.dtype is not b.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {A.dtype.name} "
            f"and other's dtype {b.dtype.name}"
        )
    if A.ndim - b.ndim not in (0, 1):
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= "
            "1"
        )
    where = -1 if _has_vectors(A, b) else -2
    if b.shape[where] != A.shape[-2]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({where})")


def _triangle(A: Any, B: Any) -> tuple[Any, Any, Any]:
    """R of ``A = Q R``, the first rows of ``Q^H B``, and Q, which is None for a matrix of more rows.

    For a wide matrix they are those of ``A^H``, and B itself.
    """
    batch = broadcast_sizes(tuple(A.shape[:-2]), tuple(B.shape[:-2]))
    A, B = (each.expand(*batch, *each.shape[-2:]) for each in (A, B))
    if A.size(-2) < A.size(-1):
        Q, R = aten.linalg_qr.default(A.mH)
        return R, B, Q
    count = A.size(-1)
    factored = aten.geqrf.default(aten.cat.default([A, B], -1))[0].narrow(-2, 0, count)
    return factored.narrow(-1, 0, count), factored.narrow(-1, count, B.size(-1)), None


def _solve(R: Any, right: Any, Q: Any) -> Any:
    solve = aten.linalg_solve_triangular.default
    return solve(R, right, upper=True) if Q is None else Q.matmul(solve(R.mH, right, upper=False))


def _by_qr(A: Any, B: Any) -> Any:
    """``R^-1 Q^H B`` for a tall matrix of full rank; ``Q R^-H B``, with ``A^H = Q R``, for a wide one.

    As LAPACK's, it is 0 for a matrix of zeros; other matrices without full rank are refused.
    """
    R, right, Q = _triangle(A, B)
    zeros = R.diagonal(0, -2, -1) == 0
    if can_be_read(zeros) and not zeros.any().item():
        return _solve(R, right, Q)
    is_zero = (A == 0).flatten(-2).all(-1)
    count = R.size(-1)
    places = aten.arange(1, count + 1, dtype=int32, device=A.device)
    first = aten.where(zeros, places, count + 1).amin(-1)
    info = first.masked_fill((first > count) | is_zero, 0)
    aten._linalg_check_errors.default(info, "gnomon.linalg.lstsq", is_matrix=A.ndim == 2)
    return _solve(R, right, Q).masked_fill(is_zero.unsqueeze(-1).unsqueeze(-1), 0)


def _bounds_of_norm(A: Any) -> Iterator[Any]:
    """Bounds of the largest singular values, each one closer, and more costly, than those before.

    They are the Frobenius norm; of a large matrix the root of the sum of those of ``P P^H``, P some of its
    rows; the root of that of ``A A^H``; and the fourth root of that of its square.
    """
    norm = aten.linalg_vector_norm.default
    yield norm(A, 2, [-2, -1])
    A = A if A.size(-2) <= A.size(-1) else A.mH
    if A.size(-2) >= LARGE:
        parts = aten.split.Tensor(A, LARGE, -2)
        yield sum(norm(part.matmul(part.mH), 2, [-2, -1]) for part in parts).sqrt()
        product = A.matmul(A.mH)
        yield norm(product, 2, [-2, -1]).sqrt()
        yield norm(product.matmul(product), 2, [-2, -1]).sqrt().sqrt()


def _bound_of_inverse(R: Any, halvings: int) -> Any:
    """A bound of the Frobenius norms of the inverses of upper triangles; the norms, for 0 halvings.

    With halves of the rows and columns, the other block of the inverse is ``-R11^-1 R12 R22^-1``.
    """
    norm = aten.linalg_vector_norm.default
    count = R.size(-1)
    if not halvings:
        ones = aten.eye(count, dtype=R.dtype, device=R.device)
        return norm(aten.linalg_solve_triangular.default(R, ones.mT, upper=True, left=False), 2, [-2, -1])
    parts = [each.split(count // 2, -1) for each in R.split(count // 2, -2)]
    first, last = (_bound_of_inverse(parts[i][i], halvings - 1) for i in (0, 1))
    between = first * norm(parts[0][1], 2, [-2, -1]) * last
    return (first * first + between * between + last * last).sqrt()


def _are_certain(A: Any, R: Any, rcond: float) -> Iterator[Any]:
    """Which matrices are certainly of full rank, by bounds that are closer and closer.

    A matrix is if the product of bounds of the largest singular values of A and of ``R^-1`` is less than
    1 / rcond.
    """
    count = R.size(-1)
    if rcond < LOOSE and count >= 4 * LARGE and count % 4 == 0:
        yield next(_bounds_of_norm(A)) * _bound_of_inverse(R, 2) * rcond < 1
    smallest = _bound_of_inverse(R, 0) * rcond
    for largest in _bounds_of_norm(A):
        yield largest * smallest < 1


def _by_rank(A: Any, B: Any, rcond: float) -> tuple[Any, Any]:
    """The solution and the rank: by QR for matrices that are certainly of full rank, else by their SVD."""
    if not (can_be_read(A) and can_be_read(B)):
        return _by_svd(A, B, rcond)[:2]
    R, right, Q = _triangle(A, B)
    count = R.size(-1)
    for is_certain in _are_certain(A, R, rcond):
        if is_certain.all().item():
            return _solve(R, right, Q), aten.full(A.shape[:-2], count, dtype=int64, device=A.device)
    if A.ndim == 2 or A.shape[:-2] != B.shape[:-2]:
        return _by_svd(A, B, rcond)[:2]
    X = _solve(R, right, Q).flatten(0, -3)
    rank = aten.full((X.size(0),), count, dtype=int64, device=A.device)
    rest = is_certain.logical_not().flatten().nonzero().squeeze(-1)
    of_rest = [each.flatten(0, -3).index_select(0, rest) for each in (A, B)]
    solution, found, _ = _by_svd(of_rest[0], of_rest[1], rcond)
    X, rank = X.index_copy(0, rest, solution), rank.index_copy(0, rest, found)
    return X.unflatten(0, A.shape[:-2]), rank.unflatten(0, A.shape[:-2])


def _by_values(A: Any, B: Any, rcond: float) -> tuple[Any, Any, Any]:
    """The solution, the rank, and the singular values: by QR if all matrices are of full rank, else by their
    SVD.
    """
    if not (can_be_read(A) and can_be_read(B)) or A.shape[:-2] != B.shape[:-2]:
        return _by_svd(A, B, rcond)
    R, right, Q = _triangle(A, B)
    S = aten.linalg_svdvals.default(R.triu())
    counts = S > rcond * S.amax(-1, True)
    if not counts.all().item():
        return _by_svd(A, B, rcond)
    return _solve(R, right, Q), counts.sum(-1), S


def _by_svd(A: Any, B: Any, rcond: float) -> tuple[Any, Any, Any]:
    """The solution, the rank, and the singular values, of which those up to rcond times the largest count as
    0.
    """
    U, S, Vh = aten.linalg_svd.default(A, False)
    counts = S > rcond * S.amax(-1, True)
    inverses = aten.where(counts, S.reciprocal(), 0.0).to(A.dtype)
    return (Vh.mH * inverses.unsqueeze(-2)).matmul(U.mH.matmul(B)), counts.sum(-1), S


def _lstsq(self: Any, b: Any, rcond: float | None, driver: str | None) -> tuple[Any, Any, Any, Any]:
    _check_lstsq(self, b)
    method = "gelsy" if driver is None else driver.lower()
    if method not in DRIVERS:
        raise RuntimeError(
            "gnomon.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if self.dtype.category < 2 or self.dtype in (float16, bfloat16):
        if rcond is None:
            raise RuntimeError("This function doesn't handle types other than float and double")
        refuse_half(self.dtype, "bool", "integer")
    eps = finfo(self.dtype).eps
    if rcond is None:
        rcond = eps * max(self.shape[-2:])
    elif rcond < 0 or (method == "gelsd" and rcond >= 1):
        rcond = eps
    elif method == "gelsy":
        rcond = min(rcond, 1 - eps)
    *batch, rows, columns = self.shape
    B = b.unsqueeze(-1) if _has_vectors(self, b) else b
    sizes = broadcast_sizes(tuple(batch), tuple(B.shape[:-2]))
    real = self.dtype.to_real()
    rank = aten.zeros(batch, dtype=int64, device=self.device)
    values = self.new_zeros((*batch, min(rows, columns)), dtype=real)
    if not self.numel():
        X = self.new_zeros((*sizes, columns, B.size(-1)))
    elif method == "gels":
        X = _by_qr(self, B)
    elif method == "gelsy":
        X, rank = _by_rank(self, B, rcond)
    else:
        X, rank, values = _by_values(self, B, rcond)
    is_full = method == "gels" or not can_be_read(rank) or (rank == columns).all().item()
    if rows > columns and method != "gelsy" and is_full:
        rest = B - self.matmul(X)
        residuals = (rest * rest.conj()).real.sum(-2)
    else:
        residuals = self.new_zeros((0,), dtype=real)
    # LAPACK's solution is the first rows of the matrix in which it was given B.
    place = X.new_zeros((*sizes, B.size(-1), max(rows, columns))).mT.narrow(-2, 0, columns)
    solution = place.copy_(X)
    return (
        solution.squeeze(-1) if _has_vectors(self, b) else solution,
        residuals,
        rank if method != "gels" else rank.new_zeros((0,)),
        values if method in ("gelsd", "gelss") else values.new_zeros((0,)),
    )


def _lstsq_grad(
    grads: Sequence[Any], self: Any, b: Any, solution: Any, grad_input_mask: Sequence[bool]
) -> tuple[Any, Any]:
    """With P the pseudoinverse of A, ``Y = P^H G`` and ``R = B - A X``, the gradient of B is Y, and that of A
    is ``R (P Y)^H + P^H X (G - A^H Y)^H - Y X^H``; residuals add 2 g R and -2 g R X^H.

    The rank must be constant near A.  It follows from that of the pseudoinverse, since ``X = P B``.  As in
    PyTorch, P is of full rank whatever ``rcond`` was.
    """
    of_solution, of_residuals = grads[:2]
    is_vector = _has_vectors(self, b)
    B, X = (each.unsqueeze(-1) if is_vector else each for each in (b, solution))
    of_matrix = of_right = None
    if of_solution is not None:
        G = of_solution.unsqueeze(-1) if is_vector else of_solution
        P = aten.linalg_pinv.atol_rtol_float(self)
        of_right = P.mH.matmul(G)
        if grad_input_mask[0]:
            X = P.matmul(B)
            of_matrix = (
                (B - self.matmul(X)).matmul(P.matmul(of_right).mH)
                + P.mH.matmul(X).matmul((G - self.mH.matmul(of_right)).mH)
                - of_right.matmul(X.mH)
            )
    if of_residuals is not None and of_residuals.numel():
        change = 2 * of_residuals.unsqueeze(-2) * (B - self.matmul(X))
        of_right = change if of_right is None else of_right + change
        if grad_input_mask[0]:
            change = -change.matmul(X.mH)
            of_matrix = change if of_matrix is None else of_matrix + change
    return of_matrix, of_right.squeeze(-1) if is_vector and of_right is not None else of_right


linalg_lstsq = native_function(
    "linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor "
    "residuals, Tensor rank, Tensor singular_values)",
    explicit=_lstsq,
    derivatives={"self, b": _lstsq_grad},
    non_differentiable_outputs=(2, 3),
    python_module="linalg",
    variants="function",
    batching="composed",
    out=Out(
        "linalg_lstsq.out(Tensor self, Tensor b, float? rcond=None, *, str? driver=None, Tensor(a!) "
        "solution, Tensor(b!) residuals, Tensor(c!) rank, Tensor(d!) singular_values) -> (Tensor(a!) "
        "solution, Tensor(b!) residuals, Tensor(c!) rank, Tensor(d!) singular_values)",
        exact=True,
    ),
    doc="""Solves ``A X = B`` in the sense of least squares: ``solution`` (*, m, k) has the smallest
    ``|A X - B|``, and of these the smallest norm, for A (*, n, m) and B (*, n, k), or (*, n).

    ``driver`` is "gelsy" (the default), "gelsd" or "gelss", for which singular values up to ``rcond`` (the
    dtype's eps times max(n, m)) times the largest count as 0, or "gels" for matrices of full rank.  As in
    LAPACK, the largest is never 0 for "gelsy", and an ``rcond`` of 1 or more is the dtype's eps for "gelsd".
    ``residuals`` (*, k), real: the squares of ``|A X - B|``, if n > m, the rank is m, and the driver is not
    "gelsy".  ``rank`` (*), int64: not for "gels".  ``singular_values`` (*, min(n, m)), real: for "gelsd" and
    "gelss".  What is not computed is empty.  Raises RuntimeError for sizes and dtypes that do not match and
    for other drivers, LinAlgError for "gels" and a matrix without full rank.""",
)
