"""Samples of reordered or repeated elements: flip, roll, rot90, repeat …"""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "flip",
    [
        sample(tensor(2, 3), [0]),
        sample(tensor(2, 3), [0, 1]),
        sample(tensor(2, 3, 2), [-1, 1]),
        sample(tensor(2, 3), []),
        sample(tensor(), []),
        sample(tensor(), [0]),
        sample(tensor(0, 3), [1]),
        sample(tensor(2, 3, 1, 1), [1]),
        bad("RuntimeError", tensor(2, 3), [0, -2]),
        bad("IndexError", tensor(2, 3), [2]),
    ],
)
samples_of("fliplr", [sample(tensor(2, 3)), sample(tensor(2, 3, 2)), bad("RuntimeError", tensor(3))])
samples_of("flipud", [sample(tensor(2, 3)), sample(tensor(3)), bad("RuntimeError", tensor())])
samples_of(
    "roll",
    [
        sample(tensor(2, 3), [1]),
        sample(tensor(2, 3), [-1], [1]),
        sample(tensor(2, 3), [1, 2], [0, -1]),
        sample(tensor(2, 3), [7], [1]),
        sample(tensor(3), [1, 1], [0, 0]),
        sample(tensor(), [2]),
        sample(tensor(0, 3), [1], [0]),
        bad("RuntimeError", tensor(2, 3), []),
        bad("RuntimeError", tensor(2, 3), [1, 1], [0]),
        bad("IndexError", tensor(2, 3), [1], [2]),
    ],
)
samples_of(
    "rot90",
    [
        *[sample(tensor(2, 3), k) for k in (0, 1, 2, 3, -1, 5)],
        sample(tensor(2, 3, 2), 1, [2, 0]),
        sample(tensor(2, 3, 2), 3, [-1, 1]),
        bad("RuntimeError", tensor(2, 3), 1, [0]),
        bad("RuntimeError", tensor(2, 3), 1, [0, 0]),
        bad("RuntimeError", tensor(2, 3), 1, [0, -2]),
        bad("IndexError", tensor(2, 3), 1, [0, 2]),
        bad("RuntimeError", tensor(3)),
    ],
)
samples_of(
    "repeat",
    [
        sample(tensor(2, 3), [2, 1]),
        sample(tensor(2, 3), [2, 1, 2]),
        sample(tensor(2), [3]),
        sample(tensor(), []),
        sample(tensor(), [2]),
        sample(tensor(2, 3), [0, 2]),
        sample(tensor(0, 3), [2, 2]),
        bad("RuntimeError", tensor(2, 3), [2]),
        bad("RuntimeError", tensor(2), [-1]),
    ],
)
samples_of(
    "tile",
    [
        sample(tensor(2, 3), [2]),
        sample(tensor(2), [2, 2]),
        sample(tensor(2, 1), []),
        sample(tensor(), [3]),
        bad("RuntimeError", tensor(2), [-2]),
    ],
)
COUNTS = tensor(3, dtype="int64", values="below 4")
samples_of(
    "repeat_interleave.Tensor",
    [
        sample(COUNTS),
        sample(tensor(4, dtype="int32", values="below 3")),
        sample(tensor(0, dtype="int64")),
        sample(tensor(3, dtype="int64", values="positive", layout="contiguous"), output_size=17),
        bad("RuntimeError", tensor(2, 2, dtype="int64", values="below 3")),
        bad("NotImplementedError", tensor(2)),
        bad("RuntimeError", tensor(9, dtype="int64", layout="contiguous")),
    ],
)
samples_of(
    "repeat_interleave.self_Tensor",
    [
        sample(tensor(3), COUNTS),
        sample(tensor(2, 3), COUNTS, 1),
        sample(tensor(2, 3), COUNTS, -1),
        sample(tensor(2, 3), tensor(dtype="int64", values="below 4")),
        sample(tensor(3, 2), tensor(1, dtype="int32", values="below 4"), 0),
        bad("RuntimeError", tensor(2), COUNTS),
        bad("RuntimeError", tensor(2), tensor(1, 2, dtype="int64", values="below 2")),
        bad("IndexError", tensor(3), COUNTS, 1),
        sample(tensor(2), tensor(2, dtype="int64", values="zeros"), output_size=0, dtypes=["float32"]),
    ],
)
samples_of(
    "repeat_interleave.self_int",
    [
        sample(tensor(2, 3), 2),
        sample(tensor(2, 3), 2, 1),
        sample(tensor(2, 3), 0, -2),
        sample(tensor(), 3),
        sample(tensor(3), 2, output_size=6),
        bad("RuntimeError", tensor(2), -1),
        bad("RuntimeError", tensor(2), 2, output_size=3),
        bad("IndexError", tensor(2), 2, 1),
    ],
)
