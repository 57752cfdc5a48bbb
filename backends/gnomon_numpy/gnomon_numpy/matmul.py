"""Products of matrices and vectors, distances of vectors.

float32 and float64 use NumPy's BLAS; 16-bit floats are computed in float32; integers wrap around.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, numbers, store, wrapped
from .families import ALL, FLOATS, NUMBERS, Family, refuse_if

family = Family()


def _product(output: Tensor, self: Tensor, mat2: Tensor) -> None:
    """``output = self @ mat2``, for each pair of matrices."""
    store(output, np.matmul(numbers(self), numbers(mat2)))


def _sum(output: Tensor, self: Tensor, left: Tensor, right: Tensor, beta: Any, alpha: Any) -> None:
    """``output = beta * self + alpha * (left @ right)``; with beta 0 even a NaN in self is ignored."""
    product = np.matmul(numbers(left), numbers(right))
    beta, alpha = (_factor(each, product) for each in (beta, alpha))
    scaled = product if alpha == 1 else alpha * product
    if beta == 0:
        store(output, scaled)
    else:
        addend = numbers(self)
        store(output, (addend if beta == 1 else beta * addend) + scaled)


def _factor(number: Any, product: Array) -> Any:
    """A factor, as a wrapped-around integer if the product's dtype is an integer one."""
    if product.dtype.kind not in "iu":
        return number
    return np.asarray(int(number) % 2**64, np.uint64).astype(product.dtype)[()]


for _name in ("mm", "bmm"):
    family.add(_name, NUMBERS, _product)


@family.kernel("_int_mm", ("int8", "uint8"))
def int_product(output: Tensor, self: Tensor, mat2: Tensor) -> None:
    """``output = self @ mat2`` in int32."""
    store(output, np.matmul(numbers(self).astype(np.int32), numbers(mat2).astype(np.int32)))


@family.kernel("_csr_mm", NUMBERS)
def csr_product(
    output: Tensor, values: Tensor, crow_indices: Tensor, col_indices: Tensor, mat2: Tensor
) -> None:
    """``output[i, j]`` is the sum over the elements k of row i of ``values[k] * mat2[col_indices[k], j]``."""
    factors, other = numbers(values), numbers(mat2)
    starts, columns = numbers(crow_indices), numbers(col_indices)
    for indices, size in ((starts, columns.size + 1), (columns, len(other))):
        refuse_if(np.any((indices < 0) | (indices >= size)))
    sums = np.zeros(output._spec.sizes, other.dtype)
    for row, (first, past) in enumerate(itertools.pairwise(starts)):
        sums[row] = factors[first:past] @ other[columns[first:past]]
    store(output, sums)


@family.kernel("_csr_sampled_mm", NUMBERS)
def sampled_product(
    output: Tensor, mat1: Tensor, mat2: Tensor, crow_indices: Tensor, col_indices: Tensor
) -> None:
    """``output[k]`` is the element of ``mat1 @ mat2`` in the row of k and column ``col_indices[k]``."""
    left, right, starts, columns = (numbers(each) for each in (mat1, mat2, crow_indices, col_indices))
    counts = np.diff(starts)
    refuse_if(starts[0] != 0 or starts[-1] != columns.size or np.any(counts < 0))
    refuse_if(np.any((columns < 0) | (columns >= right.shape[1])))
    rows = np.repeat(np.arange(len(left)), counts)
    store(output, (left[rows] * right.T[columns]).sum(1))


for _name in ("addmm", "baddbmm"):
    family.add(_name, NUMBERS, _sum)


@family.kernel("dot", NUMBERS)
def dot(output: Tensor, self: Tensor, tensor: Tensor) -> None:
    """The sum of the products of two vectors' elements."""
    store(output, np.dot(numbers(self), numbers(tensor)))


@family.kernel("linalg_cross", NUMBERS)
def cross(output: Tensor, self: Tensor, other: Tensor, dim: int) -> None:
    """The cross product of the vectors along ``dim``."""
    axis = wrapped(dim, output._spec.ndim)
    a, b = (np.moveaxis(numbers(each, WIDE), axis, 0) for each in (self, other))
    a, b = np.broadcast_arrays(a, b)
    parts = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    store(output, np.stack(parts, axis))


# ---------------------------------------------------------------------------------------------------------
# Distances.


def _distances(differences: Array, p: float, largest_of: np.ufunc) -> Array:
    """Over the last dimension: ``sum(|a - b| ** p) ** (1 / p)``, the largest for inf, a count for 0."""
    sizes = np.abs(differences)
    if p == math.inf:
        return largest_of.reduce(sizes, axis=-1, initial=0.0)
    if p == 0:
        return np.sum(np.where(np.isnan(sizes), sizes, sizes != 0), axis=-1)
    if p == 1:
        return np.sum(sizes, axis=-1)
    if p == 2:
        return np.sqrt(np.sum(sizes * sizes, axis=-1))
    return np.sum(sizes**p, axis=-1) ** (1 / p)


@family.kernel("_cdist_forward", FLOATS)
def cdist(output: Tensor, x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> None:
    """The distance of each row of ``x1`` from each row of ``x2``."""
    differences = numbers(x1, WIDE)[..., :, None, :] - numbers(x2, WIDE)[..., None, :, :]
    store(output, _distances(differences, p, np.fmax))  # fmax ignores NaN


@family.kernel("_pdist_forward", ALL)
def pdist(output: Tensor, self: Tensor, p: float) -> None:
    """The distance of each row from each following row."""
    a = numbers(self, WIDE)
    a = a.astype(np.promote_types(a.dtype, np.int8))  # NumPy can not subtract bools
    one, other = np.triu_indices(a.shape[0], 1)
    store(output, _distances(a[one] - a[other], p, np.maximum))
