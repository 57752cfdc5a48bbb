"""The Weibull distribution.  Source: torch/distributions/weibull.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """``scale * x ** (1 / concentration)`` of a standard exponential x.

    Source: torch.distributions.Weibull.
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(
        self, scale: gn.Tensor | float, concentration: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base_dist = Exponential(gn.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base_dist, self._transforms(), validate_args=validate_args)

    def _transforms(self) -> list[Any]:
        return [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Weibull, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base_dist = self.base_dist.expand(batch_shape)
        TransformedDistribution.__init__(new, base_dist, Weibull._transforms(new), validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _moment(self, n: int) -> gn.Tensor:
        """The logarithm of the mean of ``(x / scale) ** n``."""
        return gn.lgamma(1 + n * self.concentration_reciprocal)

    @property
    def mean(self) -> gn.Tensor:
        return self.scale * gn.exp(self._moment(1))

    @property
    def mode(self) -> gn.Tensor:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> gn.Tensor:
        return self.scale.pow(2) * (gn.exp(self._moment(2)) - gn.exp(2 * self._moment(1)))

    def entropy(self) -> gn.Tensor:
        return (
            euler_constant * (1 - self.concentration_reciprocal)
            + gn.log(self.scale * self.concentration_reciprocal)
            + 1
        )
