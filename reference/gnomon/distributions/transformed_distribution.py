"""TransformedDistribution: a distribution behind transforms.

Source: torch/distributions/transformed_distribution.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of ``y = f(x)`` for x from ``base_distribution`` and f the composition of
    ``transforms``.

    The density of y is that of x, divided by ``|dy/dx|``; x is found by inverting the transforms.  Raises
    ValueError for anything but transforms, and for a base distribution of fewer dimensions than f needs.

    Source: torch.distributions.TransformedDistribution.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    base_dist: Any

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(each, Transform) for each in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        else:
            self.transforms = transforms

        transform = ComposeTransform(self.transforms)
        domain_dim, codomain_dim = transform.domain.event_dim, transform.codomain.event_dim
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        if len(base_shape) < domain_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {domain_dim}, but got "
                f"{base_shape}."
            )
        # parameters of the transforms may have a larger batch shape than the base distribution
        forward_shape = transform.forward_shape(base_shape)
        expanded_base_shape = transform.inverse_shape(forward_shape)
        if base_shape != expanded_base_shape:
            base_distribution = base_distribution.expand(
                expanded_base_shape[: len(expanded_base_shape) - base_event_dim]
            )
        if domain_dim > base_event_dim:
            base_distribution = Independent(base_distribution, domain_dim - base_event_dim)
        self.base_dist = base_distribution

        event_dim = max(codomain_dim, base_event_dim + codomain_dim - domain_dim)
        if len(forward_shape) < event_dim:
            raise AssertionError(
                f"forward_shape length {len(forward_shape)} must be >= event_dim {event_dim}"
            )
        cut = len(forward_shape) - event_dim
        super().__init__(forward_shape[:cut], forward_shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        shape = gn.Size((*batch_shape, *self.event_shape))
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        return self._set_shapes(new, batch_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        if len(self.event_shape) > support.event_dim:
            support = constraints.independent(support, len(self.event_shape) - support.event_dim)
        return support

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    def _transformed(self, value: Any) -> Any:
        for transform in self.transforms:
            value = transform(value)
        return value

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """Samples of the base distribution, transformed; without gradients."""
        with gn.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """Reparametrized samples of the base distribution, transformed."""
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        """The base distribution's at the inverted value, minus ``log |dy/dx|``."""
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self.event_shape)
        log_prob: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            log_prob = log_prob - _sum_rightmost(
                transform.log_abs_det_jacobian(x, y), event_dim - transform.domain.event_dim
            )
            y = x
        return log_prob + _sum_rightmost(
            self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape)
        )

    def _monotonize_cdf(self, value: Any) -> Any:
        """``1 - value`` where the transforms decrease."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        """The base distribution's at the inverted value, or 1 minus it where the transforms decrease."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        """The base distribution's, transformed."""
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
