"""From constraints to transforms: ``biject_to`` and ``transform_to``.

Both map a constraint to a transform from unconstrained values to values within the constraint.  That of
``biject_to(constraint)`` is bijective and has a Jacobian; that of ``transform_to(constraint)`` may use more
coordinates than the values have, which often optimizes better (softmax for the simplex).

Source: torch/distributions/constraint_registry.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, transforms
from .utils import _Number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Maps classes of constraints to functions that make a transform for a constraint.

    Source: torch.distributions.constraint_registry.ConstraintRegistry.
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Register ``factory`` for the class of a constraint (or of an instance); without it, a decorator.

        Raises TypeError for anything but a constraint.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: constraints.Constraint) -> transforms.Transform:
        """The transform to a constraint; NotImplementedError if none is registered for its class."""
        try:
            factory = self._registry[type(constraint)]
        except KeyError:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints") from None
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _register_in_both(*registered: Any) -> Callable[[Any], Any]:
    """Register a function for these constraints in both registries."""

    def decorator(factory: Callable[[Any], Any]) -> Callable[[Any], Any]:
        for constraint in registered:
            biject_to.register(constraint, factory)
            transform_to.register(constraint, factory)
        return factory

    return decorator


@_register_in_both(constraints.real)
def _to_real(constraint: Any) -> Any:
    return transforms.identity_transform


@_register_in_both(constraints.positive, constraints.nonnegative)
def _to_positive(constraint: Any) -> Any:
    return transforms.ExpTransform()


@_register_in_both(constraints.greater_than, constraints.greater_than_eq)
def _to_greater_than(constraint: Any) -> Any:
    above = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), above])


@_register_in_both(constraints.less_than)
def _to_less_than(constraint: Any) -> Any:
    below = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), below])


@_register_in_both(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint: Any) -> Any:
    lower, upper = constraint.lower_bound, constraint.upper_bound
    if isinstance(lower, _Number) and isinstance(upper, _Number) and (lower, upper) == (0, 1):
        return transforms.SigmoidTransform()
    scaled = transforms.AffineTransform(lower, upper - lower)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), scaled])


@_register_in_both(constraints.corr_cholesky)
def _to_corr_cholesky(constraint: Any) -> Any:
    return transforms.CorrCholeskyTransform()


@biject_to.register(constraints.simplex)
def _biject_to_simplex(constraint: Any) -> Any:
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _transform_to_simplex(constraint: Any) -> Any:
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _transform_to_lower_cholesky(constraint: Any) -> Any:
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _transform_to_positive_definite(constraint: Any) -> Any:
    return transforms.PositiveDefiniteTransform()


def _register_composite(registry: ConstraintRegistry) -> None:
    """Constraints of constraints, whose transforms come from the same registry."""

    @registry.register(constraints.independent)
    def _to_independent(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    @registry.register(constraints.cat)
    def _to_cat(constraint: Any) -> Any:
        parts = [registry(each) for each in constraint.cseq]
        return transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    @registry.register(constraints.stack)
    def _to_stack(constraint: Any) -> Any:
        return transforms.StackTransform([registry(each) for each in constraint.cseq], constraint.dim)


_register_composite(biject_to)
_register_composite(transform_to)
