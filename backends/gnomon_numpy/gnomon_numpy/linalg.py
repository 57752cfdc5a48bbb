"""Decompositions of matrices."""

from __future__ import annotations

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, numbers, store
from .families import INEXACT, Family, refuse_if

family = Family()


@family.kernel("_linalg_svd", INEXACT)
def svd(
    U: Tensor, S: Tensor, Vh: Tensor, A: Tensor, full_matrices: bool, compute_uv: bool, driver: str | None
) -> None:
    """Decomposes each matrix by LAPACK, in float64."""
    a = numbers(A, WIDE)
    refuse_if(not np.all(np.isfinite(a)))
    if not compute_uv:
        store(S, np.linalg.svd(a, compute_uv=False))
        return
    left, values, right = np.linalg.svd(a, full_matrices=full_matrices)
    store(U, left)
    store(S, values)
    store(Vh, right)
