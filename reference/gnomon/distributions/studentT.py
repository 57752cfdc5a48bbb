"""Student's t-distribution.  Source: torch/distributions/studentT.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """``loc + scale * x / sqrt(z / df)`` of a standard normal x and a chi-squared z with ``df`` degrees of
    freedom.

    Source: torch.distributions.StudentT.
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: gn.Tensor | float,
        loc: gn.Tensor | float = 0.0,
        scale: gn.Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(StudentT, _instance)
        new._chi2 = self._chi2.expand(batch_shape)
        return self._expand_parameters(new, batch_shape, "df", "loc", "scale")

    @property
    def mean(self) -> gn.Tensor:
        """NaN unless ``df`` is above 1."""
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @property
    def variance(self) -> gn.Tensor:
        """inf for ``df`` up to 2, NaN up to 1."""
        df = gn.where(self.df > 2, self.df, math.inf)  # finite gradients in the branch that is not taken
        variance = self.scale.pow(2) / (1 - 2 / df)
        variance = variance.masked_fill(self.df <= 2, math.inf)
        return variance.masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        chi2 = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * normal * gn.rsqrt(chi2 / self.df)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + gn.lgamma(0.5 * self.df)
            - gn.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * gn.log1p(y**2.0 / self.df) - normalizer

    def entropy(self) -> gn.Tensor:
        half, half_of_next = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = gn.lgamma(half) + math.lgamma(0.5) - gn.lgamma(half_of_next)
        return (
            self.scale.log()
            + half_of_next * (gn.digamma(half_of_next) - gn.digamma(half))
            + 0.5 * self.df.log()
            + log_beta
        )
