"""The multinomial distribution.  Source: torch/distributions/multinomial.py."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import gnomon as gn

from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of K categories occurs in ``total_count`` independent draws.

    ``probs`` and ``logits`` are as for Categorical.  Raises NotImplementedError unless ``total_count`` is an
    int.

    Source: torch.distributions.Multinomial.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self,
        total_count: int = 1,
        probs: gn.Tensor | None = None,
        logits: gn.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Multinomial, _instance)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        return self._set_shapes(new, batch_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> gn.Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> gn.Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    @property
    def logits(self) -> gn.Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> gn.Tensor:
        """The probabilities of the categories."""
        return self._categorical.probs

    @property
    def param_shape(self) -> gn.Size:
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        draws = self._categorical.sample(gn.Size((self.total_count, *sample_shape))).movedim(0, -1)
        counts = draws.new_zeros(self._extended_shape(sample_shape))
        counts.scatter_add_(-1, draws, gn.ones_like(draws))
        return counts.type_as(self.probs)

    def entropy(self) -> gn.Tensor:
        """The draws' entropy, without the information about their order."""
        n = gn.tensor(self.total_count)
        binomial = Binomial(total_count=self.total_count, probs=self.probs)
        support = binomial.enumerate_support(expand=False)[1:]
        of_order = (gn.exp(binomial.log_prob(support)) * gn.lgamma(support + 1)).sum([0, -1])
        return n * self._categorical.entropy() - gn.lgamma(n + 1) + of_order

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -inf), 0)  # 0 * -inf is 0 here
        coefficient = gn.lgamma(value.sum(-1) + 1) - gn.lgamma(value + 1).sum(-1)
        return coefficient + (logits * value).sum(-1)
