"""Sampling an image at the points of a grid, by nearest neighbours or by interpolation; and its gradients.

Along each dimension a point has a few neighbours, with weights and their derivatives by the coordinate; the
loops go over combinations of them, one per dimension, for all points at once.  Images are (N, *sizes, C)
here, with channels last, so that indexing by points yields rows of channels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, maybe_numbers, numbers, store
from .families import FLOATS, Family

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
        return np.zeros_like(position), np.zeros_like(position)
    sign = np.where(position < low, -1.0, 1.0)
    flips, extra = np.divmod(np.abs(position - low), span)
    is_even = flips % 2 == 0
    is_finite = np.isfinite(position)
    mirrored = np.where(is_even, extra + low, span - extra + low)
    return np.where(is_finite, mirrored, np.nan), np.where(is_finite, np.where(is_even, sign, -sign), 0.0)


def _padded(position: Array, size: int, padding: int, align_corners: bool) -> tuple[Array, Array]:
    """Applies the padding mode to positions; returns the new positions and their derivatives."""
    slope = np.ones_like(position)
    if padding == REFLECTION:
        position, slope = _reflected(position, size, align_corners)
    if padding != ZEROS:
        is_low, is_high = ~(position > 0), position >= size - 1  # NaN is low too
        slope = np.where(is_low | is_high, 0.0, slope)
        position = np.where(is_low, 0.0, np.where(is_high, size - 1.0, position))
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
        position, slope = (coordinate + 1) / 2 * (size - 1), np.float64((size - 1) / 2)
    else:
        position, slope = ((coordinate + 1) * size - 1) / 2, np.float64(size / 2)
    moved: Any = 1.0
    if mode != BICUBIC:
        position, moved = _padded(position, size, padding, align_corners)
    slope = slope * moved
    is_known = np.isfinite(position)
    position = np.where(is_known, position, 0.0)
    one, zero = np.ones_like(position), np.zeros_like(position)
    if mode == NEAREST:
        at = np.rint(position)
        exists = is_known & (at >= 0) & (at < size)
        return [Neighbour(np.where(exists, at, 0).astype(np.intp), exists, (one, zero, zero))]
    left = np.floor(position)
    share = position - left
    found: list[tuple[Array, tuple[Array, Array, Array]]] = []
    if mode == BICUBIC:
        for number, (weight, first, second) in enumerate(_cubic(share)):
            place, _ = _padded(left - 1 + number, size, padding, align_corners)
            found.append((np.trunc(place), (weight, first * slope, second * slope * slope)))
    else:
        found = [(left, (1 - share, -slope * one, zero)), (left + 1, (share, slope * one, zero))]
    neighbours = []
    for number, (at, weights) in enumerate(found):
        exists = np.where(is_known, (at >= 0) & (at < size), number == 0)
        told = [np.where(is_known, each, np.nan) for each in weights]
        where = np.where(exists & is_known, at, 0).astype(np.intp)
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

    def add(self, image: Array, values: Array) -> None:
        """Adds channels to the elements there."""
        np.add.at(image, tuple(each[self.exists] for each in self.where), values[self.exists])

    def only(self, values: Array) -> Array:
        """``values`` where the element exists, else 0."""
        return np.where(self.exists[..., None], values, 0.0)


def _meetings(
    grid: Array, sizes: Sequence[int], mode: int, padding: int, align_corners: bool
) -> Iterator[_Meeting]:
    spatial = len(sizes)
    along = [
        _neighbours(grid[..., spatial - 1 - dim], size, mode, padding, align_corners)  # the grid has x first
        for dim, size in enumerate(sizes)
    ]
    image = np.broadcast_to(np.arange(grid.shape[0]).reshape(-1, *(1,) * spatial), grid.shape[:-1])
    for members in itertools.product(*along):
        exists = np.ones(grid.shape[:-1], bool)
        for each in members:
            exists = exists & each.exists
        yield _Meeting((image, *(each.at for each in members)), exists, members)


def _channels_last(array: Array) -> Array:
    return np.moveaxis(array, 1, -1)


def _store_image(tensor: Tensor | None, image: Array) -> None:
    store(tensor, np.moveaxis(image, -1, 1))


def _sampler(
    output: Tensor, input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool
) -> None:
    """Each element is the sum of its neighbours' values, each multiplied by its weights in all dimensions."""
    source, where = _channels_last(numbers(input, WIDE)), numbers(grid, WIDE)
    total = np.zeros((*where.shape[:-1], source.shape[-1]))
    for each in _meetings(where, source.shape[1:-1], mode, padding, align_corners):
        total += each.only(each.read(source) * each.derivative())
    _store_image(output, total)


def _sampler_backward(
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
    grad, source = (_channels_last(numbers(each, WIDE)) for each in (grad_output, input))
    where = numbers(grid, WIDE)
    spatial = source.ndim - 2
    to_input, to_grid = np.zeros(source.shape), np.zeros(where.shape)
    for each in _meetings(where, source.shape[1:-1], mode, padding, align_corners):
        each.add(to_input, grad * each.derivative())
        values = grad * each.read(source)
        for dim in range(spatial):
            to_grid[..., spatial - 1 - dim] += np.sum(each.only(values * each.derivative(dim)), axis=-1)
    _store_image(grad_input, to_input)
    store(grad_grid, to_grid)


for _dims in (2, 3):
    family.add(f"grid_sampler_{_dims}d", FLOATS, _sampler)
    family.add(f"grid_sampler_{_dims}d_backward", FLOATS, _sampler_backward)


@family.kernel("_grid_sampler_double_backward", FLOATS)
def sampler_double_backward(
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
    grad, source = (_channels_last(numbers(each, WIDE)) for each in (grad_output, input))
    where = numbers(grid, WIDE)
    moved_input, moved_grid = (maybe_numbers(each, WIDE) for each in (grad_grad_input, grad_grad_grid))
    moved_image = np.zeros(source.shape) if moved_input is None else _channels_last(moved_input)
    moves = np.zeros(where.shape) if moved_grid is None else moved_grid
    spatial = source.ndim - 2
    by_output, by_input, by_grid = np.zeros(grad.shape), np.zeros(source.shape), np.zeros(where.shape)
    dims = range(spatial)
    move = [moves[..., spatial - 1 - dim, None] for dim in dims]
    for each in _meetings(where, source.shape[1:-1], mode, padding, align_corners):
        change: Any = sum(move[dim] * each.derivative(dim) for dim in dims)
        moved, found = each.read(moved_image), each.read(source)
        by_output += each.only(moved * each.derivative()) + each.only(found * change)
        each.add(by_input, grad * change)
        for dim in dims:
            bend: Any = sum(move[other] * each.derivative(dim, other) for other in dims)
            terms = grad * moved * each.derivative(dim) + grad * found * bend
            by_grid[..., spatial - 1 - dim] += np.sum(each.only(terms), axis=-1)
    _store_image(to_grad_output, by_output)
    _store_image(to_input, by_input)
    store(to_grid, by_grid)
