"""Samples of elementary and special functions."""

from ..inputs.description import COMPLEX, FLOATS, INTEGERS, REAL_FLOATS, bad, sample, tensor
from . import samples_of
from .pointwise import MIXTURES, SPECIAL, binary, ill_sized, mixtures, numbers, special_pairs, unary

REAL = ("bool", *INTEGERS, *REAL_FLOATS)


def outside(values: str = "normal"):
    """Numbers outside of the domain; only the values are compared."""
    return [sample(tensor(2, 3, values=values), differentiable=False)]


samples_of("tan sinh cosh asinh atan exp2 deg2rad rad2deg", unary(), tolerance="elementary")
samples_of("arctan arcsinh", unary()[:4], tolerance="elementary")
samples_of("asin acos atanh erfinv", [*unary("unit"), *outside()], tolerance="elementary")
samples_of("arcsin arccos arctanh", unary("unit")[:4], tolerance="elementary")
samples_of("erfc", unary(), tolerance="elementary")
samples_of("sinc", [*unary(), sample(tensor(2, 3, values="zeros"), smooth=False)], tolerance="composed")
samples_of("log10", [*unary("positive"), *outside()], tolerance="elementary")
# above 1, where it is differentiable; below, only the values are compared
samples_of("acosh arccosh", [sample(tensor(7, values="distinct"), dtypes=COMPLEX)], tolerance="elementary")
samples_of(
    "acosh arccosh",
    [
        sample(tensor(2, 3, values="positive"), differentiable=False),
        sample(SPECIAL, differentiable=False),
        *outside(),
    ],
)
samples_of("lgamma", unary("positive"), tolerance="composed")
samples_of("digamma", unary("positive"), tolerance="composed")
samples_of("lgamma digamma", [sample(tensor(2, 3))])
samples_of(
    "polygamma",
    [
        *[sample(n, tensor(2, 3, values="positive")) for n in (0, 1, 2, 3)],
        sample(1, tensor(2, 3), dtypes=REAL_FLOATS),
        sample(2, tensor()),
        sample(1, tensor(0, 3)),
        bad("RuntimeError", -1, tensor(2)),
    ],
    tolerance="composed",
)
samples_of(
    "polygamma_",
    [
        sample(tensor(2, 3, values="positive"), 0, dtypes=REAL_FLOATS),
        sample(tensor(2, 3), 1, dtypes=REAL_FLOATS, differentiable=False),
        sample(tensor(), 2, dtypes=REAL_FLOATS, differentiable=False),
        bad("RuntimeError", tensor(2), -1),
    ],
    tolerance="composed",
)
samples_of("deg2rad rad2deg", [bad("RuntimeError", tensor(2), dtypes=["complex64"])])
samples_of("erfc erfinv lgamma digamma", [bad("NotImplementedError", tensor(2), dtypes=["complex64"])])
samples_of(
    "logit",
    [
        sample(tensor(2, 3, values="unit"), differentiable=False),
        sample(tensor(2, 3, values="unit"), 0.125),
        sample(tensor(values="unit"), 0.25),
        sample(tensor(0, 3)),
        sample(tensor(2, 3, values="positive"), eps=-1.0, differentiable=False),
        sample(SPECIAL, differentiable=False),
        sample(SPECIAL, 0.25, differentiable=False),
        bad("NotImplementedError", tensor(2), dtypes=["complex64"]),
    ],
    tolerance="composed",
)
samples_of(
    "logaddexp logaddexp2", [*binary(), *special_pairs(), *ill_sized(), *mixtures()], tolerance="composed"
)
samples_of(
    "atan2 hypot", [*binary("nonzero", "nonzero"), *special_pairs(), *ill_sized()], tolerance="elementary"
)
samples_of("atan2 hypot", mixtures("nonzero", "nonzero"))
samples_of(
    "nextafter",
    [
        *binary(),
        *special_pairs(),
        *ill_sized(),
        *mixtures(),
        sample(tensor(2, 3, values="zeros"), tensor(2, 3), smooth=False),
        sample(tensor(2, 3), tensor(2, 3, values="zeros"), smooth=False),
        bad("NotImplementedError", tensor(2), tensor(2), dtypes=["bool", "int64", "complex64"]),
    ],
)
samples_of(
    "frexp.Tensor",
    [
        sample(tensor(2, 3, values="nonzero"), smooth=False),
        sample(tensor(3, 2, 2, values="positive"), smooth=False),
        sample(tensor(), smooth=False),
        sample(tensor(0, 3)),
        sample(SPECIAL, differentiable=False),
        bad("RuntimeError", tensor(2), dtypes=["bool", "int64", "complex64"]),
    ],
)
samples_of("arctan2", binary("nonzero", "nonzero")[:4], tolerance="elementary")
samples_of(
    "xlogy.Tensor",
    [
        *binary("normal", "positive"),
        *special_pairs(),
        *ill_sized(),
        *mixtures("normal", "positive"),
        *numbers(),
        sample(tensor(2, 3, values="zeros"), tensor(2, 3), smooth=False),
    ],
    tolerance="elementary",
)
samples_of(
    "igamma igammac special_gammainc special_gammaincc",
    [
        *[each._replace(differentiable=False) for each in binary("positive", "positive")],
        *special_pairs(),
        *ill_sized(),
    ],
    tolerance="composed",
)
samples_of(
    "_standard_gamma_grad",
    [
        sample(
            tensor(2, 3, values="positive"),
            tensor(2, 3, values="positive"),
            dtypes=REAL_FLOATS,
            differentiable=False,
        ),
        sample(
            tensor(2, 1, values="positive"),
            tensor(3, values="positive"),
            dtypes=REAL_FLOATS,
            differentiable=False,
        ),
        bad("RuntimeError", tensor(2), tensor(2, dtype="float64"), dtypes=["float32"]),
        bad("NotImplementedError", tensor(2), tensor(2), dtypes=["int64", "complex64", "float16"]),
    ],
    tolerance="composed",
)
_POSITIVE = tensor(2, 3, values="positive")
samples_of(
    "_dirichlet_grad",
    [
        sample(
            tensor(2, 3, values="unit"),
            tensor(2, 3, values="unit"),
            _POSITIVE,
            dtypes=REAL_FLOATS,
            differentiable=False,
        ),
        sample(
            tensor(3, values="unit"),
            tensor(2, 1, values="unit"),
            _POSITIVE,
            dtypes=REAL_FLOATS,
            differentiable=False,
        ),
        bad("RuntimeError", tensor(2), tensor(2, dtype="float64"), tensor(2), dtypes=["float32"]),
        bad("NotImplementedError", tensor(2), tensor(2), tensor(2), dtypes=["int64", "complex64", "float16"]),
    ],
    tolerance="composed",
)
samples_of(
    "mvlgamma special_multigammaln",
    [
        *[sample(tensor(2, 3, values="positive"), p) for p in (1, 2, 3)],
        sample(tensor(), 2),
        sample(tensor(0, 3), 1),
        bad("RuntimeError", tensor(2), 0),
    ],
    tolerance="composed",
)
samples_of(
    "mvlgamma_",
    [
        sample(tensor(2, 3, values="positive"), 1, dtypes=REAL_FLOATS),
        sample(tensor(2, 3, values="positive"), 2, dtypes=REAL_FLOATS),
        bad("RuntimeError", tensor(2), 0),
    ],
    tolerance="composed",
)
samples_of(
    "heaviside",
    [
        *[each._replace(differentiable=False) for each in binary()],
        *special_pairs(),
        bad("RuntimeError", tensor(2), tensor(2, dtype="float64")),
        bad("RuntimeError", tensor(2), tensor(2), dtypes=["complex64"]),
    ],
)
samples_of(
    "copysign.Tensor",
    [
        *binary("nonzero", "nonzero"),
        *special_pairs(),
        *ill_sized(),
        *mixtures("nonzero", "nonzero"),
        sample(tensor(2, 3), -1),
        sample(tensor(2, 3), -0.0),
        sample(tensor(2, 3, values="zeros"), tensor(2, 3), smooth=False),
    ],
)
samples_of(
    "float_power.Tensor_Tensor",
    [*binary("positive", "positive")[:4], *mixtures("positive", "positive")],
    tolerance="elementary",
)
samples_of(
    "float_power.Tensor_Scalar",
    [sample(tensor(2, 3, values="positive"), each) for each in (2, -1.5)]
    + [sample(tensor(2, values="positive"), 1 + 2j, dtypes=["float32", "complex64"])],
    tolerance="elementary",
)
samples_of("float_power.Scalar", [sample(2, tensor(2, 3)), sample(2.5, tensor(3))], tolerance="elementary")

samples_of("absolute", unary()[:4], tolerance="arithmetic")
samples_of("negative fix", unary()[:4])
samples_of("multiply.Tensor subtract.Tensor", [*binary()[:3], *numbers()], tolerance="arithmetic")
samples_of("subtract.Tensor", binary(alpha=3)[:2])
samples_of(
    "divide.Tensor true_divide.Tensor", [*binary("normal", "nonzero")[:3], *numbers()], tolerance="arithmetic"
)
for mode in (None, "floor", "trunc"):
    samples_of(
        "divide.Tensor_mode", binary("normal", "nonzero", rounding_mode=mode)[:2], tolerance="arithmetic"
    )
samples_of("positive", [*unary()[:4], bad("RuntimeError", tensor(2), dtypes=["bool"])])
samples_of("frac", unary())
samples_of(
    "round.decimals",
    [
        *[
            sample(tensor(2, 3), decimals=decimals, dtypes=REAL_FLOATS, smooth=False)
            for decimals in (0, 1, 3, -1)
        ],
        sample(SPECIAL, decimals=2, dtypes=REAL_FLOATS, differentiable=False),
        sample(SPECIAL, decimals=-2, dtypes=REAL_FLOATS, differentiable=False),
        sample(tensor(9, values="distinct"), decimals=1, dtypes=REAL_FLOATS, smooth=False),
        sample(tensor(), decimals=1, dtypes=REAL_FLOATS, smooth=False),
        sample(tensor(0), decimals=1, dtypes=REAL_FLOATS, smooth=False),
        bad("NotImplementedError", tensor(2), decimals=1, dtypes=["int64", "complex64"]),
    ],
)
samples_of("isposinf isneginf signbit isreal", [*unary(), sample(SPECIAL, differentiable=False)])
samples_of("isposinf isneginf signbit", [bad("RuntimeError", tensor(2), dtypes=["complex64"])])
samples_of(
    "nan_to_num",
    [
        *unary(),
        sample(SPECIAL, 1.0, 2.0, -3.0, differentiable=False),
        sample(SPECIAL, posinf=1e6, dtypes=FLOATS, differentiable=False),
        sample(tensor(2, 3), 0.5),
    ],
)
samples_of(
    "isin.Tensor_Tensor",
    [
        sample(tensor(2, 3), tensor(4, seed=1)),
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3), tensor(2, 3, seed=1), invert=True),
        sample(tensor(5, values="distinct"), tensor(3, values="distinct"), assume_unique=True),
        sample(tensor(14, values="special"), tensor(14, values="special")),
        sample(tensor(), tensor(2)),
        sample(tensor(2), tensor(0)),
        sample(tensor(0), tensor(2)),
        *[
            sample(tensor(2, dtype=one), tensor(3, dtype=other), dtypes=["float32"])
            for one, other in MIXTURES[:5]
        ],
        bad("RuntimeError", tensor(2), tensor(2), dtypes=["bool", "complex64"]),
    ],
)
samples_of(
    "isin.Tensor_Scalar",
    [
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), 2.5, invert=True),
        sample(tensor(3), 1, assume_unique=True),
        sample(tensor(), 1),
        bad("RuntimeError", tensor(2), True),
    ],
)
samples_of(
    "isin.Scalar_Tensor",
    [
        sample(1, tensor(2, 3)),
        sample(2.5, tensor(3), invert=True),
        sample(1, tensor(3), assume_unique=True),
        bad("RuntimeError", 1j, tensor(2)),
    ],
)
samples_of("fmax fmin clamp_min.Tensor clamp_max.Tensor", [*binary(), *mixtures(), *special_pairs()])
samples_of("fmax fmin clamp_min.Tensor clamp_max.Tensor", ill_sized(), tolerance="choice")
samples_of(
    "clamp.Tensor _clamp",
    [
        sample(tensor(2, 3), tensor(2, 3, values="unit"), tensor(2, 3, values="positive")),
        sample(tensor(2, 3), tensor(3), tensor(2, 1)),
        sample(tensor(2, 3), tensor(), tensor()),
        sample(tensor(), tensor(3), tensor(2, 1), differentiable=False),  # PyTorch's backward fails
        sample(tensor(0, 3), tensor(3), tensor(3)),
        sample(
            tensor(14, 1, 1, values="special"),
            tensor(14, 1, values="special"),
            tensor(3, values="normal"),
            differentiable=False,
        ),
        sample(tensor(2, 3), tensor(2, 3), tensor(2, 3, dtype="float64"), dtypes=["float32", "int32"]),
        bad("RuntimeError", tensor(2, 3), tensor(4), tensor(3)),
    ],
    tolerance="choice",
)
samples_of(
    "clamp.Tensor",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3), None, tensor(3)),
        sample(tensor(2, 3), max=tensor()),
        bad("RuntimeError", tensor(2, 3)),
    ],
)
samples_of("clip", [sample(tensor(2, 3), -1, 1), sample(tensor(2, 3), 0.5)], tolerance="choice")
samples_of(
    "clip.Tensor", [sample(tensor(2, 3), tensor(3)), sample(tensor(3), max=tensor(3))], tolerance="choice"
)
samples_of(
    "lerp.Tensor",
    [
        sample(tensor(2, 3), tensor(2, 3), tensor(2, 3, values="positive")),
        sample(tensor(2, 1), tensor(3), tensor(2, 3)),
        sample(tensor(3), tensor(2, 1), tensor()),
        sample(tensor(3), tensor(3), tensor(dtype="float64"), dtypes=["float32"]),
        sample(tensor(0), tensor(0), tensor(0)),
        bad("RuntimeError", tensor(2), tensor(2, dtype="float64"), tensor(2)),
        bad("RuntimeError", tensor(2), tensor(2), tensor(2, dtype="float64")),
        bad("RuntimeError", tensor(2), tensor(3), tensor(2)),
    ],
    tolerance="composed",
)
MASK = tensor(2, 3, dtype="bool")
samples_of(
    "masked_fill.Tensor",
    [
        sample(tensor(2, 3), MASK, tensor()),
        sample(tensor(3), tensor(2, 1, dtype="bool"), tensor()),
        sample(tensor(2, 3), MASK, tensor(dtype="float64", values="positive"), dtypes=["float32", "int64"]),
        sample(tensor(2, 3), MASK, tensor(dtype="int64"), dtypes=["float32", "complex64"]),
        bad("RuntimeError", tensor(2, 3), MASK, tensor(1)),
        bad("RuntimeError", tensor(2, 3), MASK, tensor(dtype="complex64")),
    ],
)
samples_of(
    "masked_fill.Scalar",
    [
        bad("RuntimeError", tensor(2, 3), MASK, 300, dtypes=["uint8"]),
        bad("RuntimeError", tensor(2, 3), MASK, 1j),
    ],
)
samples_of(
    "where",
    [
        sample(tensor(2, 3, dtype="bool")),
        sample(tensor(5)),
        sample(tensor(dtype="bool")),
        sample(tensor(0, 2)),
    ],
)
samples_of(
    "where.self",
    [
        sample(MASK, 1, 2.0, dtypes=["float32"]),
        sample(MASK, 1, 2, dtypes=["float32"]),
        sample(MASK, tensor(2, 3), 1.5),
        sample(MASK, 2, tensor(3)),
    ],
)
SHIFTS = "bitwise_left_shift.Tensor bitwise_right_shift.Tensor"
samples_of(
    SHIFTS,
    [
        sample(tensor(2, 3), tensor(2, 3, values="below 9")),
        *[
            sample(tensor(2, 3), tensor(3, dtype=dtype, values="below 5"), dtypes=[dtype])
            for dtype in INTEGERS
        ],
        sample(tensor(7, 1, values="special"), tensor(7, values="special")),
        sample(tensor(7, values="special"), tensor(5, 1, dtype="int64", values="below 70")),
        sample(tensor(2, 3), 2),
        sample(tensor(2, 3), -1),
        sample(tensor(), tensor()),
        sample(tensor(0), tensor(0)),
        *mixtures()[:2],
        *ill_sized(),
    ],
)
samples_of("angle", unary(), tolerance="elementary")
samples_of("angle", [sample(tensor(2, 3, values="zeros"), smooth=False)])
samples_of(
    "imag view_as_real",
    [
        *[each._replace(dtypes=COMPLEX) for each in [*unary(), sample(tensor(3, 1, 2))]],
        bad("RuntimeError", tensor(2), dtypes=["float32", "int64", "bool"]),
    ],
)
samples_of("resolve_conj resolve_neg is_conj is_neg", unary()[:3])
samples_of(
    "view_as_complex",
    [
        sample(tensor(3, 2)),
        sample(tensor(2)),
        sample(tensor(0, 2)),
        sample(tensor(2, 1, 2)),
        sample(tensor(3, 2, layout="contiguous")),
        sample(tensor(2, 2, dtype="float64", layout="transposed"), dtypes=["float32"]),
        bad("RuntimeError", tensor()),
        bad("RuntimeError", tensor(2, 3)),
        bad("RuntimeError", tensor(2), dtypes=["int64", "complex64"]),
        bad("RuntimeError", tensor(3, 2, layout="transposed")),
        bad("RuntimeError", tensor(3, 2, layout="offset")),
    ],
)
samples_of(
    "adjoint",
    [
        sample(tensor(2, 3)),
        sample(tensor()),
        sample(tensor(2, 3, 4)),
        sample(tensor(0, 2)),
        bad("RuntimeError", tensor(2)),
    ],
)


def pairs(values: str = "normal"):
    """Two tensors that are parts of complex numbers."""
    return [
        sample(tensor(2, 3, values=values), tensor(2, 3)),
        sample(tensor(2, 1, values=values), tensor(3)),
        sample(tensor(values=values), tensor(3)),
        sample(tensor(0), tensor(0)),
        sample(tensor(14, 1, values="special"), tensor(14, values="special"), differentiable=False),
        bad("RuntimeError", tensor(2), tensor(2, dtype="float64")),
        bad("RuntimeError", tensor(2), tensor(2), dtypes=["int64", "bfloat16"]),
        bad("RuntimeError", tensor(2), tensor(3)),
    ]


samples_of("complex", pairs())
# The gradient, as in PyTorch, assumes that the modulus is not negative: for a negative one it has the
# opposite sign of finite differences.
samples_of("polar", [*pairs("positive"), sample(tensor(3), tensor(3), smooth=False)], tolerance="composed")

# the limits of int64 as float64: its minimum, and 2**63, which wraps around to it
samples_of(
    "masked_fill.Scalar",
    [sample(tensor(2, 3), MASK, number, dtypes=["int64"]) for number in (-(2.0**63), 2.0**63)],
)
samples_of(
    "ldexp.Tensor",
    [
        sample(tensor(2, 3), tensor(3, values="below 5")),
        sample(tensor(2, 3), tensor(2, 1, dtype="int32", values="below 5")),
        sample(tensor(), tensor(2, values="below 2")),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
    tolerance="elementary",
)
