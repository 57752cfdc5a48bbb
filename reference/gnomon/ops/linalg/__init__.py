"""Matrix products, decompositions, triangles, distances."""

from . import bilinear, distance, einsum, matmul, products, svd, triangle

__all__ = [
    "bilinear",
    "distance",
    "einsum",
    "matmul",
    "products",
    "svd",
    "triangle",
]
