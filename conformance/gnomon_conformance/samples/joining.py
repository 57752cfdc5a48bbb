"""Samples of joining: cat, stack and similar operators, broadcast_tensors, meshgrid."""

from ..inputs.description import IN_FLOAT32, LIMITED, bad, sample, tensor
from . import samples_of

samples_of(
    "cat",
    [
        sample([tensor(2, 3), tensor(1, 3)]),
        sample([tensor(2, 3), tensor(2, 1), tensor(2, 2)], 1),
        sample([tensor(2, 3), tensor(2, 3)], -2),
        sample([tensor(0), tensor(2, 3)]),
        sample([tensor(2)]),
        sample([tensor(0, 3), tensor(0, 3)]),
        sample([tensor(2, dtype="int32"), tensor(2, dtype="float16")], dtypes=["float32"]),
        sample([tensor(2, dtype="float64"), tensor(2, dtype="bool")], dtypes=["float32"]),
        *[sample([tensor(2, 3, dtype=each), tensor(2, 1, dtype=each)], 1, **IN_FLOAT32) for each in LIMITED],
        bad("RuntimeError", [tensor(2, 3), tensor(2, 2)]),
        bad("RuntimeError", [tensor(2, 3), tensor(2)]),
        bad("IndexError", [tensor(2), tensor(2)], 1),
        bad("RuntimeError", [tensor(), tensor()]),
        bad("ValueError", []),
    ],
)
samples_of(
    "stack",
    [
        sample([tensor(2, 3), tensor(2, 3)]),
        sample([tensor(2, 3), tensor(2, 3)], 1),
        sample([tensor(2), tensor(2), tensor(2)], -1),
        sample([tensor(), tensor()]),
        bad("RuntimeError", [tensor(2), tensor(3)]),
        bad("IndexError", [tensor(2), tensor(2)], 2),
        bad("RuntimeError", []),
    ],
)

samples_of(
    "concat concatenate",
    [sample([tensor(2, 3), tensor(1, 3)]), sample([tensor(2, 3), tensor(2, 1)], 1), bad("ValueError", [])],
)
samples_of(
    "cat stack",
    [
        sample(
            [tensor(2, 3, 2, 2, layout="channels_last"), tensor(2, 3, 2, 2, layout="channels_last")],
            1,
            dtypes=["float32"],
        ),
        sample(
            [tensor(2, 3, 2, 2, layout="channels_last"), tensor(2, 3, 2, 2, layout="contiguous")],
            dtypes=["float32"],
        ),
    ],
)
samples_of("stack", [sample([tensor(2, dtype="int64"), tensor(2)]), sample([tensor(0, 2), tensor(0, 2)], 1)])
samples_of(
    "hstack vstack row_stack dstack column_stack",
    [
        sample([tensor(2), tensor(2)]),
        sample([tensor(), tensor()]),
        sample([tensor(2, 3), tensor(2, 3)]),
        sample([tensor(2, 3, 2), tensor(2, 3, 2)]),
        sample([tensor(2, dtype="int32"), tensor(2)]),
        bad("RuntimeError", []),
        bad("RuntimeError", [tensor(2, 3), tensor(3, 2)]),
    ],
)
samples_of(
    "broadcast_tensors",
    [sample([tensor(2, 1), tensor(3)]), sample([tensor()]), sample([]), sample([tensor(0), tensor(1)])],
)
samples_of("broadcast_tensors", [bad("RuntimeError", [tensor(2), tensor(3)])])
samples_of(
    "meshgrid",
    [sample([tensor(2), tensor(3)]), sample([tensor(), tensor(2), tensor(1)]), sample([tensor(0)])],
)
samples_of(
    "meshgrid.indexing",
    [sample([tensor(2), tensor(3)], indexing=indexing) for indexing in ("ij", "xy")]
    + [sample([tensor(2), tensor(3), tensor(2)], indexing="xy"), sample([tensor(2)], indexing="xy")]
    + [
        bad("RuntimeError", [tensor(2)], indexing="yx"),
        bad("RuntimeError", [tensor(2, 2)], indexing="ij"),
        bad("RuntimeError", [tensor(2), tensor(2, dtype="int64")], indexing="ij"),
        bad("RuntimeError", [], indexing="ij"),
    ],
)
samples_of(
    "cartesian_prod",
    [
        sample([tensor(2), tensor(3)]),
        sample([tensor(2), tensor(1), tensor(2)]),
        sample([tensor(2)]),
        sample([tensor(0), tensor(2)]),
        bad("RuntimeError", [tensor(2, 2)]),
        bad("RuntimeError", [tensor(2), tensor()]),
        bad("RuntimeError", []),
    ],
)
samples_of(
    "combinations",
    [
        sample(tensor(4)),
        sample(tensor(3), 3),
        sample(tensor(3), 2, True),
        sample(tensor(3), 1, True),
        sample(tensor(2), 3),
        sample(tensor(3), 0),
        bad("RuntimeError", tensor(2, 2)),
        bad("RuntimeError", tensor(3), -1),
    ],
)
samples_of(
    "block_diag",
    [
        sample([tensor(2, 3), tensor(1, 2)]),
        sample([tensor(3), tensor(), tensor(2, 2)]),
        sample([tensor(0, 2), tensor(2, 1)]),
        sample([tensor(2, dtype="int32"), tensor(2)]),
        bad("RuntimeError", [tensor(2, 2), tensor(1, 1, 1)]),
    ],
)
samples_of(
    "_chunk_cat",
    [
        sample([tensor(5, 2), tensor(3)], 0, 2, differentiable=False),
        sample([tensor(2, 5, 2), tensor(2, 3)], 1, 3, differentiable=False),
        sample([tensor(2, 4)], -1, 1, differentiable=False),
        bad("RuntimeError", [tensor(2, 3)], 0, 0),
        bad("RuntimeError", [], 0, 1),
        bad("RuntimeError", [tensor(0, 2)], 0, 1),
        bad("RuntimeError", [tensor(2, dtype="int8"), tensor(2, dtype="float32")], 0, 1),
        bad("RuntimeError", [tensor(2, 4), tensor(3, 4)], 1, 2),
        bad("RuntimeError", [tensor(2, 4), tensor(2)], 1, 2),
        bad("IndexError", [tensor(2, 4)], 2, 2),
    ],
)
