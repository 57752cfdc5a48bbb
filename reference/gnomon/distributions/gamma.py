"""The gamma distribution.  Source: torch/distributions/gamma.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .exp_family import ExponentialFamily
from .utils import batch_shape_of, broadcast_all

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """With the density in proportion to ``x ** (concentration - 1) * exp(-rate * x)``.

    Samples are differentiated implicitly, with respect to both parameters.

    Source: torch.distributions.Gamma; Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients"
    (2018).
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0.0

    def __init__(
        self, concentration: gn.Tensor | float, rate: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        batch_shape = batch_shape_of(self.concentration, concentration, rate)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Gamma, _instance)
        return self._expand_parameters(new, batch_shape, "concentration", "rate")

    @property
    def mean(self) -> gn.Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> gn.Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> gn.Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        value = gn.ops.aten._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=gn.finfo(value.dtype).tiny)  # the logarithm stays finite; no gradient
        return value

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        value = gn.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        return (
            gn.xlogy(self.concentration, self.rate)
            + gn.xlogy(self.concentration - 1, value)
            - self.rate * value
            - gn.lgamma(self.concentration)
        )

    def entropy(self) -> gn.Tensor:
        return (
            self.concentration
            - gn.log(self.rate)
            + gn.lgamma(self.concentration)
            + (1.0 - self.concentration) * gn.digamma(self.concentration)
        )

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: gn.Tensor, y: gn.Tensor) -> gn.Tensor:
        return gn.lgamma(x + 1) + (x + 1) * gn.log(-y.reciprocal())

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return gn.igamma(self.concentration, self.rate * value)
