"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .numbers import Array
from .pointwise import factor
from .programs import NUMBERS, Family

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
