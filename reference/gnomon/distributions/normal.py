"""The normal distribution.  Source: torch/distributions/normal.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .exp_family import ExponentialFamily
from .utils import _standard_normal, batch_shape_of, broadcast_all

__all__ = ["Normal"]


class Normal(ExponentialFamily):
    """With the mean ``loc`` and the standard deviation ``scale``.  Source: torch.distributions.Normal."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0.0

    def __init__(
        self, loc: gn.Tensor | float, scale: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of(self.loc, loc, scale), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Normal, _instance)
        return self._expand_parameters(new, batch_shape, "loc", "scale")

    @property
    def mean(self) -> gn.Tensor:
        return self.loc

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @property
    def stddev(self) -> gn.Tensor:
        return self.scale

    @property
    def variance(self) -> gn.Tensor:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        with gn.no_grad():
            return gn.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        shape = self._extended_shape(sample_shape)
        standard = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + standard * self.scale

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return distance - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + gn.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        return self.loc + self.scale * gn.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> gn.Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + gn.log(self.scale)

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: gn.Tensor, y: gn.Tensor) -> gn.Tensor:
        return -0.25 * x.pow(2) / y + 0.5 * gn.log(-math.pi / y)
