"""Samples of select, slice and narrow."""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "select.int",
    [
        sample(tensor(2, 3), 0, 1),
        sample(tensor(2, 3), -1, -2),
        sample(tensor(2, 3, 2), 1, 0),
        bad("IndexError", tensor(2, 3), 0, 2),
        bad("IndexError", tensor(2, 3), 2, 0),
        bad("IndexError", tensor(), 0, 0),
    ],
)
samples_of(
    "select_backward",
    [
        sample(tensor(3), [2, 3], 0, 1),
        sample(tensor(2), [2, 2], 0, 1),
        sample(tensor(2), [2, 3], -1, -1),
        bad("IndexError", tensor(3), [2, 3], 0, 5),
    ],
)
samples_of(
    "slice.Tensor",
    [
        sample(tensor(4, 3)),
        sample(tensor(4, 3), 0, 1),
        sample(tensor(4, 3), 1, None, -1),
        sample(tensor(5), 0, 0, 5, 2),
        sample(tensor(5), -1, -3, 100),
        sample(tensor(5), 0, 4, 2),
        bad("IndexError", tensor(5), 1, 0, 2),
        bad("RuntimeError", tensor(5), 0, 0, 2, 0),
        bad("RuntimeError", tensor(5), 0, 0, 2, -1),
        bad("IndexError", tensor(), 0, 0, 1),
    ],
)
samples_of(
    "slice_backward",
    [
        sample(tensor(2, 3), [4, 3], 0, 1, 3, 1),
        sample(tensor(2), [5], 0, 0, 4, 2),
        sample(tensor(4, 2), [4, 3], 1, 0, 3, 2),
    ],
)
samples_of(
    "narrow",
    [
        sample(tensor(4, 3), 0, 1, 2),
        sample(tensor(4, 3), -1, -2, 1),
        sample(tensor(4, 3), 0, 4, 0),
        bad("RuntimeError", tensor(4), 0, 2, 3),
        bad("RuntimeError", tensor(4), 0, 0, -1),
        bad("IndexError", tensor(4), 0, 5, 0),
        bad("RuntimeError", tensor(), 0, 0, 0),
    ],
)
samples_of(
    "narrow.Tensor",
    [
        sample(tensor(4, 3), 0, tensor(dtype="int64", values="below 2"), 2),
        sample(tensor(4, 3), -1, tensor(dtype="int32", values="zeros"), 1),
        bad("RuntimeError", tensor(4), 0, tensor(1, dtype="int64"), 1),
        bad("RuntimeError", tensor(4), 0, tensor(values="zeros"), 1),
    ],
)
