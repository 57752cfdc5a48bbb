"""Integrals and derivatives of sampled functions.

Source: aten/src/ATen/native/Integration.cpp, ReduceOps.cpp (gradient).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values import dtype as dtypes
from ...values.geometry import wrap_dim


def _check_not_bool(y: Any, x: Any = None) -> None:
    if x is not None and dtypes.bool_ in (x.dtype, y.dtype):
        raise RuntimeError("trapezoid: received a bool input for `x` or `y`, but bool is not supported")
    if y.dtype is dtypes.bool_:
        raise RuntimeError("trapezoid: received a bool input for `y`, but bool is not supported")


def _check_dx(name: str, dx: Any) -> None:
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def _intervals(name: str, y: Any, x: Any, dim: int) -> Any:
    """The lengths of the intervals between the points ``x``, with sizes that broadcast to those of ``y``."""
    if x.ndim == 1:
        if x.size(0) != y.size(dim):
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        sizes = [1] * y.ndim
        sizes[dim] = x.size(0)
        x = x.view(sizes)
    elif x.ndim < y.ndim:
        x = x.view((1,) * (y.ndim - x.ndim) + tuple(x.shape))
    return _after(x, dim) - _before(x, dim)


def _before(y: Any, dim: int) -> Any:
    """All points but the last."""
    return aten.slice.Tensor(y, dim, 0, -1)


def _after(y: Any, dim: int) -> Any:
    """All points but the first."""
    return aten.slice.Tensor(y, dim, 1)


def _empty_integral(y: Any, dim: int) -> Any:
    dim = wrap_dim(dim, y.ndim)
    return y.new_zeros([size for place, size in enumerate(y.shape) if place != dim])


def _trapezoid_x(y: Any, x: Any, dim: int) -> Any:
    dim = wrap_dim(dim, y.ndim, wrap_scalar=False)  # also of an x with more dimensions
    if y.size(dim) == 0:
        return _empty_integral(y, dim)
    _check_not_bool(y, x)
    return ((_before(y, dim) + _after(y, dim)) * _intervals("trapezoid", y, x, dim)).sum(dim) / 2.0


def _trapezoid_dx(y: Any, dx: Any, dim: int) -> Any:
    wrap_dim(dim, y.ndim, wrap_scalar=False)
    if y.size(dim) == 0:
        return _empty_integral(y, dim)
    _check_not_bool(y)
    _check_dx("trapezoid", dx)
    return (y.sum(dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * dx


_TRAPEZOID = """Returns the integral along ``dim`` of the function with values ``y``, by the trapezoidal rule.

The points are at distances ``dx``, or at ``x``, a vector or a tensor that broadcasts with ``y``.  The result
has the sizes of ``y`` without ``dim``; for integers it is floating point.  Raises RuntimeError for bool and
for points that do not match, IndexError for a 0-dim tensor."""
native_function(
    "trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", composite=_trapezoid_x, doc=_TRAPEZOID
)
native_function(
    "trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", composite=_trapezoid_dx, doc=_TRAPEZOID
)
native_function(
    "trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
    composite=_trapezoid_x,
    doc=f"Alias for ``trapezoid``.\n\n{_TRAPEZOID}",
)
native_function(
    "trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor",
    composite=_trapezoid_dx,
    doc=f"Alias for ``trapezoid``.\n\n{_TRAPEZOID}",
)


def _cumulative_trapezoid_x(y: Any, x: Any, dim: int) -> Any:
    name = "cumulative_trapezoid"
    if dtypes.bool_ in (x.dtype, y.dtype):
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    dim = wrap_dim(dim, y.ndim, wrap_scalar=False)
    return ((_after(y, dim) + _before(y, dim)) * _intervals(name, y, x, dim)).cumsum(dim) / 2.0


def _cumulative_trapezoid_dx(y: Any, dx: Any, dim: int) -> Any:
    name = "cumulative_trapezoid"
    if y.dtype is dtypes.bool_:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    _check_dx(name, dx)
    return (dx / 2.0 * (_after(y, dim) + _before(y, dim))).cumsum(dim)


_CUMULATIVE = """Returns the integrals along ``dim`` from the first point to each of the others.

Like trapezoid, but the result has the sizes of ``y`` with one element less along ``dim``."""
native_function(
    "cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
    composite=_cumulative_trapezoid_x,
    doc=_CUMULATIVE,
)
native_function(
    "cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
    composite=_cumulative_trapezoid_dx,
    doc=_CUMULATIVE,
)


def _check_gradient(
    self: Any, dims: Sequence[int] | None, spacings: int | None, edge_order: int
) -> list[int]:
    """The dimensions to differentiate along, after the checks; ``spacings``: the length of the list."""
    name = "gnomon.gradient"
    if self.dtype is dtypes.uint8:
        raise RuntimeError(f"{name} does not support uint8 input.")
    if spacings is not None and dims is None and spacings != self.ndim:
        raise RuntimeError(
            f"{name} expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() "
            f"= {self.ndim}', since dim argument was not given, but got a list of length {spacings}"
        )
    if spacings is not None and dims is not None and spacings != len(dims):
        raise RuntimeError(
            f"{name} expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
            f"the same length, but got a spacing argument of length {spacings} and a dim argument of length "
            f"{len(dims)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError(f"{name} only supports edge_order=1 and edge_order=2.")
    wrapped = [wrap_dim(dim, self.ndim) for dim in (range(self.ndim) if dims is None else dims)]
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
        if self.ndim and self.size(dim) < edge_order + 1:
            raise RuntimeError(f"{name} expected each dimension size to be at least edge_order+1")
    return wrapped


def _along(self: Any, dim: int, spacing: Any, edge_order: int) -> Any:
    """The derivative along one dimension; ``spacing`` is a number, or the coordinates of the points.

    Second order inside, first or second order at the edges.
    """
    if isinstance(spacing, (int, float, complex)):
        inside = (aten.slice.Tensor(self, dim, 2) - aten.slice.Tensor(self, dim, 0, -2)) / (2 * spacing)
        first = last = spacing
    else:
        sizes = [1] * self.ndim
        sizes[dim] = -1
        steps = aten.diff.default(spacing).reshape(sizes)
        before, after = _before(steps, dim), _after(steps, dim)
        a = -after / (before * (before + after))
        b = (after - before) / (before * after)
        c = before / (after * (before + after))
        inside = (
            a * aten.slice.Tensor(self, dim, 0, -2)
            + b * aten.slice.Tensor(self, dim, 1, -1)
            + c * aten.slice.Tensor(self, dim, 2)
        )
        first, last = (steps.narrow(dim, place, 1) for place in (0, steps.size(dim) - 1))
        if edge_order == 2:
            second, last_but_one = (steps.narrow(dim, place, 1) for place in (1, steps.size(dim) - 2))

    def point(place: int) -> Any:
        return self.narrow(dim, place % self.size(dim), 1)

    if edge_order == 1:
        start = (point(1) - point(0)) / first
        end = (point(-1) - point(-2)) / last
    elif isinstance(spacing, (int, float, complex)):
        start = (-1.5 * point(0) + 2.0 * point(1) - 0.5 * point(2)) / spacing
        end = (1.5 * point(-1) - 2.0 * point(-2) + 0.5 * point(-3)) / spacing
    else:
        start = _edge(point(0), point(1), point(2), first, second)
        end = -_edge(point(-1), point(-2), point(-3), last, last_but_one)
    return aten.cat.default([start, inside, end], dim)


def _edge(edge: Any, next_one: Any, third: Any, near: Any, far: Any) -> Any:
    """The derivative at an edge, from it inwards, of second order: ``near`` and ``far`` are the distances."""
    a = -(2.0 * near + far) / (near * (near + far))
    b = (near + far) / (near * far)
    c = -near / (far * (near + far))
    return a * edge + b * next_one + c * third


def _gradient(self: Any, spacing: Any, dims: Sequence[int] | None, edge_order: int) -> tuple[Any, ...]:
    """``spacing`` is None, a number for all dimensions, or a list of numbers or of vectors."""
    is_list = isinstance(spacing, (list, tuple))
    wrapped = _check_gradient(self, dims, len(spacing) if is_list else None, edge_order)
    if not is_list:
        spacing = [1 if spacing is None else spacing]
    if len(spacing) == 1:
        spacing = list(spacing) * len(wrapped)
    for each in spacing:
        if not isinstance(each, (int, float, complex)) and each.ndim != 1:
            raise RuntimeError(
                "gnomon.gradient expected each element of spacing to have one dimension, but got an element "
                f"with {each.ndim} dimensions!"
            )
    if not self.ndim:
        return ()
    return tuple(_along(self, dim, each, edge_order) for dim, each in zip(wrapped, spacing))


def _as_dims(dim: int | None) -> list[int] | None:
    return None if dim is None else [dim]


_GRADIENT = """Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.

``spacing`` is the distance of the points, a list of distances for the dimensions, or a list of vectors with
the points' coordinates.  Inside they are central differences of second order, at the edges one-sided ones of
``edge_order``.  Raises RuntimeError for uint8, and for fewer points than ``edge_order`` + 1."""
native_function(
    "gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]",
    variants="function",
    composite=lambda self, dim, edge_order: _gradient(self, None, dim, edge_order),
    doc=_GRADIENT,
)
native_function(
    "gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]",
    variants="function",
    composite=_gradient,
    doc=_GRADIENT,
)
native_function(
    "gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
    variants="function",
    composite=lambda self, spacing, dim, edge_order: _gradient(self, spacing, _as_dims(dim), edge_order),
    doc=_GRADIENT,
)
for _name, _spacing in (("scalarray", "Scalar[]"), ("tensorarray", "Tensor[]")):
    native_function(
        f"gradient.{_name}int(Tensor self, *, {_spacing} spacing, int? dim=None, int edge_order=1) -> "
        "Tensor[]",
        variants="function",
        composite=lambda self, spacing, dim, edge_order: _gradient(self, spacing, _as_dims(dim), edge_order),
        doc=_GRADIENT,
    )
    native_function(
        f"gradient.{'scalarrayarray' if _name == 'scalarray' else _name}(Tensor self, *, {_spacing} spacing, "
        "int[] dim, int edge_order=1) -> Tensor[]",
        variants="function",
        composite=_gradient,
        doc=_GRADIENT,
    )
