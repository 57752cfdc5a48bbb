"""Samples of scans, differences, sorting and searching."""

from ..inputs.description import FLOATS, INTEGERS, bad, sample, tensor
from . import samples_of

SPECIAL = tensor(2, 7, values="special")
DISTINCT = [
    sample(tensor(2, 3, values="distinct")),
    sample(tensor(2, 3, 2, values="distinct"), 1),
    sample(tensor(), -1),
    sample(tensor(0, 3)),
]
BAD_DIM = [bad("IndexError", tensor(2, 3), 2), bad("IndexError", tensor(2, 3), -3)]

samples_of(
    "cumsum cumprod",
    [
        sample(tensor(2, 3), 0),
        sample(tensor(2, 3, 2), -2),
        sample(tensor(), 0),
        sample(tensor(0, 3), 0),
        sample(tensor(2, 0), 0),
        sample(SPECIAL, 1, differentiable=False),
        sample(tensor(2, 3), 1, dtype="float64", differentiable=False),
        sample(tensor(2, 3), 1, dtype="int32", differentiable=False, dtypes=("float32", "int64", "bool")),
        sample(tensor(33), 0, differentiable=False),
        *[bad("IndexError", tensor(2, 3), dim) for dim in (2, -3)],
        bad("IndexError", tensor(), 1),
    ],
    tolerance="composed",
)
samples_of(
    "logcumsumexp",
    [
        sample(tensor(2, 3), 0),
        sample(tensor(2, 3, 2), -2),
        sample(tensor(), 0),
        sample(tensor(0, 3), 0),
        sample(tensor(2, 0), 0),
        sample(SPECIAL, 1, differentiable=False),
        sample(tensor(33, values="distinct"), 0, differentiable=False),
        sample(tensor(5, 3), 0, differentiable=False),
        *[bad("IndexError", tensor(2, 3), dim) for dim in (2, -3)],
        bad("IndexError", tensor(), 1),
        bad("NotImplementedError", tensor(2), 0, dtypes=["bool", "int64"]),
    ],
    tolerance="composed",
)
samples_of("cumprod", [sample(tensor(4, 3, dtype="float64", values="below 2"), 0, dtypes=("float32",))])
samples_of(
    "cummax cummin",
    [
        sample(tensor(2, 4, values="distinct"), 1),
        sample(tensor(3, 2, 2), 0, differentiable=False),
        sample(tensor(), -1),
        sample(tensor(0, 3), 1),
        sample(SPECIAL, 1, differentiable=False),
        bad("IndexError", tensor(2, 3), 2),
    ],
)
samples_of(
    "diff",
    [
        sample(tensor(2, 4)),
        sample(tensor(2, 4), 2, 0),
        sample(tensor(2, 4), 3, 1),
        sample(tensor(2, 4), 6),
        sample(tensor(2, 4), 0),
        sample(tensor(3), prepend=tensor(2), append=tensor(1)),
        sample(tensor(2, 1), 1, 0, tensor(1, 1)),
        sample(tensor(0)),
        bad("RuntimeError", tensor()),
        bad("RuntimeError", tensor(3), -1),
        bad("RuntimeError", tensor(3), 1, 0, tensor(1, 3)),
        bad("RuntimeError", tensor(2, 3), 1, 1, tensor(3, 1)),
        bad("IndexError", tensor(3), 1, 1),
    ],
    tolerance="composed",
)

# -- sorting -------------------------------------------------------------------------------------------------

SORTED = [
    sample(tensor(2, 4, values="distinct"), stable=True),
    sample(tensor(3, 4, values="distinct"), dim=0, stable=None, descending=True),
    sample(tensor(2, 3, 2, values="distinct"), stable=False, dim=1),
    sample(tensor(6, values="below 3"), stable=True, descending=True, differentiable=False),
    sample(tensor(), stable=True),
    sample(tensor(0, 3), stable=True),
    sample(tensor(2, 9, values="special"), stable=True, differentiable=False),
    bad("IndexError", tensor(2, 3), stable=True, dim=2),
    bad("RuntimeError", tensor(2), stable=True, dtypes=["complex64"]),
]
samples_of("sort.stable", SORTED)
samples_of(
    "argsort.stable", [each for each in SORTED if each.kwargs["stable"] is not None and each.fails is None]
)
PLAIN = [
    *DISTINCT,
    sample(tensor(5, values="distinct"), 0, True),
    sample(tensor(2, 3, values="distinct"), descending=True),
    bad("IndexError", tensor(2, 3), 2),
    bad("RuntimeError", tensor(2), dtypes=["complex64"]),
]
samples_of("sort argsort", PLAIN)
samples_of("msort", [sample(tensor(3, 2, values="distinct")), sample(tensor(4, values="distinct"))])
samples_of(
    "topk",
    [
        sample(tensor(2, 4, values="distinct"), 2),
        sample(tensor(2, 4, 3, values="distinct"), 2, -2, False),
        sample(tensor(2, 4, values="distinct"), 4, 1, True, True),
        sample(tensor(2, 4, values="distinct"), 1, sorted=False),
        sample(tensor(2, 4, values="distinct"), 0),
        sample(tensor(), 1),
        sample(tensor(), 0),
        sample(tensor(0, 3), 2),
        bad("RuntimeError", tensor(2, 3), 4),
        bad("RuntimeError", tensor(2, 3), -1),
        bad("IndexError", tensor(2, 3), 1, 2),
        bad("RuntimeError", tensor(2), 1, dtypes=["bool", "complex64"]),
    ],
)
samples_of(
    "kthvalue",
    [
        sample(tensor(2, 4, values="distinct"), 2),
        sample(tensor(2, 4, 3, values="distinct"), 4, -2, True),
        sample(tensor(), 1),
        sample(tensor(0, 3), 2),
        bad("RuntimeError", tensor(2, 3), 4),
        bad("RuntimeError", tensor(2, 3), 0),
        bad("IndexError", tensor(2, 3), 1, 2),
    ],
)
samples_of(
    "median.dim nanmedian.dim",
    [
        sample(tensor(2, 5, values="distinct"), 1),
        sample(tensor(2, 4, 3, values="distinct"), 1, True),
        sample(tensor(), 0),
        sample(tensor(0, 3), 1),
        sample(tensor(2, 14, values="special"), 1, differentiable=False, dtypes=FLOATS),
        bad("IndexError", tensor(0, 3), 0),
        bad("IndexError", tensor(2, 3), 2),
    ],
)
samples_of(
    "median nanmedian",
    [
        sample(tensor(2, 3, values="distinct")),
        sample(tensor(5, values="distinct")),
        sample(tensor()),
        sample(tensor(14, values="special"), differentiable=False),
        sample(tensor(6, values="below 2"), smooth=False),
        sample(tensor(0), dtypes=("float32", "float64")),
    ],
)
samples_of("nanmedian", [sample(tensor(3, dtype="float32", values="special"), smooth=False)])

QUANTILES = [
    sample(tensor(2, 5, values="distinct"), tensor(3, values="positive"), 1),
    bad("RuntimeError", tensor(4), tensor(1, dtype="float64", values="zeros")),
    bad("RuntimeError", tensor(0), tensor(1, values="zeros")),
    bad("RuntimeError", tensor(4), tensor(1, 1, values="zeros")),
    bad("RuntimeError", tensor(4), tensor(1, values="zeros"), interpolation="cubic"),
    bad("RuntimeError", tensor(4), tensor(1, values="zeros"), dtypes=["float16", "int64"]),
    bad("IndexError", tensor(4), tensor(1, values="zeros"), 1),
]
samples_of(
    "quantile nanquantile",
    [
        *QUANTILES[1:],
        sample(tensor(2, 5, values="distinct"), tensor(2, values="zeros", grad=False), 1),
        sample(tensor(2, 5), tensor(2, values="zeros", grad=False), keepdim=True, differentiable=False),
        sample(tensor(2, 5), tensor(values="zeros", grad=False), 0, True, interpolation="lower"),
    ],
    tolerance="choice",  # of the ranks, which may be no less than 0
)
samples_of(
    "quantile.scalar nanquantile.scalar",
    [
        sample(tensor(2, 5, values="distinct"), 0.3),
        sample(tensor(2, 5, values="distinct"), 0.6, 1),
        sample(tensor(2, 5, 3, values="distinct"), 0.6, 1, True),
        sample(tensor(), 0.5, 0),
        *[
            sample(tensor(3, 4, values="distinct"), 0.4, 0, False, interpolation=each)
            for each in ("lower", "higher", "midpoint", "nearest")
        ],
        sample(tensor(2, 14, values="special"), 0.3, 1, differentiable=False),
        bad("RuntimeError", tensor(4), 1.5),
        bad("RuntimeError", tensor(4), -0.5),
    ],
    tolerance="composed",
)

# -- searching -----------------------------------------------------------------------------------------------

samples_of(
    "searchsorted.Tensor",
    [
        sample(tensor(5, values="positive"), tensor(2, 3)),
        sample(tensor(2, 5, values="below 1"), tensor(2, 3), out_int32=True, right=True),
        sample(tensor(4, values="below 1"), tensor(3, values="zeros"), side="right"),
        sample(tensor(4, values="below 1"), tensor(3, values="zeros"), right=True, side="right"),
        sample(tensor(2), tensor(3), sorter=tensor(2, dtype="int64", values="below 2")),
        sample(tensor(1), tensor()),
        sample(tensor(0), tensor(2)),
        sample(tensor(3, dtype="int64", values="zeros"), tensor(2)),
        bad("RuntimeError", tensor(), tensor(2)),
        bad("RuntimeError", tensor(2, 3), tensor(3, 3)),
        bad("RuntimeError", tensor(3), tensor(3), right=True, side="left"),
        bad("RuntimeError", tensor(3), tensor(3), side="middle"),
        bad("RuntimeError", tensor(3), tensor(3), sorter=tensor(3, dtype="int32", values="zeros")),
        bad("RuntimeError", tensor(3), tensor(3), sorter=tensor(2, dtype="int64", values="zeros")),
    ],
)
samples_of(
    "searchsorted.Scalar",
    [
        sample(tensor(5, values="below 1"), 0),
        sample(tensor(5, values="below 1"), 1.5, out_int32=True, right=True),
        sample(tensor(5, values="below 1"), 0, side="right"),
        sample(tensor(2), 0.5, sorter=tensor(2, dtype="int64", values="below 1")),
        bad("RuntimeError", tensor(2, 3), 1),
    ],
)
samples_of(
    "bucketize.Tensor",
    [
        sample(tensor(2, 3), tensor(4, values="below 1")),
        sample(tensor(2, 3), tensor(4, values="below 1"), out_int32=True, right=True),
        sample(tensor(), tensor(0)),
        bad("RuntimeError", tensor(3), tensor(2, 2)),
    ],
)
samples_of(
    "bucketize.Scalar",
    [
        sample(0, tensor(4, values="below 1")),
        sample(1.5, tensor(4, values="below 1"), out_int32=True, right=True),
        bad("RuntimeError", 1, tensor(2, 2)),
    ],
)

# -- distinct elements ---------------------------------------------------------------------------------------

REPEATED = tensor(2, 5, values="below 3", grad=False)
samples_of(
    "_unique2",
    [
        sample(REPEATED),
        sample(REPEATED, True, True),
        sample(REPEATED, True, False, True),
        sample(tensor(values="below 3", grad=False), True, True, True),
        sample(tensor(0, grad=False), True, True, True),
        sample(tensor(14, values="special", grad=False), True, True, True, dtypes=("float32", "int64")),
        sample(REPEATED, False, True, True, dtypes=INTEGERS),
    ],
)
samples_of(
    "unique_consecutive",
    [
        sample(REPEATED),
        sample(REPEATED, True, True),
        sample(REPEATED, True, True, 1),
        sample(tensor(grad=False), True),
        sample(tensor(0, grad=False), True, True),
    ],
)
ROWS = tensor(4, 2, values="below 2", grad=False)
samples_of(
    "unique_dim",
    [
        sample(ROWS, 0),
        sample(ROWS, 1, True, True, True),
        sample(tensor(3, 2, 2, values="below 2", grad=False), 1, False, True),
        sample(tensor(0, 2, grad=False), 0, True, False, True),
        bad("RuntimeError", tensor(2, 0), 0),
        bad("IndexError", tensor(2, 2), 2),
    ],
)
samples_of(
    "unique_dim_consecutive",
    [
        sample(ROWS, 0),
        sample(ROWS, 1, True, True),
        bad("RuntimeError", tensor(2, 0), 0),
    ],
)
samples_of(
    "bincount",
    [
        sample(tensor(6, dtype="int64", values="below 4")),
        sample(tensor(6, dtype="uint8", values="below 4"), minlength=7),
        sample(
            tensor(6, dtype="int32", values="below 4"),
            tensor(6, grad=False),
            dtypes=("float32", "float64", "int64"),
        ),
        sample(tensor(0, dtype="int64", values="below 4"), minlength=2),
        bad("RuntimeError", tensor(3, dtype="int64", values="distinct")),
        bad("RuntimeError", tensor(2, 2, dtype="int64", values="below 4")),
        bad("RuntimeError", tensor(2, dtype="int64", values="below 4"), minlength=-1),
        bad("RuntimeError", tensor(2, dtype="int64", values="below 4"), tensor(3)),
    ],
    tolerance="composed",
)
samples_of(
    "histc",
    [
        sample(tensor(2, 5), 4, differentiable=False),
        sample(tensor(9), 5, -1, 1.5, differentiable=False),
        sample(tensor(6, values="below 3"), bins=3, min=0, max=3, differentiable=False),
        sample(tensor(values="positive"), differentiable=False),
        sample(tensor(0), 3, differentiable=False),
        sample(tensor(14, values="special"), 4, -2, 2, differentiable=False),
        bad("RuntimeError", tensor(3), 0),
        bad("RuntimeError", tensor(3), 4, 3, 1),
        bad("RuntimeError", tensor(3), 4, 0, float("inf")),
        bad("NotImplementedError", tensor(3), 4, dtypes=["bool", "int64", "complex64"]),
    ],
    tolerance="composed",
)
_WEIGHT = tensor(6, values="positive", grad=False)
_PRECISE = ("float32", "float64")
samples_of(
    "histogram.bin_ct",
    [
        sample(tensor(2, 5), 4, differentiable=False, dtypes=_PRECISE),
        sample(tensor(6), 3, range=[-1.0, 1.0], differentiable=False, dtypes=_PRECISE),
        sample(tensor(6), 3, weight=_WEIGHT, density=True, differentiable=False, dtypes=_PRECISE),
        sample(tensor(0), 3, differentiable=False, dtypes=_PRECISE),
        bad("RuntimeError", tensor(3), 0),
        bad("RuntimeError", tensor(3), 3, range=[2.0, 1.0], dtypes=_PRECISE),
        bad("RuntimeError", tensor(3), 3, range=[2.0], dtypes=_PRECISE),
        bad("NotImplementedError", tensor(3), 3, dtypes=["bool", "int64", "float16"]),
    ],
    tolerance="composed",
)
samples_of(
    "histogram.bins_tensor",
    [
        sample(tensor(2, 5), tensor(2, values="below 1"), differentiable=False, dtypes=_PRECISE),
        sample(
            tensor(9, values="below 3"),
            tensor(4, values="below 1"),
            density=True,
            differentiable=False,
            dtypes=_PRECISE,
        ),
        sample(tensor(6), tensor(3, values="below 1"), weight=_WEIGHT, differentiable=False, dtypes=_PRECISE),
        bad("RuntimeError", tensor(3), tensor(1), dtypes=_PRECISE),
        bad("RuntimeError", tensor(3), tensor(0), dtypes=_PRECISE),
        bad("RuntimeError", tensor(3), tensor(2, 2), dtypes=_PRECISE),
        bad("RuntimeError", tensor(3), tensor(2), weight=tensor(2), dtypes=_PRECISE),
    ],
    tolerance="composed",
)
_POSITIONS = tensor(6, 2, grad=False)
for _name in ("_histogramdd_bin_edges", "_histogramdd_from_bin_cts"):
    samples_of(
        _name,
        [
            sample(_POSITIONS, [3, 2], dtypes=_PRECISE),
            sample(_POSITIONS, [3, 2], range=[-1.0, 1.0, -2.0, 2.0], dtypes=_PRECISE),
            sample(_POSITIONS, [2, 2], weight=_WEIGHT, density=True, dtypes=_PRECISE),
            sample(tensor(0, 2, grad=False), [2, 2], dtypes=_PRECISE),
            bad("RuntimeError", tensor(3, 2), [3], dtypes=_PRECISE),
            bad("RuntimeError", tensor(3), [3], dtypes=_PRECISE),
            bad("RuntimeError", tensor(3, 2), [3, 3], range=[0.0, 1.0], dtypes=_PRECISE),
        ],
        tolerance="composed",
    )
samples_of(
    "_histogramdd_from_bin_tensors",
    [
        sample(
            _POSITIONS,
            [tensor(3, values="distinct", grad=False), tensor(2, values="below 1", grad=False)],
            weight=_WEIGHT,
            density=True,
            dtypes=_PRECISE,
        ),
        bad("RuntimeError", tensor(3, 2), [tensor(3)], dtypes=_PRECISE),
        bad("NotImplementedError", tensor(2, 1), [tensor(2)], dtypes=["int64"]),
    ],
    tolerance="composed",
)
for _name in ("trapezoid", "trapz", "cumulative_trapezoid"):
    samples_of(
        f"{_name}.x",
        [
            sample(tensor(2, 4), tensor(4)),
            sample(tensor(3, 2), tensor(3), dim=0),
            sample(tensor(2, 3), tensor(2, 3)),
            sample(tensor(3, 4), tensor(1, 4)),
            bad("RuntimeError", tensor(2, 3), tensor(2)),
            bad("RuntimeError", tensor(2, 3), tensor(4, 3)),
            bad("IndexError", tensor(2, 3), tensor(3), dim=2),
        ],
        tolerance="composed",
    )
    samples_of(
        f"{_name}.dx",
        [
            sample(tensor(2, 4)),
            sample(tensor(3, 2), dx=0.5, dim=0),
            sample(tensor(2, 1)),
            bad("IndexError", tensor()),
            bad("IndexError", tensor(2, 3), dim=-3),
        ],
        tolerance="composed",
    )
samples_of("trapezoid.dx cumulative_trapezoid.dx", [bad("RuntimeError", tensor(3), dx=1j)])
samples_of("trapezoid.dx trapz.dx", [sample(tensor(2, 0))])

_SMALL = [bad("RuntimeError", tensor(2, 1)), bad("RuntimeError", tensor(3), edge_order=3)]
samples_of(
    "gradient.scalarint",
    [
        sample(tensor(4)),
        sample(tensor(3, 4), spacing=0.5),
        sample(tensor(3, 4), dim=-1, edge_order=2),
        sample(tensor()),
        *_SMALL,
        bad("IndexError", tensor(3), dim=1),
    ],
    tolerance="composed",
)
samples_of(
    "gradient.scalararray",
    [
        sample(tensor(3, 3), spacing=2, dim=[1]),
        sample(tensor(4, 3), spacing=0.5, dim=[0], edge_order=2),
        bad("RuntimeError", tensor(3, 3), spacing=2, dim=[0, 0]),
    ],
    tolerance="composed",
)
samples_of(
    "gradient.array",
    [
        sample(tensor(3, 2, 3), dim=[2, 0]),
        sample(tensor(3, 3), dim=[1], edge_order=2),
        bad("RuntimeError", tensor(3, 3), dim=[1, 1]),
    ],
    tolerance="composed",
)
samples_of(
    "gradient.scalarrayint",
    [
        sample(tensor(3, 4), spacing=[0.5, 2.0]),
        sample(tensor(3, 4), spacing=[0.5], dim=0, edge_order=2),
        bad("RuntimeError", tensor(3, 4), spacing=[1.0, 2.0, 3.0]),
    ],
    tolerance="composed",
)
samples_of(
    "gradient.scalarrayarray",
    [
        sample(tensor(3, 4), spacing=[0.5, 2.0], dim=[1, 0]),
        sample(tensor(3, 3), spacing=[0.5], dim=[0], edge_order=2),
        bad("RuntimeError", tensor(3, 4), spacing=[1.0, 2.0], dim=[0]),
    ],
    tolerance="composed",
)
_POINTS = tensor(4, values="distinct")
samples_of(
    "gradient.tensorarrayint",
    [
        sample(tensor(2, 4), spacing=[_POINTS], dim=1, dtypes=FLOATS, differentiable=False),
        sample(tensor(2, 4), spacing=[_POINTS], dim=1, edge_order=2, dtypes=FLOATS, differentiable=False),
        bad("RuntimeError", tensor(4), spacing=[tensor(2, 2)]),
    ],
    tolerance="composed",
)
samples_of(
    "gradient.tensorarray",
    [
        sample(tensor(4, 2), spacing=[_POINTS], dim=[0], dtypes=FLOATS, differentiable=False),
        sample(tensor(2, 4), spacing=[_POINTS], dim=[1], edge_order=2, dtypes=FLOATS, differentiable=False),
    ],
    tolerance="composed",
)
