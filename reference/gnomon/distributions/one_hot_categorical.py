"""Categorical distributions of one-hot vectors.  Source: torch/distributions/one_hot_categorical.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F

from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """Vectors of K elements, of which one is 1 and the others are 0; parameters are as for Categorical.

    Source: torch.distributions.OneHotCategorical.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self,
        probs: gn.Tensor | None = None,
        logits: gn.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(OneHotCategorical, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return self._set_shapes(new, batch_shape)

    @property
    def _param(self) -> gn.Tensor:
        return self._categorical._param

    @property
    def probs(self) -> gn.Tensor:
        """The probabilities of the categories."""
        return self._categorical.probs

    @property
    def logits(self) -> gn.Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def mean(self) -> gn.Tensor:
        return self._categorical.probs

    @property
    def mode(self) -> gn.Tensor:
        return F.one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self) -> gn.Tensor:
        return self.probs * (1 - self.probs)

    @property
    def param_shape(self) -> gn.Size:
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        indices = self._categorical.sample(sample_shape)
        return F.one_hot(indices, self._categorical._num_events).to(self.probs)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> gn.Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> gn.Tensor:
        n = self.event_shape[0]
        values = gn.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n, *(1,) * len(self.batch_shape), n))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose samples have the gradient of ``probs``.

    Source: torch.distributions.OneHotCategoricalStraightThrough; Bengio, Léonard and Courville, "Estimating
    or propagating gradients through stochastic neurons for conditional computation" (2013).
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())
