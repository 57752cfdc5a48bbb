"""Samples of operators that replace a view of a tensor: slice_scatter and similar ones."""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "as_strided_scatter",
    [
        sample(tensor(3, 4, layout="contiguous"), tensor(2, 2), [2, 2], [4, 1]),
        sample(tensor(3, 4, layout="contiguous"), tensor(2, 3), [2, 3], [1, 2], 1),
    ],
)
samples_of(
    "slice_scatter",
    [
        sample(tensor(4, 3), tensor(4, 3)),
        sample(tensor(4, 3), tensor(2, 3), 0, 1, 3),
        sample(tensor(4, 3), tensor(4, 2), 1, 0, 3, 2),
        sample(tensor(4, 3), tensor(1, 3), 0, -1, None),
        sample(tensor(2, 3, dtype="float32"), tensor(1, 3, dtype="float64"), 0, 0, 1, dtypes=["float32"]),
        bad("RuntimeError", tensor(4, 3), tensor(3), 0, 1, 2),
        bad("IndexError", tensor(4, 3), tensor(4, 3), 2),
    ],
)
samples_of(
    "select_scatter",
    [
        sample(tensor(2, 3), tensor(3), 0, 1),
        sample(tensor(2, 3), tensor(2), -1, -3),
        bad("RuntimeError", tensor(2, 3), tensor(2), 0, 0),
        bad("IndexError", tensor(2, 3), tensor(3), 0, 2),
    ],
)
samples_of(
    "diagonal_scatter",
    [
        sample(tensor(3, 3), tensor(3)),
        sample(tensor(3, 4), tensor(3), 1),
        sample(tensor(2, 3, 3), tensor(2, 2), -1, 1, 2),
        bad("RuntimeError", tensor(3, 3), tensor(2)),
        bad("IndexError", tensor(3), tensor(3)),
    ],
)
