"""The half-Cauchy distribution.  Source: torch/distributions/half_cauchy.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .cauchy import Cauchy
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform

__all__ = ["HalfCauchy"]


class HalfCauchy(TransformedDistribution):
    """``|x|`` of x from ``Cauchy(0, scale)``.  Source: torch.distributions.HalfCauchy."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Cauchy

    def __init__(self, scale: gn.Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfCauchy, _instance))

    @property
    def scale(self) -> gn.Tensor:
        """The scale of the Cauchy distribution."""
        return self.base_dist.scale

    @property
    def mean(self) -> gn.Tensor:
        """inf."""
        return self.base_dist.variance

    @property
    def mode(self) -> gn.Tensor:
        return gn.zeros_like(self.scale)

    @property
    def variance(self) -> gn.Tensor:
        """inf."""
        return self.base_dist.variance

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = gn.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return gn.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: gn.Tensor) -> gn.Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> gn.Tensor:
        return self.base_dist.entropy() - math.log(2)
