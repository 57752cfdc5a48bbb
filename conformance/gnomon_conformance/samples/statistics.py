"""Samples of variances, norms and other statistics."""

from ..inputs.description import FLOATS, REAL_FLOATS, bad, sample, tensor
from . import samples_of

SPECIAL = tensor(2, 7, values="special")
INF = float("inf")

samples_of(
    "var.correction std.correction",
    [
        sample(SPECIAL, [1], differentiable=False),
        sample(tensor(2, 3), [0], correction=0, keepdim=True),
        sample(tensor(2, 3), correction=5, differentiable=False),
        bad("RuntimeError", tensor(2, 3), [0], dtypes=["int64", "bool"]),
        bad("IndexError", tensor(2, 3), [2]),
    ],
    tolerance="composed",
)
samples_of(
    "var_mean.correction std_mean.correction",
    [
        sample(tensor(2, 3), [1]),
        sample(tensor(2, 3), None, correction=0, keepdim=True),
        sample(tensor(0, 3), [0], differentiable=False),
        bad("RuntimeError", tensor(2, 3), [0], dtypes=["int64"]),
    ],
    tolerance="composed",
)
samples_of(
    "var.dim std.dim var_mean.dim std_mean.dim",
    [
        sample(tensor(2, 3), [1]),
        sample(tensor(2, 3), None, False),
        sample(tensor(2, 3), [0], True, True),
        bad("IndexError", tensor(2, 3), [2]),
    ],
    tolerance="composed",
)
samples_of(
    "var std var_mean std_mean",
    [
        sample(tensor(2, 3)),
        sample(tensor(5), False),
        sample(tensor(), differentiable=False),
        bad("RuntimeError", tensor(2, 3), dtypes=["int64"]),
    ],
    tolerance="composed",
)
SUMS = [
    sample(tensor(2, 3)),
    sample(tensor(2, 3), [1], True),
    sample(tensor(2, 3, 2), [0, 2]),
    sample(SPECIAL, [0], differentiable=False),
    sample(tensor(0, 3), [0]),
    sample(tensor()),
    sample(tensor(2, 3), [0], dtype="float64"),
    bad("IndexError", tensor(2, 3), [2]),
    bad("RuntimeError", tensor(2, 3), dtypes=["complex64"]),
]
samples_of("nansum", SUMS, tolerance="terms")
samples_of(
    "nanmean",
    [*SUMS, bad("RuntimeError", tensor(3), dtypes=["int64"])],
    tolerance="composed",
)
samples_of(
    "aminmax",
    [
        sample(tensor(2, 3, values="distinct")),
        sample(tensor(2, 3, values="distinct"), dim=1),
        sample(tensor(2, 3, values="distinct"), dim=0, keepdim=True),
        sample(tensor(2, 3, values="distinct"), keepdim=True),
        sample(tensor(2, 6, values="below 2"), dim=1, smooth=False),
        sample(SPECIAL, dim=1, differentiable=False),
        sample(tensor(), dim=0),
        sample(tensor(0, 3), dim=1),
        bad("RuntimeError", tensor(0)),
        bad("IndexError", tensor(0, 3), dim=0),
        bad("IndexError", tensor(2), dim=1),
    ],
    tolerance="choice",
)
samples_of(
    "cov",
    [
        sample(tensor(2, 4)),
        sample(tensor(2, 4), correction=0),
        sample(tensor(4)),
        sample(tensor(2, 4), fweights=tensor(4, dtype="int64", values="positive")),
        sample(tensor(2, 4), aweights=tensor(4, dtype="float32", values="positive", grad=False)),
        sample(
            tensor(2, 4),
            correction=0,
            fweights=tensor(4, dtype="int64", values="positive"),
            aweights=tensor(4, dtype="float32", values="positive", grad=False),
        ),
        bad("RuntimeError", tensor(2, 2, 2)),
        bad("RuntimeError", tensor(2, 2), dtypes=["bool"]),
        bad("RuntimeError", tensor(2, 4), fweights=tensor(4)),
        bad("RuntimeError", tensor(2, 4), fweights=tensor(3, dtype="int64", values="positive")),
        bad("RuntimeError", tensor(2, 4), aweights=tensor(4, values="nonzero", seed=1)),
        bad("RuntimeError", tensor(2, 4), aweights=tensor(4, dtype="int64", values="positive")),
    ],
    tolerance="composed",
)
samples_of(
    "corrcoef",
    [sample(tensor(2, 4)), sample(tensor(4), differentiable=False), bad("RuntimeError", tensor(2, 2, 2))],
    tolerance="composed",
)

# -- norms ---------------------------------------------------------------------------------------------------

ORDERS = (0, 0.5, 1, 1.5, 2, 3, INF, -INF, -1)
samples_of(
    "linalg_vector_norm",
    [
        *[sample(tensor(2, 3, values="nonzero"), order, [1]) for order in ORDERS],
        sample(tensor(2, 3)),
        sample(tensor(2, 3), 2, [0], True),
        sample(tensor(2, 3, 2), 1, [0, 2]),
        sample(tensor(2, 3), 3, []),
        sample(tensor(2, 3), dtype="float64", differentiable=False, dtypes=REAL_FLOATS),
        sample(SPECIAL, 2, [1], differentiable=False),
        sample(SPECIAL, INF, [0], differentiable=False),
        sample(tensor(0, 3), 2, [0]),
        sample(tensor(0, 3), 0),
        sample(tensor(0, 3), INF, [1]),
        sample(tensor(values="nonzero"), 3),
        sample(tensor(3, values="zeros"), 2, smooth=False),
        sample(tensor(3, values="zeros"), 3, smooth=False),
        sample(tensor(3, values="zeros"), 1, smooth=False),
        bad("RuntimeError", tensor(2), dtypes=["int64", "bool"]),
        bad("RuntimeError", tensor(2), 1j),
        bad("RuntimeError", tensor(0, 3), INF, [0]),
        bad("RuntimeError", tensor(0, 3), -1),
        bad("RuntimeError", tensor(2), dtype="float16"),
        bad("RuntimeError", tensor(2), dtype="complex64"),
        bad("RuntimeError", tensor(2), dtype="int64"),
        bad("IndexError", tensor(2), 2, [1]),
    ],
    tolerance="composed",
)
samples_of("norm.Scalar", [sample(tensor(2, 3)), sample(tensor(2, 3), 1.5)], tolerance="composed")
samples_of(
    "norm.ScalarOpt_dtype",
    [
        sample(tensor(2, 3), 1, dtype="float64", dtypes=REAL_FLOATS, differentiable=False),
        sample(tensor(2, 3), None, dtype="float32", dtypes=("float16", "float32")),
    ],
    tolerance="composed",
)
samples_of(
    "norm.ScalarOpt_dim",
    [sample(tensor(2, 3), 1, [0]), sample(tensor(2, 3), None, [1], True), sample(tensor(2, 3), 3, [])],
    tolerance="composed",
)
samples_of(
    "norm.ScalarOpt_dim_dtype",
    [
        sample(tensor(2, 3), 1, [0], True, dtype="float64", dtypes=REAL_FLOATS, differentiable=False),
        sample(tensor(2, 3), None, [1], False, dtype="float32", dtypes=("float16", "float32")),
    ],
    tolerance="composed",
)
FULL = ("float32", "float64", "complex64", "complex128")
MATRIX = tensor(3, 2, values="nonzero")
samples_of(
    "linalg_matrix_norm",
    [
        *[sample(MATRIX, order, dtypes=FULL) for order in (1, -1, INF, -INF, 2, -2)],
        sample(tensor(2, 3, 2, values="nonzero"), 1, [0, 2], True),
        sample(tensor(2, 3, 2, values="nonzero"), 2, [2, 0], True, dtypes=FULL),
        sample(MATRIX, 1, dtype="float64", differentiable=False, dtypes=REAL_FLOATS),
        bad("RuntimeError", MATRIX, 3),
        bad("RuntimeError", tensor(3), 1),
        bad("RuntimeError", MATRIX, 1, [0]),
        bad("RuntimeError", MATRIX, 1, [0, 0]),
        bad("RuntimeError", tensor(2, 2), 1, dtypes=["int64"]),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_matrix_norm.str_ord",
    [
        sample(MATRIX),
        sample(MATRIX, "nuc", dtypes=FULL),
        sample(tensor(2, 3, 2), "nuc", [0, 1], True, dtypes=FULL),
        sample(tensor(2, 3, 2), "fro", [0, 1], True),
        sample(MATRIX, dtype="float64", differentiable=False, dtypes=REAL_FLOATS),
        bad("RuntimeError", MATRIX, "max"),
        bad("RuntimeError", tensor(3)),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_norm",
    [
        sample(MATRIX),
        sample(MATRIX, 1),
        sample(MATRIX, 3, [0]),
        sample(tensor(2, 3, 2), 1, [0, 1], True),
        sample(tensor(2, 3, 2)),
        sample(MATRIX, dtype="float64", differentiable=False, dtypes=REAL_FLOATS),
        bad("RuntimeError", tensor(2, 2, 2), 2),
        bad("RuntimeError", tensor(2, 2, 2), 2, [0, 1, 2]),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_norm.ord_str",
    [
        sample(MATRIX, "fro"),
        sample(MATRIX, "nuc", [1, 0], True, dtypes=FULL),
        sample(MATRIX, "fro", dtype="float64", differentiable=False, dtypes=REAL_FLOATS),
        bad("RuntimeError", tensor(3), "fro"),
        bad("RuntimeError", tensor(2, 2, 2), "fro"),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_svdvals",
    [
        sample(tensor(3, 2), dtypes=FULL),
        sample(tensor(2, 2, 3), dtypes=FULL),
        sample(tensor(0, 2), dtypes=FULL),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor(2, 2), driver="gesvd"),
    ],
    tolerance="composed",
)
samples_of(
    "_linalg_svd",
    [
        sample(tensor(3, 2), dtypes=("float32", "float64"), differentiable=False),
        sample(tensor(2, 3), True, dtypes=("float32", "float64"), differentiable=False),
        sample(tensor(3, 2), False, False, dtypes=FULL, differentiable=False),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor(2, 2), driver="gesvd"),
    ],
    tolerance="composed",
)

samples_of(
    "mode",
    [
        sample(tensor(2, 5, values="below 3"), smooth=False),
        sample(tensor(2, 4, 3, values="below 2"), 1, True, smooth=False),
        sample(tensor(3, 16, values="below 3"), -1, smooth=False),
        sample(tensor(4, 3), 0, smooth=False),
        sample(tensor(values="positive"), dtypes=REAL_FLOATS),
        sample(tensor(0, 3), 1, differentiable=False),
        bad("IndexError", tensor(0, 3), 0),
        bad("IndexError", tensor(2, 3), 2),
        bad("NotImplementedError", tensor(2, 3), dtypes=["complex64"]),
    ],
)
samples_of("median nanmedian", [sample(tensor(2, 0, 3), differentiable=False)])
samples_of("median.dim nanmedian.dim", [bad("IndexError", tensor(0, 3), 0, dtypes=["bool", "complex64"])])
samples_of("searchsorted.Tensor", [sample(tensor(0), tensor(0)), sample(tensor(3), tensor(0, 2))])
# the order of equal elements is specified for stable sorts, and for sorts of at most 16 elements
samples_of(
    "sort.stable",
    [sample(tensor(40, values="below 3"), stable=True, descending=True, smooth=False)],
)
samples_of("argsort.stable", [sample(tensor(2, 40, values="below 3"), stable=True, dim=1)])
samples_of(
    "sort argsort",
    [
        sample(tensor(16, values="below 3"), smooth=False),
        sample(tensor(16, values="below 2"), 0, True, smooth=False),
    ],
)
samples_of(
    "dist",
    [
        sample(tensor(2, 3), tensor(3), dtypes=FLOATS),
        sample(tensor(3), tensor(3), 1, dtypes=FLOATS),
        sample(tensor(2), tensor(2), 3.5, dtypes=FLOATS),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
    tolerance="composed",
)
samples_of(
    "renorm",
    [
        sample(tensor(2, 3), 2, 0, 1.0, dtypes=FLOATS),
        sample(tensor(2, 3, 2), 1, -2, 2.5, dtypes=FLOATS),
        sample(tensor(3, 2), 3.5, 1, 100.0, dtypes=FLOATS),
        bad("RuntimeError", tensor(3), 2, 0, 1),
        bad("RuntimeError", tensor(3, 2), 0, 0, 1),
        bad("RuntimeError", tensor(3, 2), 2, 0, -1),
        bad("IndexError", tensor(3, 2), 2, 2, 1),
    ],
    tolerance="composed",
)
# expanded, a matrix would be singular, and its gradient a choice
samples_of(
    "nuclear_norm",
    [
        sample(MATRIX._replace(layout="transposed"), dtypes=FULL),
        sample(tensor(2, 3, 2, values="nonzero", layout="gapped"), True, dtypes=FULL),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor(2, 2), dtypes=["int64", "bfloat16"]),
    ],
    tolerance="composed",
)
samples_of(
    "nuclear_norm.dim",
    [
        sample(MATRIX._replace(layout="transposed"), [0, 1], dtypes=FULL),
        sample(tensor(2, 3, 2, values="nonzero", layout="gapped"), [2, 0], True, dtypes=FULL),
        bad("RuntimeError", MATRIX, [0]),
        bad("RuntimeError", MATRIX, [1, -1]),
        bad("IndexError", MATRIX, [0, 2]),
    ],
    tolerance="composed",
)
samples_of(
    "frobenius_norm.dim",
    [
        sample(tensor(2, 3), [1], dtypes=FLOATS),
        sample(tensor(2, 3, 2), [0, -1], True, dtypes=FLOATS),
        sample(tensor(2, 3), [], dtypes=FLOATS),
        sample(tensor(0, 3), [0], dtypes=FLOATS),
        bad("RuntimeError", tensor(2, 3, 2), [0, 1, 2]),
        bad("RuntimeError", tensor(2, 3), [0, 0]),
        bad("RuntimeError", tensor(2), [0], dtypes=["int64"]),
        bad("IndexError", tensor(2), [1]),
    ],
    tolerance="composed",
)
samples_of(
    "norm_except_dim",
    [
        sample(tensor(2, 3), dtypes=FLOATS),
        sample(tensor(2, 3), 1, 1, dtypes=FLOATS),
        sample(tensor(2, 3, 2), 3, 1, dtypes=FLOATS),
        sample(tensor(2, 3, 2), 2, -2, dtypes=FLOATS),
        sample(tensor(2, 3), 2, -1, dtypes=FLOATS),
        bad("RuntimeError", tensor(2, 3), dtypes=["int64"]),
        bad("IndexError", tensor(2, 3), 2, 2),
        bad("IndexError", tensor()),
    ],
    tolerance="composed",
)
samples_of(
    "_is_all_true _is_any_true",
    [sample(tensor(2, 3), dtypes=["bool"])]
    + [sample(tensor(2, 3, values=values), dtypes=["bool"]) for values in ("zeros", "ones")]
    + [sample(tensor(0), dtypes=["bool"]), bad("RuntimeError", tensor(2), dtypes=["uint8", "float32"])],
)
