"""Samples of views with other sizes: view, expand, squeeze, atleast_1d …"""

from ..inputs.description import bad, sample, tensor
from . import samples_of

samples_of(
    "view reshape",
    [
        sample(tensor(2, 3), [3, 2]),
        sample(tensor(2, 3), [-1]),
        sample(tensor(2, 3, 2), [2, -1]),
        sample(tensor(2, 3), [2, 1, 3]),
        sample(tensor(), [1, 1]),
        sample(tensor(1), []),
        sample(tensor(0, 3), [3, 0]),
        bad("RuntimeError", tensor(2, 3), [4, 2]),
        bad("RuntimeError", tensor(2, 3), [-1, 4]),
        bad("RuntimeError", tensor(2, 3), [-1, -1]),
        bad("RuntimeError", tensor(2, 3), [-2, 3]),
        bad("RuntimeError", tensor(0, 3), [-1, 0]),
    ],
)
samples_of("view", [bad("RuntimeError", tensor(2, 3, layout="transposed"), [6])])
samples_of(
    "flatten.using_ints",
    [
        sample(tensor(2, 3, 2)),
        sample(tensor(2, 3, 2), 1),
        sample(tensor(2, 3, 2), 0, 1),
        sample(tensor(2, 3, 2), -2, -2),
        sample(tensor()),
        bad("RuntimeError", tensor(2, 3), 1, 0),
        bad("IndexError", tensor(2, 3), 2),
    ],
)
samples_of(
    "expand",
    [
        sample(tensor(2, 1), [2, 3]),
        sample(tensor(3), [2, 3]),
        sample(tensor(1, 3), [-1, 3]),
        sample(tensor(), [2]),
        sample(tensor(2, 1, 3), [1, 2, 1, 3]),
        sample(tensor(1), [0]),
        sample(tensor(2, 1), [2, 2], implicit=True),
        bad("RuntimeError", tensor(2, 3), [3]),
        bad("RuntimeError", tensor(2, 3), [4, 3]),
        bad("RuntimeError", tensor(3), [-1, 3]),
    ],
)
samples_of(
    "expand_as",
    [
        sample(tensor(2, 1), tensor(2, 3)),
        sample(tensor(3), tensor(2, 3)),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
)
samples_of("squeeze", [sample(tensor(2, 1, 3, 1)), sample(tensor(1)), sample(tensor()), sample(tensor(2, 3))])
samples_of(
    "squeeze.dim",
    [
        sample(tensor(2, 1, 3), 1),
        sample(tensor(2, 1, 3), -1),
        sample(tensor(), 0),
        bad("IndexError", tensor(2, 1), 2),
    ],
)
samples_of(
    "squeeze.dims",
    [
        sample(tensor(1, 3, 1), [0, 2]),
        sample(tensor(1, 3, 1), [-1, 1]),
        sample(tensor(1), []),
        bad("RuntimeError", tensor(1, 1), [0, 0]),
        bad("IndexError", tensor(1, 1), [2]),
    ],
)
samples_of(
    "unsqueeze",
    [sample(tensor(2, 3), dim) for dim in (0, 1, 2, -1, -3)]
    + [sample(tensor(), 0), bad("IndexError", tensor(2), 2)],
)
samples_of("detach alias", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(0))])
samples_of("lift_fresh", [sample(tensor(*sizes), differentiable=False) for sizes in ((2, 3), (), (0,))])
samples_of(
    "view_as reshape_as",
    [
        sample(tensor(2, 3), tensor(3, 2)),
        sample(tensor(4), tensor(2, 2)),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
)
samples_of(
    "unflatten.int",
    [
        sample(tensor(6), 0, [2, 3]),
        sample(tensor(2, 6), -1, [3, -1]),
        sample(tensor(2, 6), 0, [1, 2, 1]),
        sample(tensor(0, 2), 0, [0, 3]),
        bad("RuntimeError", tensor(6), 0, [2, 2]),
        bad("RuntimeError", tensor(6), 0, [4, -1]),
        bad("RuntimeError", tensor(6), 0, [-1, -1]),
        bad("RuntimeError", tensor(6), 0, []),
        bad("IndexError", tensor(6), 1, [2, 3]),
        bad("RuntimeError", tensor(), 0, [1]),
    ],
)
samples_of("ravel", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(3)), sample(tensor(0, 3))])
samples_of(
    "broadcast_to",
    [
        sample(tensor(2, 1), [2, 3]),
        sample(tensor(3), [-1]),
        sample(tensor(), [2, 0]),
        bad("RuntimeError", tensor(2), [3]),
    ],
)
samples_of(
    "view.dtype",
    [
        sample(tensor(2, 4, layout="contiguous"), "uint8", dtypes=[dtype])
        for dtype in ("float32", "bool", "complex128", "int16")
    ]
    + [sample(tensor(2, 4, dtype="float32"), "int32", dtypes=["float32"])]
    + [
        sample(tensor(2, 8, dtype="int8", layout="contiguous"), dtype)
        for dtype in ("bool", "float64", "int16", "complex64")
    ]
    + [
        sample(tensor(2, 0, dtype="int16", layout="contiguous"), "int64"),
        sample(tensor(dtype="int32"), "float32"),
    ]
    + [
        bad("RuntimeError", tensor(2, 3, dtype="int8"), "int16"),
        bad("RuntimeError", tensor(dtype="int8"), "int16"),
        bad("RuntimeError", tensor(4, 2, dtype="int16", layout="transposed"), "int8"),
        bad("RuntimeError", tensor(4, 2, dtype="int8", layout="transposed"), "int16"),
        bad("RuntimeError", tensor(2, 4, dtype="int8", layout="offset"), "int16"),
    ],
)
samples_of(
    "atleast_1d atleast_2d atleast_3d",
    [sample(tensor(*sizes)) for sizes in ((), (2,), (2, 3), (2, 1, 3), (0,))],
)
samples_of(
    "atleast_1d.Sequence atleast_2d.Sequence atleast_3d.Sequence",
    [sample([tensor(), tensor(2), tensor(2, 3)]), sample([tensor(2, 2, 2)]), sample([])],
)
