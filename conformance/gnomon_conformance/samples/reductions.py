"""Samples of reductions."""

from ..inputs.description import INTEGERS, REAL_FLOATS, bad, sample, tensor
from . import samples_of

SPECIAL = tensor(2, 7, values="special")
REAL = ("bool", *INTEGERS, *REAL_FLOATS)


def over_dims(values: str = "normal"):
    """Samples of a list of dimensions, with and without keepdim."""
    return [
        sample(tensor(2, 3, values=values), [1]),
        sample(tensor(2, 3, values=values), [0], True),
        sample(tensor(2, 3, 2, values=values), [0, -1]),
        sample(tensor(2, 3, 2, values=values), [2, 0], True),
        sample(tensor(values=values), [0]),
    ]


SUMS = [
    *over_dims(),
    sample(tensor(2, 3), []),
    sample(tensor(2, 3), None),
    sample(tensor(), [-1], True),
    sample(tensor(3, 0), [1]),
    sample(tensor(0, 3), [1]),
    sample(SPECIAL, [0], differentiable=False),
    sample(tensor(2, 3), [0], dtype="float64"),
    sample(tensor(2, 3), [1], True, dtype="complex64", differentiable=False),
    sample(tensor(70), [0]),
    bad("IndexError", tensor(2, 3), [2]),
    bad("IndexError", tensor(2, 3), [-3]),
    bad("RuntimeError", tensor(2, 3), [0, 0]),
]
samples_of("sum.dim_IntList mean.dim", SUMS, tolerance="terms")
WHOLE = [
    sample(tensor(2, 3)),
    sample(tensor()),
    sample(tensor(0, 3)),
    sample(tensor(2, 3), dtype="float64", differentiable=False),
]
samples_of("sum mean prod", WHOLE, tolerance="terms")
samples_of("mean", [bad("RuntimeError", tensor(2), dtypes=["int64"])])
samples_of(
    "sum_to_size",
    [sample(tensor(2, 3), [1, 3]), sample(tensor(2, 3), [3]), sample(tensor(2, 3), [2, 1])],
    tolerance="terms",
)
samples_of("sum_to_size", [bad("RuntimeError", tensor(2, 3), [2])])

ONE_DIM = [
    sample(tensor(2, 3), 0),
    sample(tensor(2, 3), -1, True),
    sample(tensor(2, 3, 2), 1),
    sample(tensor(), 0),
    sample(tensor(0, 3), 1),
    sample(SPECIAL, 1, differentiable=False),
]
BAD_DIM = [bad("IndexError", tensor(2, 3), 2), bad("IndexError", tensor(2, 3), -3)]
samples_of(
    "prod.dim_int",
    [
        *ONE_DIM,
        *BAD_DIM,
        sample(tensor(3, 0), 1),
        sample(tensor(2, 3), 1, dtype="float64", differentiable=False),
        sample(tensor(2, 3), 0, dtype="int64", differentiable=False),
    ],
    tolerance="terms",
)
DISTINCT = [
    sample(tensor(2, 3, values="distinct"), 0),
    sample(tensor(2, 3, values="distinct"), -1, True),
    sample(tensor(2, 3, 2, values="distinct"), 1),
    sample(tensor(3, 4, values="below 2"), 1, differentiable=False),
    sample(tensor(values="distinct"), 0),
    sample(tensor(values="distinct"), -1, True),
    sample(tensor(0, 3), 1),
    sample(SPECIAL, 1, differentiable=False),
    sample(SPECIAL, 0, differentiable=False),
]
samples_of("max.dim min.dim", [*DISTINCT, *BAD_DIM, bad("IndexError", tensor(3, 0), 1)], tolerance="choice")
samples_of(
    "argmax argmin",
    [*DISTINCT, *BAD_DIM, sample(tensor(2, 3, values="distinct")), sample(tensor(2, 3), None, True)],
)
samples_of(
    "argmax argmin", [sample(SPECIAL), bad("IndexError", tensor(3, 0), 1), bad("IndexError", tensor(0))]
)
samples_of(
    "amax amin",
    [
        *over_dims("distinct"),
        sample(tensor(2, 3, values="distinct")),
        sample(tensor(3, 4, values="below 2"), [1], smooth=False),
        sample(SPECIAL, [0], differentiable=False),
        sample(SPECIAL, [1], differentiable=False),
        sample(tensor(0, 3), [1]),
        bad("IndexError", tensor(3, 0), [1]),
        bad("IndexError", tensor(2), [1]),
        bad("RuntimeError", tensor(2, 3), [0, 0]),
    ],
    tolerance="choice",
)
samples_of(
    "hash_tensor",
    [
        sample(tensor(2, 3), dtypes=REAL),
        sample(tensor(), dtypes=REAL),
        sample(tensor(2, 3, 2), [1], dtypes=REAL),
        sample(tensor(2, 3, 2), [0, -1], keepdim=True, dtypes=REAL),
        sample(tensor(7, values="extreme"), dtypes=REAL),
        sample(tensor(0, 3), [1], dtypes=REAL),
        bad("IndexError", tensor(3, 0), [1]),
        bad("RuntimeError", tensor(0)),
        bad("RuntimeError", tensor(2), mode=1),
        bad("NotImplementedError", tensor(2, dtype="complex64")),
    ],
)
samples_of(
    "max min",
    [sample(tensor(2, 3, values="distinct")), sample(tensor()), sample(SPECIAL, differentiable=False)],
    tolerance="choice",
)
samples_of("max min", [sample(tensor(2, 3, values="below 2"), smooth=False), bad("RuntimeError", tensor(0))])
samples_of(
    "any.dims all.dims",
    [
        *over_dims(),
        *over_dims("zeros"),
        sample(tensor(2, 3)),
        sample(tensor(2, 3), []),
        sample(tensor(3, 0), [1]),
        sample(SPECIAL, [1]),
    ],
)
samples_of(
    "any.dim all.dim", [*ONE_DIM, *BAD_DIM, sample(tensor(2, 3, values="zeros"), 0), sample(tensor(3, 0), 1)]
)
samples_of(
    "any all",
    [sample(tensor(2, 3)), sample(tensor(2, 3, values="zeros")), sample(tensor(0)), sample(tensor())],
)
samples_of("any all", [sample(SPECIAL)])
samples_of(
    "count_nonzero.dim_IntList",
    [*[each for each in over_dims() if len(each.args) == 2], sample(tensor(2, 3, 2), [1])],
)
samples_of("_count_nonzero", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(0, 2)), sample(SPECIAL)])
samples_of(
    "count_nonzero",
    [sample(tensor(2, 3)), sample(tensor(2, 3), 0), sample(tensor(2, 3), -1), sample(SPECIAL)],
)
samples_of(
    "var.correction std.correction",
    [
        sample(tensor(3, 4)),
        sample(tensor(3, 4), [1]),
        sample(tensor(3, 4), [0], keepdim=True),
        sample(tensor(3, 4), [0], correction=0),
        sample(tensor(3, 4), [-1], correction=2),
        sample(tensor(3, 4), None, correction=0.5),
        sample(tensor(2, 3, 2), [0, 2], keepdim=True),
        bad("RuntimeError", tensor(3), dtypes=["int64"]),
    ],
)
samples_of(
    "logsumexp",
    [
        sample(tensor(2, 3), [1]),
        sample(tensor(2, 3), [0], True),
        sample(tensor(2, 3, 2), [0, 2]),
        sample(tensor(), [0]),
        sample(tensor(3, dtype="int64"), [0], dtypes=["float32"]),
        sample(SPECIAL, [0], dtypes=["float32"], differentiable=False),
        bad("IndexError", tensor(2), [1]),
    ],
    tolerance="composed",
)
ROWS = [
    sample(tensor(2, 3), 1),
    sample(tensor(2, 3), 0),
    sample(tensor(2, 3, 2), -2),
    sample(tensor(), 0),
    sample(tensor(0, 3), 1),
    sample(tensor(1, 40), -1, differentiable=False),
    bad("IndexError", tensor(2, 3), 2),
]
samples_of(
    "softmax.int log_softmax.int",
    [*ROWS, sample(tensor(2, 3), 1, dtype="float64"), sample(SPECIAL, 0, differentiable=False)],
    tolerance="composed",
)
samples_of(
    "softmax.int log_softmax.int",
    [sample(tensor(2, 3, dtype="int64"), 1, dtype="float32", dtypes=["float32"])],
)
samples_of(
    "_softmax _log_softmax",
    [sample(each.args[0], each.args[1], False) for each in ROWS[:5]],
    tolerance="composed",
)
samples_of("_softmax _log_softmax", [bad("RuntimeError", tensor(2, 3, dtype="float32"), 1, True)])
samples_of(
    "_softmax_backward_data _log_softmax_backward_data",
    [
        sample(
            tensor(2, 3, dtype="float32"),
            tensor(2, 3, dtype="float32", values="unit"),
            1,
            "float32",
            dtypes=["float32"],
        ),
        sample(
            tensor(2, 3, dtype="float64"),
            tensor(2, 3, dtype="float64", values="unit"),
            0,
            "float64",
            dtypes=["float64"],
        ),
    ],
    tolerance="composed",
)
