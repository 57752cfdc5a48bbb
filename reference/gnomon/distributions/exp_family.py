"""The base class of exponential families.  Source: torch/distributions/exp_family.py."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions with the density ``exp(<t(x), theta> - F(theta) + k(x))``.

    theta are the natural parameters, t the sufficient statistic, F the log normalizer and k the carrier
    measure.  A family that defines the members below has an entropy and a KL divergence, by differentiating
    F.

    Source: torch.distributions.ExponentialFamily; Nielsen and Nock, "Entropies and cross-entropies of
    exponential families" (2010).
    """

    @property
    def _natural_params(self) -> tuple[gn.Tensor, ...]:
        """theta, as functions of the parameters."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> gn.Tensor:
        """F(theta)."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        """The expectation of k(x)."""
        raise NotImplementedError

    def entropy(self) -> gn.Tensor:
        """``-E[k(x)] + F(theta) - <theta, F'(theta)>``."""
        parameters = [each.detach().requires_grad_() for each in self._natural_params]
        log_normalizer = self._log_normalizer(*parameters)
        gradients: Any = gn.autograd.grad(log_normalizer.sum(), parameters, create_graph=True)
        result = log_normalizer - self._mean_carrier_measure
        for parameter, gradient in zip(parameters, gradients):
            result = result - (parameter * gradient).reshape((*self._batch_shape, -1)).sum(-1)
        return result
