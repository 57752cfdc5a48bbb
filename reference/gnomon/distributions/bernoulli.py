"""The Bernoulli distribution.  Source: torch/distributions/bernoulli.py."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F

from . import constraints
from .exp_family import ExponentialFamily
from .probs_or_logits import ProbsOrLogits, enumerated
from .utils import batch_shape_of, broadcast_all

__all__ = ["Bernoulli"]


class Bernoulli(ProbsOrLogits, ExponentialFamily):
    """1 with probability ``probs``, else 0; ``logits`` are the log odds of 1.

    Source: torch.distributions.Bernoulli.
    """

    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0.0

    def __init__(
        self,
        probs: gn.Tensor | float | None = None,
        logits: gn.Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set_parameter(probs, logits)
        batch_shape = batch_shape_of(self._param, logits if probs is None else probs)
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Bernoulli, _instance)
        return self._expand_parameters(new, batch_shape, "_param", "probs", "logits")

    @property
    def mean(self) -> gn.Tensor:
        return self.probs

    @property
    def mode(self) -> gn.Tensor:
        """0 or 1, or NaN if both are as likely."""
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, nan)

    @property
    def variance(self) -> gn.Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        with gn.no_grad():
            return gn.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> gn.Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> gn.Tensor:
        return enumerated(2, self._param, self._batch_shape, expand)

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return (gn.logit(self.probs),)

    def _log_normalizer(self, x: gn.Tensor) -> gn.Tensor:
        return gn.log1p(gn.exp(x))
