"""The categorical distribution.  Source: torch/distributions/categorical.py."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .probs_or_logits import the_given_one
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]


class Categorical(Distribution):
    """Integers 0 … K - 1, with the K probabilities in the last dimension of ``probs``.

    ``probs`` are normalized to sum to 1, and ``logits`` (logarithms of probabilities) so that their
    exponentials do.  Raises ValueError unless exactly one is given, and if it has no dimension.

    Source: torch.distributions.Categorical.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self,
        probs: gn.Tensor | None = None,
        logits: gn.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, given = the_given_one(probs, logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            self._param = self.probs = given / given.sum(-1, keepdim=True)
        else:
            self._param = self.logits = given - given.logsumexp(dim=-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Categorical, _instance)
        for name in ("_param", "probs", "logits"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand((*batch_shape, self._num_events)))
        new._num_events = self._num_events
        return self._set_shapes(new, batch_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> gn.Tensor:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> gn.Tensor:
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> gn.Size:
        """The shape of the parameter that was given."""
        return self._param.size()

    @property
    def mean(self) -> gn.Tensor:
        """NaN: categories are no numbers."""
        return gn.full(self._extended_shape(), nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> gn.Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> gn.Tensor:
        """NaN: categories are no numbers."""
        return self.mean

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """Samples, as int64."""
        rows = self.probs.reshape(-1, self._num_events)
        samples = gn.multinomial(rows, gn.Size(sample_shape).numel(), True)
        return samples.T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, log_pmf = gn.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> gn.Tensor:
        logits = self.logits.clamp(min=gn.finfo(self.logits.dtype).min)  # 0 * -inf would be NaN
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> gn.Tensor:
        """All categories, as int64."""
        values = gn.arange(self._num_events, dtype=gn.long, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values
