"""The inverse gamma distribution.  Source: torch/distributions/inverse_gamma.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """``1 / x`` of x from ``Gamma(concentration, rate)``.  Source: torch.distributions.InverseGamma."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma

    def __init__(
        self, concentration: gn.Tensor | float, rate: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        base_dist = Gamma(concentration, rate, validate_args=validate_args)
        reciprocal = PowerTransform(-base_dist.rate.new_ones(()))
        super().__init__(base_dist, reciprocal, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self) -> gn.Tensor:
        """The concentration of the gamma distribution."""
        return self.base_dist.concentration

    @property
    def rate(self) -> gn.Tensor:
        """The rate of the gamma distribution."""
        return self.base_dist.rate

    @property
    def mean(self) -> gn.Tensor:
        """inf unless the concentration is above 1."""
        return gn.where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    @property
    def mode(self) -> gn.Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> gn.Tensor:
        """inf unless the concentration is above 2."""
        variance = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return gn.where(self.concentration > 2, variance, math.inf)

    def entropy(self) -> gn.Tensor:
        return (
            self.concentration
            + self.rate.log()
            + self.concentration.lgamma()
            - (1 + self.concentration) * self.concentration.digamma()
        )
