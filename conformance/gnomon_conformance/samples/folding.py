"""Samples of im2col, col2im, the shuffles and one_hot."""

from ..inputs.description import REAL_FLOATS, bad, sample, tensor
from . import samples_of

IMAGE, COLUMNS = tensor(2, 2, 3, 4), tensor(2, 8, 6)
UNIT = ([1, 1], [0, 0], [1, 1])  # dilation, padding, stride
samples_of(
    "im2col",
    [
        sample(IMAGE, [2, 2], *UNIT),
        sample(IMAGE, [2, 1], [2, 1], [0, 0], [1, 1]),
        sample(IMAGE, [2, 3], [1, 1], [1, 0], [2, 1]),
        sample(tensor(2, 3, 4), [1, 2], [1, 2], [0, 1], [1, 2]),
        sample(tensor(0, 2, 3, 4), [2, 2], *UNIT, dtypes=REAL_FLOATS),
        sample(tensor(1, 2, 2, 3, layout="channels_last"), [2, 2], *UNIT),
        sample(tensor(1, 1, 2, 7, values="special"), [2, 2], *UNIT, differentiable=False),
        bad("IndexError", tensor(3, 4), [2, 2], *UNIT),
        bad("RuntimeError", tensor(2, 0, 3, 4), [2, 2], *UNIT),
        bad("RuntimeError", IMAGE, [2], *UNIT),
        bad("RuntimeError", IMAGE, [4, 4], *UNIT),
        bad("RuntimeError", IMAGE, [0, 2], *UNIT),
        bad("RuntimeError", IMAGE, [2, 2], [1, 1], [-1, 0], [1, 1]),
    ],
)
samples_of(
    "col2im",
    [
        sample(COLUMNS, [3, 4], [2, 2], *UNIT),
        sample(tensor(1, 4, 4), [3, 4], [2, 1], [2, 1], [0, 0], [1, 1]),
        sample(tensor(1, 2, 8), [4, 3], [1, 2], *UNIT),
        sample(tensor(12, 4), [3, 4], [2, 3], [1, 1], [1, 0], [2, 1]),
        sample(tensor(0, 8, 6), [3, 4], [2, 2], *UNIT, dtypes=REAL_FLOATS),
        bad("RuntimeError", tensor(2, 7, 6), [3, 4], [2, 2], *UNIT),
        bad("RuntimeError", COLUMNS, [4, 4], [2, 2], *UNIT),
        bad("RuntimeError", COLUMNS, [3], [2, 2], *UNIT),
        bad("RuntimeError", tensor(8), [3, 4], [2, 2], *UNIT),
        bad("RuntimeError", COLUMNS, [3, 4], [2, 2], [1, 1], [0, 0], [0, 1]),
    ],
    tolerance="terms",
)
samples_of(
    "pixel_shuffle",
    [
        sample(tensor(1, 8, 1, 2), 2),
        sample(tensor(4, 2, 2), 2),
        sample(tensor(2, 1, 9, 1, 2), 3),
        sample(tensor(2, 3, 2, 1), 1),
        sample(tensor(0, 4, 2, 2), 2, differentiable=False),
        sample(tensor(2, 8, 1, 2, layout="channels_last"), 2),
        bad("RuntimeError", tensor(1, 6, 2, 2), 2),
        bad("RuntimeError", tensor(2, 2), 1),
        bad("RuntimeError", tensor(1, 4, 2, 2), 0),
    ],
)
samples_of(
    "pixel_unshuffle",
    [
        sample(tensor(1, 2, 2, 4), 2),
        sample(tensor(2, 4, 2), 2),
        sample(tensor(2, 1, 1, 3, 3), 3),
        sample(tensor(2, 3, 2, 1), 1),
        sample(tensor(2, 3, 2, 2, layout="channels_last"), 2),
        bad("RuntimeError", tensor(1, 6, 2, 3), 2),
        bad("RuntimeError", tensor(1, 6, 3, 2), 2),
        bad("RuntimeError", tensor(2, 2), 1),
        bad("RuntimeError", tensor(1, 4, 2, 2), -1),
    ],
)
SHUFFLES = [
    (tensor(2, 6, 2), 2),
    (tensor(1, 6, 1, 2), 3),
    (tensor(2, 4, 2, 1), 1),
    (tensor(2, 4, 2, 2, layout="channels_last"), 2),
]
BAD_SHUFFLES = [
    bad("RuntimeError", tensor(2, 4, 2), 3),
    bad("RuntimeError", tensor(2, 4, 2), 0),
    bad("RuntimeError", tensor(2, 4), 2),
]
samples_of("channel_shuffle", [sample(*each) for each in SHUFFLES] + BAD_SHUFFLES)
# PyTorch has no derivative of this one
samples_of(
    "native_channel_shuffle", [sample(*each, differentiable=False) for each in SHUFFLES] + BAD_SHUFFLES
)
CLASSES = tensor(2, 3, dtype="int64", values="below 4")
samples_of(
    "one_hot",
    [
        sample(CLASSES),
        sample(CLASSES, 4),
        sample(CLASSES, 6),
        sample(tensor(dtype="int64", values="below 3"), 3),
        sample(tensor(0, dtype="int64"), 3),
        bad("RuntimeError", CLASSES, 1),
        bad("RuntimeError", CLASSES, 0),
        bad("RuntimeError", tensor(4, dtype="int64"), 10),
        bad("RuntimeError", tensor(0, dtype="int64")),
        bad("RuntimeError", tensor(3, dtype="int32", values="below 3"), 4),
        bad("RuntimeError", tensor(3), 4),
    ],
)
