"""Matrix products, decompositions, triangles, distances, Fourier transforms."""

from . import bilinear, distance, einsum, hermitian_fft, matmul, products, spectral, svd, triangle

__all__ = [
    "bilinear",
    "distance",
    "einsum",
    "hermitian_fft",
    "matmul",
    "products",
    "spectral",
    "svd",
    "triangle",
]
