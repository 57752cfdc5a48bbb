"""The geometric distribution.  Source: torch/distributions/geometric.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F

from . import constraints
from .probs_or_logits import ProbsOrLogits
from .utils import batch_shape_of, broadcast_all

__all__ = ["Geometric"]


class Geometric(ProbsOrLogits):
    """The number of failures before the first success, of probability ``probs`` or log odds ``logits``.

    Source: torch.distributions.Geometric.
    """

    support = constraints.nonnegative_integer

    def __init__(
        self,
        probs: gn.Tensor | float | None = None,
        logits: gn.Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._set_parameter(probs, logits)
        batch_shape = batch_shape_of(self._param, logits if probs is None else probs)
        super().__init__(batch_shape, validate_args=validate_args)
        if self._validate_args and probs is not None:
            self._check_is_positive(self.probs)

    def _check_is_positive(self, probs: gn.Tensor) -> None:
        is_positive = probs > 0
        if not is_positive.all():
            raise ValueError(
                f"Expected parameter probs ({type(probs).__name__} of shape {tuple(probs.shape)}) of "
                f"distribution {self!r} to be positive but found invalid "
                f"values:\n{probs.detach()[~is_positive]}"
            )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Geometric, _instance)
        return self._expand_parameters(new, batch_shape, "_param", "probs", "logits")

    @property
    def mean(self) -> gn.Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> gn.Tensor:
        return gn.zeros_like(self.probs)

    @property
    def variance(self) -> gn.Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        with gn.no_grad():
            uniform = self.probs.new_empty(self._extended_shape(sample_shape))
            uniform.uniform_(gn.finfo(self.probs.dtype).tiny, 1)  # not 0, whose logarithm is -inf
            return (uniform.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.masked_fill((probs == 1) & (value == 0), 0)  # 0 * log(0) is 0 here
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> gn.Tensor:
        of_trial = F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
        return of_trial / self.probs
