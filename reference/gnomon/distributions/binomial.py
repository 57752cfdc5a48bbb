"""The binomial distribution.  Source: torch/distributions/binomial.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .probs_or_logits import ProbsOrLogits, enumerated

__all__ = ["Binomial"]


def _clamp_by_zero(x: gn.Tensor) -> gn.Tensor:
    """``x.clamp(min=0)`` with the derivative 1/2 at 0, that of ``log(1 + exp(x))``."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(ProbsOrLogits):
    """The number of successes in ``total_count`` trials, of probability ``probs`` or log odds ``logits``.

    Source: torch.distributions.Binomial.
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, **ProbsOrLogits.arg_constraints}
    has_enumerate_support = True
    total_count: gn.Tensor

    def __init__(
        self,
        total_count: gn.Tensor | int = 1,
        probs: gn.Tensor | float | None = None,
        logits: gn.Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set_parameter(probs, logits, total_count=total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Binomial, _instance)
        return self._expand_parameters(new, batch_shape, "total_count", "_param", "probs", "logits")

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> gn.Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> gn.Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> gn.Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        with gn.no_grad():
            return gn.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        coefficient = (
            gn.lgamma(self.total_count + 1) - gn.lgamma(value + 1) - gn.lgamma(self.total_count - value + 1)
        )
        # n log(1 + exp(logits)), without overflow
        normalizer = self.total_count * (_clamp_by_zero(self.logits) + (-self.logits.abs()).exp().log1p())
        return value * self.logits + coefficient - normalizer

    def _common_total_count(self, wanted: str) -> int:
        total_count = int(self.total_count.max())
        if not self.total_count.min() == total_count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{wanted}`.")
        return total_count

    def entropy(self) -> gn.Tensor:
        self._common_total_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(gn.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> gn.Tensor:
        total_count = self._common_total_count("enumerate_support")
        return enumerated(1 + total_count, self._param, self._batch_shape, expand)
