"""The Dirichlet distribution.  Source: torch/distributions/dirichlet.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon.autograd import Function
from gnomon.autograd.function import once_differentiable
from gnomon.nn import functional as F

from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class _Dirichlet(Function):
    """Samples, differentiated implicitly: see ``_dirichlet_grad``."""

    @staticmethod
    def forward(ctx: Any, concentration: gn.Tensor) -> gn.Tensor:
        x = gn.ops.aten._sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: gn.Tensor) -> gn.Tensor:
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        grad = gn.ops.aten._dirichlet_grad(x, concentration, total)
        # a component's concentration moves the others in proportion, so that the sum stays 1
        return grad * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """On the simplex, with the density in proportion to the product of ``x ** (concentration - 1)``.

    ``concentration`` has the components in its last dimension; ValueError if it has no dimension.

    Source: torch.distributions.Dirichlet.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: gn.Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Dirichlet, _instance)
        new.concentration = self.concentration.expand((*batch_shape, *self.event_shape))
        return self._set_shapes(new, batch_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> gn.Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (
            gn.xlogy(self.concentration - 1.0, value).sum(-1)
            + gn.lgamma(self.concentration.sum(-1))
            - gn.lgamma(self.concentration).sum(-1)
        )

    @property
    def mean(self) -> gn.Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> gn.Tensor:
        """The densest point, or one of the corners where all concentrations are below 1."""
        above_1 = (self.concentration - 1).clamp(min=0.0)
        mode = above_1 / above_1.sum(-1, True)
        corner = F.one_hot(mode.argmax(dim=-1), above_1.shape[-1]).to(mode)
        return gn.where((self.concentration < 1).all(dim=-1, keepdim=True), corner, mode)

    @property
    def variance(self) -> gn.Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> gn.Tensor:
        k = self.concentration.size(-1)
        total = self.concentration.sum(-1)
        return (
            gn.lgamma(self.concentration).sum(-1)
            - gn.lgamma(total)
            - (k - total) * gn.digamma(total)
            - ((self.concentration - 1.0) * gn.digamma(self.concentration)).sum(-1)
        )

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: gn.Tensor) -> gn.Tensor:
        return x.lgamma().sum(-1) - gn.lgamma(x.sum(-1))
