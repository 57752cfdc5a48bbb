"""Samples of scatter and similar operators, and of selecting by indices and masks."""

from ..inputs.description import INTEGERS, Keywords, bad, sample, tensor
from . import SAMPLES, samples_of


def index(*sizes: int, below: int, **fields):
    """An index tensor: int64 numbers from 0 to ``below`` - 1."""
    return tensor(*sizes, dtype="int64", values=f"below {below}", **fields)


MASK = tensor(2, 3, dtype="bool")
WRONG_INDEX = tensor(9, dtype="int64", layout="contiguous")  # of numbers from -9 to 9

WAYS: list[Keywords] = [{"reduce": "add"}, {"reduce": "multiply"}]
LAST: list[Keywords] = [{}]  # without ``reduce``, the last write wins

for _name, _more in (("scatter.src", LAST), ("scatter.reduce", WAYS)):
    for _each in _more:
        _along = 4 if _each else 1  # indices along dim 0; only one, so none collide, if the last write wins
        samples_of(
            _name,
            [
                sample(tensor(3, 4), 0, index(_along, 4, below=3), tensor(_along, 4), **_each),
                sample(tensor(3, 4), -1, index(3, 1, below=4), tensor(3, 2), **_each, smooth=False),
                sample(tensor(3, 4), 1, index(2, 1, below=4), tensor(3, 1), **_each, smooth=False),
                sample(tensor(), 0, index(below=1), tensor(), **_each),
                sample(tensor(3), 0, index(0, below=1), tensor(2), **_each, smooth=False),
                sample(tensor(3), 0, tensor(1, dtype="int32", values="below 3"), tensor(1), **_each),
                bad("RuntimeError", tensor(3), 0, tensor(2, values="zeros"), tensor(2), **_each),
                bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2, dtype="float64"), **_each),
                bad("RuntimeError", tensor(3), 0, index(4, below=3), tensor(2), **_each),
                bad("RuntimeError", tensor(3), 0, index(2, 1, below=3), tensor(2), **_each),
                bad("RuntimeError", tensor(3, layout="contiguous"), 0, WRONG_INDEX, tensor(9), **_each),
                bad("IndexError", tensor(3), 1, index(1, below=3), tensor(1), **_each),
            ],
            tolerance="terms" if _each else "exact",
        )
for _name, _more in (("scatter.value", LAST), ("scatter.value_reduce", WAYS)):
    for _each in _more:
        samples_of(
            _name,
            [
                sample(tensor(3, 4), 0, index(2, 4, below=3), 2, **_each),
                sample(tensor(3, 4), -1, index(3, 2, below=4), True, **_each),
                sample(tensor(), 0, index(below=1), 1, **_each),
                sample(tensor(3, dtype="float16"), 0, index(2, below=3), 2.5, **_each, dtypes=["float32"]),
                bad("RuntimeError", tensor(3), 0, tensor(2, values="zeros"), 1, **_each),
                bad("RuntimeError", tensor(3), 0, index(2, 2, below=3), 1, **_each),
                bad("RuntimeError", tensor(3, 1), 0, index(2, 2, below=3), 1, **_each),
                bad("RuntimeError", tensor(3, layout="contiguous"), 0, WRONG_INDEX, 1, **_each),
            ],
            tolerance="terms" if _each else "exact",
        )
samples_of("scatter.reduce", [bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2), reduce="sum")])
samples_of("scatter.value_reduce", [bad("RuntimeError", tensor(3), 0, index(2, below=3), 1, reduce="mean")])

for _reduce in ("sum", "prod", "mean", "amax", "amin"):
    samples_of(
        "scatter_reduce.two",
        [
            sample(tensor(3, 2), 0, index(4, 2, below=3), tensor(4, 2), _reduce),
            sample(tensor(2, 4), -1, index(2, 3, below=4), tensor(2, 3), _reduce, include_self=False),
            sample(tensor(), 0, index(below=1), tensor(), _reduce),
            sample(tensor(3), 0, index(0, below=1), tensor(0), _reduce, include_self=False),
            sample(tensor(3), 0, tensor(4, dtype="int32", values="below 2"), tensor(4), _reduce),
            bad("RuntimeError", tensor(3), 0, index(4, below=3), tensor(2), _reduce),
            bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2, dtype="float64"), _reduce),
        ],
        tolerance="terms",
    )
samples_of(
    "scatter_reduce.two",
    [
        sample(
            tensor(3, values="zeros"), 0, index(3, below=3), tensor(3, values="zeros"), "prod", smooth=False
        ),
        sample(tensor(3), 0, index(5, below=3), tensor(5, values="zeros"), "prod", smooth=False),
        sample(
            tensor(3, values="zeros"), 0, index(5, below=2), tensor(5, values="zeros"), "amax", smooth=False
        ),
        sample(tensor(2), 0, index(14, below=2), tensor(14, values="special"), "amin", differentiable=False),
        bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2), "add"),
    ],
)

samples_of(
    "index_add",
    [
        sample(tensor(3, 4), 0, index(2, below=3), tensor(2, 4)),
        sample(tensor(3, 4), -1, index(5, below=4), tensor(3, 5), alpha=2),
        sample(tensor(3), 0, tensor(2, dtype="int32", values="below 3"), tensor(2)),
        sample(tensor(), 0, index(1, below=1), tensor()),
        bad("RuntimeError", tensor(), 0, index(below=1), tensor(1)),
        sample(tensor(3, 2), 0, index(0, below=1), tensor(0, 2)),
        bad("RuntimeError", tensor(3), 0, index(below=3), tensor()),
        sample(
            tensor(3, dtype="float64"),
            0,
            index(2, below=3),
            tensor(2, dtype="float64"),
            alpha=0.5,
            dtypes=["float32"],
        ),
        bad("IndexError", tensor(3), 0, index(2, 2, below=3), tensor(2)),
        bad("RuntimeError", tensor(3), 0, tensor(2, values="zeros"), tensor(2)),
        bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2, dtype="float64")),
        bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(3)),
        bad("RuntimeError", tensor(3, 2), 0, index(2, below=3), tensor(2, 3)),
        bad("IndexError", tensor(3, layout="contiguous"), 0, WRONG_INDEX, tensor(9)),
    ],
    tolerance="terms",
)
for _reduce in ("prod", "mean", "amax", "amin"):
    samples_of(
        "index_reduce",
        [
            sample(tensor(3, 4), 0, index(2, below=3), tensor(2, 4), _reduce, smooth=False),
            sample(
                tensor(3, 4), -1, index(5, below=4), tensor(3, 5), _reduce, include_self=False, smooth=False
            ),
            sample(
                tensor(3), 0, tensor(2, dtype="int32", values="below 3"), tensor(2), _reduce, smooth=False
            ),
            sample(tensor(), 0, index(1, below=1), tensor(), _reduce, smooth=False),
            sample(tensor(3, 2), 0, index(0, below=1), tensor(0, 2), _reduce, smooth=False),
            bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2, dtype="float64"), _reduce),
            bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(3), _reduce),
        ],
        tolerance="terms",
    )
samples_of(
    "index_reduce",
    [
        bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2), "sum"),
        bad("IndexError", tensor(3), 0, index(2, 2, below=3), tensor(2), "prod"),
        bad("RuntimeError", tensor(3), 0, tensor(2, values="zeros"), tensor(2), "prod"),
        bad("IndexError", tensor(3, layout="contiguous"), 0, WRONG_INDEX, tensor(9), "prod"),
        bad("NotImplementedError", tensor(3), 0, index(2, below=3), tensor(2), "amax", dtypes=["complex64"]),
        bad("NotImplementedError", tensor(3), 0, index(2, below=3), tensor(2), "mean", dtypes=["bool"]),
    ],
)
samples_of(
    "index_copy",
    [
        sample(tensor(3, 4), 0, index(1, below=3), tensor(1, 4)),
        sample(tensor(3, 4), -1, index(1, below=4), tensor(3, 1)),
        sample(tensor(3, 2), 0, tensor(1, dtype="int64", values="zeros"), tensor(1, 2)),
        sample(tensor(3), 0, index(below=3), tensor()),
        sample(tensor(), 0, index(1, below=1), tensor()),
        bad("IndexError", tensor(3), 0, index(2, 2, below=3), tensor(2)),
        bad("RuntimeError", tensor(3), 0, tensor(2, dtype="int32", values="zeros"), tensor(2)),
        bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2, dtype="float64")),
        bad("IndexError", tensor(3), 0, index(2, below=3), tensor(3)),
        bad("RuntimeError", tensor(3, 2), 0, index(2, below=3), tensor(2, 3)),
        bad("IndexError", tensor(3, 2), 0, index(2, below=3), tensor(2)),
        bad("IndexError", tensor(3, layout="contiguous"), 0, WRONG_INDEX, tensor(9)),
    ],
    tolerance="exact",
)
samples_of(
    "index_fill.int_Scalar",
    [
        sample(tensor(3, 4), 0, index(2, below=3), 1),
        sample(tensor(3, 4), -1, index(below=4), 0),
        sample(
            tensor(3, 4), 1, tensor(2, dtype="int64", layout="contiguous", seed=1, values="below 4"), True
        ),
        sample(tensor(), 0, index(1, below=1), 2),
        sample(tensor(3), 0, index(0, below=1), 2),
        sample(tensor(3, dtype="float16"), 0, index(1, below=3), 2.5, dtypes=["float32"]),
        bad("IndexError", tensor(3), 0, tensor(2, dtype="int32", values="zeros"), 1),
        bad("RuntimeError", tensor(3), 0, index(2, below=3), 1j),
        bad("RuntimeError", tensor(3, dtype="int8"), 0, index(2, below=3), 300),
        bad("IndexError", tensor(3, layout="contiguous"), 0, WRONG_INDEX, 1),
        bad("IndexError", tensor(3), 1, index(2, below=3), 1),
    ],
    tolerance="exact",
)
samples_of(
    "index_fill.int_Tensor",
    [
        sample(tensor(3, 4), 0, index(2, below=3), tensor()),
        sample(tensor(3, 4), -1, index(3, below=4), tensor()),
        bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(1)),
    ],
    tolerance="exact",
)
samples_of(
    "put",
    [
        sample(tensor(3, 4), index(1, below=12), tensor(1)),
        sample(tensor(3, 4), index(2, 3, below=12), tensor(3, 2), True),
        sample(tensor(3), index(0, below=3), tensor(0)),
        sample(tensor(), index(1, below=1), tensor(1)),
        bad("RuntimeError", tensor(3), tensor(2, dtype="int32", values="zeros"), tensor(2)),
        bad("RuntimeError", tensor(3), index(2, below=3), tensor(2, dtype="float64")),
        bad("IndexError", tensor(3), index(2, below=3), tensor(3)),
        bad("IndexError", tensor(3, layout="contiguous"), WRONG_INDEX, tensor(9)),
        bad("IndexError", tensor(0), index(1, below=1), tensor(1)),
    ],
    tolerance="terms",
)
samples_of(
    "take",
    [
        sample(tensor(3, 4), index(2, 3, below=12)),
        sample(tensor(9), tensor(4, dtype="int64", layout="contiguous", seed=2)),
        sample(tensor(), index(1, below=1)),
        sample(tensor(3), index(0, below=1)),
        bad("RuntimeError", tensor(3), tensor(2, dtype="int32", values="zeros")),
        bad("IndexError", tensor(2, layout="contiguous"), WRONG_INDEX),
        bad("IndexError", tensor(0), index(1, below=1)),
    ],
    tolerance="exact",
)
samples_of(
    "take_along_dim",
    [
        sample(tensor(3, 4), index(1, 4, below=3), 0),
        sample(tensor(3, 4), index(3, 2, below=4), -1),
        sample(tensor(1, 4), index(3, 2, below=4), 1),
        sample(tensor(3, 4, layout="contiguous"), index(5, below=12)),
        bad("RuntimeError", tensor(3), tensor(2, dtype="int32", values="zeros"), 0),
        bad("RuntimeError", tensor(3, 4), index(2, below=3), 0),
        bad("RuntimeError", tensor(3, 4), index(2, 4, below=3), 1),
        bad("IndexError", tensor(3), index(2, below=3), 1),
    ],
    tolerance="exact",
)
samples_of("argwhere", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(0, 2))])
samples_of("nonzero_numpy", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(3, values="zeros"))])
samples_of(
    "masked_select",
    [
        sample(tensor(2, 3), MASK),
        sample(tensor(3), MASK),
        sample(tensor(2, 1), tensor(3, dtype="bool")),
        sample(tensor(), tensor(dtype="bool", values="positive")),
        sample(tensor(0, 3), tensor(3, dtype="bool")),
        bad("RuntimeError", tensor(3), tensor(3, dtype="uint8")),
        bad("RuntimeError", tensor(3), tensor(2, dtype="bool")),
    ],
    tolerance="exact",
)
samples_of(
    "_masked_select",
    [
        sample(tensor(2, 3), tensor(2, 3, dtype="bool", values="positive"), 6),
        sample(tensor(2, 1), tensor(3, dtype="bool", values="positive"), 6),
        sample(tensor(4), tensor(2, 1, dtype="bool", values="zeros"), 0),
        sample(tensor(), tensor(dtype="bool", values="positive"), 1),
        sample(tensor(0, 3), tensor(3, dtype="bool"), 0),
        bad("RuntimeError", tensor(2, 3), tensor(3, dtype="bool", values="positive"), 5),
        bad("RuntimeError", tensor(3), tensor(3, dtype="bool", values="positive"), -1),
        bad("RuntimeError", tensor(3), tensor(3, dtype="uint8"), 3),
        bad("RuntimeError", tensor(3), tensor(2, dtype="bool"), 3),
    ],
    tolerance="exact",
)
samples_of(
    "masked_select_backward",
    [sample(tensor(6), tensor(3, grad=False), tensor(2, 3, dtype="bool", values="positive"))],
)
samples_of(
    "masked_scatter",
    [
        sample(tensor(2, 3), MASK, tensor(2, 3)),
        sample(tensor(2, 1), MASK, tensor(9)),
        sample(tensor(2, 3), tensor(3, dtype="bool"), tensor(3, 2)),
        sample(tensor(3), tensor(3, dtype="bool", values="zeros"), tensor(0)),
        sample(tensor(), tensor(dtype="bool", values="positive"), tensor(1)),
        bad("RuntimeError", tensor(2, 3), MASK, tensor(6, dtype="float64")),
        bad("RuntimeError", tensor(3), tensor(3, dtype="uint8"), tensor(3)),
        bad("RuntimeError", tensor(3), tensor(3, dtype="bool", values="positive"), tensor(2)),
        bad("RuntimeError", tensor(3), tensor(2, dtype="bool"), tensor(3)),
    ],
    tolerance="exact",
)
samples_of("masked_scatter_backward", [sample(tensor(2, 3), MASK, [6]), sample(tensor(2, 3), MASK, [2, 4])])

# the limits of int64 as float64: its minimum, and 2**63, which wraps around to it
for _number in (-(2.0**63), 2.0**63):
    samples_of("index_fill.int_Scalar", [sample(tensor(3), 0, index(2, below=3), _number, dtypes=["int64"])])
    samples_of("scatter.value", [sample(tensor(3), 0, index(2, below=3), _number, dtypes=["int64"])])

# fractional numbers for integer tensors are truncated before the computation
for _number in (2.5, 1.9):
    _rows = index(2, 4, below=3)
    samples_of("scatter.value", [sample(tensor(3, 4), 0, _rows, _number, dtypes=(*INTEGERS, "bool"))])
    samples_of(
        "scatter.value_reduce",
        [
            sample(tensor(3, 4), 0, _rows, _number, reduce=_how, dtypes=INTEGERS)
            for _how in ("add", "multiply")
        ],
    )
    samples_of(
        "index_fill.int_Scalar",
        [sample(tensor(3, 4), 0, index(2, below=3), _number, dtypes=(*INTEGERS, "bool"))],
    )

# scatter with a reduction has no derivative: PyTorch raises, and so does gnomon
for _name in ("scatter.reduce", "scatter.value_reduce"):
    SAMPLES[_name] = [each._replace(smooth=False) for each in SAMPLES[_name]]
