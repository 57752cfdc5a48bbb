"""Constraints: sets of values, of which ``check`` tells whether tensors are in them.

``event_dim`` is the number of dimensions of one value: ``check`` returns a bool tensor without these
dimensions. Constraints without parameters are instances (``real``, ``positive``, ``simplex``); the others
are classes (``interval(lower_bound, upper_bound)``).

Source: torch/distributions/constraints.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gnomon as gn

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class Constraint:
    """A set of values in which a variable may be.

    Attributes: ``is_discrete``, whether the values are isolated; ``event_dim``, the number of dimensions of a
    value.  Source: torch.distributions.constraints.Constraint.
    """

    is_discrete = False
    event_dim = 0

    def check(self, value: gn.Tensor) -> gn.Tensor:
        """A bool tensor of shape ``value.shape`` without the event dimensions: is each value in the set?"""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.__class__.__name__[1:] + "()"


class _Dependent(Constraint):
    """A constraint that depends on other variables, and cannot be checked."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """This constraint with static properties: ``constraints.dependent(event_dim=1)``."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: gn.Tensor) -> gn.Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Is this the constraint ``dependent``, or a ``dependent_property`` of a class?"""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property that returns a constraint; the class has a dependent constraint in its place.

    Used as ``@dependent_property`` or ``@dependent_property(is_discrete=…, event_dim=…)``.
    """

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        property.__init__(self, fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def _all_rightmost(valid: gn.Tensor, dims: int) -> gn.Tensor:
    """Are all elements true over the ``dims`` rightmost dimensions?"""
    return valid.reshape((*valid.shape[: valid.dim() - dims], -1)).all(-1)


def _check_is_constraint(base_constraint: Any) -> None:
    if not isinstance(base_constraint, Constraint):
        raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")


class _OfBase(Constraint):
    """A constraint that is discrete if its base constraint is."""

    base_constraint: Constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete


class _IndependentConstraint(_OfBase):
    """Combines the rightmost dimensions of a constraint: a value is valid if all its elements are."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        _check_is_constraint(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError(
                f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}"
            )
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: gn.Tensor) -> gn.Tensor:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_rightmost(result, self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_OfBase):
    """The constraint of a mixture's values: those valid for all its components.

    Source: torch.distributions.constraints.MixtureSameFamilyConstraint.
    """

    def __init__(self, base_constraint: Constraint) -> None:
        _check_is_constraint(base_constraint)
        self.base_constraint = base_constraint

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim

    def check(self, value: gn.Tensor) -> gn.Tensor:
        """Is each value, of shape ``batch_shape + event_shape``, valid for all components?"""
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = value.dim() - self.event_dim
        return _all_rightmost(result, result.dim() - kept)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return boolean.check(value).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    """A constraint by bounds, which are numbers or tensors; its repr shows them."""

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={bound}" for name, bound in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _BoundedBelow(_Bounded):
    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound


class _BoundedAbove(_Bounded):
    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound


class _BoundedOnBothSides(_Bounded):
    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound


def _is_integer(value: gn.Tensor) -> gn.Tensor:
    return value % 1 == 0


class _IntegerInterval(_BoundedOnBothSides):
    is_discrete = True

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return _is_integer(value) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_BoundedAbove):
    is_discrete = True

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return _is_integer(value) & (value <= self.upper_bound)


class _IntegerGreaterThan(_BoundedBelow):
    is_discrete = True

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return _is_integer(value) & (value >= self.lower_bound)


class _Real(Constraint):
    """All numbers, with the infinities, but not NaN."""

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return value == value


class _GreaterThan(_BoundedBelow):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        return self.lower_bound < value


class _GreaterThanEq(_BoundedBelow):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        return self.lower_bound <= value


class _LessThan(_BoundedAbove):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        return value < self.upper_bound


class _Interval(_BoundedOnBothSides):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_BoundedOnBothSides):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    """Vectors of elements that are not negative and sum to 1, within 1e-6."""

    event_dim = 1

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Vectors of counts that sum to at most ``upper_bound``."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return _all_rightmost(value.tril() == value, 2)


class _LowerCholesky(_LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: gn.Tensor) -> gn.Tensor:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """Cholesky factors of correlation matrices: their rows have length 1."""

    def check(self, value: gn.Tensor) -> gn.Tensor:
        tolerance = gn.finfo(value.dtype).eps * value.size(-1) * 10  # rounding of a row's length
        lengths = gn.linalg.norm(value.detach(), dim=-1)
        return super().check(value) & ((lengths - 1.0).abs() <= tolerance).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: gn.Tensor) -> gn.Tensor:
        is_square = value.shape[-2] == value.shape[-1]
        return gn.full(value.shape[:-2], is_square, dtype=gn.bool, device=value.device)


class _Symmetric(_Square):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        is_square = super().check(value)
        if not is_square.all():
            return is_square
        return gn.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        is_symmetric = super().check(value)
        if not is_symmetric.all():
            return is_symmetric
        return (gn.linalg.eigvalsh(value) >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: gn.Tensor) -> gn.Tensor:
        is_symmetric = super().check(value)
        if not is_symmetric.all():
            return is_symmetric
        return gn.linalg.cholesky_ex(value).info == 0


class _OfSequence(Constraint):
    """Constraints for the parts of a value along a dimension."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        if not all(isinstance(each, Constraint) for each in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return any(each.is_discrete for each in self.cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return max(each.event_dim for each in self.cseq)

    def _check_dim(self, value: gn.Tensor) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_OfSequence):
    """Constraints for parts of the given lengths along a dimension, as ``gn.cat`` joins them."""

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: gn.Tensor) -> gn.Tensor:
        self._check_dim(value)
        checks, start = [], 0
        for constraint, length in zip(self.cseq, self.lengths):
            checks.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return gn.cat(checks, self.dim)


class _Stack(_OfSequence):
    """Constraints for the slices along a dimension, as ``gn.stack`` joins them."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        dim = max(each.event_dim for each in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim  # one more if the slices lie inside the event

    def check(self, value: gn.Tensor) -> gn.Tensor:
        self._check_dim(value)
        slices = value.unbind(self.dim)
        return gn.stack([each.check(part) for each, part in zip(self.cseq, slices)], self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
