"""Samples of views of parts: unbind, split, chunk, tensor_split …"""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "unbind.int",
    [
        sample(tensor(2, 3)),
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), -2),
        bad("IndexError", tensor(2), 1),
    ],
)
PIECES = [sample(tensor(5, 2), 2), sample(tensor(2, 3), 3, 1), sample(tensor(0, 3), 2)]
samples_of(
    "split.Tensor",
    [
        *PIECES,
        bad("RuntimeError", tensor(5), -1),
        bad("RuntimeError", tensor(5), 0),
        bad("RuntimeError", tensor(), 1),
    ],
)
samples_of("unsafe_split.Tensor", [*PIECES, bad("RuntimeError", tensor(5), 0)])
GIVEN = [
    sample(tensor(5, 2), [2, 3]),
    sample(tensor(2, 3), [1, 0, 2], -1),
    bad("RuntimeError", tensor(5), [2, 2]),
]
samples_of("split.sizes unsafe_split_with_sizes", GIVEN)
samples_of(
    "split_with_sizes",
    [*GIVEN, bad("RuntimeError", tensor(5), [6, -1]), bad("IndexError", tensor(5), [5], 1)],
)
samples_of(
    "chunk unsafe_chunk",
    [
        sample(tensor(5, 2), 2),
        sample(tensor(2, 5), 3, 1),
        sample(tensor(0, 2), 3),
        bad("RuntimeError", tensor(5), 0),
    ],
)
samples_of(
    "chunk",
    [
        sample(tensor(5, 2), 2),
        sample(tensor(2, 5), 3, 1),
        sample(tensor(2), 4),
        bad("RuntimeError", tensor(5), 0),
        bad("RuntimeError", tensor(), 1),
    ],
)
samples_of(
    "tensor_split.sections",
    [
        sample(tensor(5, 2), 2),
        sample(tensor(2, 5), 3, 1),
        sample(tensor(2), 4),
        bad("RuntimeError", tensor(5), 0),
        bad("RuntimeError", tensor(), 1),
        bad("IndexError", tensor(2), 1, 1),
    ],
)
samples_of(
    "tensor_split.indices",
    [
        sample(tensor(5, 2), [2, 4]),
        sample(tensor(2, 5), [3, 1], -1),
        sample(tensor(5), [-2, 9]),
        sample(tensor(5), []),
        bad("RuntimeError", tensor(), [1]),
    ],
)
samples_of(
    "tensor_split.tensor_indices_or_sections",
    [
        sample(tensor(5), tensor(2, dtype="int64", values="below 5")),
        sample(tensor(2, 4), tensor(1, dtype="int64", values="below 5"), 1),
        bad("RuntimeError", tensor(5), tensor(2, dtype="int32")),
        bad("RuntimeError", tensor(5), tensor(1, 2, dtype="int64")),
    ],
)
samples_of("hsplit.int", [sample(tensor(4), 2), sample(tensor(2, 6), 3), bad("RuntimeError", tensor(5), 2)])
samples_of(
    "hsplit.array", [sample(tensor(4), [1, 3]), sample(tensor(2, 6), [2]), bad("RuntimeError", tensor(), [1])]
)
samples_of(
    "vsplit.int", [sample(tensor(4, 2), 2), sample(tensor(6, 1), 3), bad("RuntimeError", tensor(4), 2)]
)
samples_of(
    "vsplit.array",
    [sample(tensor(4, 2), [1, 3]), sample(tensor(3, 1), [2]), bad("RuntimeError", tensor(4), [1])],
)
samples_of(
    "dsplit.int",
    [sample(tensor(1, 2, 4), 2), sample(tensor(1, 1, 3), 3), bad("RuntimeError", tensor(4, 4), 2)],
)
samples_of("dsplit.array", [sample(tensor(1, 2, 4), [1, 3]), sample(tensor(1, 1, 3), [2])])
samples_of("hsplit.int vsplit.int dsplit.int", [bad("RuntimeError", tensor(2, 2, 2), 0)])
