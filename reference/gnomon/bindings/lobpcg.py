"""The largest or smallest eigenvalues of large symmetric matrices, by the locally optimal block
preconditioned conjugate gradient method.

Source: torch/_lobpcg.py; Knyazev, "Toward the optimal preconditioned eigensolver", 2001; Stathopoulos and Wu,
"A block orthogonalization procedure with constant synchronization requirements", 2002; Duersch et al., "A
robust and efficient implementation of LOBPCG", 2018.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from ..autograd.function import Function
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import dtype as Dtype
from ..values.dtype import float16, float32, float64

EPS = {float32: 1.2e-7, float64: 2.23e-16}  # PyTorch's


def _times(A: Any, X: Any) -> Any:
    """``A X``; None is the identity."""
    return X if A is None else A.matmul(X)


def _form(A: Any, S: Any) -> Any:
    return S.mT.matmul(_times(A, S))


def _eigen(A: Any, largest: bool = False) -> tuple[Any, Any]:
    """Eigenvalues, ascending or with ``largest`` descending, and eigenvectors."""
    E, Z = aten.linalg_eigh.default(A, "U")
    return (E.flip((-1,)), Z.flip((-1,))) if largest else (E, Z)


class LOBPCG:
    """The state of an iteration, which a tracker gets.

    ``iparams``, ``fparams`` and ``bparams`` are the parameters (m rows, n vectors, k wanted pairs, niter;
    tol; largest); ``ivars``, ``fvars``, ``bvars`` and ``tvars`` change in each step.  E and X are the current
    pairs, R their residuals, and S the basis of the subspace in which the next ones are sought: X, the
    directions of the last step, and the residuals, preconditioned or made orthogonal.
    """

    def __init__(
        self,
        A: Any,
        B: Any,
        X: Any,
        iK: Any,
        iparams: dict[str, int],
        fparams: dict[str, float],
        bparams: dict[str, bool],
        method: str,
        tracker: Callable[[Any], Any] | None,
    ) -> None:
        self.A, self.B, self.X, self.iK = A, B, X, iK
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.method, self.tracker = method, tracker
        rows, count = iparams["m"], iparams["n"]
        self.E = X.new_zeros((count,))
        self.R = X.new_zeros((rows, count))
        self.S = X.new_zeros((rows, 3 * count))
        self.tvars: dict[str, Any] = {}
        self.ivars: dict[str, int] = {"istep": 0}
        self.fvars: dict[str, float] = {"_": 0.0}
        self.bvars: dict[str, bool] = {"_": False}

    def run(self) -> None:
        """Steps until the wanted pairs have converged, or ``niter`` steps were made, or the tracker has set
        ``bvars["force_stop"]``.
        """
        while True:
            self.update()
            if self.tracker is not None:
                self.tracker(self)
            if self.stop_iteration():
                return

    def stop_iteration(self) -> bool:
        """Is this the last step?"""
        return (
            self.bvars.get("force_stop", False)
            or self.ivars["iterations_left"] == 0
            or self.ivars["converged_count"] >= self.iparams["k"]
        )

    def update(self) -> None:
        """One step; the first one only chooses the best vectors in the space of X."""
        is_first = self.ivars["istep"] == 0
        if is_first:
            norm = float(self.X.norm())
            self.fvars["X_norm"] = norm
            self.fvars["A_norm"] = float(_times(self.A, self.X).norm()) / norm
            self.fvars["B_norm"] = float(_times(self.B, self.X).norm()) / norm
            self.ivars.update(iterations_left=self.iparams["niter"], converged_count=0, converged_end=0)
        count, largest = self.iparams["n"], self.bparams["largest"]
        done, end = self.ivars["converged_count"], self.ivars["converged_end"]
        is_robust = self.method == "ortho"
        if is_first:
            directions = self.X.new_zeros((self.iparams["m"], 0))
            transform = self._transform(self.X)
            E, Z = _eigen(_form(_form(self.A, self.X), transform), largest)
            self.X = self.X.matmul(transform.matmul(Z))
            if not is_robust:
                self.E = E
        else:
            S = self.S[:, done:end]
            if is_robust:
                E, Z = _eigen(_form(self.A, S), largest)
                basis = aten.linalg_qr.default(Z[: count - done, count - done :].mT)[0]
                chosen, directions = Z[:, : count - done], S.matmul(Z[:, count - done :].matmul(basis))
            else:
                transform = self._transform(S)
                E, Z = _eigen(_form(_form(self.A, S), transform), largest)
                chosen = transform.matmul(Z[:, : count - done])
                directions = S.matmul(transform.matmul(Z[:, count : 2 * count - done]))
            self.X = aten.cat([self.X[:, :done], S.matmul(chosen)], 1)
            self.E = aten.cat([self.E[:done], E[: count - done]])
        self.update_residual()
        done = self.update_converged_count()
        known = aten.cat([self.X, directions], 1)
        rest = self.R if is_first else self.R[:, done:]
        found = self._orthogonal(rest, known) if is_robust else _times(self.iK, rest)
        end = known.size(1) + found.size(1)
        self.S[:, :end] = aten.cat([known, found], 1)
        self.ivars["converged_end"] = end
        self.ivars["iterations_left"] -= 1
        self.ivars["istep"] += 1

    def update_residual(self) -> None:
        self.R = _times(self.A, self.X) - _times(self.B, self.X) * self.E

    def update_converged_count(self) -> int:
        """Count the pairs that have converged, up to the first that has not: those with a residual below tol
        times ``|X| (|A| + |E| |B|)``.
        """
        sizes = self.X.norm(2, (0,)) * (
            self.fvars["A_norm"] + self.E[: self.X.shape[-1]].abs() * self.fvars["B_norm"]
        )
        self.tvars["rerr"] = self.R.norm(2, (0,)) / sizes
        converged = [*(self.tvars["rerr"] < self.fparams["tol"]).tolist(), False]
        count, before = converged.index(False), self.ivars["converged_count"]
        if count < before:
            raise AssertionError(
                f"the number of converged eigenpairs (was {before}, got {count}) cannot decrease"
            )
        self.ivars["converged_count"] = count
        return count

    def _transform(self, S: Any) -> Any:
        """An upper triangular T for which the columns of ``S T`` are orthonormal in the metric of B."""
        gram = _form(self.B, S)
        scale = gram.diagonal(0, -2, -1) ** -0.5
        factor = aten.linalg_cholesky.default((gram * scale) * scale.unsqueeze(-1), upper=True)
        return aten.linalg_solve_triangular.default(factor, scale.diag_embed(), upper=True, left=False)

    def _orthonormal(self, U: Any, drop: bool, tau: float) -> Any:
        """The columns of U made orthonormal in the metric of B; with ``drop`` without those that are nearly
        combinations of others.
        """
        if not U.numel():
            return U
        gram = _form(self.B, U)
        kept = (gram.diagonal(0, -2, -1) != 0).nonzero().flatten()
        if kept.numel() < U.size(-1):
            U = U.index_select(1, kept)
            if not U.numel():
                return U
            gram = _form(self.B, U)
        scale = gram.diagonal(0, -2, -1) ** -0.5
        E, Z = _eigen((gram * scale.unsqueeze(-1)) * scale)
        least = tau * E.abs().max()
        if drop:
            kept = (E > least).nonzero().flatten()
            E, Z = E.index_select(0, kept), Z.index_select(1, kept)
        else:
            E = aten.where(E < least, least, E)
        return (U * scale).matmul(Z * E**-0.5)

    def _orthogonal(self, U: Any, V: Any) -> Any:
        """The columns of U made orthonormal in the metric of B, and orthogonal to those of V."""
        limit, tau = self.fparams["ortho_tol"], self.fparams["ortho_tol_drop"]
        replacement, use_drop = self.fparams["ortho_tol_replace"], self.bparams["ortho_use_drop"]
        for name in [each for each in self.fvars if each.startswith("ortho_")]:
            del self.fvars[name]
        norm = float(_times(self.B, V).norm())
        overlap = V.mT.matmul(_times(self.B, U))
        i = j = 0
        for i in range(self.iparams["ortho_i_max"]):
            U = U - V.matmul(overlap)
            for j in range(self.iparams["ortho_j_max"]):
                U = self._orthonormal(U, use_drop and j > 0, tau if use_drop and not j else replacement)
                if not U.numel():  # they were combinations of V
                    break
                image = _times(self.B, U)
                error = U.mT.matmul(image) - aten.eye(U.size(1), dtype=U.dtype, device=U.device)
                relative = float(error.norm()) / float(image.norm() * U.norm())
                self.fvars[f"ortho_UBUmI_rerr[{i}, {j}]"] = relative
                if relative < limit:
                    break
            if not U.numel():
                break
            overlap = V.mT.matmul(image)
            relative = float(overlap.norm()) / (norm * float(U.norm()))
            self.fvars[f"ortho_VBU_rerr[{i}]"] = relative
            if relative < limit:
                break
            if self.iparams["m"] < U.size(1) + V.size(1):
                raise ValueError(
                    f"Overdetermined shape of U: #B-cols(={self.iparams['m']}) >= "
                    f"#U-cols(={U.size(1)}) + #V-cols(={V.size(1)}) must hold"
                )
        self.ivars.update(ortho_i=i, ortho_j=j)
        return U


def _solve(
    A: Any,
    k: Any,
    B: Any,
    X: Any,
    n: Any,
    iK: Any,
    niter: Any,
    tol: Any,
    largest: Any,
    method: Any,
    rest: Any,
) -> tuple[Any, Any]:
    tracker, *changes = rest
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    kind: Dtype = A.dtype if A.dtype in (float16, float32, float64) else float32
    if tol is None:
        tol = EPS[kind] ** 0.5
    rows = A.size(-1)
    if k is None:
        k = 1 if X is None else X.size(-1)
    count = X.size(-1) if X is not None else k if n is None else n
    if rows < 3 * count:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the "
            f"number of requested eigenpairs (={count})"
        )
    method = "ortho" if method is None else method
    iparams = {"m": rows, "n": count, "k": k, "niter": 1000 if niter is None else niter}
    fparams = {"tol": tol}
    bparams = {"largest": True if largest is None else largest}
    if method == "ortho":
        for parameters, changed in zip((iparams, fparams, bparams), changes):
            parameters.update(changed or {})
        for name in ("ortho_i_max", "ortho_j_max"):
            iparams.setdefault(name, 3)
        for name in ("ortho_tol", "ortho_tol_drop", "ortho_tol_replace"):
            fparams.setdefault(name, tol)
        bparams.setdefault("ortho_use_drop", False)

    def pairs(A: Any, B: Any, X: Any) -> tuple[Any, Any]:
        if X is None:
            X = aten.randn.default((rows, count), dtype=kind, device=A.device)
        if X.shape != (rows, count):
            raise AssertionError(f"X shape mismatch: got {X.shape}, expected {(rows, count)}")
        worker = LOBPCG(A, B, X, iK, iparams, fparams, bparams, method, tracker)
        worker.run()
        return worker.E[:k], worker.X[:, :k]

    if A.ndim == 2:
        return pairs(A, B, X)
    batch = A.shape[:-2]
    number = math.prod(batch)
    flat = [None if each is None else each.reshape((number, *each.shape[-2:])) for each in (A, B, X)]
    values = aten.empty((number, k), dtype=kind, device=A.device)
    vectors = aten.empty((number, rows, k), dtype=kind, device=A.device)
    for i in range(number):
        iparams["batch_index"] = i
        values[i], vectors[i] = pairs(*(None if each is None else each[i] for each in flat))
    return values.reshape((*batch, k)), vectors.reshape((*batch, rows, k))


class _Differentiable(Function):
    """lobpcg of a symmetric matrix, whose gradient needs all its eigenvectors."""

    @staticmethod
    def forward(ctx: Any, A: Any, *arguments: Any) -> tuple[Any, Any]:
        values, vectors = _solve(A, *arguments)
        ctx.save_for_backward(A, values, vectors)
        ctx.has_metric, ctx.largest = arguments[1] is not None, arguments[7] is None or arguments[7]
        return values, vectors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        """``U (diag(gD) + U^T gU / E) U^T + V (V^T gU / F) U^T``, E_ij = d_j - d_i without its diagonal, with
        the other eigenvectors V and eigenvalues e, F_ij = d_j - e_i.
        """
        A, D, U = ctx.saved_tensors
        if A.dtype.is_complex:
            raise ValueError(
                "lobpcg.backward does not support complex input yet. Note that lobpcg.forward does though."
            )
        if ctx.has_metric:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        of_values, of_vectors = grads
        ones = aten.eye(D.size(-1), dtype=D.dtype, device=D.device)
        gaps = D.unsqueeze(-2) - D.unsqueeze(-1) + ones
        inner = U.mT.matmul(of_vectors) * (1 - ones) / gaps + of_values.diag_embed()
        values, vectors = _eigen(A, bool(ctx.largest))
        others = vectors.narrow(-1, D.size(-1), A.size(-1) - D.size(-1))
        distances = D.unsqueeze(-2) - values.narrow(-1, D.size(-1), others.size(-1)).unsqueeze(-1)
        outside = others.matmul(others.mT.matmul(of_vectors) / distances)
        return ((U.matmul(inner) + outside).matmul(U.mT), *[None] * 10)


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: Literal["basic", "ortho"] | None = None,
    tracker: Callable[[Any], Any] | None = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """The ``k`` largest eigenvalues (*, k), or smallest if ``largest`` is False, and eigenvectors (*, m, k)
    of symmetric matrices A (*, m, m): ``A X = B X diag(E)``, where B (None: the identity) is
    positive-definite.

    The iteration starts with X (*, m, n), or with n (k by default) normal vectors from the default generator,
    and ends when all residuals are below ``tol`` (the square root of the dtype's eps), or after ``niter``
    (1000) steps.  iK is a preconditioner, used if ``method`` is "basic" instead of "ortho"; a tracker is
    called with the state after each step.  It is differentiable in A if B is None.  Raises ValueError for
    m < 3 n, AssertionError for sizes that do not match.  Source: torch.lobpcg.
    """
    rest = (tracker, ortho_iparams, ortho_fparams, ortho_bparams)
    if A.requires_grad or (B is not None and B.requires_grad):
        # The symmetric part, so that the gradient is symmetric, too.
        A = (A + A.mT) / 2
        B = None if B is None else (B + B.mT) / 2
        return _Differentiable.apply(A, k, B, X, n, iK, niter, tol, largest, method, rest)
    return _solve(A, k, B, X, n, iK, niter, tol, largest, method, rest)
