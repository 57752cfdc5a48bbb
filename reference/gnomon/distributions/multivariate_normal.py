"""The multivariate normal distribution.  Source: torch/distributions/multivariate_normal.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _batch_mv(matrix: gn.Tensor, vector: gn.Tensor) -> gn.Tensor:
    """The products of batches of matrices and vectors, which broadcast."""
    return gn.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(factor: gn.Tensor, x: gn.Tensor) -> gn.Tensor:
    """``x.mT @ inverse(L @ L.mT) @ x`` of lower triangular L (..., n, n) and vectors x (..., n), which
    broadcast.

    A system with one matrix is solved for all its vectors together.
    """
    if factor.dim() == 2:
        rows = x.reshape(-1, x.size(-1))
        solved = gn.linalg.solve_triangular(factor, rows.mT, upper=False)
        return solved.pow(2).sum(-2).reshape(x.shape[:-1])
    solved = gn.linalg.solve_triangular(factor, x.unsqueeze(-1), upper=False)
    return solved.pow(2).sum((-2, -1))


def _half_log_det(factor: gn.Tensor) -> gn.Tensor:
    """``log(det(L))`` of Cholesky factors: half that of the covariance matrix."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _precision_to_scale_tril(precision: gn.Tensor) -> gn.Tensor:
    """The Cholesky factor of the inverse of a precision matrix P.

    With P turned by 180 degrees and factorized, the factor turned back is an upper triangular U with
    ``U @ U.mT = P``; the inverse of ``U.mT`` is the wanted factor.
    """
    turned = gn.linalg.cholesky(gn.flip(precision, (-2, -1)))
    upper_transposed = gn.flip(turned, (-2, -1)).mT
    identity = gn.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return gn.linalg.solve_triangular(upper_transposed, identity, upper=False)


def _the_given_matrix(**matrices: Any) -> tuple[str, gn.Tensor] | None:
    """Name and value of that matrix which is given, or None unless it is exactly one."""
    given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
    return given[0] if len(given) == 1 else None


def _scale_tril_of(name: str, matrix: gn.Tensor) -> gn.Tensor:
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return gn.linalg.cholesky(matrix)
    return _precision_to_scale_tril(matrix)


class MultivariateNormal(Distribution):
    """Vectors with the mean ``loc`` (..., n) and a covariance matrix (..., n, n).

    The covariance is given by exactly one of ``covariance_matrix``, its inverse ``precision_matrix``, and its
    Cholesky factor ``scale_tril``; the others are computed when needed.  The computations use the factor, so
    that giving it is the fastest.  Raises ValueError for too few dimensions.

    Source: torch.distributions.MultivariateNormal.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: gn.Tensor,
        covariance_matrix: gn.Tensor | None = None,
        precision_matrix: gn.Tensor | None = None,
        scale_tril: gn.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = _the_given_matrix(
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        if given is None:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        name, matrix = given
        if matrix.dim() < 2:
            described = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{described} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch_shape = gn.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = _scale_tril_of(name, matrix)  # only of valid matrices

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(MultivariateNormal, _instance)
        shape = gn.Size((*batch_shape, *self.event_shape))
        new.loc = self.loc.expand(shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(shape + self.event_shape))
        return self._set_shapes(new, batch_shape)

    def _expanded(self, matrix: gn.Tensor) -> gn.Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> gn.Tensor:
        return self._expanded(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> gn.Tensor:
        return self._expanded(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> gn.Tensor:
        return self._expanded(gn.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> gn.Tensor:
        return self.loc

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @property
    def variance(self) -> gn.Tensor:
        """The diagonal of the covariance matrix."""
        diagonal = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return diagonal.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        standard = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, standard)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - _half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self) -> gn.Tensor:
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (constant + _half_log_det(self._unbroadcasted_scale_tril)).expand(self._batch_shape)
