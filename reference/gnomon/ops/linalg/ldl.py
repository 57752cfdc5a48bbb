"""The LDL factorization of symmetric and Hermitian matrices with diagonal pivoting, and its solutions.

``P A P^T = L D L^H``, D with blocks of one or two rows (Bunch and Kaufman, "Some stable methods for
calculating inertia and solving symmetric linear systems", 1977).  The kernels are LAPACK's sytf2, hetf2,
sytrs and hetrs, lower, in float64.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp (linalg_ldl_factor_ex, linalg_ldl_solve).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_square_matrices, refuse_half
from ...calls.meta_functions import column_major
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide
from ...numerics.matrices import Matrix, batch_indices, read_matrix, write_matrix
from ...values.dtype import dtype as Dtype
from ...values.dtype import int32
from ...values.geometry import broadcast_sizes, wrap_dim

ALPHA = (1 + math.sqrt(17)) / 8  # bounds the growth of elements best


def _check_dtype(name: str, dtype: Dtype) -> None:
    if dtype.category < 2:
        raise RuntimeError(
            f"gnomon.{name}: Expected a floating point or complex tensor as input. Got {dtype.name}"
        )


def _factor_meta(self: Spec, hermitian: bool, check_errors: bool) -> tuple[Spec, Spec, Spec]:
    check_square_matrices("gnomon.linalg.ldl_factor_ex", self)
    _check_dtype("linalg.ldl_factor_ex", self.dtype)
    refuse_half(self.dtype)
    pivots = self.contiguous(self.sizes[:-1], int32)
    return column_major(self.sizes, self), pivots, self.contiguous(self.sizes[:-2], int32)


def _flip(number: Any, hermitian: bool) -> Any:
    return number.conjugate() if hermitian else number


def _size(number: Any) -> float:
    """LAPACK's, without a square root."""
    return abs(number.real) + abs(number.imag)


def _choose(matrix: Matrix, k: int) -> tuple[int, int]:
    """The row to swap with, and the number of rows of the block at k.

    (-1, 1) for a column of zeros, or with NaN on the diagonal: nothing is eliminated.
    """
    count = len(matrix)
    here = _size(matrix[k][k])
    if math.isnan(here):
        return -1, 1
    if k + 1 == count:
        return (k if here != 0 else -1), 1
    other = max(range(k + 1, count), key=lambda i: _size(matrix[i][k]))
    largest = _size(matrix[other][k])
    if here == largest == 0:
        return -1, 1
    if here >= ALPHA * largest:
        return k, 1
    across = [matrix[other][j] for j in range(k, other)] + [row[other] for row in matrix[other + 1 :]]
    most = max(map(_size, across))
    if here >= ALPHA * largest * (largest / most):
        return k, 1
    return other, 1 if _size(matrix[other][other]) >= ALPHA * most else 2


def _swap(matrix: Matrix, k: int, other: int, hermitian: bool) -> None:
    """Swaps rows and columns k < other of the lower triangle, from column k on."""
    for row in matrix[other + 1 :]:
        row[k], row[other] = row[other], row[k]
    for i in range(k + 1, other):
        matrix[i][k], matrix[other][i] = (
            _flip(matrix[other][i], hermitian),
            _flip(matrix[i][k], hermitian),
        )
    matrix[other][k] = _flip(matrix[other][k], hermitian)
    matrix[k][k], matrix[other][other] = matrix[other][other], matrix[k][k]


def _real_diagonal(matrix: Matrix) -> None:
    for i, row in enumerate(matrix):
        row[i] = type(row[i])(row[i].real)


def _eliminate(matrix: Matrix, k: int, width: int, hermitian: bool) -> None:
    """Divides the rows below the block at k by it, and subtracts the product from the rest."""
    rest, last = range(k + width, len(matrix)), k + width - 1
    columns = [[matrix[i][j] for i in rest] for j in range(k, k + width)]
    if width == 1:
        factors = [[divide(x, matrix[k][k]) for x in columns[0]]]
    else:
        corner = matrix[last][k]
        flipped = _flip(corner, hermitian)
        second, first = divide(matrix[k][k], flipped), divide(matrix[last][last], corner)
        scale = first * second - 1
        factors = [
            [divide(divide(first * x - y, flipped), scale) for x, y in zip(*columns)],
            [divide(divide(second * y - x, corner), scale) for x, y in zip(*columns)],
        ]
    for n, i in enumerate(rest):
        for m, j in enumerate(range(k + width, i + 1)):
            for column, factor in zip(columns, factors):
                matrix[i][j] -= column[n] * _flip(factor[m], hermitian)
    for j, factor in enumerate(factors):
        for i, x in zip(rest, factor):
            matrix[i][k + j] = x


def _factor(matrix: Matrix, hermitian: bool) -> tuple[list[int], int]:
    """Replaces a lower triangle by D and, below its blocks, L.

    Returns the pivots, counted from 1, and negative for both rows of a block of two; and 0, or the number of
    the first block that is 0.
    """
    pivots: list[int] = []
    info = 0
    while (k := len(pivots)) < len(matrix):
        if hermitian:
            _real_diagonal(matrix)
        chosen, width = _choose(matrix, k)
        if chosen < 0:
            info = info or k + 1
            pivots.append(k + 1)
            continue
        last = k + width - 1
        if chosen != last:
            _swap(matrix, last, chosen, hermitian)
            if width == 2:
                matrix[last][k], matrix[chosen][k] = matrix[chosen][k], matrix[last][k]
        _eliminate(matrix, k, width, hermitian)
        pivots += [chosen + 1] if width == 1 else [-chosen - 1] * 2
    return pivots, info


def _factor_kernel(
    LD: Tensor, pivots: Tensor, info: Tensor, self: Tensor, hermitian: bool, check_errors: bool
) -> None:
    """Factors each matrix, of which the lower triangle is read."""
    source, output = TensorAccessor(self), TensorAccessor(LD)
    swaps, codes = TensorAccessor(pivots), TensorAccessor(info)
    for index in batch_indices(source.sizes[:-2]):
        matrix = [
            [x if j <= i else 0.0 for j, x in enumerate(row)]
            for i, row in enumerate(read_matrix(source, index))
        ]
        chosen, codes[index] = _factor(matrix, hermitian)
        for k, row in enumerate(chosen):
            swaps[index + (k,)] = row
        write_matrix(output, index, matrix)
    if check_errors:
        aten._linalg_check_errors.default(info, "gnomon.linalg.ldl_factor_ex", not source.sizes[:-2])


ldl_factor_ex = native_function(
    "linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, "
    "Tensor pivots, Tensor info)",
    meta=_factor_meta,
    kernel=_factor_kernel,
    python_module="linalg",
    variants="function",
    batching="leading",
    out=Out(
        "linalg_ldl_factor_ex.out(Tensor self, *, bool hermitian=False, bool check_errors=False, Tensor(a!) "
        "LD, Tensor(b!) pivots, Tensor(c!) info) -> (Tensor(a!) LD, Tensor(b!) pivots, Tensor(c!) info)",
        exact=True,
    ),
    doc="""Computes the LDL factorization of symmetric, or ``hermitian``, matrices (*, n, n), for ldl_solve.

    LD (*, n, n) contains D, with blocks of one or two rows, and below them L, whose diagonal is 1.
    ``pivots`` (*, n), int32: row i was swapped with row ``pivots[i] - 1``; both rows of a block of two have a
    negative number p: the second one was swapped with row ``-p - 1``.  Only the lower triangle is read.
    ``info`` (*), int32, is 0, or the number of the first block of D that is 0; with ``check_errors`` that
    raises RuntimeError.  Not differentiable.  Raises RuntimeError for matrices that are not square, and for
    integers.""",
)


def _ldl_factor(self: Any, hermitian: bool) -> tuple[Any, Any]:
    LD, pivots, info = aten.linalg_ldl_factor_ex.default(self, hermitian=hermitian)
    aten._linalg_check_errors.default(info, "gnomon.linalg.ldl_factor", self.ndim == 2)
    return LD, pivots


ldl_factor = native_function(
    "linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)",
    composite=_ldl_factor,
    python_module="linalg",
    variants="function",
    out=Out(
        "linalg_ldl_factor.out(Tensor self, *, bool hermitian=False, Tensor(a!) LD, Tensor(b!) pivots) -> "
        "(Tensor(a!) LD, Tensor(b!) pivots)",
        exact=True,
    ),
    doc="""Computes the LDL factorization of symmetric or ``hermitian`` matrices (*, n, n); see ldl_factor_ex.

    Raises RuntimeError if a block of D is 0.""",
)


def _solve_meta(LD: Spec, pivots: Spec, B: Spec, hermitian: bool) -> Spec:
    name = "gnomon.linalg.ldl_solve"
    check_square_matrices(name, LD)
    _check_dtype("linalg.ldl_solve", LD.dtype)
    if LD.dtype is not B.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {B.dtype.name} and A of type "
            f"{LD.dtype.name} instead."
        )
    rows = B.sizes[wrap_dim(-2, B.ndim)]
    if rows != LD.sizes[-1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {LD.sizes[-1]} by {LD.sizes[-1]} but "
            f"each b matrix is {rows} by {B.sizes[-1]}"
        )
    if pivots.sizes != LD.sizes[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.sizes)} instead"
        )
    if pivots.dtype.category != 1:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {pivots.dtype.name}")
    refuse_half(LD.dtype)
    return column_major((*broadcast_sizes(B.sizes[:-2], LD.sizes[:-2]), *B.sizes[-2:]), B)


def _blocks(pivots: Sequence[int], count: int) -> list[tuple[int, int, int]]:
    """The first and last row of each block, and the row, counted from 0, that the last one was swapped with.

    Raises RuntimeError for pivots that no factorization has.
    """
    if any(abs(pivot) > count for pivot in pivots):
        problem = "all satisfy |pivot| <= LD.size(-2)"
    elif not all(pivots):
        problem = "all satisfy |pivot| >= 1"
    else:
        blocks: list[tuple[int, int, int]] = []
        k = 0
        while k < count:
            last = k if pivots[k] > 0 else k + 1
            if last == count or pivots[last] * pivots[k] < 0:
                break
            blocks.append((k, last, abs(pivots[last]) - 1))
            k = last + 1
        else:
            return blocks
        problem = "be negative in pairs"
    raise RuntimeError(
        f"Pivots given to ldl_solve must {problem}. Did you properly pass the result of ldl_factor?"
    )


def _solve(matrix: Matrix, pivots: Sequence[int], right: Matrix, hermitian: bool) -> Matrix:
    rows = [list(row) for row in right]
    blocks = _blocks(pivots, len(matrix))
    for first, last, other in blocks:  # with L and D
        rows[last], rows[other] = rows[other], rows[last]
        for j in range(first, last + 1):
            for i in range(last + 1, len(rows)):
                rows[i] = [x - matrix[i][j] * y for x, y in zip(rows[i], rows[j])]
        if first == last:
            corner = matrix[first][first].real if hermitian else matrix[first][first]
            rows[first] = [divide(x, corner) for x in rows[first]]
            continue
        corner = matrix[last][first]
        flipped = _flip(corner, hermitian)
        p, q = divide(matrix[first][first], flipped), divide(matrix[last][last], corner)
        scale = p * q - 1
        above = [divide(x, flipped) for x in rows[first]]
        below = [divide(x, corner) for x in rows[last]]
        rows[first] = [divide(q * x - y, scale) for x, y in zip(above, below)]
        rows[last] = [divide(p * y - x, scale) for x, y in zip(above, below)]
    for first, last, other in reversed(blocks):  # with L^H
        for j in range(first, last + 1):
            for i in range(last + 1, len(rows)):
                factor = _flip(matrix[i][j], hermitian)
                rows[j] = [x - factor * y for x, y in zip(rows[j], rows[i])]
        rows[last], rows[other] = rows[other], rows[last]
    return rows


def _solve_kernel(output: Tensor, LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> None:
    """Solves each system."""
    if not output._spec.numel:
        return
    matrices, rights, out = TensorAccessor(LD), TensorAccessor(B), TensorAccessor(output)
    swaps = TensorAccessor(pivots.unsqueeze(-2))
    for index in batch_indices(out.sizes[:-2]):
        (chosen,) = read_matrix(swaps, index)
        solution = _solve(read_matrix(matrices, index), chosen, read_matrix(rights, index), hermitian)
        write_matrix(out, index, solution)


ldl_solve = native_function(
    "linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
    meta=_solve_meta,
    kernel=_solve_kernel,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Solves ``A X = B`` with the factorization of A (*, n, n) by ldl_factor, B (*, n, k).

    ``hermitian`` must be what it was there.  ``pivots`` (*, n) are integers.  Batches broadcast.  Not
    differentiable.  Raises RuntimeError for sizes or dtypes that do not match, and for invalid pivots.""",
)
