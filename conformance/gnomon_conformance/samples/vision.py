"""Samples of grid_sampler and affine_grid_generator."""

from ..inputs.description import REAL_FLOATS, bad, sample, tensor
from . import samples_of

INPUT, GRID = tensor(1, 2, 3, 4), tensor(1, 2, 3, 2)  # coordinates from -2 to 2: inside and outside
VOLUME, PLACES = tensor(1, 1, 2, 3, 2), tensor(1, 2, 1, 2, 3)
PLANAR = [
    sample(INPUT, GRID, 0, 0, False),
    sample(INPUT, GRID, 0, 1, True),
    sample(INPUT, GRID, 0, 2, False),
    sample(INPUT, GRID, 1, 0, False),
    sample(INPUT, GRID, 1, 2, True),
    sample(INPUT, GRID, 2, 0, False),
    sample(INPUT, GRID, 2, 1, False),
    sample(INPUT, GRID, 2, 2, True),
    sample(tensor(2, 2, 1, 3), tensor(2, 1, 2, 2), 0, 2, True),
    sample(tensor(1, 2, 3, 4, layout="channels_last"), GRID, 0, 0, False),
    sample(tensor(0, 2, 3, 4), tensor(0, 2, 3, 2), 0, 0, False, dtypes=REAL_FLOATS),
    bad("RuntimeError", INPUT, tensor(2, 2, 3, 2), 0, 0, False),
    bad("RuntimeError", INPUT, tensor(1, 2, 3, 3), 0, 0, False),
    bad("RuntimeError", INPUT, tensor(1, 3, 2), 0, 0, False),
    bad("RuntimeError", INPUT, tensor(1, 2, 3, 2, dtype="float64"), 0, 0, False),
    bad("RuntimeError", tensor(1, 2, 0, 4), GRID, 0, 0, False),
]
SOLID = [
    sample(VOLUME, PLACES, 0, 0, False),
    sample(VOLUME, PLACES, 0, 1, True),
    sample(VOLUME, PLACES, 1, 2, False),
    bad("RuntimeError", VOLUME, PLACES, 2, 0, False),
    bad("RuntimeError", VOLUME, tensor(1, 2, 1, 2, 2), 0, 0, False),
]
samples_of("grid_sampler_2d", PLANAR, tolerance="composed")
samples_of("grid_sampler_3d", SOLID, tolerance="composed")
samples_of("grid_sampler", [*PLANAR, *SOLID], tolerance="composed")
BOTH = [True, True]
samples_of(
    "grid_sampler_2d_backward",
    [
        sample(tensor(1, 2, 2, 3), INPUT, GRID, 0, 0, False, BOTH),
        sample(tensor(1, 2, 2, 3), INPUT, GRID, 0, 2, True, BOTH),
        sample(tensor(1, 2, 2, 3), INPUT, GRID, 1, 1, False, BOTH, differentiable=False),
        sample(tensor(1, 2, 2, 3), INPUT, GRID, 2, 1, False, [False, True]),
        bad("RuntimeError", tensor(1, 2, 2, 3), INPUT, tensor(1, 2, 3, 3), 0, 0, False, BOTH),
    ],
    tolerance="composed",
)
samples_of(
    "grid_sampler_3d_backward",
    [
        sample(tensor(1, 1, 2, 1, 2), VOLUME, PLACES, 0, 0, False, BOTH),
        sample(tensor(1, 1, 2, 1, 2), VOLUME, PLACES, 1, 2, True, [False, True], differentiable=False),
    ],
    tolerance="composed",
)
samples_of(
    "_grid_sampler_double_backward",
    [
        sample(
            INPUT,
            GRID,
            tensor(1, 2, 2, 3),
            INPUT,
            GRID,
            0,
            0,
            False,
            [True] * 3,
            differentiable=False,
            dtypes=("float32", "float64"),
        ),
        sample(
            None,
            GRID,
            tensor(1, 2, 2, 3),
            INPUT,
            GRID,
            2,
            1,
            True,
            [True] * 3,
            differentiable=False,
            dtypes=("float32", "float64"),
        ),
        sample(
            INPUT,
            None,
            tensor(1, 2, 2, 3),
            INPUT,
            GRID,
            1,
            2,
            True,
            [True, False, True],
            differentiable=False,
            dtypes=("float32", "float64"),
        ),
        sample(
            VOLUME,
            PLACES,
            tensor(1, 1, 2, 1, 2),
            VOLUME,
            PLACES,
            0,
            2,
            True,
            [True] * 3,
            differentiable=False,
            dtypes=("float32", "float64"),
        ),
    ],
    tolerance="composed",
)
AFFINE = [
    sample(tensor(2, 2, 3), [2, 1, 3, 2], False, dtypes=REAL_FLOATS),
    sample(tensor(2, 2, 3), [2, 1, 3, 1], True, dtypes=("float32", "float64")),
    sample(tensor(1, 3, 4), [1, 2, 2, 2, 3], True, dtypes=REAL_FLOATS),
    bad("RuntimeError", tensor(2, 2, 3), [2, 1, 3], False),
]
samples_of("affine_grid_generator", AFFINE, tolerance="composed")
samples_of(
    "affine_grid_generator_backward",
    [
        sample(tensor(2, 3, 2, 2), [2, 1, 3, 2], False, dtypes=REAL_FLOATS),
        sample(tensor(1, 2, 2, 3, 3), [1, 2, 2, 2, 3], True, dtypes=REAL_FLOATS),
    ],
    tolerance="composed",
)
