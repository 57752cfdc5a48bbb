"""Factorizations of matrices, linear systems, functions of matrices.

What NumPy has no function for is computed for a whole batch at once, row by row or column by column.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, numbers, raw, store
from .families import INEXACT, NUMBERS, Family, refuse_if

family = Family()
PRECISE = ("float32", "float64", "complex64", "complex128")
TERMS = 18  # of the exponential's series, for a norm of at most 1 / 2
ALPHA = (1 + 17**0.5) / 8  # of Bunch and Kaufman's pivoting


@family.kernel("_linalg_svd", INEXACT)
def svd(
    U: Tensor, S: Tensor, Vh: Tensor, A: Tensor, full_matrices: bool, compute_uv: bool, driver: str | None
) -> None:
    """Decomposes each matrix by LAPACK, in float64."""
    a = numbers(A, WIDE)
    refuse_if(not np.all(np.isfinite(a)))
    if not compute_uv:
        store(S, np.linalg.svd(a, compute_uv=False))
        return
    left, values, right = np.linalg.svd(a, full_matrices=full_matrices)
    store(U, left)
    store(S, values)
    store(Vh, right)


def _adjoint(a: Array) -> Array:
    return np.conj(np.swapaxes(a, -1, -2))


@family.kernel("linalg_cholesky_ex", PRECISE)
def cholesky(L: Tensor, info: Tensor, self: Tensor, upper: bool, check_errors: bool) -> None:
    """Column by column; a matrix that is not positive-definite keeps what it has from there on."""
    a = numbers(self, WIDE)
    a = np.tril(_adjoint(a) if upper else a)
    codes = np.zeros(a.shape[:-2], np.int32)
    for j in range(a.shape[-1]):
        row = a[..., j, :j]
        square = a[..., j, j].real - np.sum(row.real**2 + row.imag**2, -1)
        going = codes == 0
        works = going & (square > 0)
        codes[going & ~works] = j + 1
        a[..., j, j] = np.where(works, np.sqrt(square), np.where(going, square, a[..., j, j]))
        rest = a[..., j + 1 :, j] - (a[..., j + 1 :, :j] @ np.conj(row)[..., None])[..., 0]
        a[..., j + 1 :, j] = np.where(works[..., None], rest / a[..., j, j, None], a[..., j + 1 :, j])
    refuse_if(check_errors and bool(np.any(codes)))
    store(L, _adjoint(a) if upper else a)
    store(info, codes)


@family.kernel("linalg_lu_factor_ex", PRECISE)
def lu_factor(LU: Tensor, pivots: Tensor, info: Tensor, A: Tensor, pivot: bool, check_errors: bool) -> None:
    """With partial pivoting, column by column."""
    a = np.array(numbers(A, WIDE))
    count = min(a.shape[-2:])
    flat = a.reshape((-1, *a.shape[-2:])) if a.size else a.reshape((0, *a.shape[-2:]))
    matrices = np.arange(len(flat))
    chosen = np.zeros((len(flat), count), np.int32)
    codes = np.zeros(len(flat), np.int32)
    for k in range(count):
        column = flat[:, k:, k]
        row = k + np.argmax(np.abs(column.real) + np.abs(column.imag), -1)
        chosen[:, k] = row + 1
        top = flat[matrices, row].copy()
        flat[matrices, row] = flat[:, k]
        flat[:, k] = top
        is_zero = top[:, k] == 0
        codes[(codes == 0) & is_zero] = k + 1
        divisor = np.where(is_zero, 1, top[:, k])
        flat[:, k + 1 :, k] /= divisor[:, None]
        flat[:, k + 1 :, k + 1 :] -= flat[:, k + 1 :, k, None] * top[:, None, k + 1 :]
    refuse_if(check_errors and bool(np.any(codes)))
    store(LU, flat.reshape(a.shape))
    if a.size:
        store(pivots, chosen.reshape((*a.shape[:-2], count)))
        store(info, codes.reshape(a.shape[:-2]))
    else:
        store(info, 0)


@family.kernel("lu_unpack", NUMBERS)
def lu_unpack(
    P: Tensor,
    L: Tensor,
    U: Tensor,
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool,
    unpack_pivots: bool,
) -> None:
    """The triangles, and the identity with its columns swapped."""
    a = numbers(LU_data)
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    if unpack_data:
        store(L, np.where(np.eye(rows, count, dtype=bool), 1, np.tril(a[..., :, :count], -1)))
        store(U, np.triu(a[..., :count, :]))
    if unpack_pivots:
        order = np.broadcast_to(np.arange(rows), (*a.shape[:-2], rows))[..., None]
        order = _swapped(order, raw(LU_pivots), False)[..., 0]
        store(P, np.arange(rows)[:, None] == order[..., None, :])


def _swapped(rows: Array, pivots: Array, is_reversed: bool) -> Array:
    """``rows`` (*, n, k) with the swaps that ``pivots`` (*, m) tell, whose batch has the same sizes."""
    count = rows.shape[-2]
    refuse_if(bool(np.any((pivots < 1) | (pivots > count))))
    rows = np.array(rows)
    for k in reversed(range(pivots.shape[-1])) if is_reversed else range(pivots.shape[-1]):
        other = pivots[..., k, None, None].astype(np.int64) - 1
        found = np.take_along_axis(rows, other, -2)
        np.put_along_axis(rows, other, rows[..., k : k + 1, :], -2)
        rows[..., k : k + 1, :] = found
    return rows


def _substituted(triangle: Array, right: Array, upper: bool, unitriangular: bool) -> Array:
    """The solution of ``triangle @ X = right``, row by row; batches broadcast."""
    count = triangle.shape[-1]
    batch = np.broadcast_shapes(triangle.shape[:-2], right.shape[:-2])
    x = np.array(np.broadcast_to(right, (*batch, *right.shape[-2:])), np.result_type(triangle, right))
    for i in reversed(range(count)) if upper else range(count):
        known = slice(i + 1, count) if upper else slice(0, i)
        x[..., i, :] -= (triangle[..., i : i + 1, known] @ x[..., known, :])[..., 0, :]
        if not unitriangular:
            x[..., i, :] /= triangle[..., i, i, None]
    return x


@family.kernel("linalg_solve_triangular", PRECISE)
def solve_triangular(
    output: Tensor, self: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool
) -> None:
    """A system from the right is the transpose of one from the left."""
    a, b = numbers(self, WIDE), numbers(B, WIDE)
    if left:
        store(output, _substituted(a, b, upper, unitriangular))
    else:
        a, b = (np.swapaxes(each, -1, -2) for each in (a, b))
        store(output, np.swapaxes(_substituted(a, b, not upper, unitriangular), -1, -2))


@family.kernel("linalg_lu_solve", PRECISE)
def lu_solve(output: Tensor, LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> None:
    """A system from the right is the adjoint of one from the left."""
    a, b = numbers(LU, WIDE), numbers(B, WIDE)
    if not left:
        b, adjoint = _adjoint(b), not adjoint
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    swaps = np.broadcast_to(raw(pivots), (*batch, a.shape[-1]))
    if adjoint:
        inner = _substituted(_adjoint(a), b, False, False)
        x = _swapped(_substituted(_adjoint(a), inner, True, True), swaps, True)
    else:
        x = _substituted(a, _substituted(a, _swapped(b, swaps, False), False, True), True, False)
    store(output, x if left else _adjoint(x))


@family.kernel("geqrf", PRECISE)
def geqrf(a: Tensor, tau: Tensor, self: Tensor) -> None:
    """By LAPACK, in float64."""
    matrix = numbers(self, WIDE)
    if matrix.size:
        flipped, factors = np.linalg.qr(matrix, mode="raw")
        store(a, np.swapaxes(flipped, -1, -2))
        store(tau, factors)


@family.kernel("linalg_householder_product", PRECISE)
def householder_product(output: Tensor, input: Tensor, tau: Tensor) -> None:
    """From the last reflection to the first."""
    a, factors = numbers(input, WIDE), numbers(tau, WIDE)
    rows, columns = a.shape[-2:]
    product: Any = np.array(np.broadcast_to(np.eye(rows, columns, dtype=a.dtype), a.shape))
    for k in reversed(range(factors.shape[-1])):
        vector = np.concatenate([np.ones_like(a[..., :1, k]), a[..., k + 1 :, k]], -1)[..., None]
        part = product[..., k:, k:]
        part -= factors[..., k, None, None] * vector @ (_adjoint(vector) @ part)
    store(output, product)


@family.kernel("linalg_matrix_exp", INEXACT)
def matrix_exp(output: Tensor, self: Tensor) -> None:
    """Taylor's series of the matrix, halved until its norm is at most 1 / 2; then squared as often."""
    a = numbers(self, WIDE)
    norm = np.max(np.sum(np.abs(a), -2), -1, initial=0.0)
    is_finite = np.isfinite(norm)
    squarings = np.maximum(np.frexp(np.where(is_finite, norm, 0))[1] + 1, 0)
    a = np.where(is_finite[..., None, None], a, np.nan) * 2.0 ** -squarings[..., None, None]
    result: Any = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    term = result
    for k in range(1, TERMS + 1):
        term = term @ a / k
        result = result + term
    for step in range(int(np.max(squarings, initial=0))):
        result = np.where((step < squarings)[..., None, None], result @ result, result)
    store(output, result)


@family.kernel("_linalg_eigh", PRECISE)
def eigh(eigenvalues: Tensor, eigenvectors: Tensor, A: Tensor, UPLO: str, compute_v: bool) -> None:
    """By LAPACK, in float64."""
    a = numbers(A, WIDE)
    side: Literal["L", "U"] = "L" if UPLO.upper() == "L" else "U"
    refuse_if(not np.all(np.isfinite(np.tril(a) if side == "L" else np.triu(a))))
    if not compute_v:
        store(eigenvalues, np.linalg.eigvalsh(a, side))
        return
    values, vectors = np.linalg.eigh(a, side)
    store(eigenvalues, values)
    store(eigenvectors, vectors)


@family.kernel("linalg_eig", PRECISE)
def eig(eigenvalues: Tensor, eigenvectors: Tensor, self: Tensor) -> None:
    """By LAPACK, in float64."""
    a = numbers(self, WIDE)
    refuse_if(not np.all(np.isfinite(a)))
    values, vectors = np.linalg.eig(a)
    store(eigenvalues, values)
    store(eigenvectors, vectors)


@family.kernel("_linalg_eigvals", PRECISE)
def eigvals(output: Tensor, self: Tensor) -> None:
    """By LAPACK, in float64."""
    a = numbers(self, WIDE)
    refuse_if(not np.all(np.isfinite(a)))
    store(output, np.linalg.eigvals(a))


def _size(a: Array) -> Array:
    return np.abs(a.real) + np.abs(a.imag)


def _chosen(a: Array, k: int) -> tuple[int, int]:
    """The row to swap with, and the number of rows of the block at k; (-1, 1): the column stays as it is."""
    # lists: Python's max, unlike NumPy's, returns NaN only if that is the first, as the reference does
    here, below = float(_size(a[k, k])), _size(a[k + 1 :, k]).tolist()
    largest = max(below, default=0.0)
    if here != here or here == largest == 0:
        return -1, 1
    if here >= ALPHA * largest or not below:
        return k, 1
    other = k + 1 + max(range(len(below)), key=below.__getitem__)
    most = max(_size(np.concatenate([a[other, k:other], a[other + 1 :, other]])).tolist())
    if here >= ALPHA * largest * (largest / most):
        return k, 1
    return other, 1 if float(_size(a[other, other])) >= ALPHA * most else 2


def _divided(block: Array, right: Array) -> Array:
    """The solution of ``block x = right`` for one or two rows, also if that is infinite or NaN."""
    with np.errstate(all="ignore"):
        if len(block) == 1:
            return right / block
        flipped, corner = block[0, 1], block[1, 0]
        p, q = block[0, 0] / flipped, block[1, 1] / corner
        above, below = right[0] / flipped, right[1] / corner
        return np.stack([q * above - below, p * below - above]) / (p * q - 1)


def _make_diagonal_real(a: Array) -> None:
    places = np.arange(a.shape[-1])
    a[..., places, places] = a[..., places, places].real


def _factored(a: Array, hermitian: bool) -> tuple[list[int], int]:
    """Replaces a lower triangle by D and L; returns the pivots, and the number of the first zero of D."""
    pivots: list[int] = []
    info = 0
    while (k := len(pivots)) < len(a):
        chosen, width = _chosen(a, k)
        if chosen < 0:
            info = info or k + 1
            pivots.append(k + 1)
            continue
        last, rest = k + width - 1, slice(k + width, None)
        # the whole rest of the matrix, in which rows and columns are swapped
        whole = np.tril(a[k:, k:], -1)
        whole = np.tril(a[k:, k:]) + (_adjoint(whole) if hermitian else whole.T)
        order = np.arange(len(whole))
        order[[last - k, chosen - k]] = order[[chosen - k, last - k]]
        whole = whole[order][:, order]
        block, left = whole[:width, :width], whole[width:, :width]
        factor = _divided(block.T, left.T).T
        a[k:, k:] = np.tril(whole)
        a[rest, rest] -= np.tril(left @ (_adjoint(factor) if hermitian else factor.T))
        a[rest, k : last + 1] = factor
        if hermitian:
            _make_diagonal_real(a)
        pivots += [chosen + 1] if width == 1 else [-chosen - 1] * 2
    return pivots, info


@family.kernel("linalg_ldl_factor_ex", PRECISE)
def ldl_factor(
    LD: Tensor, pivots: Tensor, info: Tensor, self: Tensor, hermitian: bool, check_errors: bool
) -> None:
    """Matrix by matrix, as each has pivots of its own."""
    a = np.tril(numbers(self, WIDE))
    if hermitian:
        _make_diagonal_real(a)
    chosen = np.zeros(a.shape[:-1], np.int32)
    codes = np.zeros(a.shape[:-2], np.int32)
    for index in np.ndindex(a.shape[:-2]):
        chosen[index], codes[index] = _factored(a[index], hermitian)
    refuse_if(check_errors and bool(np.any(codes)))
    store(LD, a)
    store(pivots, chosen)
    store(info, codes)


def _block_starts(pivots: Array) -> list[int]:
    """The first rows of the blocks; refuses pivots that no factorization has."""
    count = len(pivots)
    refuse_if(bool(np.any((pivots == 0) | (np.abs(pivots) > count))))
    starts, k = [], 0
    while k < count:
        starts.append(k)
        k += 1 if pivots[k] > 0 else 2
        refuse_if(k > count or (pivots[k - 1] > 0) != (pivots[starts[-1]] > 0))
    return starts


def _ldl_solved(a: Array, pivots: Array, x: Array, hermitian: bool) -> None:
    """Replaces x by the solution."""
    starts = _block_starts(pivots)
    blocks = [(k, last, abs(pivots[last - 1]) - 1) for k, last in zip(starts, [*starts[1:], len(a)])]
    for k, end, other in blocks:
        x[[end - 1, other]] = x[[other, end - 1]]
        x[end:] -= a[end:, k:end] @ x[k:end]
        block = np.tril(a[k:end, k:end])
        if hermitian and end == k + 1:
            block = block.real
        across = np.tril(block, -1)
        block = block + (_adjoint(across) if hermitian else across.T)
        x[k:end] = _divided(block, x[k:end])
    for k, end, other in reversed(blocks):
        part = a[end:, k:end]
        x[k:end] -= (_adjoint(part) if hermitian else part.T) @ x[end:]
        x[[end - 1, other]] = x[[other, end - 1]]


@family.kernel("linalg_ldl_solve", PRECISE)
def ldl_solve(output: Tensor, LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> None:
    """Matrix by matrix."""
    a, b = numbers(LD, WIDE), numbers(B, WIDE)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])))
    if x.size:
        a = np.broadcast_to(a, (*batch, *a.shape[-2:]))
        swaps = np.broadcast_to(raw(pivots).astype(np.int64), (*batch, a.shape[-1]))
        for index in np.ndindex(*batch):
            _ldl_solved(a[index], swaps[index], x[index], hermitian)
    store(output, x)
