"""The generalized Pareto distribution.  Source: torch/distributions/generalized_pareto.py."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import batch_shape_of, broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """From ``loc`` on, with the survival function ``(1 + concentration * z) ** (-1 / concentration)`` of
    ``z = (x - loc) / scale``: exponential for a concentration of 0, bounded for negative ones.

    Source: torch.distributions.GeneralizedPareto.
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self,
        loc: gn.Tensor | float,
        scale: gn.Tensor | float,
        concentration: gn.Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        batch_shape = batch_shape_of(self.loc, loc, scale, concentration)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(GeneralizedPareto, _instance)
        return self._expand_parameters(new, batch_shape, "loc", "scale", "concentration")

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(gn.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def _is_zero_and_safe(self) -> tuple[gn.Tensor, gn.Tensor]:
        """Where the concentration is 0, and the concentration with 1 there, to divide by."""
        is_zero = gn.isclose(self.concentration, gn.zeros_like(self.concentration))
        return is_zero, gn.where(is_zero, gn.ones_like(self.concentration), self.concentration)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, concentration = self._is_zero_and_safe()
        power = 1 / concentration + gn.ones_like(z)
        # the uniform distribution has the power 0, also at its end, where the logarithm is -inf
        exponent = gn.where(power == 0, power, power * gn.log1p(concentration * z))
        return -self.scale.log() - gn.where(is_zero, z, exponent)

    def log_survival_function(self, value: gn.Tensor) -> gn.Tensor:
        """The logarithm of the probability of larger values."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, concentration = self._is_zero_and_safe()
        return gn.where(is_zero, -z, -gn.log1p(concentration * z) / concentration)

    def log_cdf(self, value: gn.Tensor) -> gn.Tensor:
        """The logarithm of ``cdf``."""
        return gn.log1p(-gn.exp(self.log_survival_function(value)))

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        return gn.exp(self.log_cdf(value))

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        is_zero, concentration = self._is_zero_and_safe()
        log_survival = gn.log1p(-value)
        if_nonzero = self.loc + self.scale / concentration * gn.expm1(-concentration * log_survival)
        return gn.where(is_zero, self.loc - self.scale * log_survival, if_nonzero)

    def _z(self, x: gn.Tensor) -> gn.Tensor:
        return (x - self.loc) / self.scale

    @property
    def mean(self) -> gn.Tensor:
        """NaN unless the concentration is below 1."""
        exists = self.concentration < 1
        concentration = gn.where(exists, self.concentration, 0.5)
        return gn.where(exists, self.loc + self.scale / (1 - concentration), nan)

    @property
    def variance(self) -> gn.Tensor:
        """NaN unless the concentration is below 1/2."""
        exists = self.concentration < 0.5
        concentration = gn.where(exists, self.concentration, 0.25)
        variance = self.scale**2 / ((1 - concentration) ** 2 * (1 - 2 * concentration))
        return gn.where(exists, variance, nan)

    def entropy(self) -> gn.Tensor:
        return gn.broadcast_to(gn.log(self.scale) + self.concentration + 1, self._batch_shape)

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = gn.where(self.concentration < 0, self.loc - self.scale / self.concentration, inf)
        return constraints.interval(self.loc, upper)
