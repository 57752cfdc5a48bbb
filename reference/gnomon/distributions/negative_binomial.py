"""The negative binomial distribution.  Source: torch/distributions/negative_binomial.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F

from . import constraints
from .gamma import Gamma
from .probs_or_logits import ProbsOrLogits
from .utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits):
    """The number of successes before ``total_count`` failures, of trials that succeed with probability
    ``probs`` or log odds ``logits``; ``total_count`` need not be an integer.

    Source: torch.distributions.NegativeBinomial.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    total_count: gn.Tensor

    def __init__(
        self,
        total_count: gn.Tensor | float,
        probs: gn.Tensor | float | None = None,
        logits: gn.Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set_parameter(probs, logits, total_count=total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(NegativeBinomial, _instance)
        return self._expand_parameters(new, batch_shape, "total_count", "_param", "probs", "logits")

    @property
    def mean(self) -> gn.Tensor:
        return self.total_count * gn.exp(self.logits)

    @property
    def mode(self) -> gn.Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> gn.Tensor:
        return self.mean / gn.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Gamma:
        # without validation: total_count may be 0
        return Gamma(self.total_count, gn.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """Poisson numbers, whose rates are gamma numbers."""
        with gn.no_grad():
            return gn.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        total = self.total_count + value
        unnormalized = self.total_count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        normalizer = -gn.lgamma(total) + gn.lgamma(1.0 + value) + gn.lgamma(self.total_count)
        return unnormalized - normalizer.masked_fill(total == 0.0, 0.0)  # inf - inf there
