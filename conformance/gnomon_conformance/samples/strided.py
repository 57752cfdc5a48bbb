"""Samples of views with explicit strides: as_strided and unfold."""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "as_strided",
    [
        sample(tensor(3, 4, layout="contiguous"), [2, 2], [4, 1]),
        sample(tensor(3, 4, layout="contiguous"), [2, 3], [1, 2], 1),
        sample(tensor(3, 4, layout="contiguous"), [3, 2], [0, 1]),
        sample(tensor(3, 4, layout="offset"), [2], [3]),
        sample(tensor(3, 4, layout="contiguous"), [3, 3], [1, 1]),
        sample(tensor(4, layout="contiguous"), [], [], 2),
        bad("RuntimeError", tensor(4, layout="contiguous"), [5], [1]),
        bad("RuntimeError", tensor(4, layout="contiguous"), [2], [1, 1]),
        bad("RuntimeError", tensor(4, layout="contiguous"), [2], [-1]),
        bad("RuntimeError", tensor(4, layout="contiguous"), [2], [1], -1),
    ],
)
samples_of(
    "_as_strided",
    [
        sample(tensor(3, 4, layout="contiguous"), [2, 2], [4, 1], 1),
        sample(tensor(6, layout="contiguous"), [2], [3], 0),
    ],
)
samples_of(
    "unfold",
    [
        sample(tensor(5), 0, 2, 1),
        sample(tensor(2, 5), 1, 3, 2),
        sample(tensor(5, 2), -2, 2, 3),
        sample(tensor(3), 0, 3, 1),
        sample(tensor(3), 0, 0, 1),
        sample(tensor(), 0, 1, 1),
        bad("RuntimeError", tensor(3), 0, 4, 1),
        bad("RuntimeError", tensor(3), 0, 2, 0),
        bad("RuntimeError", tensor(3), 0, -1, 1),
        bad("IndexError", tensor(3), 1, 2, 1),
    ],
)
samples_of(
    "unfold_backward",
    [
        sample(tensor(4, 2), [5], 0, 2, 1),
        sample(tensor(2, 2, 3), [2, 5], 1, 3, 2),
        sample(tensor(2, 2), [5], 0, 2, 3),
    ],
    tolerance="terms",
)
