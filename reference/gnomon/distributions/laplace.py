"""The Laplace distribution.  Source: torch/distributions/laplace.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import batch_shape_of, broadcast_all

__all__ = ["Laplace"]


class Laplace(Distribution):
    """With the density ``exp(-|x - loc| / scale) / (2 * scale)``.  Source: torch.distributions.Laplace."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(
        self, loc: gn.Tensor | float, scale: gn.Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of(self.loc, loc, scale), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Laplace, _instance)
        return self._expand_parameters(new, batch_shape, "loc", "scale")

    @property
    def mean(self) -> gn.Tensor:
        return self.loc

    @property
    def mode(self) -> gn.Tensor:
        return self.loc

    @property
    def variance(self) -> gn.Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> gn.Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        uniform = self.loc.new_empty(self._extended_shape(sample_shape))
        uniform.uniform_(gn.finfo(self.loc.dtype).eps - 1, 1)  # not -1, where the logarithm is -inf
        return self.loc - self.scale * uniform.sign() * gn.log1p(-uniform.abs())

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -gn.log(2 * self.scale) - gn.abs(value - self.loc) / self.scale

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * gn.expm1(-distance.abs() / self.scale)

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        centered = value - 0.5
        return self.loc - self.scale * centered.sign() * gn.log1p(-2 * centered.abs())

    def entropy(self) -> gn.Tensor:
        return 1 + gn.log(2 * self.scale)
