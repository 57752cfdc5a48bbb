"""Grid samples on the emulated GPU, against the reference's."""

from __future__ import annotations

import itertools
import math

import pytest

import gnomon as gn
from cuda_calls import agree
from gnomon_cuda import grid_sample

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
TOLERANCES = {"float64": 1e-12, "float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
BILINEAR, NEAREST, BICUBIC = range(3)


def name_of(dtype):
    return dtype.name


def both(function, *tensors):
    return agree(function, *tensors, tolerances=TOLERANCES)


def numbers(*sizes, dtype=gn.float64):
    return gn.randint(-8, 9, sizes, device="reference").to(dtype)


def grid_of(*sizes, dtype=gn.float64):
    """Coordinates, a fifth of them outside; each is exact in all dtypes, and none is at a border."""
    return ((gn.randint(-19, 20, sizes, device="reference") * 2 + 1).to(gn.float64) / 32).to(dtype)


def run_all(input, grid, mode, padding, align, samples=True):
    """Compare the sample, its gradients and their gradients with the reference's."""
    name = f"grid_sampler_{input.ndim - 2}d"
    operator, backward = getattr(aten, name).default, getattr(aten, f"{name}_backward").default
    double = aten._grid_sampler_double_backward.default
    (sample,) = both(lambda i, g: operator(i, g, mode, padding, align), input, grid)
    gradient = numbers(*sample.shape, dtype=input.dtype)
    for mask in ([True, True], [True, False], [False, True]):
        both(lambda o, i, g, m=mask: backward(o, i, g, mode, padding, align, m), gradient, input, grid)
    moved_input, moved_grid = numbers(*input.shape, dtype=input.dtype), numbers(*grid.shape, dtype=grid.dtype)
    for moves in ((moved_input, moved_grid), (None, moved_grid), (moved_input, None)):
        both(
            lambda a, b, o, i, g: double(a, b, o, i, g, mode, padding, align, [True] * 3),
            *(*moves, gradient, input, grid),
        )


@pytest.mark.parametrize("mode", [BILINEAR, NEAREST, BICUBIC])
def test_all_ways_in_two_dimensions(mode):
    gn.manual_seed(1)
    input = numbers(2, 3, 4, 5).transpose(2, 3)
    for padding, align in itertools.product(range(3), (False, True)):
        run_all(input, grid_of(2, 3, 2, 2), mode, padding, align)


@pytest.mark.parametrize("mode", [BILINEAR, NEAREST])
def test_all_ways_in_three_dimensions(mode):
    gn.manual_seed(2)
    input = numbers(2, 4, 3, 4, 3)[:, ::2]
    for padding, align in itertools.product(range(3), (False, True)):
        run_all(input, grid_of(2, 2, 1, 3, 3), mode, padding, align)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_all_dtypes(dtype):
    gn.manual_seed(3)
    input = numbers(1, 2, 4, 4, dtype=dtype).expand(2, 2, 4, 4)
    run_all(input, grid_of(2, 3, 3, 2, dtype=dtype), BILINEAR, 0, False)


def test_coordinates_that_are_no_numbers():
    grid = gn.tensor([[[[math.nan, 0.0], [math.inf, 0.5], [-math.inf, math.nan]]]], device="reference")
    input = numbers(1, 1, 3, 3, dtype=gn.float32)
    gradient = numbers(1, 1, 1, 3, dtype=gn.float32)
    for mode, padding in itertools.product(range(3), range(3)):
        both(lambda i, g, m=mode, p=padding: aten.grid_sampler_2d.default(i, g, m, p, True), input, grid)
        both(
            lambda o, i, g, m=mode, p=padding: aten.grid_sampler_2d_backward.default(
                o, i, g, m, p, True, [True, True]
            ),
            *(gradient, input, grid),
        )


def test_an_element_of_many_places(monkeypatch):
    """Many samples at the border share one element, and images are sorted one at a time."""
    gn.manual_seed(4)
    monkeypatch.setattr(grid_sample, "MOST_MEETINGS", 100)
    places = 3 * grid_sample.FEW
    grid = grid_of(2, places, 1, 2)
    grid[1] += 4
    input, gradient = numbers(2, 2, 3, 3), numbers(2, 2, places, 1)
    both(
        lambda o, i, g: aten.grid_sampler_2d_backward.default(o, i, g, BILINEAR, 1, False, [True, True]),
        *(gradient, input, grid),
    )


def test_many_channels_of_few_places_and_few_of_many(monkeypatch):
    gn.manual_seed(5)
    monkeypatch.setattr(grid_sample, "ENOUGH_THREADS", 16)
    run_all(numbers(1, 37, 2, 2), grid_of(1, 1, 2, 2), BILINEAR, 0, True)
    run_all(numbers(1, 2, 2, 2), grid_of(1, 6, 7, 2), BILINEAR, 0, True)


def test_nothing_at_all():
    for input, grid in (
        (numbers(0, 2, 3, 3), grid_of(0, 2, 2, 2)),
        (numbers(1, 2, 3, 3), grid_of(1, 0, 2, 2)),
    ):
        run_all(input, grid, BILINEAR, 0, False)
    run_all(numbers(1, 0, 3, 3), grid_of(1, 2, 2, 2), BILINEAR, 0, False)
