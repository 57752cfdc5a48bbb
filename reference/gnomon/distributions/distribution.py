"""The base class of distributions.  Source: torch/distributions/distribution.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from ..values.errors import warn
from . import constraints
from .utils import lazy_property

__all__ = ["Distribution"]


class Distribution:
    """A batch of probability distributions: independent ones, of the same family, with own parameters.

    A sample has the shape ``sample_shape + batch_shape + event_shape``: samples over ``sample_shape`` are
    independent and identically distributed, those over ``batch_shape`` independent, and ``event_shape`` is
    the shape of one draw.  ``log_prob`` and the like return tensors without the event's dimensions.

    Args: ``validate_args`` says whether parameters and values are checked; by default they are
    (``__debug__``), and ValueError tells what is invalid.

    Source: torch.distributions.Distribution.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check their arguments by default; ValueError for anything but a bool."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: gn.Size = gn.Size(),
        event_shape: gn.Size = gn.Size(),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    def _validate_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            arg_constraints = {}
            warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation.",
            )
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue  # cannot be checked
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue  # follows from other parameters
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                    f"values:\n{value}"
                )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """This distribution with its parameters expanded, without copies, to another ``batch_shape``.

        ``_instance``: what a subclass that overrides this method passes on, a new instance of itself.
        """
        raise NotImplementedError

    @property
    def batch_shape(self) -> gn.Size:
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self) -> gn.Size:
        """The shape of a single draw."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraints of the parameters, by name."""
        raise NotImplementedError

    @property
    def support(self) -> constraints.Constraint | None:
        """The constraint of values: where the distribution has mass."""
        raise NotImplementedError

    @property
    def mean(self) -> gn.Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> gn.Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> gn.Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> gn.Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """Samples of shape ``sample_shape + batch_shape + event_shape``, without gradients."""
        with gn.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Tensor:
        """Reparametrized samples: differentiable functions of the parameters and of random numbers."""
        raise NotImplementedError

    def sample_n(self, n: int) -> gn.Tensor:
        """``n`` samples; deprecated in favor of ``sample((n,))``."""
        warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.",
            FutureWarning,
        )
        return self.sample(gn.Size((n,)))

    def log_prob(self, value: gn.Tensor) -> gn.Tensor:
        """The logarithm of the probability density or mass at ``value``."""
        raise NotImplementedError

    def cdf(self, value: gn.Tensor) -> gn.Tensor:
        """The probability of values up to ``value``."""
        raise NotImplementedError

    def icdf(self, value: gn.Tensor) -> gn.Tensor:
        """The inverse of ``cdf``."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> gn.Tensor:
        """All values of a discrete distribution, along a new first dimension.

        Its shape is ``(cardinality,) + batch_shape + event_shape``, or with ones for the batch shape if not
        ``expand``.
        """
        raise NotImplementedError

    def entropy(self) -> gn.Tensor:
        """The entropy, in nats."""
        raise NotImplementedError

    def perplexity(self) -> gn.Tensor:
        """The exponential of the entropy."""
        return gn.exp(self.entropy())

    def _extended_shape(self, sample_shape: Sequence[int] = gn.Size()) -> gn.Size:
        return gn.Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: gn.Tensor) -> None:
        """Raises ValueError if ``value`` has no shape of a sample, or is outside the support."""
        if not isinstance(value, gn.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        actual = value.size()
        if actual[len(actual) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {actual} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(actual), reversed(expected)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {actual} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize "
                "the distribution with `validate_args=False` to turn off validation.",
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                f"within the support ({support!r}) of the distribution {self!r}, but found invalid "
                f"values:\n{value}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """The instance that ``expand`` of ``cls`` fills: the given one, or a new one of this type."""
        if _instance is None and type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _set_shapes(self, new: Any, batch_shape: Sequence[int]) -> Any:
        """The last step of ``expand``: the shapes of ``new``, whose parameters are known to be valid."""
        Distribution.__init__(new, gn.Size(batch_shape), self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expand_parameters(self, new: Any, batch_shape: Sequence[int], *names: str) -> Any:
        """``new`` with these parameters, as far as they are set and without event dimensions, expanded."""
        for name in names:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape))
        return self._set_shapes(new, batch_shape)

    def __repr__(self) -> str:
        parameters = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        shown = (
            f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in parameters.items()
        )
        return f"{self.__class__.__name__}({', '.join(shown)})"
