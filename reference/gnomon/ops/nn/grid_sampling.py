"""grid_sampler: samples an image at the points of a grid; affine_grid_generator: the grid of an affine map.

A point has a coordinate from -1 to 1 in each dimension, x first; outside the image the value is 0, that of
the border, or a reflection.  Along each dimension a point has one (nearest), two (bilinear) or four (bicubic)
neighbours with weights; the result is the sum over all their products.  Coordinates and weights are computed
in float64; accumulation: that sum, and a gradient's, is exactly rounded in float64 and rounded once to the
dtype.

Source: aten/src/ATen/native/GridSampler.h, GridSampler.cpp, AffineGridGenerator.cpp; Jaderberg et al.,
"Spatial Transformer Networks" (2015); Keys (1981) for the cubic, with a = -0.75.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_same_dtype, check_same_size, check_size, refuse_dtype
from ...calls.native import native_function
from ...calls.record import Batching
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum
from ...values.geometry import Ints

BILINEAR, NEAREST, BICUBIC = 0, 1, 2  # interpolation_mode
ZEROS, BORDER, REFLECTION = 0, 1, 2  # padding_mode

# Along one dimension: position, weight, and the first and second derivative of the weight by the coordinate.
Neighbour = tuple[int, float, float, float]


_NOWHERE: Neighbour = (0, math.nan, math.nan, math.nan)  # the neighbour of a NaN or infinite point


def _unnormalized(coordinate: float, size: int, align_corners: bool) -> tuple[float, float]:
    """Converts a coordinate from -1 to 1 to a position in elements; returns it and its derivative."""
    if align_corners:
        return (coordinate + 1) / 2 * (size - 1), (size - 1) / 2
    return ((coordinate + 1) * size - 1) / 2, size / 2


def _reflected(position: float, size: int, align_corners: bool) -> tuple[float, float]:
    """Reflects a position at the border (with ``align_corners`` at the centers of the border's elements)
    until it is inside; returns it and its derivative.
    """
    low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
    span = high - low
    if span == 0:
        return 0.0, 0.0
    if not math.isfinite(position):
        return math.nan, 0.0
    sign = -1.0 if position < low else 1.0
    flips, extra = divmod(abs(position - low), span)
    return (extra + low, sign) if flips % 2 == 0 else (span - extra + low, -sign)


def _padded(position: float, size: int, padding: int, align_corners: bool) -> tuple[float, float]:
    """Applies the padding mode to a position; returns the new position and its derivative."""
    slope = 1.0
    if padding == REFLECTION:
        position, slope = _reflected(position, size, align_corners)
    if padding != ZEROS:
        if not position > 0:  # NaN too
            return 0.0, 0.0
        if position >= size - 1:
            return size - 1.0, 0.0
    return position, slope


def _neighbours(
    coordinate: float, size: int, mode: int, padding: int, align_corners: bool
) -> list[Neighbour]:
    """The neighbours along one dimension; those outside count as 0 and are left out."""
    position, slope = _unnormalized(coordinate, size, align_corners)
    if mode == BICUBIC:
        if not math.isfinite(position):
            return [_NOWHERE]
        left = math.floor(position)
        share = position - left
        found = []
        for number, (weight, first, second) in enumerate(_cubic(share)):
            at, _ = _padded(float(left - 1 + number), size, padding, align_corners)
            found.append((int(at), weight, first * slope, second * slope * slope))
    else:
        position, moved = _padded(position, size, padding, align_corners)
        slope *= moved
        if not math.isfinite(position):
            return [] if mode == NEAREST else [_NOWHERE]
        if mode == NEAREST:
            found = [(round(position), 1.0, 0.0, 0.0)]
        else:
            left = math.floor(position)
            share = position - left
            found = [(left, 1 - share, -slope, 0.0), (left + 1, share, slope, 0.0)]
    return [each for each in found if 0 <= each[0] < size]


def _cubic(share: float) -> list[tuple[float, float, float]]:
    """The weights, with two derivatives, of the four neighbours of a point ``share`` after the second."""
    a = -0.75

    def near(x: float) -> tuple[float, float, float]:
        value = ((a + 2) * x - (a + 3)) * x * x + 1
        return value, (3 * (a + 2) * x - 2 * (a + 3)) * x, 6 * (a + 2) * x - 2 * (a + 3)

    def far(x: float) -> tuple[float, float, float]:
        value = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return value, (3 * a * x - 10 * a) * x + 8 * a, 6 * a * x - 10 * a

    ahead = [near(1 - share), far(2 - share)]
    return [far(share + 1), near(share), *((weight, -first, second) for weight, first, second in ahead)]


def _check(input: Spec, grid: Spec, spatial: int, mode: int, padding: int) -> Ints:
    """The result's sizes.  Source: check_grid_sampler_common."""
    for name, value in (("interpolation_mode", mode), ("padding_mode", padding)):
        if value not in (0, 1, 2):  # PyTorch returns uninitialized memory for others
            raise RuntimeError(f"expected {name} to be 0, 1 or 2, but got {value}")
    if input.ndim and grid.ndim and input.sizes[0] != grid.sizes[0]:
        raise RuntimeError(
            "expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.sizes)} and grid with sizes {list(grid.sizes)}"
        )
    if input.ndim != spatial + 2 or grid.ndim != input.ndim:
        raise RuntimeError(
            f"expected {spatial + 2}D input and grid with same number of dimensions, but got input with "
            f"sizes {list(input.sizes)} and grid with sizes {list(grid.sizes)}"
        )
    if grid.sizes[-1] != spatial:
        raise RuntimeError(
            f"expected grid to have size {spatial} in last dimension, but got grid with sizes "
            f"{list(grid.sizes)}"
        )
    if 0 in input.sizes[2:]:
        raise RuntimeError(
            f"expected input to have non-empty spatial dimensions, but input has sizes {list(input.sizes)}"
        )
    if spatial == 3 and mode == BICUBIC:
        raise RuntimeError("bicubic interpolation only supports 4D input")
    refuse_dtype(input.dtype, "bool", "integer", "complex")
    check_same_dtype(input=input, grid=grid)
    return (*input.sizes[:2], *grid.sizes[1:-1])


def _places(
    grid: TensorAccessor, sizes: Ints, mode: int, padding: int, align_corners: bool
) -> list[tuple[tuple[int, Ints], list[list[Neighbour]]]]:
    """Each image and index of the grid, with the neighbours of its point along each dimension."""
    spatial = len(sizes)
    found = []
    for index in itertools.product(*map(range, grid.sizes[:-1])):
        coordinates = [grid[index + (spatial - 1 - dim,)] for dim in range(spatial)]  # x is first in the grid
        neighbours = [
            _neighbours(coordinate, size, mode, padding, align_corners)
            for coordinate, size in zip(coordinates, sizes)
        ]
        found.append(((index[0], index[1:]), neighbours))
    return found


def _sampler_kernel(
    output: Tensor, input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool
) -> None:
    """Each element is the sum of its neighbours' values, each multiplied by its weights in all dimensions."""
    out, source, where = TensorAccessor(output), TensorAccessor(input), TensorAccessor(grid)
    for (image, position), along in _places(where, source.sizes[2:], mode, padding, align_corners):
        combinations = list(itertools.product(*along))
        for channel in range(source.sizes[1]):
            terms = [
                source[(image, channel) + tuple(each[0] for each in members)]
                * math.prod(each[1] for each in members)
                for members in combinations
            ]
            out[(image, channel) + position] = exact_sum(terms)


def _derivative(members: Sequence[Neighbour], *dims: int) -> float:
    """The product of the members' weights, differentiated once by the coordinate of each of ``dims``."""
    return math.prod(each[1 + dims.count(dim)] for dim, each in enumerate(members))


def _meeting(members: Sequence[Neighbour]) -> tuple[Ints, float, list[float]]:
    """The index that the members, one for each dimension, form; its weight; the weight's derivative by each
    coordinate.
    """
    slopes = [_derivative(members, dim) for dim in range(len(members))]
    return tuple(each[0] for each in members), _derivative(members), slopes


def _store_sums(tensors: Sequence[Tensor | None], sums: Sequence[dict[Any, list[Any]]]) -> None:
    """Writes to each tensor the sums of the terms collected for its indices."""
    for tensor, terms in zip(tensors, sums):
        if tensor is not None:
            out = TensorAccessor(tensor)
            for index in itertools.product(*map(range, out.sizes)):
                out[index] = exact_sum(terms.get(index, []))


def _add(terms: dict[Any, list[Any]], index: Any, value: Any) -> None:
    terms.setdefault(index, []).append(value)


def _sampler_backward_kernel(
    grad_input: Tensor | None,
    grad_grid: Tensor | None,
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    mode: int,
    padding: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> None:
    """The derivative by the input is the weight; by a coordinate, the weight's derivative along it."""
    grad, source, where = TensorAccessor(grad_output), TensorAccessor(input), TensorAccessor(grid)
    spatial = len(source.sizes) - 2
    to_input: dict[Any, list[Any]] = {}
    to_grid: dict[Any, list[Any]] = {}
    for (image, position), along in _places(where, source.sizes[2:], mode, padding, align_corners):
        for members in itertools.product(*along):
            at, weight, slopes = _meeting(members)
            for channel in range(source.sizes[1]):
                gradient = grad[(image, channel) + position]
                value = gradient * source[(image, channel) + at]
                _add(to_input, (image, channel, *at), gradient * weight)
                for dim, slope in enumerate(slopes):
                    _add(to_grid, (image, *position, spatial - 1 - dim), value * slope)
    _store_sums((grad_input, grad_grid), (to_input, to_grid))


def _sampler_double_kernel(
    to_grad_output: Tensor | None,
    to_input: Tensor | None,
    to_grid: Tensor | None,
    grad_grad_input: Tensor | None,
    grad_grad_grid: Tensor | None,
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    mode: int,
    padding: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> None:
    """The backward kernel's sums, differentiated once more by each of their factors."""
    grad, source, where = TensorAccessor(grad_output), TensorAccessor(input), TensorAccessor(grid)
    moved_input = None if grad_grad_input is None else TensorAccessor(grad_grad_input)
    moved_grid = None if grad_grad_grid is None else TensorAccessor(grad_grad_grid)
    spatial = len(source.sizes) - 2
    sums: tuple[dict[Any, list[Any]], ...] = ({}, {}, {})
    for (image, position), along in _places(where, source.sizes[2:], mode, padding, align_corners):
        places = [(image, *position, spatial - 1 - dim) for dim in range(spatial)]
        moves: list[Any] = [0.0 if moved_grid is None else moved_grid[place] for place in places]
        for members in itertools.product(*along):
            at, weight, slopes = _meeting(members)
            change = sum(move * slope for move, slope in zip(moves, slopes))
            for channel in range(source.sizes[1]):
                here, there = (image, channel, *position), (image, channel, *at)
                gradient: Any = grad[here]
                moved: Any = 0.0 if moved_input is None else moved_input[there]
                _add(sums[0], here, moved * weight)
                _add(sums[0], here, source[there] * change)
                _add(sums[1], there, gradient * change)
                for dim, place in enumerate(places):
                    _add(sums[2], place, gradient * moved * slopes[dim])
                    bend = sum(move * _derivative(members, dim, other) for other, move in enumerate(moves))
                    _add(sums[2], place, gradient * source[there] * bend)
    _store_sums((to_grad_output, to_input, to_grid), sums)


def _double_meta(
    grad_grad_input: Spec | None,
    grad_grad_grid: Spec | None,
    grad_output: Spec,
    input: Spec,
    grid: Spec,
    mode: int,
    padding: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Spec | None, ...]:
    sizes = _check(input, grid, input.ndim - 2, mode, padding)
    check_size(sizes, grad_output=grad_output)
    check_same_size(input=input, grad_grad_input=grad_grad_input)
    check_same_size(grid=grid, grad_grad_grid=grad_grad_grid)
    gradients = {"grad_grad_input": grad_grad_input, "grad_grad_grid": grad_grad_grid}
    check_same_dtype(input=input, grad_output=grad_output, **gradients)
    specs = (grad_output, input, grid)
    return tuple(spec.contiguous() if wanted else None for spec, wanted in zip(specs, output_mask))


_OPTIONS = "int interpolation_mode, int padding_mode, bool align_corners"

native_function(
    "_grid_sampler_double_backward(Tensor? grad_grad_input, Tensor? grad_grad_grid, Tensor grad_output, "
    f"Tensor input, Tensor grid, {_OPTIONS}, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    meta=_double_meta,
    kernel=_sampler_double_kernel,
    batching="folded",
    doc="The gradients of grid_sampler_2d_backward and grid_sampler_3d_backward with respect to grad_output, "
    "input and grid.",
)


def _double_backward(
    grads: Any,
    grad_output: Any,
    input: Any,
    grid: Any,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
    grad_input_mask: Sequence[bool],
) -> Any:
    return aten._grid_sampler_double_backward.default(
        *grads, grad_output, input, grid, interpolation_mode, padding_mode, align_corners, grad_input_mask
    )


def _define(spatial: int) -> None:
    name = f"grid_sampler_{spatial}d"

    def meta(input: Spec, grid: Spec, mode: int, padding: int, align_corners: bool) -> Spec:
        return input.contiguous(_check(input, grid, spatial, mode, padding))

    def backward_meta(
        grad_output: Spec,
        input: Spec,
        grid: Spec,
        mode: int,
        padding: int,
        align_corners: bool,
        output_mask: Sequence[bool],
    ) -> tuple[Spec | None, Spec | None]:
        sizes = _check(input, grid, spatial, mode, padding)
        check_size(sizes, grad_output=grad_output)
        check_same_dtype(input=input, grad_output=grad_output)
        return (
            input.contiguous() if output_mask[0] else None,
            grid.contiguous() if output_mask[1] else None,
        )

    def backward(
        grad: Any,
        input: Any,
        grid: Any,
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
        grad_input_mask: Sequence[bool],
    ) -> Any:
        return getattr(aten, f"{name}_backward").default(
            grad, input, grid, interpolation_mode, padding_mode, align_corners, grad_input_mask
        )

    axes = "H, W" if spatial == 2 else "D, H, W"
    native_function(
        f"{name}(Tensor input, Tensor grid, {_OPTIONS}) -> Tensor",
        meta=meta,
        kernel=_sampler_kernel,
        derivatives={"input, grid": backward},
        node_name=f"GridSampler{spatial}DBackward0",
        batching=Batching("folded", spatial + 2),
        doc=f"""Samples ``input`` (N, C, {axes}) at the points of ``grid`` (N, *output sizes, {spatial}),
        whose coordinates are normalized to [-1, 1], x first.

        ``interpolation_mode``: 0 bilinear, 1 nearest, 2 bicubic (2-D only); ``padding_mode``: 0 zeros, 1
        border, 2 reflection.  With ``align_corners``, -1 and 1 are the centers of the corner elements,
        otherwise their edges.  Floating point only.

        Raises RuntimeError for other numbers of dimensions, sizes that do not match, empty spatial
        dimensions, and a grid of another dtype.""",
    )
    native_function(
        f"{name}_backward(Tensor grad_output, Tensor input, Tensor grid, {_OPTIONS}, bool[2] output_mask) -> "
        "(Tensor, Tensor)",
        meta=backward_meta,
        kernel=_sampler_backward_kernel,
        derivatives={"grad_output, input, grid": _double_backward},
        node_name=f"GridSampler{spatial}DBackwardBackward0",
        batching=Batching("folded", spatial + 2),
        doc=f"""The gradients of {name} with respect to input and grid; None where ``output_mask`` is False.

        Raises RuntimeError if ``grad_output`` does not have the sizes of {name}'s output.""",
    )


_define(2)
_define(3)


def _grid_sampler(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    spatial = 3 if input.ndim == 5 else 2
    _check(input._spec, grid._spec, spatial, mode, padding)
    operator = getattr(aten, f"grid_sampler_{spatial}d").default
    return operator(input, grid, mode, padding, align_corners)


native_function(
    "grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) "
    "-> Tensor",
    composite=_grid_sampler,
    doc="Samples ``input`` at the points of ``grid``: grid_sampler_2d for four dimensions, grid_sampler_3d "
    "for five.",
)


# ---------------------------------------------------------------------------------------------------------
# The grid of an affine map.


def _base_grid(theta: Any, size: Sequence[int], align_corners: bool) -> Any:
    """The points of an output of ``size`` in homogeneous coordinates, (elements, dimensions + 1), x first."""
    spatial = list(size[2:])
    columns = []
    for dim in reversed(range(len(spatial))):
        count = spatial[dim]
        steps = aten.arange(count, dtype=theta.dtype, device=theta.device)
        along = (steps * 2 - (count - 1)) / max(count - 1 if align_corners else count, 1)
        shape = [count if each == dim else 1 for each in range(len(spatial))]
        columns.append(along.view(shape).expand(spatial).reshape((-1,)))
    columns.append(aten.ones_like(columns[0]))
    return aten.stack.default(columns, 1)


def _check_affine(size: Sequence[int]) -> None:
    if len(size) not in (4, 5):
        raise RuntimeError(
            f"AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs, but got size {list(size)}"
        )


def _affine_grid_generator(theta: Any, size: Sequence[int], align_corners: bool) -> Any:
    _check_affine(size)
    refuse_dtype(theta._spec.dtype, "bool", "integer")
    base = _base_grid(theta, size, align_corners).expand((size[0], -1, -1))
    return aten.bmm.default(base, theta.transpose(1, 2)).view((size[0], *size[2:], len(size) - 2))


def _affine_grid_generator_backward(grad: Any, size: Sequence[int], align_corners: bool) -> Any:
    _check_affine(size)
    base = _base_grid(grad, size, align_corners).expand((size[0], -1, -1))
    flat = grad.reshape((size[0], -1, len(size) - 2))
    return aten.bmm.default(base.transpose(1, 2), flat).transpose(1, 2)


native_function(
    "affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor",
    explicit=_affine_grid_generator,
    derivatives={
        "theta": lambda grad, size, align_corners: aten.affine_grid_generator_backward.default(
            grad, size, align_corners
        )
    },
    variants="function",
    doc="""Returns the grid for grid_sampler of a batch of affine matrices ``theta``: (N, 2, 3) and size
    (N, C, H, W) give (N, H, W, 2), and (N, 3, 4) with (N, C, D, H, W) give (N, D, H, W, 3).""",
)

native_function(
    "affine_grid_generator_backward(Tensor grad, SymInt[] size, bool align_corners) -> Tensor",
    composite=_affine_grid_generator_backward,
    variants="function",
    doc="The gradient of affine_grid_generator.",
)
