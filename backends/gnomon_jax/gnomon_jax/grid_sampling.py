"""Sampling an image at the points of a grid, by nearest neighbours or by interpolation; and its gradients.

Along each dimension a point has a few neighbours, with weights and their derivatives by the coordinate; the
loops go over combinations of them, one per dimension, for all points at once.  Images are (N, *sizes, C)
here, with channels last, so that indexing by points yields rows of channels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from .numbers import Array
from .programs import FLOATS, Family

family = Family()

NEAREST, BICUBIC = 1, 2  # interpolation_mode; 0 is bilinear
ZEROS, REFLECTION = 0, 2  # padding_mode; 1 is the border


class Neighbour(NamedTuple):
    """For every point one neighbour along a dimension: its position, whether it exists, and its weight."""

    at: Array
    exists: Array
    weights: tuple[Array, Array, Array]  # the weight, and its first and second derivative by the coordinate


def _reflected(position: Array, size: int, align_corners: bool) -> tuple[Array, Array]:
    """Positions reflected at the border (or its elements' centers) until they are inside; the derivatives."""
    low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
    span = high - low
    if span == 0:
        return jnp.zeros_like(position), jnp.zeros_like(position)
    sign = jnp.where(position < low, -1.0, 1.0)
    flips, extra = jnp.divmod(jnp.abs(position - low), span)
    is_even = flips % 2 == 0
    is_finite = jnp.isfinite(position)
    mirrored = jnp.where(is_even, extra + low, span - extra + low)
    return jnp.where(is_finite, mirrored, jnp.nan), jnp.where(is_finite, jnp.where(is_even, sign, -sign), 0.0)


def _padded(position: Array, size: int, padding: int, align_corners: bool) -> tuple[Array, Array]:
    """Applies the padding mode to positions; returns the new positions and their derivatives."""
    slope = jnp.ones_like(position)
    if padding == REFLECTION:
        position, slope = _reflected(position, size, align_corners)
    if padding != ZEROS:
        is_low, is_high = ~(position > 0), position >= size - 1  # NaN is low too
        slope = jnp.where(is_low | is_high, 0.0, slope)
        position = jnp.where(is_low, 0.0, jnp.where(is_high, size - 1.0, position))
    return position, slope


def _cubic(share: Array) -> list[tuple[Array, Array, Array]]:
    """The weights, with two derivatives, of the four neighbours of a point ``share`` after the second."""
    a = -0.75

    def near(x: Array) -> tuple[Array, Array, Array]:
        value = ((a + 2) * x - (a + 3)) * x * x + 1
        return value, (3 * (a + 2) * x - 2 * (a + 3)) * x, 6 * (a + 2) * x - 2 * (a + 3)

    def far(x: Array) -> tuple[Array, Array, Array]:
        value = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return value, (3 * a * x - 10 * a) * x + 8 * a, 6 * a * x - 10 * a

    ahead = [near(1 - share), far(2 - share)]
    return [far(share + 1), near(share), *((weight, -first, second) for weight, first, second in ahead)]


def _neighbours(
    coordinate: Array, size: int, mode: int, padding: int, align_corners: bool
) -> list[Neighbour]:
    """The neighbours along one dimension.  A NaN or infinite point has one neighbour, at 0, with weight NaN
    (with NEAREST it has none).
    """
    if align_corners:
        position, slope = (coordinate + 1) / 2 * (size - 1), jnp.float64((size - 1) / 2)
    else:
        position, slope = ((coordinate + 1) * size - 1) / 2, jnp.float64(size / 2)
    moved: Any = 1.0
    if mode != BICUBIC:
        position, moved = _padded(position, size, padding, align_corners)
    slope = slope * moved
    is_known = jnp.isfinite(position)
    position = jnp.where(is_known, position, 0.0)
    one, zero = jnp.ones_like(position), jnp.zeros_like(position)
    if mode == NEAREST:
        at = jnp.round(position)
        exists = is_known & (at >= 0) & (at < size)
        return [Neighbour(jnp.where(exists, at, 0).astype(jnp.int64), exists, (one, zero, zero))]
    left = jnp.floor(position)
    share = position - left
    found: list[tuple[Array, tuple[Array, Array, Array]]] = []
    if mode == BICUBIC:
        for number, (weight, first, second) in enumerate(_cubic(share)):
            place, _ = _padded(left - 1 + number, size, padding, align_corners)
            found.append((jnp.trunc(place), (weight, first * slope, second * slope * slope)))
    else:
        found = [(left, (1 - share, -slope * one, zero)), (left + 1, (share, slope * one, zero))]
    neighbours = []
    for number, (at, weights) in enumerate(found):
        exists = jnp.where(is_known, (at >= 0) & (at < size), number == 0)
        told = [jnp.where(is_known, each, jnp.nan) for each in weights]
        where = jnp.where(exists & is_known, at, 0).astype(jnp.int64)
        neighbours.append(Neighbour(where, exists, (told[0], told[1], told[2])))
    return neighbours


class _Meeting(NamedTuple):
    """A combination of neighbours, one per dimension, for every point."""

    where: tuple[Array, ...]  # the index (image, *position) of the elements there
    exists: Array
    members: tuple[Neighbour, ...]

    def derivative(self, *dims: int) -> Array:
        """The product of the weights, differentiated once by the coordinate of each of ``dims``; broadcasts
        over channels.
        """
        product: Any = 1.0
        for dim, each in enumerate(self.members):
            product = product * each.weights[dims.count(dim)]
        return product[..., None]

    def read(self, image: Array) -> Array:
        """The channels of the elements there."""
        return image[self.where]

    def added(self, image: Array, values: Array) -> Array:
        """The image with channels added to the elements there."""
        return image.at[self.where].add(self.only(values))

    def only(self, values: Array) -> Array:
        """``values`` where the element exists, else 0."""
        return jnp.where(self.exists[..., None], values, 0.0)


def _meetings(
    grid: Array, sizes: Sequence[int], mode: int, padding: int, align_corners: bool
) -> Iterator[_Meeting]:
    spatial = len(sizes)
    along = [
        _neighbours(grid[..., spatial - 1 - dim], size, mode, padding, align_corners)  # the grid has x first
        for dim, size in enumerate(sizes)
    ]
    image = jnp.broadcast_to(jnp.arange(grid.shape[0]).reshape(-1, *(1,) * spatial), grid.shape[:-1])
    for members in itertools.product(*along):
        exists = jnp.ones(grid.shape[:-1], bool)
        for each in members:
            exists = exists & each.exists
        yield _Meeting((image, *(each.at for each in members)), exists, members)


def _channels_last(a: Array) -> Array:
    return jnp.moveaxis(a, 1, -1)


def _channels_second(a: Array) -> Array:
    return jnp.moveaxis(a, -1, 1)


def _sampler(a: Array, grid: Array, mode: int, padding: int, align_corners: bool) -> Array:
    """Each element is the sum of its neighbours' values, each multiplied by its weights in all dimensions."""
    source = _channels_last(a)
    total = jnp.zeros((*grid.shape[:-1], source.shape[-1]))
    if total.size and source.size:
        for each in _meetings(grid, source.shape[1:-1], mode, padding, align_corners):
            total = total + each.only(each.read(source) * each.derivative())
    return _channels_second(total)


def _sampler_backward(
    grad: Array,
    a: Array,
    grid: Array,
    mode: int,
    padding: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Array, Array]:
    """The derivative by the input is the weight; by a coordinate, the weight's derivative along it."""
    grad, source = _channels_last(grad), _channels_last(a)
    spatial = source.ndim - 2
    to_input, to_grid = jnp.zeros(source.shape), jnp.zeros(grid.shape)
    if not grad.size or not source.size:
        return _channels_second(to_input), to_grid
    for each in _meetings(grid, source.shape[1:-1], mode, padding, align_corners):
        to_input = each.added(to_input, grad * each.derivative())
        values = grad * each.read(source)
        for dim in range(spatial):
            change = jnp.sum(each.only(values * each.derivative(dim)), axis=-1)
            to_grid = to_grid.at[..., spatial - 1 - dim].add(change)
    return _channels_second(to_input), to_grid


for _dims in (2, 3):
    family.kernel(f"grid_sampler_{_dims}d", FLOATS)(_sampler)
    family.kernel(f"grid_sampler_{_dims}d_backward", FLOATS, outputs=2)(_sampler_backward)


@family.kernel("_grid_sampler_double_backward", FLOATS, outputs=3)
def sampler_double_backward(
    moved_input: Array | None,
    moved_grid: Array | None,
    grad: Array,
    a: Array,
    grid: Array,
    mode: int,
    padding: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Array, Array, Array]:
    """The backward kernel's sums, differentiated once more by each of their factors."""
    grad, source = _channels_last(grad), _channels_last(a)
    moved_image = jnp.zeros(source.shape) if moved_input is None else _channels_last(moved_input)
    moves = jnp.zeros(grid.shape) if moved_grid is None else moved_grid
    dims = range(source.ndim - 2)
    by_output, by_input, by_grid = jnp.zeros(grad.shape), jnp.zeros(source.shape), jnp.zeros(grid.shape)
    if not grad.size or not source.size:
        return _channels_second(by_output), _channels_second(by_input), by_grid
    move = [moves[..., len(dims) - 1 - dim, None] for dim in dims]
    for each in _meetings(grid, source.shape[1:-1], mode, padding, align_corners):
        change: Any = sum(move[dim] * each.derivative(dim) for dim in dims)
        moved, found = each.read(moved_image), each.read(source)
        by_output = by_output + each.only(moved * each.derivative()) + each.only(found * change)
        by_input = each.added(by_input, grad * change)
        for dim in dims:
            bend: Any = sum(move[other] * each.derivative(dim, other) for other in dims)
            terms = grad * moved * each.derivative(dim) + grad * found * bend
            by_grid = by_grid.at[..., len(dims) - 1 - dim].add(jnp.sum(each.only(terms), axis=-1))
    return _channels_second(by_output), _channels_second(by_input), by_grid
