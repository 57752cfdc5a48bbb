"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .numbers import Array
from .pointwise import factor, multiply
from .programs import NUMBERS, Family, refuse_if

family = Family()


def product(a: Array, b: Array) -> Array:
    """``a @ b``, for each pair of matrices."""
    return jnp.matmul(a, b)


def sum_of_products(addend: Array, left: Array, right: Array, beta: Any, alpha: Any) -> Array:
    """``beta * addend + alpha * (left @ right)``; with beta 0 even a NaN in the addend is ignored."""
    found = jnp.matmul(left, right)
    scaled = found if alpha == 1 else factor(alpha, found) * found
    if beta == 0:
        return scaled
    return (addend if beta == 1 else factor(beta, found) * addend) + scaled


for _name in ("mm", "bmm", "dot"):
    family.kernel(_name, NUMBERS)(product)
for _name in ("addmm", "baddbmm"):
    family.kernel(_name, NUMBERS)(sum_of_products)


@family.kernel("_int_mm", ("int8", "uint8"))
def int_product(a: Array, b: Array) -> Array:
    """``a @ b`` in int32."""
    return jnp.matmul(a.astype(jnp.int32), b.astype(jnp.int32))


# ---------------------------------------------------------------------------------------------------------
# Sparse matrices in rows: ``starts`` says where the elements of each row begin, ``columns`` where they are.


def _row_of(starts: Array, count: int) -> Array:
    """The row of each of ``count`` elements."""
    number = jnp.arange(count)
    return jnp.searchsorted(starts, number, side="right") - 1


@family.kernel("_csr_mm", NUMBERS, is_sized=True)
def csr_product(sizes: Any, values: Array, starts: Array, columns: Array, other: Array) -> Array:
    """Row i is the sum over the elements k of row i of ``values[k] * other[columns[k]]``."""
    for indices, size in ((starts, columns.size + 1), (columns, other.shape[0])):
        refuse_if((indices < 0) | (indices >= size))
    refuse_if((starts[0] != 0) | (starts[-1] != columns.size) | jnp.any(jnp.diff(starts) < 0))
    total = jnp.zeros(sizes[0], other.dtype)
    if not columns.size or not other.size:
        return total
    rows = _row_of(starts, columns.size)
    products = multiply(values[:, None], other[jnp.clip(columns, 0, other.shape[0] - 1)])
    return total.at[rows].add(products)


@family.kernel("_csr_sampled_mm", NUMBERS, is_sized=True)
def sampled_product(sizes: Any, left: Array, right: Array, starts: Array, columns: Array) -> Array:
    """Element k is that of ``left @ right`` in the row of k and column ``columns[k]``."""
    refuse_if((starts[0] != 0) | (starts[-1] != columns.size) | jnp.any(jnp.diff(starts) < 0))
    refuse_if((columns < 0) | (columns >= right.shape[1]))
    if not columns.size or not left.size or not right.size:
        return jnp.zeros(sizes[0], left.dtype)
    rows = _row_of(starts, columns.size)
    return jnp.sum(multiply(left[rows], right.T[jnp.clip(columns, 0, right.shape[1] - 1)]), 1)
