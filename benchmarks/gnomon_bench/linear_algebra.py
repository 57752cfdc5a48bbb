"""Benchmarks of linear algebra: one large matrix, which LAPACK decomposes, and batches of small ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .defining import on_tensors, ramp

# Functions of (module, a, b), and their operations over side**3.  ``a`` is positive definite; ``b`` has the
# right-hand sides.  Those in ``GENERAL`` get a matrix that is not symmetric.
FUNCTIONS: dict[str, tuple[Callable[..., Any], float]] = {
    "lu_factor": (lambda module, a, b: module.linalg.lu_factor(a), 2 / 3),
    "det": (lambda module, a, b: module.linalg.det(a), 2 / 3),
    "inv": (lambda module, a, b: module.linalg.inv(a), 2.0),
    "solve": (lambda module, a, b: module.linalg.solve(a, b), 2 / 3),
    "solve_triangular": (lambda module, a, b: module.linalg.solve_triangular(a, b, upper=True), 1 / 4),
    "cholesky": (lambda module, a, b: module.linalg.cholesky(a), 1 / 3),
    "ldl_factor": (lambda module, a, b: module.linalg.ldl_factor(a), 1 / 3),
    "qr": (lambda module, a, b: module.linalg.qr(a), 8 / 3),
    "lstsq": (lambda module, a, b: module.linalg.lstsq(a, b), 4 / 3),
    "eigh": (lambda module, a, b: module.linalg.eigh(a), 9),
    "eigvalsh": (lambda module, a, b: module.linalg.eigvalsh(a), 4 / 3),
    "eig": (lambda module, a, b: module.linalg.eig(a), 25),
    "svd": (lambda module, a, b: module.linalg.svd(a), 20),
    "svdvals": (lambda module, a, b: module.linalg.svdvals(a), 8 / 3),
    "pinv": (lambda module, a, b: module.linalg.pinv(a), 22),
    "matrix_exp": (lambda module, a, b: module.linalg.matrix_exp(a / a.shape[-1] ** 2), 20),
}
GENERAL = {"lu_factor", "qr", "lstsq", "eig", "svd", "svdvals", "pinv"}
IN_NUMPY = {"det", "inv", "solve", "cholesky", "qr", "eigh", "eigvalsh", "eig", "svdvals", "pinv"}


def _systems(name: str, batch: int, side: int, dtype: str) -> list[tuple[numpy.ndarray, str]]:
    """Matrices with large diagonals, and right-hand sides with a quarter as many columns."""
    sizes = (batch,) if batch > 1 else ()
    root = ramp(*sizes, side, side)
    diagonal = side * numpy.eye(side, dtype=numpy.float32)
    matrices = root + diagonal if name in GENERAL else root @ numpy.swapaxes(root, -1, -2) + diagonal
    return [(matrices, dtype), (ramp(*sizes, side, side // 4), dtype)]


def _define(name: str, batches: tuple[int, ...], sides: tuple[int, ...], label: str) -> None:
    function, operations = FUNCTIONS[name]
    functions = {"torch": function}
    if name in IN_NUMPY:
        functions["numpy"] = function
    on_tensors(
        label,
        "linear algebra",
        lambda batch, side, dtype: _systems(name, batch, side, dtype),
        functions,
        axes={"batch": batches, "side": sides, "dtype": ("float32", "float64")},
        elements=lambda batch, side, dtype: max(operations, 1) * batch * side**3,
    )


def define() -> None:
    """Define them, after those defined before."""
    for name in FUNCTIONS:
        _define(name, (512,), (8, 4, 16, 32), f"{name} of a batch")
    for name in FUNCTIONS:
        _define(name, (1,), (512,), name)
