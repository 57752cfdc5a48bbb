"""Samples of pointwise operators: arithmetic, comparisons, activations."""

from ..inputs.description import (
    COMPLEX,
    FLOATS,
    IN_FLOAT32,
    INTEGERS,
    LIMITED,
    REAL_FLOATS,
    bad,
    sample,
    tensor,
)
from . import samples_of

SPECIAL = tensor(14, values="special")


def unary(values: str = "normal"):
    """Samples of one operand: matrices, three dimensions, 0-dim, empty, and special numbers."""
    return [
        sample(tensor(2, 3, values=values)),
        sample(tensor(2, 1, 3, values=values)),
        sample(tensor(values=values)),
        sample(tensor(0, 3, values=values)),
        sample(SPECIAL, differentiable=False),
        sample(tensor(35, values=values), differentiable=False),
    ]


def binary(first: str = "normal", second: str = "normal", **kwargs):
    """Samples of two operands that broadcast, have different dtypes, and have special numbers."""
    return [
        sample(tensor(2, 3, values=first), tensor(2, 3, values=second), **kwargs),
        sample(tensor(2, 1, values=first), tensor(1, 3, values=second), **kwargs),
        sample(tensor(2, 3, values=first), tensor(values=second), **kwargs),
        sample(tensor(values=first), tensor(3, values=second), **kwargs),
        sample(tensor(2, 2, 3, values=first), tensor(2, 1, values=second), **kwargs),
        sample(tensor(0, 3, values=first), tensor(3, values=second), **kwargs),
        sample(tensor(values=first), tensor(values=second), **kwargs),
    ]


def special_pairs(values: str = "special"):
    """A sample that combines each special number with each."""
    return [sample(tensor(14, 1, values=values), tensor(1, 14, values=values), differentiable=False)]


MIXTURES = [  # dtypes of two operands; a single dtype parameter suffices, since they name their own dtypes
    ("int32", "int64"),
    ("uint8", "int8"),
    ("int64", "float16"),
    ("float16", "bfloat16"),
    ("float32", "float64"),
    ("bool", "int16"),
]


def mixtures(first: str = "normal", second: str = "normal"):
    """Samples of operands of two dtypes, including 0-dim ones."""
    made = []
    for one, other in MIXTURES:
        made.append(
            sample(
                tensor(2, 2, dtype=one, values=first),
                tensor(2, dtype=other, values=second),
                dtypes=["float32"],
            )
        )
        if one == "float16":
            continue  # PyTorch multiplies by a 0-dim tensor of the other 16-bit dtype before rounding it
        made.append(
            sample(tensor(2, dtype=one, values=first), tensor(dtype=other, values=second), dtypes=["float32"])
        )
        made.append(
            sample(tensor(2, dtype=other, values=first), tensor(dtype=one, values=second), dtypes=["float32"])
        )
    return made


def numbers(values: str = "normal"):
    """Samples with a wrapped number as the second operand."""
    return [sample(tensor(2, 2, values=values), number) for number in (2, 2.5, 1)] + [
        sample(tensor(2, values=values), True, differentiable=False)
    ]


def ill_sized():
    """Samples of sizes that do not broadcast."""
    return [bad("RuntimeError", tensor(2, 3), tensor(4)), bad("RuntimeError", tensor(2, 3), tensor(3, 2))]


samples_of("neg sign _conj_physical conj_physical real conj", unary())
samples_of("floor ceil trunc round isnan isinf isfinite bitwise_not logical_not", unary())
samples_of("abs sgn square", unary(), tolerance="arithmetic")
samples_of("relu", unary(), tolerance="choice")
samples_of("exp expm1 sin cos erf sigmoid tanh", unary(), tolerance="elementary")
samples_of("log log2 log1p sqrt rsqrt", unary("positive"), tolerance="elementary")
samples_of("log log2 log1p sqrt rsqrt", [sample(tensor(2, 3), differentiable=False)])
samples_of("reciprocal", unary("nonzero"), tolerance="elementary")
samples_of(
    "round", [sample(tensor(9, dtype=dtype, values="distinct"), dtypes=["float32"]) for dtype in REAL_FLOATS]
)
samples_of("silu", unary(), tolerance="elementary")
samples_of(
    "gelu",
    [*unary(), *[sample(*each.args, approximate="tanh") for each in unary()[:3]]],
    tolerance="composed",
)
samples_of("gelu", [bad("RuntimeError", tensor(2), approximate="cosh")])
samples_of(
    "leaky_relu", [*unary(), sample(tensor(2, 3), 0.25), sample(tensor(2, 3), 2)], tolerance="elementary"
)
samples_of(
    "gelu_backward",
    [*binary()[:1], sample(tensor(2, 3), tensor(2, 3), approximate="tanh")],
    tolerance="composed",
)
samples_of("silu_backward", binary()[:1], tolerance="composed")
samples_of(
    "sigmoid_backward tanh_backward",
    [sample(tensor(2, 3), tensor(2, 3, values="unit"))],
    tolerance="composed",
)
samples_of(
    "threshold_backward",
    [sample(tensor(2, 3), tensor(2, 3), 0), sample(tensor(2, 3), tensor(2, 3), 0.5)],
    tolerance="choice",
)

samples_of(
    "add.Tensor sub.Tensor rsub.Tensor",
    [*binary(), *mixtures(), *numbers(), *special_pairs(), *ill_sized()],
    tolerance="arithmetic",
)
samples_of("add.Tensor sub.Tensor rsub.Tensor", binary(alpha=3)[:3])
samples_of(
    "add.Tensor sub.Tensor rsub.Tensor", [sample(tensor(2, 3), tensor(2, 3), alpha=-0.5, dtypes=FLOATS)]
)
samples_of(
    "add.Tensor sub.Tensor rsub.Tensor",
    [
        sample(tensor(2), tensor(2), alpha=2j, dtypes=COMPLEX),
        bad("RuntimeError", tensor(2), tensor(2), alpha=0.5, dtypes=["int64"]),
        bad("RuntimeError", tensor(2), tensor(2), alpha=2j),
        bad("RuntimeError", tensor(2), tensor(2), alpha=True),
    ],
)
samples_of(
    "mul.Tensor", [*binary(), *mixtures(), *numbers(), *special_pairs(), *ill_sized()], tolerance="arithmetic"
)
samples_of(
    "div.Tensor",
    [*binary("normal", "nonzero"), *mixtures("normal", "nonzero"), *numbers(), *special_pairs()],
    tolerance="arithmetic",
)
samples_of("div.Tensor", ill_sized())

for mode in (None, "floor", "trunc"):
    samples_of("div.Tensor_mode", binary("normal", "nonzero", rounding_mode=mode)[:4])
samples_of(
    "div.Tensor_mode",
    [
        sample(
            tensor(14, 1, values="special"),
            tensor(1, 3, values="nonzero"),
            rounding_mode="floor",
            differentiable=False,
        ),
        sample(
            tensor(14, 1, values="special"),
            tensor(1, 3, values="nonzero"),
            rounding_mode="trunc",
            differentiable=False,
        ),
        sample(tensor(2, 2), 2.5, rounding_mode="floor"),
        sample(tensor(2, 2), 3, rounding_mode="trunc"),
        bad("RuntimeError", tensor(2), tensor(2), rounding_mode="round"),
        bad("RuntimeError", tensor(2), tensor(2, values="zeros"), rounding_mode="floor", dtypes=["int64"]),
        bad("RuntimeError", tensor(2), tensor(2, values="zeros"), rounding_mode="trunc", dtypes=["int64"]),
    ],
    tolerance="arithmetic",
)
DIVISIONS = "div_floor div_trunc floor_divide remainder.Tensor fmod.Tensor"
samples_of(
    DIVISIONS, [*binary("normal", "nonzero"), *mixtures("normal", "nonzero"), *numbers(), *ill_sized()]
)
samples_of(
    DIVISIONS,
    [
        sample(tensor(14, 1, values="special"), tensor(1, 3, values="nonzero"), differentiable=False),
        sample(
            tensor(14, 1, values="special"),
            tensor(1, 14, values="special"),
            dtypes=REAL_FLOATS,
            differentiable=False,
        ),
        bad("RuntimeError", tensor(2), tensor(2, values="zeros"), dtypes=["int64"]),
    ],
)

samples_of(
    "pow.Tensor_Tensor",
    [*binary("positive", "positive"), *mixtures("positive", "positive"), *ill_sized()],
    tolerance="elementary",
)
samples_of(
    "pow.Tensor_Tensor", [sample(tensor(4, 3), tensor(4, 3), dtypes=REAL_FLOATS, differentiable=False)]
)
samples_of(
    "pow.Tensor_Tensor",
    [
        sample(
            tensor(14, 1, values="special"),
            tensor(1, 14, values="special"),
            dtypes=REAL_FLOATS,
            differentiable=False,
        )
    ],
)
samples_of(
    "pow.Tensor_Scalar",
    [
        *[sample(tensor(2, 3, values="positive"), exponent) for exponent in (2, 3, 0, 1)],
        *[sample(tensor(2, 3, values="positive"), exponent) for exponent in (0.5, 2.5, -1.5)],
        sample(tensor(2, 3, values="nonzero"), -2, dtypes=FLOATS),
        sample(tensor(), 2),
        sample(tensor(0, 3), 3),
        sample(SPECIAL, 2, differentiable=False),
        sample(SPECIAL, 0.5, dtypes=REAL_FLOATS, differentiable=False),
        sample(SPECIAL, -0.5, dtypes=REAL_FLOATS, differentiable=False),
        sample(SPECIAL, -1, dtypes=REAL_FLOATS, differentiable=False),
        bad("RuntimeError", tensor(2), -1, dtypes=["int64"]),
    ],
    tolerance="elementary",
)
samples_of(
    "pow.Scalar",
    [
        sample(2, tensor(2, 3)),
        sample(2.5, tensor(2, 3)),
        sample(3, tensor(2, dtype="int32", values="positive"), dtypes=["float32"]),
    ],
    tolerance="elementary",
)

ORDERED = "maximum minimum max.other min.other"
samples_of(ORDERED, [*binary(), *mixtures(), *special_pairs(), *ill_sized()], tolerance="choice")
samples_of(
    "clamp",
    [
        sample(tensor(2, 3), -1, 1),
        sample(tensor(2, 3), 0),
        sample(tensor(2, 3), max=1),
        sample(tensor(2, 3), -0.5, 0.75),
        sample(tensor(2, 3), 1, -1, dtypes=["int64", *REAL_FLOATS]),
        sample(tensor(), 0, 1),
        sample(tensor(0, 3), 0, 1),
        sample(SPECIAL, 0, 2, differentiable=False),
        sample(SPECIAL, float("nan"), None, dtypes=REAL_FLOATS, differentiable=False),
        bad("RuntimeError", tensor(2)),
    ],
    tolerance="choice",
)
samples_of(
    "clamp_min clamp_max",
    [sample(tensor(2, 3), 0), sample(tensor(2, 3), 0.5), sample(SPECIAL, 1, differentiable=False)],
    tolerance="choice",
)

COMPARISONS = "eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor"
samples_of(COMPARISONS, [*binary(), *mixtures(), *numbers(), *special_pairs(), *ill_sized()])
# equality of the dtypes that few operators take
samples_of(
    "eq.Tensor ne.Tensor",
    [
        sample(tensor(3, 14, dtype=dtype, values=kind), tensor(14, dtype=dtype, values=kind), **IN_FLOAT32)
        for dtype in LIMITED
        for kind in ("special", "positive")
    ],
)
COMPARISON_ALIASES = "not_equal.Tensor less.Tensor less_equal.Tensor greater.Tensor greater_equal.Tensor"
samples_of(COMPARISON_ALIASES, [*binary()[:3], *numbers(), *special_pairs()])
samples_of("logical_and logical_or logical_xor", [*binary(), *mixtures(), *special_pairs(), *ill_sized()])
BITWISE = "bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor"
samples_of(
    BITWISE, [*binary(), *special_pairs(), *ill_sized(), sample(tensor(2, 2), 3), sample(tensor(2), True)]
)
samples_of(BITWISE, mixtures()[:6])
samples_of(
    "gcd lcm",
    [
        *binary(),
        *ill_sized(),
        *[each for each in mixtures() if "float16" not in (each.args[0].dtype, each.args[1].dtype)],
        sample(tensor(2, 3, values="zeros"), tensor(2, 3)),
        sample(tensor(2, 3, values="zeros"), tensor(values="zeros")),
        sample(tensor(9, 1, values="distinct"), tensor(9, values="distinct")),
        bad("NotImplementedError", tensor(2), tensor(2), dtypes=["bool", "float32", "complex64"]),
        bad("NotImplementedError", tensor(2, dtype="int64"), tensor(2), dtypes=["float32"]),
    ],
)
samples_of("gcd", special_pairs())
samples_of(
    "lcm", special_pairs("distinct")
)  # PyTorch divides the least integer by -1, which ends the process

MASK = tensor(2, 3, dtype="bool")
samples_of(
    "where.self",
    [
        *[sample(MASK, tensor(3, dtype=dtype), tensor(2, 3, dtype=dtype), **IN_FLOAT32) for dtype in LIMITED],
        sample(MASK, tensor(2, 3), tensor(2, 3)),
        sample(tensor(3, dtype="bool"), tensor(2, 1), tensor()),
        sample(tensor(dtype="bool"), tensor(2, 3), tensor(3)),
        sample(tensor(0, dtype="bool"), tensor(0), tensor(1)),
        sample(tensor(14, dtype="bool"), SPECIAL, tensor(14), differentiable=False),
        *[
            sample(tensor(2, dtype="bool"), tensor(2, dtype=one), tensor(2, dtype=other), dtypes=["float32"])
            for one, other in MIXTURES
        ],
        bad("RuntimeError", tensor(4, dtype="bool"), tensor(2, 3), tensor(2, 3)),
        bad("RuntimeError", tensor(3, dtype="float32"), tensor(2, 3), tensor(2, 3)),
    ],
)
samples_of(
    "masked_fill.Scalar",
    [
        sample(tensor(2, 3), MASK, 1),
        sample(tensor(2, 3), tensor(3, dtype="bool"), 0),
        sample(tensor(3), tensor(2, 1, dtype="bool"), 2),
        sample(tensor(2, 3), tensor(dtype="bool"), -1.5, dtypes=FLOATS),
        bad("RuntimeError", tensor(2), tensor(2, dtype="int64"), 1),
        bad("RuntimeError", tensor(2, 3), tensor(2, dtype="bool"), 1),
    ],
)
samples_of(
    "addcmul addcdiv",
    [
        sample(tensor(2, 3), tensor(2, 3), tensor(2, 3, values="nonzero")),
        sample(tensor(2, 3), tensor(3), tensor(2, 1, values="nonzero"), value=2),
        sample(tensor(2, 3), tensor(2, 3), tensor(values="nonzero"), value=-0.5, dtypes=FLOATS),
        sample(tensor(0), tensor(0), tensor(0)),
        sample(tensor(2, dtype="float16"), tensor(2), tensor(2, values="nonzero"), dtypes=["float32"]),
        bad("RuntimeError", tensor(2, 3), tensor(4), tensor(1)),
    ],
    tolerance="terms",
)
samples_of(
    "lerp.Scalar",
    [
        sample(tensor(2, 3), tensor(2, 3), 0.25),
        sample(tensor(2, 3), tensor(3), 0.75),
        sample(tensor(2, 1), tensor(1, 3), 2),
        sample(tensor(), tensor(), 0.5),
        sample(tensor(0), tensor(0), 0.5),
        bad("RuntimeError", tensor(2), tensor(2, dtype="float64"), 0.5),
    ],
    tolerance="terms",
)
samples_of(
    "allclose isclose",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3, seed=4), tensor(2, 3, seed=4), 0.5, 0.25),
        sample(
            tensor(3, values="special", layout="contiguous"), tensor(3, values="special", layout="contiguous")
        ),
        sample(
            tensor(5, values="special", layout="contiguous"),
            tensor(5, values="special", layout="contiguous"),
            equal_nan=True,
            dtypes=FLOATS,
        ),
    ],
)
samples_of(
    "equal",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3, values="zeros"), tensor(2, 3, values="zeros")),
        sample(tensor(2, 3, values="zeros"), tensor(3, 2, values="zeros")),
        sample(tensor(0), tensor(0)),
        *[
            sample(
                tensor(2, 3, dtype=each, values=values), tensor(2, 3, dtype=each, values="ones"), **IN_FLOAT32
            )
            for each in LIMITED
            for values in ("ones", "normal")
        ],
    ],
)
samples_of("bitwise_not", [bad("NotImplementedError", tensor(2))])
samples_of("neg", [bad("RuntimeError", tensor(2), dtypes=["bool"])])
samples_of("sub.Tensor", [bad("RuntimeError", tensor(2), tensor(2), dtypes=["bool"])])
samples_of("floor ceil", [sample(tensor(3, dtype=dtype), dtypes=["float32"]) for dtype in INTEGERS[:2]])

# fractional numbers for integer tensors are truncated before the computation
for _number in (2.5, 1.9):
    samples_of(
        "masked_fill.Scalar",
        [sample(tensor(3, 4), tensor(3, 4, dtype="bool"), _number, dtypes=(*INTEGERS, "bool"))],
    )
    samples_of("clamp", [sample(tensor(3, 4), 0.5, _number, dtypes=INTEGERS)])
