"""The half-normal distribution.  Source: torch/distributions/half_normal.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform

__all__ = ["HalfNormal"]


class HalfNormal(TransformedDistribution):
    """``|x|`` of x from ``Normal(0, scale)``.  Source: torch.distributions.HalfNormal."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Normal

    def __init__(self, scale: gn.Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfNormal, _instance))

    @property
    def scale(self) -> gn.Tensor:
        """The standard deviation of the normal distribution."""
        return self.base_dist.scale

    @property
    def mean(self) -> gn.Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> gn.Tensor:
        return gn.zeros_like(self.scale)

    @property
    def variance(self) -> gn.Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return gn.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: gn.Tensor) -> gn.Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> gn.Tensor:
        return self.base_dist.entropy() - math.log(2)
