"""Continuous relaxations of the Bernoulli distribution.  Source: torch/distributions/relaxed_bernoulli.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .probs_or_logits import ProbsOrLogits
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import batch_shape_of, broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ProbsOrLogits):
    """The logit of a relaxed Bernoulli variable: a logistic variable around ``logits``, over ``temperature``.

    Source: torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli; Maddison, Mnih and Teh, "The concrete
    distribution: a continuous relaxation of discrete random variables" (2017).
    """

    support = constraints.real

    def __init__(
        self,
        temperature: gn.Tensor | float,
        probs: gn.Tensor | float | None = None,
        logits: gn.Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature: Any = temperature
        self._set_parameter(probs, logits)
        batch_shape = batch_shape_of(self._param, logits if probs is None else probs)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(LogitRelaxedBernoulli, _instance)
        new.temperature = self.temperature
        return self._expand_parameters(new, batch_shape, "_param", "probs", "logits")

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniforms = clamp_probs(gn.rand(shape, dtype=probs.dtype, device=probs.device))
        logistic = uniforms.log() - (-uniforms).log1p()
        return (logistic + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value * self.temperature
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """On (0, 1): the sigmoid of LogitRelaxedBernoulli; a Bernoulli variable at ``temperature`` 0.

    Source: torch.distributions.RelaxedBernoulli.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    base_dist: LogitRelaxedBernoulli

    def __init__(
        self,
        temperature: gn.Tensor | float,
        probs: gn.Tensor | float | None = None,
        logits: gn.Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base_dist = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base_dist, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self) -> Any:
        """The temperature: towards 0, samples are nearer to 0 or 1."""
        return self.base_dist.temperature

    @property
    def logits(self) -> gn.Tensor:
        """The log odds of 1."""
        return self.base_dist.logits

    @property
    def probs(self) -> gn.Tensor:
        """The probability of 1."""
        return self.base_dist.probs
