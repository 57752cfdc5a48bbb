"""Matrix products, decompositions, linear systems, functions of matrices, triangles, distances."""

from . import (
    bilinear,
    determinant,
    distance,
    eigen,
    einsum,
    factorizations,
    least_squares,
    matmul,
    matrix_functions,
    products,
    pseudoinverse,
    solve,
    svd,
    tensor_systems,
    triangle,
)

__all__ = [
    "bilinear",
    "determinant",
    "distance",
    "eigen",
    "einsum",
    "factorizations",
    "least_squares",
    "matmul",
    "matrix_functions",
    "products",
    "pseudoinverse",
    "solve",
    "svd",
    "tensor_systems",
    "triangle",
]
