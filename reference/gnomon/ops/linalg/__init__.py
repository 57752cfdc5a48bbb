"""Matrix products, decompositions, linear systems, functions of matrices, triangles, distances."""

from . import (
    bilinear,
    determinant,
    distance,
    eigen,
    einsum,
    factorizations,
    matmul,
    matrix_functions,
    products,
    solve,
    svd,
    triangle,
)

__all__ = [
    "bilinear",
    "determinant",
    "distance",
    "eigen",
    "einsum",
    "factorizations",
    "matmul",
    "matrix_functions",
    "products",
    "solve",
    "svd",
    "triangle",
]
