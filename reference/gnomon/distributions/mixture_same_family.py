"""Mixtures of distributions of one family.  Source: torch/distributions/mixture_same_family.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture: the last batch dimension of ``component_distribution`` counts the components, of which
    ``mixture_distribution``, a Categorical, selects one.

    Raises ValueError for distributions of other kinds, or whose batch shapes do not fit.

    Source: torch.distributions.MixtureSameFamily.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    has_rsample = False

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of gnomon.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of gnomon.distributions.Distribution"
            )
        of_mixture = mixture_distribution.batch_shape
        of_components = component_distribution.batch_shape[:-1]
        for size1, size2 in zip(reversed(of_mixture), reversed(of_components)):
            if size1 != 1 and size2 != 1 and size1 != size2:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({of_mixture}) is not compatible with "
                    f"`component_distribution.batch_shape`({of_components})"
                )
        weights = mixture_distribution.logits.shape[-1]
        components = component_distribution.batch_shape[-1]
        if weights != components:
            raise ValueError(
                f"`mixture_distribution component` ({weights}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({components})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = weights
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(of_components, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        of_components = gn.Size((*batch_shape, self._num_component))
        new._component_distribution = self._component_distribution.expand(of_components)
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component = self._num_component
        new._event_ndims = self._event_ndims
        return self._set_shapes(new, batch_shape)

    @constraints.dependent_property
    def support(self) -> Any:
        assert self._component_distribution.support is not None
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution that selects a component."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    def _mixed(self, value: gn.Tensor) -> gn.Tensor:
        """The mean over the components of a value of each."""
        probs = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return gn.sum(probs * value, dim=-1 - self._event_ndims)

    @property
    def mean(self) -> gn.Tensor:
        return self._mixed(self.component_distribution.mean)

    @property
    def variance(self) -> gn.Tensor:
        """The mean of the components' variances plus the variance of their means."""
        within = self._mixed(self.component_distribution.variance)
        between = self._mixed((self.component_distribution.mean - self._pad(self.mean)).pow(2.0))
        return within + between

    def cdf(self, x: gn.Tensor) -> gn.Tensor:
        cdf = self.component_distribution.cdf(self._pad(x))
        return gn.sum(cdf * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x: gn.Tensor) -> gn.Tensor:
        if self._validate_args:
            self._validate_sample(x)
        log_prob = self.component_distribution.log_prob(self._pad(x))
        log_weights = gn.log_softmax(self.mixture_distribution.logits, dim=-1)
        return gn.logsumexp(log_prob + log_weights, dim=-1)

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """Samples of all components, of which those of the selected ones are kept."""
        with gn.no_grad():
            component_dim = len(sample_shape) + len(self.batch_shape)
            selected = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            selected = selected.reshape((*selected.shape, 1, *(1,) * self._event_ndims))
            selected = selected.expand((*selected.shape[: -self._event_ndims or None], *self.event_shape))
            return gn.gather(samples, component_dim, selected).squeeze(component_dim)

    def _pad(self, x: gn.Tensor) -> gn.Tensor:
        """With a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: gn.Tensor) -> gn.Tensor:
        """A tensor of the mixture distribution, with the dimensions of the batch and of the event."""
        of_mixture = len(self.mixture_distribution.batch_shape)
        padding = 0 if of_mixture == 1 else len(self.batch_shape) - of_mixture
        return x.reshape((*x.shape[:-1], *(1,) * padding, x.shape[-1], *(1,) * self._event_ndims))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
