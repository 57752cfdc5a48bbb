"""Benchmarks of sparse matrices.  NumPy's peer is SciPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy

from .benchmark import TORCH_LIKE, Work
from .defining import add, places, ramp
from .library import Library

ROWS, IN_ROW = 10_000, 64  # of a square matrix: rows, and specified elements in each
COUNT = ROWS * IN_ROW
WITH_SCIPY = (*TORCH_LIKE, *(["numpy"] if find_spec("scipy") else []))


def _csr(library: Library) -> Any:
    """The matrix by rows."""
    starts = library.tensor(numpy.arange(0, COUNT + 1, IN_ROW), "int64")
    columns = library.tensor(numpy.sort(places(ROWS, ROWS, IN_ROW), axis=1).reshape(-1), "int64")
    values, sizes = library.tensor(ramp(COUNT), "float32"), (ROWS, ROWS)
    if library.kind == "numpy":
        return importlib.import_module("scipy.sparse").csr_array((values, columns, starts), sizes)
    return library.module.sparse_csr_tensor(starts, columns, values, sizes)


def _coo(library: Library) -> Any:
    """A matrix whose elements are in no order, two of them at each place."""
    rows, columns = numpy.tile(numpy.random.default_rng(1).integers(0, ROWS, (2, COUNT // 2)), 2)
    values, sizes = library.tensor(ramp(COUNT), "float32"), (ROWS, ROWS)
    if library.kind == "numpy":
        return importlib.import_module("scipy.sparse").coo_array((values, (rows, columns)), sizes)
    return library.module.sparse_coo_tensor(
        library.tensor(numpy.stack((rows, columns)), "int64"), values, sizes
    )


def _product(library: Library, columns: int) -> Work:
    sparse, dense = _csr(library), library.tensor(ramp(ROWS, columns), "float32")
    return lambda: sparse @ dense


def _product_of_coo(library: Library, columns: int) -> Work:
    sparse, dense = _coo(library), library.tensor(ramp(ROWS, columns), "float32")
    if library.kind != "numpy":
        sparse = sparse.coalesce()
    return lambda: sparse @ dense


def _coalesce(library: Library) -> Work:
    sparse = _coo(library)
    return sparse.tocsr if library.kind == "numpy" else sparse.coalesce


def _sum(library: Library) -> Work:
    sparse = _coo(library).coalesce()
    other = sparse.t().coalesce()
    return lambda: sparse + other


def _product_of_two(library: Library) -> Work:
    sparse = _coo(library).coalesce()
    other = sparse.t().coalesce()
    return lambda: sparse * other


def _compress(library: Library) -> Work:
    return _coo(library).coalesce().to_sparse_csr


def _sampled_addmm(library: Library) -> Work:
    sparse, left, right = _csr(library), ramp(ROWS, 32), ramp(32, ROWS)
    given = library.tensor(left, "float32"), library.tensor(right, "float32")
    return lambda: library.module.sparse.sampled_addmm(sparse, *given)


def _softmax(library: Library) -> Work:
    sparse = _coo(library).coalesce()
    return lambda: library.module.sparse.softmax(sparse, 1)


def _from_strided(library: Library) -> Work:
    strided = library.tensor(numpy.where(places(16, 1000, 1000) == 0, ramp(1000, 1000), 0), "float32")
    if library.kind == "numpy":
        csr_array = importlib.import_module("scipy.sparse").csr_array
        return lambda: csr_array(strided)
    return strided.to_sparse_csr


# Name, work, kinds of libraries, operations.
WORKS: tuple[tuple[str, Callable[..., Work], tuple[str, ...], int], ...] = (
    ("coalesce", _coalesce, WITH_SCIPY, 16 * COUNT),
    ("sum of two coalesced", _sum, TORCH_LIKE, 16 * COUNT),
    ("product of two coalesced, by element", _product_of_two, TORCH_LIKE, 16 * COUNT),
    ("coalesced to sparse_csr", _compress, TORCH_LIKE, 4 * COUNT),
    ("sampled_addmm, 32 columns", _sampled_addmm, TORCH_LIKE, 32 * COUNT),
    ("softmax", _softmax, TORCH_LIKE, 16 * COUNT),
    ("to_sparse_csr 1000x1000", _from_strided, WITH_SCIPY, 16 * 1000 * 1000),
)


def define() -> None:
    """Define them, after those defined before."""
    for name, make in (
        ("sparse_csr @ strided", _product),
        ("coalesced sparse_coo @ strided", _product_of_coo),
    ):
        add(
            name,
            "sparse",
            make,
            axes={"columns": (1, 64)},
            kinds=WITH_SCIPY,
            elements=lambda columns: COUNT * columns,
        )
    for name, make, kinds, operations in WORKS:
        add(name, "sparse", make, kinds=kinds, elements=lambda operations=operations: operations)
