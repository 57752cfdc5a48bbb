"""Matrices as lists of rows of Python numbers, for the reference's kernels of linear algebra."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from ..memory.accessor import TensorAccessor
from ..values.geometry import Ints
from .arithmetic import divide, exact_sum

Matrix = list[list[Any]]


def batch_indices(sizes: Ints) -> Iterator[tuple[int, ...]]:
    """The index of each matrix of a batch with these sizes, in row-major order."""
    return itertools.product(*map(range, sizes))


def read_matrix(source: TensorAccessor, index: Sequence[int]) -> Matrix:
    """The matrix at an index of the batch, to whose sizes those of ``source`` are broadcast."""
    *batch, rows, columns = source.sizes
    own = index[len(index) - len(batch) :]
    place = tuple(i if size > 1 else 0 for i, size in zip(own, batch))
    return [[source[place + (i, j)] for j in range(columns)] for i in range(rows)]


def write_matrix(output: TensorAccessor, index: tuple[int, ...], matrix: Matrix) -> None:
    """Store a matrix at an index of the batch."""
    for i, row in enumerate(matrix):
        for j, number in enumerate(row):
            output[index + (i, j)] = number


def identity(rows: int, columns: int) -> Matrix:
    """Ones on the main diagonal, zeros elsewhere."""
    return [[1.0 if i == j else 0.0 for j in range(columns)] for i in range(rows)]


def transposed(matrix: Matrix) -> Matrix:
    """The transpose; [] for a matrix without rows."""
    return [list(column) for column in zip(*matrix)]


def adjoint(matrix: Matrix) -> Matrix:
    """The conjugate transpose."""
    return [[number.conjugate() for number in column] for column in zip(*matrix)]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The sum of the products, rounded once; 0 if there are none.  Real and complex numbers may be mixed."""
    products = [x * y for x, y in zip(a, b)]
    if any(isinstance(product, complex) for product in products):
        products = [complex(product) for product in products]
    return exact_sum(products)


def matrix_product(a: Matrix, b: Matrix) -> Matrix:
    """The product of two matrices."""
    columns = transposed(b)
    return [[dot(row, column) for column in columns] for row in a]


def substitute(triangle: Matrix, right: Matrix, upper: bool, unitriangular: bool) -> Matrix:
    """The solution X of ``triangle @ X = right``: forward, or for ``upper`` back substitution.

    The other triangle is not read, nor the diagonal if ``unitriangular``.
    """
    count = len(triangle)
    solution: Matrix = [[]] * count
    for i in reversed(range(count)) if upper else range(count):
        known = range(i + 1, count) if upper else range(i)
        factors = [triangle[i][k] for k in known]
        row = [
            number - dot(factors, [solution[k][column] for k in known])
            for column, number in enumerate(right[i])
        ]
        solution[i] = row if unitriangular else [divide(number, triangle[i][i]) for number in row]
    return solution


def reflection(vector: Sequence[Any]) -> tuple[Any, Any, list[Any]]:
    """(beta, tau, v) of the ``H = I - tau v v^H`` with ``H^H vector = beta e``, of which v[0] is 1.

    e is the first unit vector; tau is 0 if nothing needs to be reflected.  Source: LAPACK's larfg.
    """
    first, below = vector[0], vector[1:]
    length = math.hypot(*(part for x in below for part in (x.real, x.imag)))
    if length == 0 and first.imag == 0:
        return first, 0.0, [1.0, *below]
    beta = -math.copysign(math.hypot(first.real, first.imag, length), first.real)
    return beta, divide(beta - first, beta), [1.0, *(divide(x, first - beta) for x in below)]
