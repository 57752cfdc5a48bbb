"""The continuous Bernoulli distribution.  Source: torch/distributions/continuous_bernoulli.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F

from . import constraints
from .exp_family import ExponentialFamily
from .probs_or_logits import ProbsOrLogits
from .utils import batch_shape_of, broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """On [0, 1], with the density in proportion to ``probs ** x * (1 - probs) ** (1 - x)``.

    ``probs`` in (0, 1) is no probability, nor are ``logits`` log odds.  Near ``probs`` = 1/2, within
    ``lims``, the formulas cancel, and Taylor expansions replace them.

    Source: torch.distributions.ContinuousBernoulli; Loaiza-Ganem and Cunningham, "The continuous Bernoulli:
    fixing a pervasive error in variational autoencoders" (2019).
    """

    support = constraints.unit_interval
    _mean_carrier_measure = 0.0
    has_rsample = True

    def __init__(
        self,
        probs: gn.Tensor | float | None = None,
        logits: gn.Tensor | float | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._set_parameter(probs, logits)
        if probs is not None:
            # before the clamp, which makes all valid
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self._param = self.probs = clamp_probs(self.probs)
        self._lims = lims
        batch_shape = batch_shape_of(self._param, logits if probs is None else probs)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(ContinuousBernoulli, _instance)
        new._lims = self._lims
        return self._expand_parameters(new, batch_shape, "_param", "probs", "logits")

    def _outside_unstable_region(self) -> gn.Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> gn.Tensor:
        """probs, but within the unstable region its lower limit, where the formulas have finite gradients."""
        return gn.where(self._outside_unstable_region(), self.probs, self._lims[0] * gn.ones_like(self.probs))

    def _cont_bern_log_norm(self) -> gn.Tensor:
        """The logarithm of the factor that normalizes the density."""
        cut = self._cut_probs()
        is_below = cut <= 0.5
        below = gn.where(is_below, cut, gn.zeros_like(cut))  # so that the other branch is finite
        above = gn.where(cut >= 0.5, cut, gn.ones_like(cut))
        numerator = gn.log(gn.abs(gn.log1p(-cut) - gn.log(cut)))
        log_norm = numerator - gn.where(is_below, gn.log1p(-2.0 * below), gn.log(2.0 * above - 1.0))
        x = gn.pow(self.probs - 0.5, 2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return gn.where(self._outside_unstable_region(), log_norm, taylor)

    @property
    def mean(self) -> gn.Tensor:
        cut = self._cut_probs()
        mean = cut / (2.0 * cut - 1.0) + 1.0 / (gn.log1p(-cut) - gn.log(cut))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * gn.pow(x, 2)) * x
        return gn.where(self._outside_unstable_region(), mean, taylor)

    @property
    def variance(self) -> gn.Tensor:
        cut = self._cut_probs()
        variance = cut * (cut - 1.0) / gn.pow(1.0 - 2.0 * cut, 2)
        variance = variance + 1.0 / gn.pow(gn.log1p(-cut) - gn.log(cut), 2)
        x = gn.pow(self.probs - 0.5, 2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return gn.where(self._outside_unstable_region(), variance, taylor)

    @lazy_property
    def probs(self) -> gn.Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _uniform(self, sample_shape: Sequence[int]) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        return gn.rand(shape, dtype=self.probs.dtype, device=self.probs.device)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        return self.icdf(self._uniform(sample_shape))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        of_bernoulli = -F.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return of_bernoulli + self._cont_bern_log_norm()

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut_probs()
        cdf = (gn.pow(cut, value) * gn.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        cdf = gn.where(self._outside_unstable_region(), cdf, value)
        inside = gn.where(value >= 1.0, gn.ones_like(value), cdf)
        return gn.where(value <= 0.0, gn.zeros_like(value), inside)

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        cut = self._cut_probs()
        log_of_0, log_of_1 = gn.log1p(-cut), gn.log(cut)
        icdf = (gn.log1p(-cut + value * (2.0 * cut - 1.0)) - log_of_0) / (log_of_1 - log_of_0)
        return gn.where(self._outside_unstable_region(), icdf, value)

    def entropy(self) -> gn.Tensor:
        log_of_0, log_of_1 = gn.log1p(-self.probs), gn.log(self.probs)
        return self.mean * (log_of_0 - log_of_1) - self._cont_bern_log_norm() - log_of_0

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: gn.Tensor) -> gn.Tensor:
        lower, upper = self._lims[0] - 0.5, self._lims[1] - 0.5
        is_outside = (x <= lower) | (x > upper)
        cut = gn.where(is_outside, x, lower * gn.ones_like(x))
        log_norm = gn.log(gn.abs(gn.expm1(cut))) - gn.log(gn.abs(cut))
        taylor = 0.5 * x + gn.pow(x, 2) / 24.0 - gn.pow(x, 4) / 2880.0
        return gn.where(is_outside, log_norm, taylor)
