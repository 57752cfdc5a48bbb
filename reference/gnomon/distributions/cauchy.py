"""The Cauchy distribution.  Source: torch/distributions/cauchy.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import batch_shape_of, broadcast_all

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The ratio of two independent normal variables of mean 0, moved to ``loc`` and scaled by ``scale``.

    Source: torch.distributions.Cauchy.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(
        self, loc: gn.Tensor | float, scale: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of(self.loc, loc, scale), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Cauchy, _instance)
        return self._expand_parameters(new, batch_shape, "loc", "scale")

    def _filled_with(self, value: float) -> gn.Tensor:
        return gn.full(self._extended_shape(), value, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mean(self) -> gn.Tensor:
        """NaN: it does not exist."""
        return self._filled_with(math.nan)

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @property
    def variance(self) -> gn.Tensor:
        """inf."""
        return self._filled_with(math.inf)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        standard = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + standard * self.scale

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = (value - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (distance**2).log1p()

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return gn.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        return gn.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> gn.Tensor:
        return math.log(4 * math.pi) + self.scale.log()
