"""Continuous relaxations of the categorical distribution.

Source: torch/distributions/relaxed_categorical.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .categorical import Categorical
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The logarithm of a relaxed one-hot vector: Gumbel variables plus ``logits``, over ``temperature``, less
    their logsumexp.  Parameters are as for Categorical.

    Source: torch.distributions.relaxed_categorical.ExpRelaxedCategorical; Maddison, Mnih and Teh, "The
    concrete distribution: a continuous relaxation of discrete random variables" (2017).
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector  # the vectors with a logsumexp of 0, of which this is not checked
    has_rsample = True

    def __init__(
        self,
        temperature: gn.Tensor,
        probs: gn.Tensor | None = None,
        logits: gn.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(ExpRelaxedCategorical, _instance)
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(batch_shape)
        return self._set_shapes(new, batch_shape)

    @property
    def param_shape(self) -> gn.Size:
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    @property
    def logits(self) -> gn.Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> gn.Tensor:
        """The probabilities of the categories."""
        return self._categorical.probs

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        uniforms = clamp_probs(gn.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbels = -(-uniforms.log()).log()
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        k = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        log_scale = gn.full_like(self.temperature, float(k)).lgamma() + (k - 1) * self.temperature.log()
        score = logits - value * self.temperature
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """On the simplex: the exponential of ExpRelaxedCategorical; a one-hot vector at ``temperature`` 0.

    Source: torch.distributions.RelaxedOneHotCategorical.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    base_dist: ExpRelaxedCategorical

    def __init__(
        self,
        temperature: gn.Tensor,
        probs: gn.Tensor | None = None,
        logits: gn.Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base_dist = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base_dist, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(RelaxedOneHotCategorical, _instance)
        return super().expand(batch_shape, _instance=new)

    @property
    def temperature(self) -> gn.Tensor:
        """The temperature: towards 0, samples are nearer to one-hot vectors."""
        return self.base_dist.temperature

    @property
    def logits(self) -> gn.Tensor:
        """The logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> gn.Tensor:
        """The probabilities of the categories."""
        return self.base_dist.probs
