"""Calls with quantized tensors: of the operators that make them, that only they have, and of others.

The dtype of a test is that of the integers: uint8 for quint8, int8 for qint8, int32 for qint32.
"""

from __future__ import annotations

from typing import Any

from ..inputs.description import ON_DEVICE, TensorDescription, given, sample, tensor
from . import sparse_samples_of

BYTES: dict[str, Any] = {"dtypes": ("uint8", "int8")}
INTEGERS: dict[str, Any] = {"dtypes": ("uint8", "int8", "int32")}
NUMBERS: dict[str, Any] = {"dtypes": ("float32",), "differentiable": False}
KINDS = ("qint8", "quint8", "qint32")


def quantized(*sizes: int, **fields: Any) -> TensorDescription:
    """A tensor with one scale."""
    return tensor(*sizes, layout="per_tensor", **fields)


def by_channel(*sizes: int, **fields: Any) -> TensorDescription:
    """A tensor with a scale for each index of the first dimension."""
    return tensor(*sizes, layout="per_channel", **fields)


def dense(*sizes: int, **fields: Any) -> TensorDescription:
    """A contiguous tensor."""
    return tensor(*sizes, layout="contiguous", **fields)


WIDE = quantized(5, 7, values="extreme")  # with the extreme integers, for which int32 would overflow
LAST = tensor(2, 3, layout="per_last_channel")
PER_TENSOR = [quantized(3, 4), quantized(2, 3, 2), quantized(), quantized(0, 3), quantized(17)]
PER_CHANNEL = [by_channel(3, 4), LAST, by_channel(5)]
EACH = [*PER_TENSOR, *PER_CHANNEL]

# ---------------------------------------------------------------------------------------------------------
# From numbers and from integers.

FLAT = [
    dense(3, 4),
    dense(2, 3, 2, values="special"),
    dense(),
    dense(0, 2),
    tensor(2, 3, layout="transposed"),
]
SCALES = given([0.0625, 0.3125, 1.0], (3,), (1,), 0, "float32")
ZERO_POINTS = given([0, 3, 77], (3,), (1,), 0, "int64")

sparse_samples_of(
    "quantize_per_tensor",
    [
        sample(each, scale, zero_point, kind, **NUMBERS)
        for each in FLAT
        for scale, zero_point in ((0.05, 3), (1 / 3, 100))
        for kind in (KINDS[:2] if each.values == "special" else KINDS)
    ],
)
ONE_SCALE, ONE_ZERO_POINT = (
    given([number], (), (), 0, dtype) for number, dtype in ((0.09375, "float32"), (5, "int64"))
)
sparse_samples_of(
    "quantize_per_tensor.tensor_qparams",
    [sample(dense(3, 4), ONE_SCALE, ONE_ZERO_POINT, kind, **NUMBERS) for kind in KINDS],
)
sparse_samples_of(
    "quantize_per_tensor.tensors",
    [sample([dense(3, 4), dense(2), dense(5)], SCALES, ZERO_POINTS, kind, **NUMBERS) for kind in KINDS],
)
sparse_samples_of(
    "quantize_per_channel",
    [sample(dense(3, 4), SCALES, ZERO_POINTS, 0, kind, **NUMBERS) for kind in KINDS]
    + [
        sample(dense(2, 3, 2, values="special"), SCALES, ZERO_POINTS, 1, "quint8", **NUMBERS),
        sample(dense(2, 3), SCALES, given([0.5, 3.25, 0.0], (3,), (1,), 0, "float32"), 1, "qint8", **NUMBERS),
    ],
)
sparse_samples_of(
    "quantize_per_tensor_dynamic",
    [
        sample(each, kind, reduced, **NUMBERS)
        for each in (dense(3, 4), dense(2, 3, values="positive"), dense(2, values="zeros"))
        for kind in KINDS[:2]
        for reduced in (False, True)
    ],
)
sparse_samples_of(
    "_choose_qparams_per_tensor",
    [
        *[sample(each, **NUMBERS) for each in (dense(3, 4), dense(2, 3, values="positive"))],
        sample(dense(3, 4), True, **NUMBERS),
    ],
)
sparse_samples_of(
    "_make_per_tensor_quantized_tensor",
    [
        sample(each, scale, zero_point, **INTEGERS)
        for each in (dense(3, 4, values="special"), tensor(2, 3, layout="transposed"), dense(0, 2))
        for scale, zero_point in ((0.05, 3), (2.0, 0))
    ],
)
sparse_samples_of(
    "_make_per_channel_quantized_tensor",
    [
        sample(dense(3, 4), SCALES, ZERO_POINTS, 0, **INTEGERS),
        sample(tensor(2, 3, layout="transposed"), SCALES, ZERO_POINTS, 1, **INTEGERS),
    ],
)
OPTIONS: dict[str, Any] = {"layout": "strided", "device": ON_DEVICE, "pin_memory": False}
sparse_samples_of(
    "_empty_affine_quantized",
    [
        sample((2, 3), dtype="quint8", device=ON_DEVICE, **NUMBERS),
        sample((0, 3), dtype="qint32", scale=0.5, zero_point=7, **OPTIONS, **NUMBERS),
        sample((1, 2, 3, 4), dtype="qint8", memory_format="channels_last", **OPTIONS, **NUMBERS),
    ],
)
sparse_samples_of(
    "_empty_per_channel_affine_quantized",
    [
        sample((3, 2), scales=SCALES, zero_points=ZERO_POINTS, axis=0, dtype="qint8", **OPTIONS, **NUMBERS),
        sample(
            (1, 3, 2, 2),
            scales=SCALES,
            zero_points=ZERO_POINTS,
            axis=1,
            dtype="quint8",
            memory_format="channels_last",
            **OPTIONS,
            **NUMBERS,
        ),
    ],
)
sparse_samples_of(
    "empty_quantized",
    [
        sample((2, 3), quantized(4), **INTEGERS),
        sample((3, 2), by_channel(3, 4), **OPTIONS, **INTEGERS),
        sample((2, 1, 2, 3), quantized(4), dtype="qint8", **OPTIONS, **BYTES),
    ],
)
sparse_samples_of("empty_like", [sample(each, **INTEGERS) for each in EACH])

# ---------------------------------------------------------------------------------------------------------
# What they consist of.

sparse_samples_of("dequantize.self int_repr qscheme", [sample(each, **INTEGERS) for each in EACH])
sparse_samples_of("dequantize.tensors", [sample([quantized(3, 4), quantized(2)], **INTEGERS)])
sparse_samples_of("dequantize.self", [sample(WIDE, **BYTES)])
sparse_samples_of("dequantize.self", [sample(each, **NUMBERS) for each in FLAT])
sparse_samples_of("q_scale q_zero_point", [sample(each, **INTEGERS) for each in PER_TENSOR])
sparse_samples_of(
    "q_per_channel_scales q_per_channel_zero_points q_per_channel_axis",
    [sample(each, **INTEGERS) for each in PER_CHANNEL],
)
sparse_samples_of("item", [sample(quantized(), **INTEGERS), sample(quantized(1), **INTEGERS)])

# ---------------------------------------------------------------------------------------------------------
# Copies, views, and elements in another order.

sparse_samples_of("clone", [sample(each, **INTEGERS) for each in EACH])
sparse_samples_of("detach", [sample(each, **INTEGERS) for each in EACH])
sparse_samples_of("_to_copy", [sample(each, **INTEGERS) for each in PER_TENSOR])
sparse_samples_of(
    "copy_",
    [
        sample(quantized(3, 4), tensor(3, 4, layout="coarse"), **INTEGERS),
        sample(quantized(3, 4), tensor(3, 4, dtype="float32", layout="contiguous", grad=False), **INTEGERS),
    ],
)
sparse_samples_of(
    "view",
    [sample(quantized(3, 4), (2, 6), **INTEGERS), sample(by_channel(3, 4), (3, 2, 2), **INTEGERS)],
)
sparse_samples_of("transpose.int", [sample(quantized(2, 3, 4), 0, -1, **INTEGERS)])
sparse_samples_of("t", [sample(quantized(3, 4), **INTEGERS)])
sparse_samples_of("permute", [sample(quantized(2, 3, 2), (2, 0, 1), **INTEGERS)])
sparse_samples_of("expand", [sample(quantized(1, 3), (2, 3), **INTEGERS)])
sparse_samples_of(
    "select.int", [sample(each, 0, 1, **INTEGERS) for each in (quantized(3, 4), by_channel(3, 4), LAST)]
)
sparse_samples_of(
    "slice.Tensor",
    [
        sample(each, dim, 1, 3, 2, **INTEGERS)
        for each in (quantized(4, 4), by_channel(4, 4))
        for dim in (0, 1)
    ],
)
sparse_samples_of(
    "unsqueeze", [sample(each, 1, **INTEGERS) for each in (quantized(3, 4), by_channel(3, 4), LAST)]
)
sparse_samples_of(
    "squeeze", [sample(quantized(3, 1, 2), **INTEGERS), sample(by_channel(3, 1, 2), **INTEGERS)]
)
sparse_samples_of("split.Tensor", [sample(quantized(5, 2), 2, 0, **INTEGERS)])
sparse_samples_of("unbind.int", [sample(quantized(2, 3), 1, **INTEGERS)])
sparse_samples_of(
    "index_select", [sample(quantized(3, 4), 1, given([2, 0, 2], (3,), (1,), 0, "int64"), **INTEGERS)]
)
sparse_samples_of("flip", [sample(quantized(3, 4), (0, 1), **INTEGERS)])
sparse_samples_of("rot90", [sample(quantized(3, 4), 1, (0, 1), **INTEGERS)])
sparse_samples_of("repeat", [sample(quantized(3, 4), (2, 1, 2), **INTEGERS)])
sparse_samples_of("split.Tensor", [sample(by_channel(4, 2), 2, dim, **INTEGERS) for dim in (0, 1)])
sparse_samples_of("split_with_sizes", [sample(by_channel(4, 2), (1, 3), 0, **INTEGERS)])
sparse_samples_of(
    "index_put index_put_",
    [
        sample(
            quantized(3, 4),
            [given([2, 0], (2,), (1,), 0, "int64"), None],
            given([0.25, -0.5, 1.0, 7.0], (4,), (1,), 0, "float32"),
            **INTEGERS,
        )
    ],
)
sparse_samples_of(
    "_index", [sample(quantized(3, 4), [given([2, 0], (2,), (1,), 0, "int64"), None], **INTEGERS)]
)
sparse_samples_of("stack", [sample([quantized(3, 4), quantized(3, 4)], 1, **INTEGERS)])
sparse_samples_of(
    "cat",
    [
        sample([quantized(3, 4), quantized(2, 4)], 0, **INTEGERS),
        sample([tensor(3, 4, layout="coarse"), quantized(3, 2)], 1, **INTEGERS),
    ],
)

# ---------------------------------------------------------------------------------------------------------
# Comparison and order.

COARSE = tensor(3, 4, layout="coarse")
sparse_samples_of(
    "eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor",
    [
        sample(quantized(3, 4), quantized(3, 4), **INTEGERS),
        sample(quantized(3, 4), COARSE, **INTEGERS),
        sample(quantized(3, 4), quantized(4), **INTEGERS),
        *[sample(each, number, **INTEGERS) for each in (quantized(3, 4), COARSE) for number in (0, 0.25)],
    ],
)
sparse_samples_of(
    "equal",
    [
        sample(quantized(3, 4, values="ones"), quantized(3, 4, values="ones"), **INTEGERS),
        sample(quantized(3, 4, values="ones"), tensor(3, 4, layout="coarse", values="ones"), **INTEGERS),
        sample(by_channel(3, 4, values="ones"), by_channel(3, 4, values="ones"), **INTEGERS),
    ],
)
sparse_samples_of("max min", [sample(each, **INTEGERS) for each in (quantized(3, 4), COARSE)])
sparse_samples_of(
    "max.dim min.dim",
    [sample(quantized(3, 4), dim, keepdim, **INTEGERS) for dim, keepdim in ((0, False), (-1, True))],
)
DISTINCT = quantized(3, 4, values="distinct")
sparse_samples_of("sort", [sample(DISTINCT, 0, **INTEGERS), sample(DISTINCT, -1, True, **INTEGERS)])
sparse_samples_of("sort.stable", [sample(quantized(3, 4), stable=True, dim=1, **INTEGERS)])
sparse_samples_of("topk", [sample(DISTINCT, 2, **INTEGERS), sample(DISTINCT, 2, 0, False, True, **INTEGERS)])

# ---------------------------------------------------------------------------------------------------------
# Functions of the numbers.

sparse_samples_of(
    "relu relu_", [sample(each, **INTEGERS) for each in (quantized(3, 4), COARSE, quantized(0))]
)
sparse_samples_of("relu relu_", [sample(WIDE, **BYTES)])
sparse_samples_of("sigmoid tanh hardsigmoid_", [sample(each, **BYTES) for each in (WIDE, COARSE)])
sparse_samples_of(
    "clamp",
    [
        *[sample(quantized(3, 4), low, high, **INTEGERS) for low, high in ((-0.2, 0.3), (-1, 1))],
        sample(COARSE, 0.1, 0.7, **INTEGERS),
        sample(WIDE, -3.0, None, **BYTES),
        sample(WIDE, None, 2.0, **BYTES),
    ],
)
sparse_samples_of("hardtanh", [sample(quantized(3, 4), **INTEGERS), sample(COARSE, -0.5, 0.6, **INTEGERS)])
sparse_samples_of(
    "_prelu_kernel",
    [
        sample(quantized(2, 3, 4), tensor(*sizes, layout="coarse"), **INTEGERS)
        for sizes in ((1, 3, 1), (1, 1, 1), (2, 3, 4))
    ],
)
sparse_samples_of(
    "fill_.Scalar",
    [
        sample(each, number, **INTEGERS)
        for each in (quantized(3, 4), by_channel(3, 4))
        for number in (0.2, 1000)
    ],
)
sparse_samples_of("ones_like", [sample(each, **INTEGERS) for each in (quantized(3, 4), by_channel(3, 4))])
sparse_samples_of("full_like", [sample(each, 0.7, **INTEGERS) for each in (quantized(3, 4), LAST)])
sparse_samples_of(
    "masked_fill.Tensor",
    [
        sample(quantized(3, 4), dense(3, 4, dtype="bool"), given([0.25], (), (), 0, "float32"), **INTEGERS),
    ],
)
sparse_samples_of(
    "masked_fill.Scalar",
    [sample(quantized(3, 4), dense(3, 4, dtype="bool"), number, **INTEGERS) for number in (0.2, 7)],
)
sparse_samples_of("mean", [sample(each, **BYTES) for each in (quantized(3, 4), COARSE)])
sparse_samples_of(
    "mean.dim",
    [sample(quantized(2, 3, 4, 2), dim, keep, **BYTES) for dim, keep in (((2, 3), False), ((0,), True))],
)
IMAGES = quantized(2, 3, 5, 6, values="extreme")
sparse_samples_of(
    "max_pool1d quantized_max_pool1d",
    [sample(quantized(2, 3, 9), (3,), (2,), (1,), (1,), ceil, **BYTES) for ceil in (False, True)]
    + [sample(quantized(2, 3, 9), (2,), (2,), (0,), (2,), **BYTES)],
)
sparse_samples_of(
    "max_pool2d quantized_max_pool2d",
    [
        sample(IMAGES, (3, 2), (2, 2), (1, 0), (1, 1), True, **BYTES),
        sample(IMAGES, (2, 2), (1, 2), (0, 1), (2, 1), **BYTES),
    ],
)
sparse_samples_of(
    "avg_pool2d",
    [
        sample(IMAGES, (2, 2), **BYTES),
        sample(IMAGES, (3, 3), (2, 2), (1, 1), True, False, **BYTES),
        sample(IMAGES, (2, 3), (1, 1), divisor_override=5, **BYTES),
    ],
)
sparse_samples_of("adaptive_avg_pool2d", [sample(IMAGES, size, **BYTES) for size in ((2, 3), (1, 1))])
sparse_samples_of(
    "upsample_nearest2d", [sample(IMAGES, (10, 9), **BYTES), sample(IMAGES, (7, 12), 2.0, 2.0, **BYTES)]
)
sparse_samples_of(
    "max_pool3d quantized_max_pool3d",
    [
        sample(quantized(1, 2, 4, 5, 4), (2, 3, 2), (2, 1, 2), (1, 1, 0), (1, 1, 1), True, **BYTES),
        sample(quantized(1, 3, 2, 4, 4), (2, 2, 2), (1, 2, 1), (0, 0, 0), (1, 2, 1), **BYTES),
    ],
)
VOLUMES = quantized(2, 2, 4, 5, 6, values="extreme")
sparse_samples_of(
    "avg_pool3d",
    [
        sample(VOLUMES, (2, 2, 2), **BYTES),
        sample(VOLUMES, (3, 3, 3), (2, 2, 2), (1, 1, 1), True, False, **BYTES),
        sample(VOLUMES, (2, 3, 1), (1, 1, 1), divisor_override=5, **BYTES),
    ],
)
sparse_samples_of("_adaptive_avg_pool3d", [sample(VOLUMES, size, **BYTES) for size in ((2, 3, 2), (1, 2, 6))])
sparse_samples_of(
    "_upsample_nearest_exact2d",
    [sample(IMAGES, (10, 9), **BYTES), sample(IMAGES, (7, 12), 2.0, 2.0, **BYTES)],
)
sparse_samples_of("upsample_nearest3d _upsample_nearest_exact3d", [sample(VOLUMES, (8, 5, 9), **BYTES)])
sparse_samples_of(  # with weights that are exact in float32, as PyTorch computes
    "upsample_bilinear2d",
    [sample(IMAGES, size, corners, **BYTES) for size, corners in (((10, 12), False), ((9, 11), True))],
)
sparse_samples_of(
    "constant_pad_nd",
    [
        sample(quantized(2, 3, 4), (1, 2), **INTEGERS),
        sample(quantized(2, 3, 4), (1, -1, 0, 2), 0.25, **INTEGERS),
        sample(COARSE, (0, 0, 1, 1), -1000, **BYTES),
    ],
)
sparse_samples_of(
    "reflection_pad1d", [sample(quantized(*sizes), (2, 1), **INTEGERS) for sizes in ((3, 4), (2, 3, 4))]
)
sparse_samples_of("reflection_pad2d", [sample(quantized(2, 3, 4, 3), (2, 1, 0, 3), **INTEGERS)])
sparse_samples_of("pixel_shuffle", [sample(quantized(2, 8, 2, 3), 2, **INTEGERS)])
sparse_samples_of("pixel_unshuffle", [sample(quantized(2, 2, 4, 6), 2, **INTEGERS)])
sparse_samples_of("native_channel_shuffle", [sample(quantized(2, 6, 2, 3), 3, **INTEGERS)])
sparse_samples_of("channel_shuffle", [sample(quantized(2, 6, 2, 3), 3, dtypes=("uint8",))])
sparse_samples_of(
    "std.correction",
    [
        sample(COARSE, **BYTES),
        sample(quantized(2, 3, 4, 2), (2, 3), **BYTES),
        sample(tensor(2, 3, 4, 2, layout="coarse"), (0, 2), correction=0, keepdim=True, **BYTES),
    ],
)
CHANNELS = [
    given(numbers, (3,), (1,), 0, "float32")
    for numbers in ([0.5, 1.25, -1.0], [0.125, -0.5, 1.0], [0.25, -0.125, 0.0], [0.5, 2.0, 1.0])
]
WEIGHT = dense(3, dtype="float32", grad=False)
sparse_samples_of(
    "quantized_batch_norm",
    [
        sample(quantized(2, 3, 4, 2), *CHANNELS, 1e-5, 0.04, 5, **BYTES),
        sample(quantized(4, 3), WEIGHT, WEIGHT, CHANNELS[2], CHANNELS[3], 1e-3, 0.0625, 0, **BYTES),
    ],
)
