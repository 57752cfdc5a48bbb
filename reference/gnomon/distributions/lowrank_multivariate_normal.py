"""The multivariate normal distribution with a covariance of low rank plus a diagonal.

With W the factor (n x m), D the diagonal, and the m x m *capacitance matrix*
``C = I + W.mT @ inverse(D) @ W``, the covariance ``W @ W.mT + D`` has the determinant
``det(C) * det(D)``, and the inverse
``inverse(D) - inverse(D) @ W @ inverse(C) @ W.mT @ inverse(D)`` (Woodbury): only C is factorized.

Source: torch/distributions/lowrank_multivariate_normal.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .multivariate_normal import _batch_mahalanobis, _batch_mv, _half_log_det
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _plus_identity(matrix: gn.Tensor) -> gn.Tensor:
    return matrix + gn.eye(matrix.size(-1), dtype=matrix.dtype, device=matrix.device)


def _batch_capacitance_tril(W: gn.Tensor, D: gn.Tensor) -> gn.Tensor:
    """The Cholesky factor of the capacitance matrix."""
    return gn.linalg.cholesky(_plus_identity((W.mT / D.unsqueeze(-2)) @ W))


def _batch_lowrank_logdet(W: gn.Tensor, D: gn.Tensor, capacitance_tril: gn.Tensor) -> gn.Tensor:
    """The logarithm of the covariance's determinant."""
    return 2 * _half_log_det(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(
    W: gn.Tensor, D: gn.Tensor, x: gn.Tensor, capacitance_tril: gn.Tensor
) -> gn.Tensor:
    """``x.mT @ inverse(W @ W.mT + D) @ x``."""
    projected = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


class LowRankMultivariateNormal(Distribution):
    """Vectors with the mean ``loc`` (..., n) and the covariance ``cov_factor @ cov_factor.mT + cov_diag``.

    ``cov_factor`` is (..., n, m), with m below n for a low rank, and ``cov_diag`` (..., n).  Raises
    ValueError for too few dimensions, and shapes that do not fit.

    Source: torch.distributions.LowRankMultivariateNormal.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: gn.Tensor,
        cov_factor: gn.Tensor,
        cov_diag: gn.Tensor,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            broadcast = gn.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}"
            ) from error
        self.loc = broadcast[0][..., 0]
        self.cov_factor = broadcast[1]
        self.cov_diag = broadcast[2][..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(LowRankMultivariateNormal, _instance)
        shape = gn.Size((*batch_shape, *self.event_shape))
        new.loc = self.loc.expand(shape)
        new.cov_diag = self.cov_diag.expand(shape)
        new.cov_factor = self.cov_factor.expand(shape + self.cov_factor.shape[-1:])
        new._unbroadcasted_cov_factor = self._unbroadcasted_cov_factor
        new._unbroadcasted_cov_diag = self._unbroadcasted_cov_diag
        new._capacitance_tril = self._capacitance_tril
        return self._set_shapes(new, batch_shape)

    def _low_rank(self) -> tuple[gn.Tensor, gn.Tensor]:
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag

    def _expanded(self, matrix: gn.Tensor) -> gn.Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> gn.Tensor:
        return self.loc

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> gn.Tensor:
        """The diagonal of the covariance matrix."""
        W, D = self._low_rank()
        return (W.pow(2).sum(-1) + D).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> gn.Tensor:
        """The Cholesky factor of the covariance matrix."""
        W, D = self._low_rank()
        scale = D.sqrt().unsqueeze(-1)
        scaled = W / scale
        return self._expanded(scale * gn.linalg.cholesky(_plus_identity(scaled @ scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> gn.Tensor:
        """The covariance matrix, (..., n, n)."""
        W, D = self._low_rank()
        return self._expanded(W @ W.mT + gn.diag_embed(D))

    @lazy_property
    def precision_matrix(self) -> gn.Tensor:
        """The inverse of the covariance matrix."""
        W, D = self._low_rank()
        solved = gn.linalg.solve_triangular(self._capacitance_tril, W.mT / D.unsqueeze(-2), upper=False)
        return self._expanded(gn.diag_embed(D.reciprocal()) - solved.mT @ solved)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        W, D = self._low_rank()
        shape = self._extended_shape(sample_shape)
        options: Any = {"dtype": self.loc.dtype, "device": self.loc.device}
        of_factor = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], **options)
        of_diag = _standard_normal(shape, **options)
        return self.loc + _batch_mv(W, of_factor) + D.sqrt() * of_diag

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        low_rank = self._low_rank()
        distance = _batch_lowrank_mahalanobis(*low_rank, value - self.loc, self._capacitance_tril)
        log_det = _batch_lowrank_logdet(*low_rank, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self) -> gn.Tensor:
        log_det = _batch_lowrank_logdet(*self._low_rank(), self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return entropy.expand(self._batch_shape)
