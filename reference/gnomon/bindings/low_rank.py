"""The leading singular vectors of large matrices, by products with random ones.

Source: torch/_lowrank.py; Halko, Martinsson and Tropp, "Finding structure with randomness: probabilistic
algorithms for constructing approximate matrix decompositions", 2011, algorithms 4.4 and 5.1.
"""

from __future__ import annotations

from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import float16, float32, float64


def _basis(A: Any) -> Any:
    return aten.linalg_qr.default(A)[0]


def _approximate_basis(A: Any, q: int, niter: int, M: Any) -> Any:
    """Orthonormal columns (*, n, q) near the space of the columns of ``A - M`` (*, n, m)."""

    def times(left: Any, mean: Any, right: Any) -> Any:
        product = left.matmul(right)
        return product if mean is None else product - mean.matmul(right)

    dtype = A.dtype if A.dtype.is_complex or A.dtype in (float16, float32, float64) else float32
    drawn = aten.randn.default((A.size(-1), q), dtype=dtype, device=A.device)
    Q = _basis(times(A, M, drawn))
    for _ in range(niter):
        Q = _basis(times(A.mH, None if M is None else M.mH, Q))
        Q = _basis(times(A, M, Q))
    return Q


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """An approximate singular value decomposition of rank ``q``, ``A - M = U diag(S) V^H``.

    For A (*, n, m), and M that broadcasts to it (None: 0), it returns U (*, n, q), S (*, q) in descending
    order, and V (*, m, q).  It draws a normal matrix (m, q), or (n, q) if n < m, from the default generator,
    and multiplies it ``niter`` times by A and its adjoint; q should be somewhat larger than the rank.  Raises
    RuntimeError for integers.  Source: torch.svd_lowrank.
    """
    is_wide = A.size(-2) < A.size(-1)
    if M is not None:
        M = M.broadcast_to(A.shape)
    if is_wide:
        A, M = A.mH, None if M is None else M.mH
    Q = _approximate_basis(A, 6 if q is None else q, 2 if niter is None else niter, M)
    inner = Q.mH.matmul(A)
    if M is not None:
        inner = inner - Q.mH.matmul(M)
    U, S, Vh = aten.linalg_svd.default(inner, False)
    U, V = Q.matmul(U), Vh.mH
    return (V, S, U) if is_wide else (U, S, V)


def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """The principal components of ``A`` (*, n, m), n samples of m features: svd_lowrank of A without the mean
    of its rows, which ``center=False`` leaves in.

    The columns of V are the directions, and ``S ** 2 / (n - 1)`` the variances along them.  ``q`` is
    min(6, n, m) by default.  Raises ValueError for a ``q`` larger than n or m, or negative, and for a
    negative ``niter``.  Source: torch.pca_lowrank.
    """
    least = min(A.shape[-2:])
    if q is None:
        q = min(6, least)
    elif not 0 <= q <= least:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={least}")
    if not niter >= 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean((-2,), True) if center else A, q, niter)
