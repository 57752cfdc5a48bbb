"""The Poisson distribution.  Source: torch/distributions/poisson.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .exp_family import ExponentialFamily
from .utils import batch_shape_of, broadcast_all

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """The number of events in a time in which ``rate`` are expected.  Source: torch.distributions.Poisson."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: gn.Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_shape_of(self.rate, rate), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Poisson, _instance)
        return self._expand_parameters(new, batch_shape, "rate")

    @property
    def mean(self) -> gn.Tensor:
        return self.rate

    @property
    def mode(self) -> gn.Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> gn.Tensor:
        return self.rate

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        with gn.no_grad():
            return gn.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return (gn.log(self.rate),)

    def _log_normalizer(self, x: gn.Tensor) -> gn.Tensor:
        return gn.exp(x)
