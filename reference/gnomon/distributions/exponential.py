"""The exponential distribution.  Source: torch/distributions/exponential.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .exp_family import ExponentialFamily
from .utils import batch_shape_of, broadcast_all

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """The time between events of a Poisson process with the given ``rate``.

    Source: torch.distributions.Exponential.
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0.0

    def __init__(self, rate: gn.Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_shape_of(self.rate, rate), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Exponential, _instance)
        return self._expand_parameters(new, batch_shape, "rate")

    @property
    def mean(self) -> gn.Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> gn.Tensor:
        return gn.zeros_like(self.rate)

    @property
    def stddev(self) -> gn.Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> gn.Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 1 - gn.exp(-self.rate * value)

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        return -gn.log1p(-value) / self.rate

    def entropy(self) -> gn.Tensor:
        return 1.0 - gn.log(self.rate)

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return (-self.rate,)

    def _log_normalizer(self, x: gn.Tensor) -> gn.Tensor:
        return -gn.log(-x)
