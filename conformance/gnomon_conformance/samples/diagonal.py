"""Samples of diagonals: views of them, and matrices built from them."""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "diagonal",
    [
        sample(tensor(3, 4)),
        sample(tensor(3, 4), 1),
        sample(tensor(4, 3), -2),
        sample(tensor(2, 3, 4), 1, 2, 0),
        sample(tensor(2, 3, 4), -1, -1, -2),
        sample(tensor(3, 3), 5),
        sample(tensor(0, 3)),
        bad("RuntimeError", tensor(3, 3), 0, 1, 1),
        bad("RuntimeError", tensor(3, 3), 0, 0, -2),
        bad("IndexError", tensor(3)),
        bad("IndexError", tensor(3, 3), 0, 0, 2),
    ],
)
samples_of(
    "diagonal_backward",
    [sample(tensor(3), [3, 4], 1, 0, 1), sample(tensor(3, 2), [2, 3, 4], -1, 2, 0)],
)
samples_of(
    "diag",
    [
        sample(tensor(3)),
        sample(tensor(2), -1),
        sample(tensor(3, 4), 1),
        sample(tensor(0)),
        sample(tensor(2, 3), 7),
        bad("RuntimeError", tensor(2, 2, 2)),
        bad("RuntimeError", tensor()),
    ],
)
samples_of(
    "diag_embed",
    [
        sample(tensor(3)),
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), -1, 0, 2),
        sample(tensor(2, 3), 0, 2, 0),
        sample(tensor(2, 0)),
        bad("RuntimeError", tensor(3), 0, 1, 1),
        bad("IndexError", tensor(3), 0, 0, 2),
        bad("IndexError", tensor()),
    ],
)
samples_of("diagflat", [sample(tensor(2, 2)), sample(tensor(3), 1), sample(tensor(), -1), sample(tensor(0))])
samples_of(
    "fill_diagonal_",
    [
        sample(tensor(3, 3), 1),
        sample(tensor(2, 4), 0),
        sample(tensor(5, 2), 1),
        *[sample(tensor(*sizes, layout="contiguous"), 1, True) for sizes in ((8, 2), (3, 2), (2, 5), (4, 1))],
        sample(tensor(2, 2, 2), 1),
        sample(tensor(2, 2, dtype="complex64"), 1j, dtypes=["float32"]),
        sample(tensor(3, 3, dtype="uint8"), -2.5, dtypes=["uint8"]),
        sample(tensor(0, 3), 2, True),
        bad("RuntimeError", tensor(3), 1),
        bad("RuntimeError", tensor(2, 2, 3), 1),
        bad("RuntimeError", tensor(2, 2), 300, dtypes=["uint8", "int8"]),
    ],
)
