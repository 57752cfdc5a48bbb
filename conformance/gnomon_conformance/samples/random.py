"""Samples of random numbers.  Their values differ from PyTorch's; everything else is compared."""

from ..inputs.description import COMPLEX, DTYPES, ON_DEVICE, Keywords, bad, sample, tensor
from . import samples_of

OPTIONS: list[Keywords] = [
    {"dtype": "int32"},
    {"dtype": "float16"},
    {"layout": "strided"},
    {"device": ON_DEVICE},
    {"pin_memory": False},
]
ONCE = ["float32"]
FLOATING = ["float16", "bfloat16", "float32", "float64"]
REAL_FLOATS = ["float32", "float64"]
samples_of(
    "uniform_",
    [
        sample(tensor(2, 3), dtypes=FLOATING),
        sample(tensor(2, 3), -1.0, 2.0, dtypes=FLOATING),
        sample(tensor(2, 3), generator=5, dtypes=FLOATING),
        sample(tensor(0), dtypes=FLOATING),
        bad("RuntimeError", tensor(2), 2.0, 1.0),
    ],
)
samples_of(
    "normal_",
    [
        sample(tensor(2, 3), dtypes=FLOATING),
        sample(tensor(2, 3), 1.0, 2.0, dtypes=FLOATING),
        sample(tensor(2, 3), generator=5, dtypes=FLOATING),
        bad("RuntimeError", tensor(2), 0.0, -1.0),
    ],
    tolerance="composed",
)
REAL = [dtype for dtype in DTYPES if dtype not in COMPLEX]
samples_of("bernoulli_.float", [sample(tensor(2, 3), dtypes=REAL), sample(tensor(2, 3), 0.25, dtypes=REAL)])
samples_of(
    "bernoulli_.float", [sample(tensor(2, 3), generator=5, dtypes=REAL), bad("RuntimeError", tensor(2), 2.0)]
)
samples_of("randint", [sample(10, [2, 3], dtypes=ONCE), sample(3, [4], dtypes=ONCE)])
samples_of("randint", [sample(10, [2], dtypes=ONCE, **options) for options in OPTIONS])
samples_of("randint", [bad("RuntimeError", 0, [2])])
samples_of("randint.low", [sample(-5, 5, [2, 3], dtypes=ONCE), sample(3, 4, [2], dtypes=ONCE)])
samples_of("randint.low", [sample(2, 10, [2], dtypes=ONCE, **options) for options in OPTIONS])
samples_of("randint.low", [bad("RuntimeError", 3, 3, [2])])
samples_of("randperm", [sample(5, dtypes=ONCE), sample(0, dtypes=ONCE), sample(1, dtypes=ONCE)])
samples_of("randperm", [sample(4, dtypes=ONCE, **options) for options in OPTIONS])
samples_of("randperm", [bad("RuntimeError", -1)])
samples_of("randperm.generator", [sample(5, generator=seed, dtypes=ONCE) for seed in (3, 4)])
samples_of("randperm.generator", [sample(4, generator=5, dtypes=ONCE, **options) for options in OPTIONS])
samples_of("randperm.generator", [sample(n, generator=n, dtypes=ONCE) for n in (2, 128, 129, 130, 1025)])
samples_of(
    "randperm.generator",
    [sample(200, generator=6, dtype=dtype, dtypes=ONCE) for dtype in REAL if dtype != "bool"],
)

FLOATS = [*FLOATING, *COMPLEX]
samples_of(
    "uniform_ normal_",
    [sample(tensor(2, 3), dtypes=COMPLEX), bad("NotImplementedError", tensor(2), dtypes=["int64"])],
)
samples_of(
    "uniform_", [bad("RuntimeError", tensor(2), float("inf")), bad("RuntimeError", tensor(2), -3e38, 3e38)]
)
samples_of(
    "rand randn",
    [sample([2], dtype="complex64", dtypes=ONCE), bad("NotImplementedError", [2], dtype="int64")],
)
_LIKE: list[Keywords] = [
    *OPTIONS[1:],
    {"memory_format": "contiguous_format"},
    {"dtype": "complex64"},
]
for _name in ("rand_like", "randn_like"):
    samples_of(
        f"{_name}.generator",
        [sample(tensor(2, 3), generator=seed, dtypes=FLOATS) for seed in (3, 4)]
        + [sample(tensor(2, 3), generator=3, **options, dtypes=FLOATS) for options in _LIKE],
    )
for _name, _bounds, _other in (
    ("randint_like", (5,), (9,)),
    ("randint_like.low_dtype", (2, 5), (-3, 7)),
    (
        "randint_like.Tensor",
        (tensor(dtype="int64", values="positive"),),
        (tensor(dtype="int64", values="positive", seed=2),),
    ),
    ("randint_like.generator", (5,), (9,)),
    ("randint_like.low_generator_dtype", (2, 5), (-3, 7)),
):
    _generators: list[Keywords] = [{"generator": 3}, {"generator": 4}] if "generator" in _name else [{}]
    _signed = [dtype for dtype in DTYPES if dtype not in ("bool", "uint8", *COMPLEX)]
    samples_of(_name, [sample(tensor(2, 3), *_bounds, **each, dtypes=_signed) for each in _generators])
    samples_of(_name, [sample(tensor(2, 3), *_other, **_generators[0], dtypes=_signed)])
    samples_of(
        _name,
        [
            sample(tensor(2), *_bounds, **_generators[0], **options, dtypes=_signed)
            for options in (OPTIONS[0], *_LIKE[:-1])
        ],
    )
    samples_of(_name, [bad("RuntimeError", tensor(2), *_bounds, **_generators[0], dtypes=["complex64"])])
samples_of("randint_like.Tensor", [bad("RuntimeError", tensor(2), tensor(1, dtype="int64"))])
samples_of(
    "randint_like",
    [sample(tensor(2), 2, dtypes=["bool"]), bad("RuntimeError", tensor(2), 300, dtypes=["uint8"])],
)
samples_of("randint.generator", [sample(10, [2, 3], generator=seed, dtypes=ONCE) for seed in (3, 4)])
samples_of("randint.generator", [sample(3, [4], generator=3, dtypes=ONCE, **options) for options in OPTIONS])
samples_of("randint.low_generator", [sample(low, 8, [2, 3], generator=low, dtypes=ONCE) for low in (3, 4)])
samples_of(
    "randint.low_generator", [sample(1, 4, [4], generator=3, dtypes=ONCE, **options) for options in OPTIONS]
)
samples_of(
    "randint", [bad("RuntimeError", 300, [2], dtype="uint8"), bad("RuntimeError", 3, [2], dtype="bool")]
)
samples_of("randperm", [bad("NotImplementedError", 2, dtype="bool"), sample(3, dtype="float32", dtypes=ONCE)])

samples_of(
    "bernoulli",
    [
        sample(tensor(2, 3, values="zeros"), dtypes=FLOATING),
        sample(tensor(2, 3, values="zeros"), generator=4, dtypes=FLOATING),
        sample(tensor(values="zeros"), dtypes=FLOATING),
        bad("RuntimeError", tensor(3, values="positive", layout="contiguous")),
        bad("NotImplementedError", tensor(2, values="zeros"), dtypes=["int64", "bool", "complex64"]),
    ],
)
samples_of(
    "bernoulli.p",
    [
        sample(tensor(2, 3), 0.25, dtypes=REAL),
        sample(tensor(2, 3), 0.5, generator=4, dtypes=REAL),
        bad("RuntimeError", tensor(2), 1.5),
    ],
)
PROBABILITY = tensor(2, 3, values="zeros", dtype="float32")
samples_of(
    "bernoulli_.Tensor",
    [
        sample(tensor(2, 3), PROBABILITY, dtypes=REAL),
        sample(tensor(2, 3), tensor(3, dtype="float64", values="zeros"), generator=4, dtypes=REAL),
        bad("RuntimeError", tensor(2), tensor(3, values="positive")),
        bad("NotImplementedError", tensor(2), tensor(2, dtype="int64", values="zeros")),
        bad("RuntimeError", tensor(3), PROBABILITY),
    ],
)
for _name, _arguments, _wrong in (
    ("exponential_", (2.0,), (-1.0,)),
    ("cauchy_", (1.0, 2.0), (0.0, -1.0)),
    ("log_normal_", (0.0, 0.5), (0.0, -1.0)),
):
    samples_of(
        _name,
        [
            sample(tensor(2, 3), dtypes=FLOATING),
            sample(tensor(2, 3), *_arguments, dtypes=FLOATING),
            sample(tensor(2, 3), generator=4, dtypes=FLOATING),
            bad("RuntimeError", tensor(2), *_wrong),
        ],
        tolerance="composed",
    )
samples_of("exponential_ cauchy_", [bad("RuntimeError", tensor(2), dtypes=["int64", "bool", "complex64"])])
samples_of(
    "geometric_",
    [
        sample(tensor(2, 3), 0.5, dtypes=[each for each in REAL if each != "bool"]),
        sample(tensor(2, 3), 0.25, generator=4, dtypes=FLOATING),
        bad("RuntimeError", tensor(2), 1.0),
        bad("NotImplementedError", tensor(2), 0.5, dtypes=["bool", "complex64"]),
    ],
)
samples_of("random_", [sample(tensor(2, 3), dtypes=REAL), sample(tensor(2, 3), generator=4, dtypes=REAL)])
samples_of("random_", [bad("NotImplementedError", tensor(2), dtypes=["complex64"])])
samples_of(
    "random_.to",
    [
        sample(tensor(2, 3), 1, dtypes=REAL),
        sample(tensor(2, 3), 2, generator=4, dtypes=REAL),
        bad("RuntimeError", tensor(2), 0),
        bad("RuntimeError", tensor(2), 300, dtypes=["uint8", "int8"]),
    ],
)
samples_of(
    "random_.from",
    [
        sample(tensor(2, 3), 0, 1, dtypes=REAL),
        sample(tensor(2, 3), 1, None, dtypes=REAL),
        sample(tensor(2, 3), 0, 2, generator=4, dtypes=REAL),
        bad("RuntimeError", tensor(2), 5, 3),
        bad("RuntimeError", tensor(2), -1, 3, dtypes=["uint8", "bool"]),
    ],
)
STD = tensor(2, 3, values="positive")
samples_of(
    "normal.Tensor_float",
    [
        sample(tensor(2, 3), dtypes=FLOATS),
        sample(tensor(2, 3), 0.5, dtypes=FLOATS),
        sample(tensor(2, 3), generator=4, dtypes=FLOATS),
        bad("RuntimeError", tensor(2), -1.0),
        bad("NotImplementedError", tensor(2), dtypes=["int64"]),
    ],
    tolerance="composed",
)
samples_of(
    "normal.float_Tensor",
    [
        sample(0.0, STD, dtypes=FLOATING),
        sample(2.0, STD, generator=4, dtypes=FLOATING),
        bad("RuntimeError", 0.0, tensor(9, layout="contiguous")),
        bad("RuntimeError", 0.0, STD, dtypes=["complex64"]),
    ],
    tolerance="composed",
)
samples_of(
    "normal.Tensor_Tensor",
    [
        sample(tensor(2, 3), STD, dtypes=FLOATING),
        sample(tensor(2, 1), tensor(3, values="positive", dtype="float32"), generator=4, dtypes=FLOATS),
        bad("RuntimeError", tensor(2), tensor(3, values="positive")),
    ],
    tolerance="composed",
)
samples_of(
    "normal.float_float",
    [
        sample(0.0, 1.0, [2, 3], dtypes=ONCE),
        sample(1.0, 0.5, [2], generator=4, dtypes=ONCE),
        bad("RuntimeError", 0.0, -1.0, [2]),
    ],
    tolerance="composed",
)
samples_of("normal.float_float", [sample(0.0, 1.0, [2], dtypes=ONCE, **options) for options in OPTIONS[1:]])
samples_of(
    "poisson",
    [
        sample(tensor(2, 3, values="positive"), dtypes=FLOATING),
        sample(tensor(2, 3, values="positive"), 4, dtypes=FLOATING),
        bad("RuntimeError", tensor(9, layout="contiguous")),
        bad("NotImplementedError", tensor(2, values="positive"), dtypes=["int64", "complex64"]),
    ],
)
samples_of(
    "_standard_gamma",
    [
        sample(tensor(2, 3, values="positive"), dtypes=REAL_FLOATS),
        sample(tensor(2, 3, values="positive"), 4, dtypes=REAL_FLOATS),
        sample(tensor(14, values="special"), dtypes=REAL_FLOATS, differentiable=False),
        bad("NotImplementedError", tensor(2, values="positive"), dtypes=["int64", "complex64", "float16"]),
    ],
    tolerance="composed",
)
samples_of(
    "_sample_dirichlet",
    [
        sample(tensor(2, 3, values="positive"), dtypes=REAL_FLOATS),
        sample(tensor(3, values="positive"), 4, dtypes=REAL_FLOATS),
        bad("NotImplementedError", tensor(2, values="positive"), dtypes=["int64", "complex64", "float16"]),
    ],
    tolerance="composed",
)
samples_of(
    "binomial",
    [
        sample(tensor(2, 3, values="below 4"), tensor(2, 3, values="unit"), dtypes=REAL_FLOATS),
        sample(tensor(2, 3, values="below 4"), tensor(3, values="unit"), 4, dtypes=REAL_FLOATS),
        sample(tensor(2, 3, values="normal"), tensor(1, values="normal"), dtypes=REAL_FLOATS),
        bad("RuntimeError", tensor(2), tensor(2, dtype="float64"), dtypes=["float32"]),
        bad("RuntimeError", tensor(2), tensor(3), dtypes=REAL_FLOATS),
        bad("ValueError", tensor(2), tensor(2), dtypes=["int64", "complex64"]),
        bad("ValueError", tensor(2), tensor(2, dtype="int64"), dtypes=["float32"]),
        bad("NotImplementedError", tensor(2), tensor(2), dtypes=["float16"]),
    ],
)
WEIGHTS = tensor(2, 3, values="positive")
samples_of(
    "multinomial",
    [
        sample(WEIGHTS, 2, dtypes=FLOATING),
        sample(WEIGHTS, 5, True, dtypes=FLOATING),
        sample(tensor(3, values="positive"), 3, generator=4, dtypes=FLOATING),
        sample(tensor(0, 3), 1, dtypes=FLOATING),
        bad("RuntimeError", WEIGHTS, 4),
        bad("RuntimeError", WEIGHTS, 0),
        bad("RuntimeError", tensor(2, values="zeros"), 1),
        bad("RuntimeError", tensor(9, layout="contiguous"), 1),
        bad("RuntimeError", tensor(14, values="special"), 1),
        bad("RuntimeError", tensor(), 1),
        bad("RuntimeError", tensor(1, 1, 2), 1),
        bad("RuntimeError", tensor(3, values="positive"), 1, dtypes=["int64", "bool", "complex64"]),
    ],
)
