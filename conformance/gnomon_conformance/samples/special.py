"""Samples of the operators of torch.special."""

from ..inputs.description import bad, sample, tensor
from . import samples_of
from .pointwise import binary, ill_sized, mixtures, numbers, special_pairs, unary

PRECISE = ["float32", "float64"]  # and integers, which become float32
_REFUSED = [bad("NotImplementedError", tensor(2), dtypes=["complex64", "float16", "bfloat16"])]

# ---------------------------------------------------------------------------------------------------------
# Functions of one number.

samples_of("i0 special_i0e special_i1 special_i1e", unary(), tolerance="elementary")
samples_of(
    "i0 special_i0e special_i1 special_i1e", [sample(tensor(2, 5, values="wide"), differentiable=False)]
)
samples_of("special_i1 special_i1e", [sample(tensor(2, 3, values="zeros"), smooth=False)])
samples_of(
    "special_entr", [*unary("positive"), sample(tensor(2, 3), differentiable=False)], tolerance="elementary"
)
samples_of(
    "special_ndtr",
    [*unary(), sample(tensor(2, 5, values="wide"), differentiable=False)],
    tolerance="elementary",
)
samples_of(
    "i0 special_i0e special_i1 special_i1e special_entr special_ndtr",
    [bad("NotImplementedError", tensor(2), dtypes=["complex64"])],
)


def precise(values: str = "normal"):
    """The samples of one operand, for an operator that refuses float16 and bfloat16."""
    return [
        *unary(values),
        sample(tensor(2, 5, values="wide"), differentiable=False),
        *_REFUSED,
    ]


samples_of("special_erfcx special_log_ndtr", precise(), tolerance="elementary")
samples_of("special_ndtri", precise("probability"), tolerance="elementary")
samples_of(
    "special_modified_bessel_i0 special_modified_bessel_i1 special_spherical_bessel_j0",
    precise(),
    tolerance="elementary",
)
samples_of(
    "special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0 "
    "special_scaled_modified_bessel_k1",
    [*precise("positive"), sample(tensor(2, 3))],
    tolerance="elementary",
)
samples_of(
    "special_bessel_j0 special_bessel_j1 special_airy_ai",
    precise(),
    tolerance="composed",
)
samples_of(
    "special_bessel_y0 special_bessel_y1", [*precise("positive"), sample(tensor(2, 3))], tolerance="composed"
)

# ---------------------------------------------------------------------------------------------------------
# Functions of two numbers.

samples_of(
    "special_xlog1py",
    [
        *binary("normal", "positive"),
        *special_pairs(),
        *ill_sized(),
        *mixtures("normal", "positive"),
        *numbers(),
        sample(2.5, tensor(2, 3, values="positive")),
        sample(tensor(2, 3, values="zeros"), tensor(2, 3, values="unit"), smooth=False),
        bad("NotImplementedError", tensor(2), tensor(2), dtypes=["complex64"]),
    ],
    tolerance="elementary",
)
_TWO_REFUSED = bad("NotImplementedError", tensor(2), tensor(2), dtypes=["complex64", "float16", "bfloat16"])
samples_of(
    "special_zeta",
    [
        *[each._replace(differentiable=False) for each in binary("positive wide", "positive")],
        sample(3, tensor(2, 3, values="positive")),
        sample(2.5, tensor(2, 3, values="positive")),
        sample(tensor(2, 3, values="positive wide"), 2, differentiable=False),
        sample(2, tensor(2, 3), smooth=False),
        *ill_sized(),
        _TWO_REFUSED,
    ],
    tolerance="composed",
)
_KINDS = "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w"
POLYNOMIALS = [
    *(f"special_{each}" for each in _KINDS.split()),
    *(f"special_shifted_{each}" for each in _KINDS.split()),
    *("special_hermite_polynomial_h", "special_hermite_polynomial_he"),
    *("special_laguerre_polynomial_l", "special_legendre_polynomial_p"),
]
_ORDERS = tensor(2, 3, values="positive wide")  # from 1/16 to 256
samples_of(
    POLYNOMIALS,
    [
        *binary("unit", "positive"),
        sample(tensor(2, 3), _ORDERS),
        sample(tensor(2, 3, values="unit"), tensor(3, dtype="int64", values="positive"), dtypes=PRECISE),
        sample(tensor(2, 3), tensor(2, 3, values="normal")),
        *ill_sized(),
        _TWO_REFUSED,
    ],
    tolerance="composed",
)
samples_of(
    [f"{each}.n_scalar" for each in POLYNOMIALS],
    [sample(tensor(2, 3, values="unit"), number) for number in (0, 1, 2, 2.5, 7, 40)],
    tolerance="composed",
)
samples_of(
    [f"{each}.x_scalar" for each in POLYNOMIALS],
    [sample(number, tensor(2, 3, values="positive")) for number in (0, 1, 0.25, -0.5)],
    tolerance="composed",
)

# ---------------------------------------------------------------------------------------------------------
# Aliases.

_ALIASES = unary()[:3]
samples_of(
    "special_i0 special_erf special_expm1 special_exp2 special_expit", _ALIASES, tolerance="elementary"
)
samples_of("special_erfc", _ALIASES, tolerance="elementary")
samples_of("special_log1p", unary("positive")[:3], tolerance="elementary")
samples_of("special_erfinv", unary("unit")[:3], tolerance="elementary")
samples_of("special_sinc", _ALIASES, tolerance="composed")
samples_of("special_digamma special_psi special_gammaln", unary("positive")[:3], tolerance="composed")
samples_of(
    "special_logit",
    [sample(tensor(2, 3, values="probability")), sample(tensor(2, 3, values="unit"), 0.125)],
    tolerance="composed",
)
samples_of(
    "special_polygamma",
    [sample(n, tensor(2, 3, values="positive")) for n in (0, 1, 2)],
    tolerance="composed",
)
samples_of("special_round", [sample(tensor(2, 3)), sample(tensor(2, 3), decimals=1)], tolerance="elementary")
samples_of(
    "special_xlogy",
    [
        *binary("normal", "positive")[:3],
        *numbers("positive")[:2],
        sample(2.5, tensor(2, 3, values="positive")),
    ],
    tolerance="elementary",
)
samples_of(
    "special_softmax special_log_softmax",
    [
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), 0),
        sample(tensor(2, 3), 0, dtype="float64"),
        sample(tensor(), 0),
        bad("IndexError", tensor(2), 3),
    ],
    tolerance="composed",
)
samples_of(
    "special_logsumexp",
    [sample(tensor(2, 3), 1), sample(tensor(2, 3), [0, 1], True), sample(tensor(2, 3), 0, False)],
    tolerance="composed",
)
