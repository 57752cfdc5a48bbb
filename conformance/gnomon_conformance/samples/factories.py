"""Samples of factories and of random numbers."""

from ..description import COMPLEX, DTYPES, ON_DEVICE, bad, sample, tensor
from . import samples_of

OPTIONS = [
    {"dtype": "int32"},
    {"dtype": "float16"},
    {"layout": "strided"},
    {"device": ON_DEVICE},
    {"pin_memory": False},
]
ONCE = ["float32"]
BAD_SIZES = [[-1], [2, -3]]

for _name in ("empty.memory_format", "zeros", "ones", "rand", "randn"):
    samples_of(_name, [sample(sizes, dtypes=ONCE) for sizes in ([2, 3], [], [0, 3])])
    _some = [each for each in OPTIONS if not (_name.startswith("rand") and each.get("dtype") == "int32")]
    samples_of(_name, [sample([2], dtypes=ONCE, **options) for options in _some])
    samples_of(_name, [bad("RuntimeError", sizes) for sizes in BAD_SIZES])
samples_of("empty.memory_format", [sample([2, 3, 2, 2], memory_format="channels_last", dtypes=ONCE)])
samples_of("empty.memory_format", [bad("RuntimeError", [2, 3], memory_format="channels_last")])
samples_of("empty.memory_format zeros", [bad("RuntimeError", [2**40, 2**40])])
samples_of(
    "rand randn", [sample([2], dtype="float64", dtypes=ONCE), sample([2], dtype="bfloat16", dtypes=ONCE)]
)
samples_of("rand.generator randn.generator", [sample([3], generator=seed, dtypes=ONCE) for seed in (5, 6)])
samples_of(
    "rand.generator randn.generator",
    [sample([2], generator=7, dtypes=ONCE, **options) for options in OPTIONS[1:]],
)
samples_of("full", [sample([2, 3], number, dtypes=ONCE) for number in (2, 2.5, True, 1j)])
samples_of("full", [sample([2], 3, dtypes=ONCE, **options) for options in OPTIONS])
samples_of("scalar_tensor", [sample(number, dtypes=ONCE) for number in (2, 2.5, True)])
samples_of("scalar_tensor", [sample(3, dtypes=ONCE, **options) for options in OPTIONS])
samples_of(
    "empty_strided",
    [sample([2, 3], [1, 2], dtypes=ONCE), sample([2, 2], [5, 1], dtypes=ONCE), sample([], [], dtypes=ONCE)],
)
samples_of("empty_strided", [sample([2], [1], dtypes=ONCE, **options) for options in OPTIONS])
samples_of(
    "empty_strided",
    [bad("RuntimeError", [2], [1, 1]), bad("RuntimeError", [2], [-1]), bad("RuntimeError", [-2], [1])],
)

IMAGE = tensor(2, 3, 2, 2)
for _name, _value in (
    ("empty_like", ()),
    ("zeros_like", ()),
    ("ones_like", ()),
    ("full_like", (3,)),
    ("rand_like", ()),
    ("randn_like", ()),
):
    _some = [each for each in OPTIONS if not (_name.startswith("rand") and each.get("dtype") == "int32")]
    _axis = {"dtypes": ["float16", "bfloat16", "float32", "float64"]} if _name.startswith("rand") else {}
    samples_of(_name, [sample(tensor(*sizes), *_value, **_axis) for sizes in ((2, 3), (), (0, 3), (2, 1, 3))])
    samples_of(_name, [sample(tensor(2, 3), *_value, **options, **_axis) for options in _some])
    samples_of(_name, [sample(IMAGE, *_value, memory_format="channels_last", **_axis)])
    samples_of(_name, [sample(tensor(2, 3), *_value, memory_format="contiguous_format", **_axis)])
samples_of("full_like", [sample(tensor(2, 3), 2)])
for _name, _value in (("new_empty", ()), ("new_zeros", ()), ("new_ones", ()), ("new_full", (3,))):
    samples_of(_name, [sample(tensor(2), sizes, *_value) for sizes in ([2, 3], [], [0])])
    samples_of(_name, [sample(tensor(2), [2], *_value, **options) for options in OPTIONS])
    samples_of(_name, [bad("RuntimeError", tensor(2), [-1], *_value)])
samples_of("new_full", [sample(tensor(2), [2], 2)])

samples_of("arange", [sample(number, dtypes=ONCE) for number in (4, 0, 2.5)])
samples_of("arange", [sample(3, dtypes=ONCE, **options) for options in OPTIONS])
samples_of("arange", [bad("RuntimeError", -1), bad("RuntimeError", float("inf"))])
samples_of("arange.start", [sample(*bounds, dtypes=ONCE) for bounds in ((1, 4), (-2, 2), (0.5, 3))])
samples_of("arange.start", [sample(1, 3, dtypes=ONCE, **options) for options in OPTIONS])
samples_of(
    "arange.start_step",
    [
        sample(*bounds, dtypes=ONCE)
        for bounds in ((0, 5, 2), (5, 0, -2), (0, 1, 0.25), (1, 1, 1), (3, 1.5, -0.5))
    ],
)
samples_of("arange.start_step", [sample(1, 4, dtypes=ONCE, **options) for options in OPTIONS])
samples_of(
    "arange.start_step",
    [sample(0, 300, 100, dtype="uint8", dtypes=ONCE), sample(0, 1, 0.1, dtype="float64", dtypes=ONCE)],
)
samples_of("arange.start_step", [bad("RuntimeError", 0, 1, 0), bad("RuntimeError", 0, 1, -1)])
samples_of("eye", [sample(n, dtypes=ONCE) for n in (3, 0)])
samples_of("eye", [sample(2, dtypes=ONCE, **options) for options in OPTIONS])
samples_of("eye", [bad("RuntimeError", -1)])
samples_of("eye.m", [sample(*sizes, dtypes=ONCE) for sizes in ((2, 3), (3, 2), (0, 2))])
samples_of("eye.m", [sample(2, 3, dtypes=ONCE, **options) for options in OPTIONS])

CONTIGUOUS = tensor(2, 3, layout="contiguous")
samples_of(
    "resize_", [sample(CONTIGUOUS, sizes, differentiable=False) for sizes in ([2, 3], [3, 2], [2], [])]
)
samples_of(
    "resize_",
    [
        sample(
            tensor(2, 3, 2, 2, layout="contiguous"),
            [1, 3, 2, 2],
            memory_format="channels_last",
            differentiable=False,
        )
    ],
)
samples_of("resize_", [bad("RuntimeError", CONTIGUOUS, [-1])])
samples_of(
    "result_type.Tensor",
    [sample(tensor(2), tensor(2, dtype=dtype)) for dtype in ("int8", "float16", "complex64")],
)
samples_of(
    "result_type.Tensor",
    [sample(tensor(2), tensor(dtype=dtype)) for dtype in ("int8", "float64", "complex64")],
)
samples_of("result_type.Scalar_Tensor", [sample(number, tensor(2)) for number in (True, 2, 2.5, 1j)])

FLOATING = ["float16", "bfloat16", "float32", "float64"]
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
samples_of(
    "dropout",
    [
        sample(tensor(2, 3), 0.5, True, dtypes=FLOATING),
        sample(tensor(2, 3), 0.25, False),
        sample(tensor(2, 3), 0.0, True),
        sample(tensor(2, 3), 1.0, True),
        bad("RuntimeError", tensor(2), 1.5, True),
    ],
)
