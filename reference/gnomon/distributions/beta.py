"""The beta distribution.  Source: torch/distributions/beta.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .utils import _Number, broadcast_all

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """On (0, 1), with the density in proportion to
    ``x ** (concentration1 - 1) * (1 - x) ** (concentration0 - 1)``.

    It is the first component of a Dirichlet distribution of two.

    Source: torch.distributions.Beta.
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        concentration1: gn.Tensor | float,
        concentration0: gn.Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(concentration1, _Number) and isinstance(concentration0, _Number):
            both = gn.tensor([float(concentration1), float(concentration0)])
        else:
            both = gn.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Beta, _instance)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return self._set_shapes(new, batch_shape)

    @property
    def mean(self) -> gn.Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> gn.Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> gn.Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> gn.Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(gn.stack([value, 1.0 - value], -1))

    def entropy(self) -> gn.Tensor:
        return self._dirichlet.entropy()

    @property
    def concentration1(self) -> gn.Tensor:
        """The concentration at 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> gn.Tensor:
        """The concentration at 0."""
        return self._dirichlet.concentration[..., 1]

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: gn.Tensor, y: gn.Tensor) -> gn.Tensor:
        return gn.lgamma(x) + gn.lgamma(y) - gn.lgamma(x + y)
