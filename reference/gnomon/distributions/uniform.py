"""The uniform distribution.  Source: torch/distributions/uniform.py."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import batch_shape_of, broadcast_all

__all__ = ["Uniform"]


class Uniform(Distribution):
    """On the half-open interval [``low``, ``high``).  Source: torch.distributions.Uniform."""

    has_rsample = True

    def __init__(
        self, low: gn.Tensor | float, high: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_shape_of(self.low, low, high), validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Uniform, _instance)
        return self._expand_parameters(new, batch_shape, "low", "high")

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> gn.Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> gn.Tensor:
        """NaN: all values are as likely."""
        return nan * self.high

    @property
    def stddev(self) -> gn.Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> gn.Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        uniform = gn.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + uniform * (self.high - self.low)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        is_inside = ((self.low <= value) & (value < self.high)).type_as(self.low)
        return gn.log(is_inside) - gn.log(self.high - self.low)

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> gn.Tensor:
        return gn.log(self.high - self.low)
