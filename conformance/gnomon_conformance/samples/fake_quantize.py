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
