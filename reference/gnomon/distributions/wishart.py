"""The Wishart distribution.  Source: torch/distributions/wishart.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from ..values.errors import warn
from . import constraints
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .multivariate_normal import _half_log_det, _scale_tril_of, _the_given_matrix
from .utils import _Number, lazy_property

__all__ = ["Wishart"]

_LOG_2 = math.log(2)
_MOST_TRIES = 10  # at replacing singular samples


def _mvdigamma(x: gn.Tensor, p: int) -> gn.Tensor:
    """The derivative of ``gn.mvlgamma(x, p)``."""
    if not (x > (p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    shifts = gn.arange(p, dtype=x.dtype, device=x.device) / 2
    return gn.digamma(x.unsqueeze(-1) - shifts).sum(-1)


class Wishart(ExponentialFamily):
    """Positive definite matrices (..., p, p): the sum of ``df`` outer products of normal vectors with a
    covariance.

    The covariance is given by exactly one of ``covariance_matrix``, its inverse ``precision_matrix``, and its
    Cholesky factor ``scale_tril`` (AssertionError otherwise); the others are computed when needed.  ``df``
    need not be an integer, but ValueError is raised unless it is above p - 1.

    Samples are made by Bartlett's decomposition; singular ones are replaced, with a warning.

    Source: torch.distributions.Wishart; Sawyer, "Wishart distributions and inverse-Wishart sampling" (2007).
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0.0

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: gn.Tensor | float,
        covariance_matrix: gn.Tensor | None = None,
        precision_matrix: gn.Tensor | None = None,
        scale_tril: gn.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = _the_given_matrix(
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        if given is None:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        name, matrix = given
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch dimensions"
            )
        if isinstance(df, _Number):
            batch_shape = matrix.shape[:-2]
            self.df = gn.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = gn.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        event_shape = matrix.shape[-2:]
        p = event_shape[-1]
        if (self.df <= p - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {p - 1}.")
        if (self.df < p).any():
            warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim.",
            )
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_scale_tril = _scale_tril_of(name, matrix)
        self._dist_chi2 = self._chi2_of_diagonal()

    def _chi2_of_diagonal(self) -> Chi2:
        """The squares of the diagonal of Bartlett's factor, with df, df - 1 … degrees of freedom."""
        factor = self._unbroadcasted_scale_tril
        shifts = gn.arange(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        return Chi2(df=self.df.unsqueeze(-1) - shifts.expand((*self._batch_shape, -1)))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Wishart, _instance)
        shape = gn.Size((*batch_shape, *self.event_shape))
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(shape)
        new.df = self.df.expand(batch_shape)
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(shape))
        self._set_shapes(new, batch_shape)
        new._dist_chi2 = Wishart._chi2_of_diagonal(new)
        return new

    def _expanded(self, matrix: gn.Tensor) -> gn.Tensor:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> gn.Tensor:
        return self._expanded(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> gn.Tensor:
        return self._expanded(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> gn.Tensor:
        factor = self._unbroadcasted_scale_tril
        identity = gn.eye(factor.shape[-1], dtype=factor.dtype, device=factor.device)
        return self._expanded(gn.cholesky_solve(identity, factor))

    def _of_matrices(self, values: gn.Tensor) -> gn.Tensor:
        """A tensor of the batch shape, to multiply matrices with."""
        return values.view((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> gn.Tensor:
        return self._of_matrices(self.df) * self.covariance_matrix

    @property
    def mode(self) -> gn.Tensor:
        """NaN unless ``df`` is above p + 1."""
        factor = self.df - self._event_shape[-1] - 1
        return self._of_matrices(factor.masked_fill(factor <= 0, math.nan)) * self.covariance_matrix

    @property
    def variance(self) -> gn.Tensor:
        """The variance of each element."""
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._of_matrices(self.df) * (covariance.pow(2) + outer)

    def _bartlett_sampling(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """``L A (L A).mT`` with A lower triangular: chi variables on its diagonal, normal ones below."""
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt()
        diagonal = diagonal.clamp(min=gn.finfo(diagonal.dtype).eps)
        shape = self._extended_shape(sample_shape)
        normal = gn.randn(shape, dtype=diagonal.dtype, device=diagonal.device)
        factor = self._unbroadcasted_scale_tril @ (normal.tril(-1) + diagonal.diag_embed())
        return factor @ factor.mT

    def rsample(
        self, sample_shape: Sequence[int] = gn.Size(), max_try_correction: int | None = None
    ) -> gn.Tensor:
        """Samples, of which singular ones are replaced up to ``max_try_correction`` (10) times."""
        sample = self._bartlett_sampling(sample_shape)
        is_valid = constraints.positive_definite.check(sample)
        if is_valid.all():
            return sample
        warn("Singular sample detected.")
        for _ in range(_MOST_TRIES if max_try_correction is None else max_try_correction):
            again = self._bartlett_sampling(sample_shape)
            sample = gn.where(is_valid[..., None, None], sample, again)
            is_valid = constraints.positive_definite.check(sample)
            if is_valid.all():
                break
        return sample

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        trace = gn.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            -nu * (p * _LOG_2 / 2 + _half_log_det(self._unbroadcasted_scale_tril))
            - gn.mvlgamma(nu / 2, p=p)
            + (nu - p - 1) / 2 * gn.linalg.slogdet(value).logabsdet
            - trace / 2
        )

    def entropy(self) -> gn.Tensor:
        nu, p = self.df, self._event_shape[-1]
        return (
            (p + 1) * (p * _LOG_2 / 2 + _half_log_det(self._unbroadcasted_scale_tril))
            + gn.mvlgamma(nu / 2, p=p)
            - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p)
            + nu * p / 2
        )

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: gn.Tensor, y: gn.Tensor) -> gn.Tensor:
        p = self._event_shape[-1]
        half_df = y + (p + 1) / 2
        log_det = gn.linalg.slogdet(-2 * x).logabsdet
        return half_df * (-log_det + _LOG_2 * p) + gn.mvlgamma(half_df, p=p)
