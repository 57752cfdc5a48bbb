"""Independent: batch dimensions as event dimensions.  Source: torch/distributions/independent.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import _sum_rightmost

__all__ = ["Independent"]

D = TypeVar("D", bound=Distribution)


class Independent(Distribution, Generic[D]):
    """A distribution whose last ``reinterpreted_batch_ndims`` batch dimensions belong to the event.

    ``log_prob`` and ``entropy`` sum over them.  Raises ValueError if the base distribution has fewer.

    Source: torch.distributions.Independent.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    base_dist: D

    def __init__(
        self, base_distribution: D, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Independent, _instance)
        reinterpreted = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand(gn.Size((*batch_shape, *reinterpreted)))
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        return self._set_shapes(new, batch_shape)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        result = self.base_dist.support
        if self.reinterpreted_batch_ndims and result is not None:
            return constraints.independent(result, self.reinterpreted_batch_ndims)
        return result

    @property
    def mean(self) -> gn.Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> gn.Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> gn.Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> gn.Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> gn.Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
