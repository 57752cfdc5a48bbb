"""Factorizations of matrices, linear systems, functions of matrices.

Singular values, eigenvalues and reflections are LAPACK's, which JAX calls.  What has to be exact in another
way (a Cholesky factorization that stops, a system with a zero on the diagonal) is computed for a whole batch
at once, row by row or column by column, in loops of XLA.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from .numbers import Array
from .pointwise import absolute, multiply
from .programs import INEXACT, NUMBERS, Family, Names, refuse_if

family = Family()
PRECISE: Names = ("float32", "float64", "complex64", "complex128")
TERMS = 18  # of the exponential's series, for a norm of at most 1 / 2


def _adjoint(a: Array) -> Array:
    return jnp.conj(jnp.swapaxes(a, -1, -2))


def _is_finite(a: Array) -> Array:
    return jnp.isfinite(jnp.real(a)) & jnp.isfinite(jnp.imag(a))


def _identity(shape: Any, a: Array) -> Array:
    """Identity matrices of a batch, in the dtype of ``a``."""
    return jnp.broadcast_to(jnp.eye(shape[-2], shape[-1], dtype=a.dtype), tuple(shape))


# ---------------------------------------------------------------------------------------------------------
# Singular values, eigenvalues, orthogonal factors: by LAPACK, in float64.


@family.kernel("_linalg_svd", INEXACT, outputs=3, is_sized=True)
def svd(sizes: Any, a: Array, full_matrices: bool, compute_uv: bool, driver: str | None) -> Any:
    """The singular values of each matrix, and its singular vectors."""
    refuse_if(~_is_finite(a))
    if not a.size:
        vectors = [_identity(each, a) if compute_uv else jnp.zeros(each) for each in (sizes[0], sizes[2])]
        return vectors[0], jnp.zeros(sizes[1]), vectors[1]
    a = jnp.where(_is_finite(a), a, 0)
    if not compute_uv:
        values = jnp.linalg.svd(a, compute_uv=False)
        return jnp.zeros(sizes[0]), values, jnp.zeros(sizes[2])
    return tuple(jnp.linalg.svd(a, full_matrices=full_matrices))


@family.kernel("_linalg_eigh", PRECISE, outputs=2, is_sized=True)
def eigh(sizes: Any, a: Array, UPLO: str, compute_v: bool) -> tuple[Array, Array]:
    """The eigenvalues of each Hermitian matrix, of which one triangle is read, and its eigenvectors."""
    is_lower = UPLO.upper() == "L"
    triangle = jnp.tril(a) if is_lower else jnp.triu(a)
    refuse_if(~_is_finite(triangle))
    if not a.size:
        return jnp.zeros(sizes[0]), jnp.zeros(sizes[1])
    across = jnp.tril(a, -1) if is_lower else jnp.triu(a, 1)
    diagonal = jnp.real(triangle - across).astype(a.dtype)
    whole = jnp.where(_is_finite(across), across, 0)
    whole = whole + _adjoint(whole) + jnp.where(_is_finite(diagonal), diagonal, 0)
    vectors, values = lax.linalg.eigh(whole, symmetrize_input=False)
    return values, vectors if compute_v else jnp.zeros(sizes[1])


@family.kernel("linalg_eig", PRECISE, outputs=2, is_sized=True)
def eig(sizes: Any, a: Array) -> tuple[Array, Array]:
    """The eigenvalues of each matrix, and its eigenvectors."""
    refuse_if(~_is_finite(a))
    if not a.size:
        return jnp.zeros(sizes[0]), jnp.zeros(sizes[1])
    values, vectors = jnp.linalg.eig(jnp.where(_is_finite(a), a, 0))
    return values, vectors


@family.kernel("_linalg_eigvals", PRECISE, is_sized=True)
def eigvals(sizes: Any, a: Array) -> Array:
    """The eigenvalues of each matrix."""
    refuse_if(~_is_finite(a))
    return jnp.linalg.eigvals(jnp.where(_is_finite(a), a, 0)) if a.size else jnp.zeros(sizes[0])


@family.kernel("geqrf", PRECISE, outputs=2, is_sized=True)
def geqrf(sizes: Any, a: Array) -> tuple[Array, Array]:
    """The triangular factor, below it the reflections' vectors, and the reflections' factors."""
    if not a.size:
        return a, jnp.zeros(sizes[1])
    flipped, factors = jnp.linalg.qr(a, mode="raw")
    return jnp.swapaxes(flipped, -1, -2), factors


@family.kernel("linalg_householder_product", PRECISE)
def householder_product(a: Array, factors: Array) -> Array:
    """The first columns of the product of the reflections, from the last to the first."""
    rows, count = jnp.arange(a.shape[-2]), factors.shape[-1]

    def reflected(step: Any, product: Array) -> Array:
        k = count - 1 - step
        column = lax.dynamic_index_in_dim(a, k, -1, keepdims=False)
        vector = jnp.where(rows > k, column, jnp.where(rows == k, 1, 0))[..., None]
        factor = lax.dynamic_index_in_dim(factors, k, -1, keepdims=False)[..., None, None]
        return product - factor * vector @ (_adjoint(vector) @ product)

    product = _identity(a.shape, a)
    return lax.fori_loop(0, count, reflected, product) if a.size and count else product


# ---------------------------------------------------------------------------------------------------------
# Triangular factors.


@family.kernel("linalg_cholesky_ex", PRECISE, outputs=2)
def cholesky(a: Array, upper: bool, check_errors: bool) -> tuple[Array, Array]:
    """Column by column; a matrix that is not positive-definite keeps what it has from there on."""
    a = jnp.tril(_adjoint(a) if upper else a)
    number = jnp.arange(a.shape[-1])

    def step(j: Any, state: tuple[Array, Array]) -> tuple[Array, Array]:
        a, codes = state
        row = jnp.where(number < j, lax.dynamic_index_in_dim(a, j, -2, keepdims=False), 0)
        column = lax.dynamic_index_in_dim(a, j, -1, keepdims=False)
        corner = lax.dynamic_index_in_dim(column, j, -1, keepdims=False)
        square = jnp.real(corner) - jnp.sum(jnp.real(row) ** 2 + jnp.imag(row) ** 2, -1)
        going = codes == 0
        works = going & (square > 0)
        root = jnp.where(works, jnp.sqrt(square), jnp.where(going, square, jnp.real(corner)))
        corner = jnp.where(going, root.astype(a.dtype), corner)
        rest = (column - (a @ jnp.conj(row)[..., None])[..., 0]) / corner[..., None]
        column = jnp.where(works[..., None] & (number > j), rest, column)
        column = jnp.where(number == j, corner[..., None], column)
        codes = jnp.where(going & ~works, j + 1, codes)
        return jnp.where(number == j, column[..., None], a), codes

    codes = jnp.zeros(a.shape[:-2], jnp.int64)
    if a.size:
        a, codes = lax.fori_loop(0, a.shape[-1], step, (a, codes))
    if check_errors:
        refuse_if(codes != 0)
    return _adjoint(a) if upper else a, codes


@family.kernel("linalg_lu_factor_ex", PRECISE, outputs=3, is_sized=True)
def lu_factor(sizes: Any, a: Array, pivot: bool, check_errors: bool) -> tuple[Array, Array, Array]:
    """With partial pivoting, column by column."""
    if not a.size:
        return a, jnp.zeros(sizes[1]), jnp.zeros(sizes[2])
    rows, columns = jnp.arange(a.shape[-2]), jnp.arange(a.shape[-1])
    count = min(a.shape[-2:])

    def step(k: Any, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        a, pivots, codes = state
        column = lax.dynamic_index_in_dim(a, k, -1, keepdims=False)
        size = jnp.abs(jnp.real(column)) + jnp.abs(jnp.imag(column))
        chosen = jnp.argmax(jnp.where(rows >= k, size, -1.0), -1)
        top = jnp.take_along_axis(a, chosen[..., None, None], -2)
        here = lax.dynamic_index_in_dim(a, k, -2)
        a = jnp.where((rows == chosen[..., None])[..., None], here, a)
        a = jnp.where((rows == k)[:, None], top, a)
        corner = lax.dynamic_index_in_dim(top, k, -1)
        is_zero = corner == 0
        factors = lax.dynamic_index_in_dim(a, k, -1) / jnp.where(is_zero, 1, corner)
        is_below = (rows > k)[:, None]
        changed = jnp.where(columns > k, a - factors * top, jnp.where(columns == k, factors, a))
        codes = jnp.where((codes == 0) & is_zero[..., 0, 0], k + 1, codes)
        pivots = jnp.where(jnp.arange(count) == k, chosen[..., None] + 1, pivots)
        return jnp.where(is_below, changed, a), pivots, codes

    batch = a.shape[:-2]
    state = a, jnp.zeros((*batch, count), jnp.int64), jnp.zeros(batch, jnp.int64)
    a, pivots, codes = lax.fori_loop(0, count, step, state)
    if check_errors:
        refuse_if(codes != 0)
    return a, pivots, codes


def _swapped(rows: Array, pivots: Array, is_reversed: bool) -> Array:
    """``rows`` (*, n, k) with the swaps that ``pivots`` (*, m) tell, whose batch has the same sizes."""
    count, swaps = rows.shape[-2], pivots.shape[-1]
    refuse_if((pivots < 1) | (pivots > count))
    number = jnp.arange(count)

    def step(at: Any, rows: Array) -> Array:
        k = swaps - 1 - at if is_reversed else at
        other = lax.dynamic_index_in_dim(pivots, k, -1).astype(jnp.int64) - 1
        order = jnp.where(number == k, other, jnp.where(number == other, k, number))
        return jnp.take_along_axis(rows, jnp.clip(order, 0, count - 1)[..., None], -2)

    return lax.fori_loop(0, swaps, step, rows) if rows.size and swaps else rows


@family.kernel("lu_unpack", NUMBERS, outputs=3, is_sized=True)
def lu_unpack(sizes: Any, a: Array, pivots: Array, unpack_data: bool, unpack_pivots: bool) -> Any:
    """The triangles, and the identity with its columns swapped."""
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    permutation, lower, upper = (None if each is None else jnp.zeros(each) for each in sizes)
    if unpack_data:
        lower = jnp.where(jnp.eye(rows, count, dtype=bool), 1, jnp.tril(a[..., :, :count], -1))
        upper = jnp.triu(a[..., :count, :])
    if unpack_pivots:
        order = jnp.broadcast_to(jnp.arange(rows), (*a.shape[:-2], rows))[..., None]
        order = _swapped(order, pivots, False)[..., 0]
        permutation = jnp.arange(rows)[:, None] == order[..., None, :]
    return permutation, lower, upper


# ---------------------------------------------------------------------------------------------------------
# Linear systems.


def _substituted(triangle: Array, right: Array, upper: bool, unitriangular: bool) -> Array:
    """The solution of ``triangle @ X = right``, row by row; batches broadcast."""
    count = triangle.shape[-1]
    batch = jnp.broadcast_shapes(triangle.shape[:-2], right.shape[:-2])
    x = jnp.broadcast_to(right, (*batch, *right.shape[-2:]))
    number = jnp.arange(count)

    def step(at: Any, x: Array) -> Array:
        i = count - 1 - at if upper else at
        line = lax.dynamic_index_in_dim(triangle, i, -2)
        is_known = number > i if upper else number < i
        known = jnp.where(is_known[:, None], x, 0)
        row = lax.dynamic_index_in_dim(x, i, -2) - jnp.where(is_known, line, 0) @ known
        if not unitriangular:
            row = row / lax.dynamic_index_in_dim(line, i, -1)
        return jnp.where((number == i)[:, None], row, x)

    return lax.fori_loop(0, count, step, x) if x.size else x


@family.kernel("linalg_solve_triangular", PRECISE)
def solve_triangular(a: Array, b: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    """A system from the right is the transpose of one from the left."""
    if left:
        return _substituted(a, b, upper, unitriangular)
    a, b = (jnp.swapaxes(each, -1, -2) for each in (a, b))
    return jnp.swapaxes(_substituted(a, b, not upper, unitriangular), -1, -2)


@family.kernel("linalg_lu_solve", PRECISE)
def lu_solve(a: Array, pivots: Array, b: Array, left: bool, adjoint: bool) -> Array:
    """A system from the right is the adjoint of one from the left."""
    if not left:
        b, adjoint = _adjoint(b), not adjoint
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = jnp.broadcast_to(b, (*batch, *b.shape[-2:]))
    swaps = jnp.broadcast_to(pivots, (*batch, a.shape[-1]))
    if adjoint:
        inner = _substituted(_adjoint(a), b, False, False)
        x = _swapped(_substituted(_adjoint(a), inner, True, True), swaps, True)
    else:
        x = _substituted(a, _substituted(a, _swapped(b, swaps, False), False, True), True, False)
    return x if left else _adjoint(x)


# ---------------------------------------------------------------------------------------------------------
# Functions of matrices and vectors.


@family.kernel("linalg_matrix_exp", INEXACT)
def matrix_exp(a: Array) -> Array:
    """Taylor's series of the matrix, halved until its norm is at most 1 / 2; then squared as often."""
    if not a.size:
        return a
    norm = jnp.max(jnp.sum(absolute(a), -2), -1, initial=0.0)
    is_finite = jnp.isfinite(norm)
    squarings = jnp.maximum(jnp.frexp(jnp.where(is_finite, norm, 0.0))[1].astype(jnp.int64) + 1, 0)
    a = jnp.where(is_finite[..., None, None], a, jnp.nan) * jnp.exp2(-squarings * 1.0)[..., None, None]
    result = term = _identity(a.shape, a)
    for k in range(1, TERMS + 1):
        term = term @ a / k
        result = result + term

    def squared(step: Any, result: Array) -> Array:
        return jnp.where((step < squarings)[..., None, None], result @ result, result)

    return lax.fori_loop(0, jnp.max(squarings), squared, result)


@family.kernel("linalg_cross", NUMBERS)
def cross(a: Array, b: Array, dim: int) -> Array:
    """The cross product of the vectors along ``dim``."""
    a, b = jnp.broadcast_arrays(a, b)
    axis = dim % a.ndim
    a, b = (jnp.moveaxis(each, axis, 0) for each in (a, b))
    parts = [multiply(a[i - 2], b[i - 1]) - multiply(a[i - 1], b[i - 2]) for i in range(3)]
    return jnp.stack(parts, axis)
