"""Samples of fake_quantize."""

from typing import Any

from ..inputs.description import FLOATS, bad, given, sample, tensor
from . import samples_of

SCALE, ZERO_POINT = given([0.125], (1,), (1,), 0, "float32"), given([2], (1,), (1,), 0, "int32")
SCALES = given([0.125, 0.25], (2,), (1,), 0, "float32")
ZERO_POINTS = given([2, -3], (2,), (1,), 0, "int32")
# The gradient is that of the number before it was rounded, which no difference quotient shows.
OF_FLOATS: dict[str, Any] = {"dtypes": FLOATS, "differentiable": False}
ON, OFF = (given([each], (1,), (1,), 0, "int32") for each in (1, 0))

samples_of(
    "fake_quantize_per_tensor_affine fake_quantize_per_tensor_affine_cachemask",
    [
        sample(tensor(3, 4), 0.1, 0, -10, 20, **OF_FLOATS),
        sample(tensor(5), 0.25, 3, 0, 15, **OF_FLOATS),
        sample(tensor(), 0.5, -1, -8, 7, **OF_FLOATS),
        bad("RuntimeError", tensor(3, dtype="float32"), 0.1, 30, -10, 20),
        bad("RuntimeError", tensor(3, dtype="float32"), 0.1, 0, 10, -20),
    ],
)
samples_of(
    "fake_quantize_per_tensor_affine.tensor_qparams",
    [
        sample(tensor(3, 4), SCALE, ZERO_POINT, -10, 20, **OF_FLOATS),
        sample(tensor(5), SCALE, ZERO_POINT, 0, 15, **OF_FLOATS),
    ],
)
samples_of(
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    [
        sample(tensor(3, 4), SCALE, ZERO_POINT, ON, -10, 20, **OF_FLOATS),
        sample(tensor(5), SCALE, ZERO_POINT, OFF, 0, 15, **OF_FLOATS),
    ],
)
samples_of(
    "fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask",
    [
        sample(tensor(2, 4), SCALES, ZERO_POINTS, 0, -10, 20, **OF_FLOATS),
        sample(tensor(3, 2), SCALES, ZERO_POINTS, 1, -5, 15, **OF_FLOATS),
        bad("RuntimeError", tensor(3, 2, dtype="float32"), SCALES, ZERO_POINTS, 0, -10, 20),
        bad("RuntimeError", tensor(3, 2, dtype="float32"), SCALES, ZERO_POINTS, 1, 0, 20),
    ],
)
samples_of(
    "fake_quantize_per_tensor_affine_cachemask_backward fake_quantize_per_channel_affine_cachemask_backward",
    [
        sample(tensor(3, 4), tensor(3, 4, dtype="bool"), dtypes=FLOATS),
        bad("RuntimeError", tensor(3, dtype="float32"), tensor(3, dtype="int64")),
        bad("RuntimeError", tensor(3, dtype="float32"), tensor(2, dtype="bool")),
    ],
)

# ---------------------------------------------------------------------------------------------------------
# Learned parameters.

FLOAT32: dict[str, Any] = {"dtypes": ["float32"]}
# A rounded number has no difference quotient that its gradient would be.
ROUNDED: dict[str, Any] = {"dtypes": ["float32"], "smooth": False}
POINT, POINTS = given([1.75], (1,), (1,), 0, "float32"), given([2.25, -3.0], (2,), (1,), 0, "float32")
LOW_POINT = given([-2.75], (1,), (1,), 0, "float32")
samples_of(
    "_fake_quantize_learnable_per_tensor_affine",
    [
        sample(tensor(3, 4), SCALE, POINT, -4, 7, **ROUNDED),
        sample(tensor(5), SCALE, POINT, 0, 15, 0.5, **ROUNDED),
        sample(tensor(2, 3), SCALE, LOW_POINT, -8, 7, **ROUNDED),
        sample(tensor(5, values="special"), SCALE, POINT, -128, 127, **FLOAT32, differentiable=False),
        bad("RuntimeError", tensor(3, dtype="float32"), SCALE, POINT, 10, -20),
        bad("IndexError", tensor(3, dtype="float32"), tensor(dtype="float32"), POINT, -4, 7),
    ],
)
samples_of(
    "_fake_quantize_learnable_per_tensor_affine_backward",
    [
        sample(tensor(3, 4), tensor(3, 4), SCALE, POINT, -4, 7, **FLOAT32, differentiable=False),
        sample(tensor(5), tensor(5), SCALE, LOW_POINT, -3, 5, 0.5, **FLOAT32, differentiable=False),
        bad("RuntimeError", tensor(3), tensor(3), SCALE, POINT, 1, 7),
        bad("RuntimeError", tensor(3), tensor(4), SCALE, POINT, -4, 7),
        bad("RuntimeError", tensor(3, dtype="float64"), tensor(3), SCALE, POINT, -4, 7),
    ],
    tolerance="composed",
)
samples_of(
    "_fake_quantize_learnable_per_channel_affine",
    [
        sample(tensor(2, 4), SCALES, POINTS, 0, -4, 7, **ROUNDED),
        sample(tensor(3, 2), SCALES, POINTS, 1, -5, 15, 0.5, **ROUNDED),
        bad("RuntimeError", tensor(3, 2, dtype="float32"), SCALES, POINTS, 0, -10, 20),
    ],
)
samples_of(
    "_fake_quantize_learnable_per_channel_affine_backward",
    [
        sample(tensor(2, 4), tensor(2, 4), SCALES, POINTS, 0, -4, 7, **FLOAT32, differentiable=False),
        sample(tensor(3, 2), tensor(3, 2), SCALES, POINTS, 1, -5, 6, 0.5, **FLOAT32, differentiable=False),
        sample(tensor(2), tensor(2), SCALES, POINTS, 0, -4, 3, **FLOAT32, differentiable=False),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), SCALES, POINTS, 0, 1, 7),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), SCALES, POINT, 0, -4, 7),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), SCALES, POINTS, 1, -4, 7),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), SCALES, POINTS, -1, -4, 7),
    ],
    tolerance="composed",
)

# ---------------------------------------------------------------------------------------------------------
# Observed ranges.


def numbers(*values: float, dtype: str = "float32") -> Any:
    """A tensor of one dimension."""
    return given(values, (len(values),), (1,), 0, dtype)


OBSERVED: dict[str, Any] = {"dtypes": ["float32"], "differentiable": False}
INFINITY = float("inf")
YES, NO = numbers(1, dtype="int64"), numbers(0, dtype="int64")


def state(*lows: float) -> tuple[Any, ...]:
    """The running minima and maxima, the scales and the zero points of some channels."""
    count = len(lows)
    highs = [-low if low == INFINITY else low + 3 for low in lows]
    return numbers(*lows), numbers(*highs), numbers(*[1.0] * count), numbers(*[0] * count, dtype="int32")


samples_of(
    "fused_moving_avg_obs_fake_quant _fused_moving_avg_obs_fq_helper",
    [
        sample(tensor(3, 4), YES, YES, *state(INFINITY), 0.25, 0, 255, -1, **OBSERVED),
        sample(tensor(3, 4), YES, YES, *state(-1.0), 0.01, -128, 127, -1, False, True, **OBSERVED),
        sample(tensor(3, 4), NO, YES, *state(-1.0), 0.01, -8, 7, -1, **OBSERVED),
        sample(tensor(3, 4), YES, NO, *state(-1.0), 0.25, -8, 7, -1, **OBSERVED),
        sample(tensor(3, 4), YES, YES, *state(-1.0, 0.5, INFINITY), 0.25, -8, 7, 0, True, **OBSERVED),
        sample(tensor(2, 3, 2), YES, YES, *state(-1.0, 0.5), 0.01, 0, 15, 0, True, True, **OBSERVED),
        sample(tensor(2, 3, 2), NO, YES, *state(-1.0, 0.5, -3.0), 0.01, 0, 15, 1, True, **OBSERVED),
        bad("RuntimeError", tensor(2, 3), YES, YES, *state(-1.0, 0.5, 1.0), 0.01, 0, 15, 1, True),
        bad("RuntimeError", tensor(3, dtype="float64"), YES, YES, *state(-1.0), 0.01, 0, 15, -1),
    ],
)
