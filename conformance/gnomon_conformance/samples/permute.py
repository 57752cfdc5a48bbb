"""Samples of views that reorder dimensions."""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "permute",
    [
        sample(tensor(2, 3), [1, 0]),
        sample(tensor(2, 3, 4), [2, 0, 1]),
        sample(tensor(2, 3, 4), [-1, -3, -2]),
        sample(tensor(), []),
        bad("RuntimeError", tensor(2, 3), [0]),
        bad("RuntimeError", tensor(2, 3), [0, 0]),
        bad("IndexError", tensor(2, 3), [0, 2]),
    ],
)
samples_of(
    "transpose.int",
    [
        sample(tensor(2, 3), 0, 1),
        sample(tensor(2, 3, 4), -1, 0),
        sample(tensor(2, 3, 4), 1, 1),
        sample(tensor(), 0, -1),
        bad("IndexError", tensor(2, 3), 0, 2),
    ],
)
samples_of(
    "t", [sample(tensor(2, 3)), sample(tensor(3)), sample(tensor()), bad("RuntimeError", tensor(1, 2, 3))]
)
samples_of(
    "movedim.intlist",
    [
        sample(tensor(2, 3, 4), [0, 1], [1, 2]),
        sample(tensor(2, 3, 4), [-1], [0]),
        bad("RuntimeError", tensor(2, 3), [0, 1], [0]),
    ],
)
samples_of(
    "movedim.int",
    [sample(tensor(2, 3, 4), 0, 2), sample(tensor(2, 3, 4), -1, 0), bad("IndexError", tensor(2, 3), 0, 2)],
)
samples_of(
    "swapaxes swapdims",
    [sample(tensor(2, 3, 4), 0, -1), sample(tensor(2, 3), 1, 1), bad("IndexError", tensor(2, 3), 0, 2)],
)
samples_of(
    "moveaxis.intlist",
    [
        sample(tensor(2, 3, 4), [0, 1], [1, 2]),
        sample(tensor(2, 3), [1], [0]),
        bad("RuntimeError", tensor(2), [0], []),
    ],
)
samples_of("moveaxis.int", [sample(tensor(2, 3, 4), 0, 2), sample(tensor(2, 3, 4), -1, 0)])
