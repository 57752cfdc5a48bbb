"""Transforms: functions of tensors with an inverse and the logarithm of the Jacobian's determinant.

A transform is called as a function, and ``t.inv`` is its inverse, a transform as well.  ``domain`` and
``codomain`` are constraints of its arguments and results; those of more than one dimension are mapped as a
whole, and ``log_abs_det_jacobian`` sums over these dimensions.  With ``cache_size=1`` a transform remembers
its last argument and result, so that inverting the result returns the argument itself.

Source: torch/distributions/transforms.py.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F

from . import constraints
from .distribution import Distribution
from .utils import (
    _Number,
    _sum_rightmost,
    broadcast_all,
    lazy_property,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


class Transform:
    """The base class: a subclass defines ``_call``, and as far as they exist ``_inverse`` and
    ``log_abs_det_jacobian``.

    Attributes: ``bijective``, whether ``t.inv(t(x))`` is x; ``sign``, 1 or -1 where the transform increases
    or decreases (of one variable).  Raises ValueError for a ``cache_size`` other than 0 or 1.

    Source: torch.distributions.transforms.Transform.
    """

    bijective = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Transform | None = None
        self._cached_x_y: tuple[Any, Any] = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}  # the inverse refers back to this transform

    @property
    def event_dim(self) -> int:
        """The event dimensions, if domain and codomain have as many; else ValueError."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        raise NotImplementedError

    def _arguments(self) -> dict[str, Any]:
        """What ``__init__`` needs, without ``cache_size``, to make an equal transform."""
        if type(self).__init__ is Transform.__init__:
            return {}
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with another cache size."""
        if self._cache_size == cache_size:
            return self
        return type(self)(**self._arguments(), cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __call__(self, x: Any) -> Any:
        """The transformed x."""
        if self._cache_size == 0:
            return self._call(x)
        x_old, y_old = self._cached_x_y
        if x is x_old:
            return y_old
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Any) -> Any:
        if self._cache_size == 0:
            return self._inverse(y)
        x_old, y_old = self._cached_x_y
        if y is y_old:
            return x_old
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """``log |dy/dx|`` at x, with ``y = self(x)``."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.__class__.__name__ + "()"

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        """The shape of the result for an argument of this shape."""
        return shape

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        """The shape of the argument for a result of this shape."""
        return shape


class _InverseTransform(Transform):
    """The inverse of a transform, which computes and caches."""

    _inv: Transform

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return self._inv.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self._inv!r})"

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """Transforms one after another, the first of ``parts`` first; the parts cache, with ``cache_size=1``.

    Source: torch.distributions.transforms.ComposeTransform.
    """

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        if not self.parts:
            return constraints.real
        domain = self.parts[0].domain
        # backwards: the dimensions of the argument that the parts up to the last see as one event
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return _with_event_dim(domain, event_dim, "domain")

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        if not self.parts:
            return constraints.real
        codomain = self.parts[-1].codomain
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return _with_event_dim(codomain, event_dim, "codomain")

    @lazy_property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self) -> Transform:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def _arguments(self) -> dict[str, Any]:
        return {"parts": self.parts}

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return gn.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms = []
        event_dim = self.domain.event_dim
        for part, before, after in zip(self.parts, values, values[1:]):
            term = part.log_abs_det_jacobian(before, after)
            terms.append(_sum_rightmost(term, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        parts = ",\n    ".join(repr(part) for part in self.parts)
        return f"{self.__class__.__name__}(\n    {parts}\n)"


def _with_event_dim(constraint: Any, event_dim: int, name: str) -> Any:
    """The constraint, of independent values in more dimensions."""
    if event_dim < constraint.event_dim:
        raise AssertionError(f"event_dim {event_dim} must be >= {name}.event_dim {constraint.event_dim}")
    if event_dim > constraint.event_dim:
        return constraints.independent(constraint, event_dim - constraint.event_dim)
    return constraint


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose ``reinterpreted_batch_ndims`` rightmost batch dimensions belong to the event.

    It maps as the base transform, and sums ``log_abs_det_jacobian`` over these dimensions.

    Source: torch.distributions.transforms.IndependentTransform.
    """

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _arguments(self) -> dict[str, Any]:
        return {
            "base_transform": self.base_transform,
            "reinterpreted_batch_ndims": self.reinterpreted_batch_ndims,
        }

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Any) -> Any:
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        result = self.base_transform.log_abs_det_jacobian(x, y)
        return _sum_rightmost(result, self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Reshapes the rightmost dimensions from ``in_shape`` to ``out_shape``, of as many elements.

    Source: torch.distributions.transforms.ReshapeTransform.
    """

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape = gn.Size(in_shape)
        self.out_shape = gn.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    def _arguments(self) -> dict[str, Any]:
        return {"in_shape": self.in_shape, "out_shape": self.out_shape}

    def _call(self, x: Any) -> Any:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Any) -> Any:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        return _reshaped(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        return _reshaped(shape, self.out_shape, self.in_shape)


def _check_dims(shape: Sequence[int], dims: int) -> None:
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")


def _reshaped(shape: gn.Size, before: gn.Size, after: gn.Size) -> gn.Size:
    _check_dims(shape, len(before))
    cut = len(shape) - len(before)
    if shape[cut:] != before:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {before}")
    return shape[:cut] + after


class _OfType(Transform):
    """A transform without parameters: equal to all others of its class."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class ExpTransform(_OfType):
    """``y = exp(x)``.  Source: torch.distributions.transforms.ExpTransform."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class PowerTransform(Transform):
    """``y = x ** exponent`` of positive x.  Source: torch.distributions.transforms.PowerTransform."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _arguments(self) -> dict[str, Any]:
        return {"exponent": self.exponent}

    @lazy_property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and _are_equal(self.exponent, other.exponent)

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        return gn.broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        return gn.broadcast_shapes(shape, self.exponent.shape)


def _are_equal(parameter: Any, other: Any) -> bool:
    """Are two parameters, numbers or tensors, equal everywhere?"""
    equal = parameter == other
    return equal if isinstance(equal, bool) else bool(equal.all().item())


def _clipped_sigmoid(x: Any) -> Any:
    """The sigmoid, within the open interval (0, 1)."""
    limits = gn.finfo(x.dtype)
    return gn.sigmoid(x).clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_OfType):
    """``y = 1 / (1 + exp(-x))``, with ``x = logit(y)``; y stays within the open interval.

    Source: torch.distributions.transforms.SigmoidTransform.
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        limits = gn.finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(_OfType):
    """``y = log(1 + exp(x))``.  Source: torch.distributions.transforms.SoftplusTransform."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return F.softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -F.softplus(-x)


class TanhTransform(_OfType):
    """``y = tanh(x)``; for inverting results near 1 or -1 use a cache.

    Source: torch.distributions.transforms.TanhTransform.
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return gn.atanh(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))  # log(1 - tanh(x)**2), without cancellation


class AbsTransform(_OfType):
    """``y = |x|``, whose inverse is the positive x.  Source: torch.distributions.transforms.AbsTransform."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class AffineTransform(Transform):
    """``y = loc + scale * x``, with numbers or tensors; ``event_dim`` dimensions belong to the event.

    Source: torch.distributions.transforms.AffineTransform.
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        if self.event_dim == 0:
            return constraints.real
        return constraints.independent(constraints.real, self.event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return self.domain

    def _arguments(self) -> dict[str, Any]:
        return {"loc": self.loc, "scale": self.scale, "event_dim": self.event_dim}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform)
            and _are_equal(self.loc, other.loc)
            and _are_equal(self.scale, other.scale)
        )

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, _Number):
            return 1 if self.scale > 0 else -1 if self.scale < 0 else 0
        return self.scale.sign()

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if isinstance(self.scale, _Number):
            result = gn.full_like(x, math.log(abs(self.scale)))
        else:
            result = gn.abs(self.scale).log()
        shape = x.shape
        if self.event_dim:
            result = _sum_rightmost(result, self.event_dim)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        parameters = (self.loc, self.scale)
        return gn.broadcast_shapes(shape, *(getattr(each, "shape", ()) for each in parameters))

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        return self.forward_shape(shape)


class CorrCholeskyTransform(Transform):
    """Maps vectors of ``D (D - 1) / 2`` numbers to Cholesky factors of D x D correlation matrices.

    The numbers fill a matrix below its diagonal, row by row; tanh takes them into (-1, 1), and each row is a
    stick of length 1 that is broken there (signed, and of squares), so that the rows have length 1.

    Source: torch.distributions.transforms.CorrCholeskyTransform; Stan's manual, "Cholesky factors of
    correlation matrices".
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = gn.finfo(x.dtype).eps
        ratios = vec_to_tril_matrix(gn.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - ratios**2).sqrt().cumprod(-1)  # the length of the stick that is left
        ratios = ratios + gn.eye(ratios.shape[-1], dtype=ratios.dtype, device=ratios.device)
        return ratios * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = F.pad((1 - gn.cumsum(y * y, dim=-1))[..., :-1], [1, 0], value=1)
        ratios = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (ratios.log1p() - ratios.neg().log1p()) / 2  # atanh

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        # only the squares' sums of two or more elements below the diagonal enter, as the first row is fixed
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        of_sticks = 0.5 * left.log().sum(-1)
        of_tanh = -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return of_sticks + of_tanh

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        _check_dims(shape, 1)
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return gn.Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        _check_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        size = shape[-1]
        return gn.Size((*shape[:-2], size * (size - 1) // 2))


class SoftmaxTransform(_OfType):
    """``y = softmax(x)``, with ``x = log(y)``; not bijective, nor does it have a Jacobian.

    Source: torch.distributions.transforms.SoftmaxTransform.
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        _check_dims(shape, 1)
        return shape

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        return self.forward_shape(shape)


class StickBreakingTransform(_OfType):
    """Maps vectors of K numbers to the simplex of K + 1: each breaks off a fraction of what is left of a
    stick.

    Source: torch.distributions.transforms.StickBreakingTransform.
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _offset(self, x: Any) -> Any:
        """K, K - 1 … 1: with x = 0 all pieces have the same length."""
        return x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)

    def _call(self, x: Any) -> Any:
        fractions = _clipped_sigmoid(x - self._offset(x).log())
        left = (1 - fractions).cumprod(-1)
        return F.pad(fractions, [0, 1], value=1) * F.pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        pieces = y[..., :-1]
        # the sums may exceed 1 by rounding
        left = (1 - pieces.cumsum(-1)).clamp(min=gn.finfo(y.dtype).tiny)
        return pieces.log() - left.log() + self._offset(pieces).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - self._offset(x).log()
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: gn.Size) -> gn.Size:
        _check_dims(shape, 1)
        return gn.Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: gn.Size) -> gn.Size:
        _check_dims(shape, 1)
        return gn.Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(_OfType):
    """Maps square matrices to lower triangular ones with a positive diagonal, by exp of the diagonal.

    Source: torch.distributions.transforms.LowerCholeskyTransform.
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_OfType):
    """Maps square matrices to positive definite ones, ``L @ L.mT`` with L of LowerCholeskyTransform.

    Source: torch.distributions.transforms.PositiveDefiniteTransform.
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(gn.linalg.cholesky(y))


class _OfParts(Transform):
    """Transforms of the parts of a tensor along ``dim``."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(each, Transform) for each in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [each.with_cache(cache_size) for each in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(each.bijective for each in self.transforms)

    def _check(self, value: Any, length: int, meaning: str, name: str, kind: str) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {kind} with {value.dim()} dimensions")
        size = value.size(self.dim)
        if size != length:
            raise AssertionError(f"{name}.size({self.dim}) = {size} must equal {meaning} {length}")


class CatTransform(_OfParts):
    """Transforms parts of the given ``lengths`` (1 each by default) along ``dim``, and joins them by ``cat``.

    Source: torch.distributions.transforms.CatTransform.
    """

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )

    @lazy_property
    def event_dim(self) -> int:
        return max(each.event_dim for each in self.transforms)

    @lazy_property
    def length(self) -> int:
        """The length of all parts together."""
        return sum(self.lengths)

    def _arguments(self) -> dict[str, Any]:
        return {"tseq": self.transforms, "dim": self.dim, "lengths": self.lengths}

    def _parts(self, value: Any, name: str, kind: str = "tensor") -> Any:
        self._check(value, self.length, "length", name, kind)
        return value.split(self.lengths, self.dim)

    def _call(self, x: Any) -> Any:
        parts = zip(self.transforms, self._parts(x, "x"))
        return gn.cat([each(part) for each, part in parts], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        parts = zip(self.transforms, self._parts(y, "y"))
        return gn.cat([each.inv(part) for each, part in parts], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        terms = []
        for each, of_x, of_y in zip(self.transforms, self._parts(x, "x", "x"), self._parts(y, "y", "y")):
            term = each.log_abs_det_jacobian(of_x, of_y)
            terms.append(_sum_rightmost(term, self.event_dim - each.event_dim))
        dim = self.dim if self.dim < 0 else self.dim - x.dim()
        dim += self.event_dim
        # the parts lie along a dimension of the batch, or within the event
        return gn.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)


class StackTransform(_OfParts):
    """Transforms the slices along ``dim``, one for each transform, and joins them by ``stack``.

    Source: torch.distributions.transforms.StackTransform.
    """

    def _arguments(self) -> dict[str, Any]:
        return {"tseq": self.transforms, "dim": self.dim}

    def _slices(self, value: Any, name: str, kind: str = "tensor") -> Any:
        self._check(value, len(self.transforms), "len(transforms)", name, kind)
        return value.unbind(self.dim)

    def _call(self, x: Any) -> Any:
        slices = zip(self.transforms, self._slices(x, "x"))
        return gn.stack([each(part) for each, part in slices], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        slices = zip(self.transforms, self._slices(y, "y"))
        return gn.stack([each.inv(part) for each, part in slices], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        slices = zip(self.transforms, self._slices(x, "x", "x"), self._slices(y, "y", "y"))
        terms = [each.log_abs_det_jacobian(of_x, of_y) for each, of_x, of_y in slices]
        return gn.stack(terms, dim=self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([each.codomain for each in self.transforms], self.dim)


class CumulativeDistributionTransform(Transform):
    """``y = distribution.cdf(x)``, with ``x = distribution.icdf(y)``.

    Source: torch.distributions.transforms.CumulativeDistributionTransform.
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        return self.distribution.support

    def _arguments(self) -> dict[str, Any]:
        return {"distribution": self.distribution}

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)
