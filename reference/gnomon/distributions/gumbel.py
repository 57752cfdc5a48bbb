"""The Gumbel distribution.  Source: torch/distributions/gumbel.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import _Number, broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """``loc - scale * log(-log(u))`` of a uniform u: the limit of maxima.

    Source: torch.distributions.Gumbel.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(
        self, loc: gn.Tensor | float, scale: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = gn.finfo(self.loc.dtype)
        low, high = limits.tiny, 1 - limits.eps  # the logarithms stay finite
        if isinstance(loc, _Number) and isinstance(scale, _Number):
            base_dist = Uniform(low, high, validate_args=validate_args)
        else:
            of_loc = (gn.full_like(self.loc, low), gn.full_like(self.loc, high))
            base_dist = Uniform(*of_loc, validate_args=validate_args)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-gn.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(base_dist, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc = self.loc.expand(batch_shape)
        new.scale = self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        """Written out, as the transforms lose precision in the tails."""
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self) -> gn.Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @property
    def stddev(self) -> gn.Tensor:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> gn.Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> gn.Tensor:
        return self.scale.log() + (1 + euler_constant)
