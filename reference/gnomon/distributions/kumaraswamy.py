"""The Kumaraswamy distribution.  Source: torch/distributions/kumaraswamy.py."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import gnomon as gn

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """On (0, 1), with the cdf ``1 - (1 - x ** concentration1) ** concentration0``.

    Source: torch.distributions.Kumaraswamy.
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        concentration1: gn.Tensor | float,
        concentration0: gn.Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base_dist = Uniform(
            gn.full_like(self.concentration0, 0),
            gn.full_like(self.concentration0, 1),
            validate_args=validate_args,
        )
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base_dist, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def _moment(self, n: int) -> gn.Tensor:
        """The mean of ``x ** n``: ``b * B(1 + n / a, b)``, with B the beta function."""
        a, b = self.concentration1, self.concentration0
        ratio = 1 + n / a
        return b * gn.exp(gn.lgamma(ratio) + gn.lgamma(b) - gn.lgamma(ratio + b))

    @property
    def mean(self) -> gn.Tensor:
        return self._moment(1)

    @property
    def mode(self) -> gn.Tensor:
        """NaN if a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return log_mode.masked_fill((b < 1) | (a < 1), nan).exp()

    @property
    def variance(self) -> gn.Tensor:
        return self._moment(2) - gn.pow(self.mean, 2)

    def entropy(self) -> gn.Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = gn.digamma(b + 1) + euler_constant
        return 1 - b.reciprocal() + (1 - a.reciprocal()) * harmonic - gn.log(a) - gn.log(b)
