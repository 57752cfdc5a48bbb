"""Samples of factories."""

from ..inputs.description import DTYPES, INTEGERS, ON_DEVICE, Judged, Keywords, bad, given, sample, tensor
from . import samples_of

OPTIONS: list[Keywords] = [
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

# Random numbers take several steps, in every form of these operators.
samples_of(
    "uniform_ normal_ rand randn rand_like randn_like rand.generator randn.generator rand_like.generator "
    "randn_like.generator",
    [],
    tolerance="composed",
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
    _axis: Judged = (
        {"dtypes": ["float16", "bfloat16", "float32", "float64"]} if _name.startswith("rand") else {}
    )
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

samples_of("arange", [sample(number, dtypes=ONCE) for number in (4, 0, 2.5)], tolerance="terms")
samples_of("arange", [sample(3, dtypes=ONCE, **options) for options in OPTIONS])
samples_of("arange", [bad("RuntimeError", -1), bad("RuntimeError", float("inf"))])
samples_of(
    "arange.start",
    [sample(*bounds, dtypes=ONCE) for bounds in ((1, 4), (-2, 2), (0.5, 3))],
    tolerance="terms",
)
samples_of("arange.start", [sample(1, 3, dtypes=ONCE, **options) for options in OPTIONS])
samples_of(
    "arange.start_step",
    [
        sample(*bounds, dtypes=ONCE)
        for bounds in ((0, 5, 2), (5, 0, -2), (0, 1, 0.25), (1, 1, 1), (3, 1.5, -0.5))
    ],
    tolerance="terms",
)
samples_of("arange.start_step", [sample(1, 4, dtypes=ONCE, **options) for options in OPTIONS])
samples_of(
    "arange.start_step",
    [sample(0, 300, 100, dtype="uint8", dtypes=ONCE), sample(0, 1, 0.1, dtype="float64", dtypes=ONCE)],
)
samples_of("arange.start_step", [bad("RuntimeError", 0, 1, 0), bad("RuntimeError", 0, 1, -1)])
samples_of(
    "range",
    [
        sample(0, 5, dtypes=ONCE),
        sample(-1.5, 3, dtypes=ONCE),
        *[sample(1, 4, dtypes=ONCE, **options) for options in OPTIONS],
        bad("RuntimeError", 3, 0, dtypes=ONCE),
        bad("RuntimeError", 0, float("inf"), dtypes=ONCE),
        bad("NotImplementedError", 0, 3, dtype="bool", dtypes=ONCE),
    ],
)
samples_of(
    "range.step",
    [
        *[sample(*each, dtypes=ONCE) for each in ((0, 5, 2), (0, 1, 0.1), (3, -3, -1.5), (2, 2, -1))],
        *[sample(0, 1, 0.1, dtype=dtype, dtypes=ONCE) for dtype in ("bfloat16", "float16", "float64")],
        *[sample(-2.5, 5.5, 2.5, dtype=dtype, dtypes=ONCE) for dtype in ("int64", "uint8")],
        *[sample(1, 4, 2, dtypes=ONCE, **options) for options in OPTIONS],
        bad("RuntimeError", 0, 3, 0, dtypes=ONCE),
        bad("RuntimeError", 0, 3, -1, dtypes=ONCE),
        bad("RuntimeError", 0, 3, 1j, dtypes=ONCE),
        bad("NotImplementedError", 0, 3, 1, dtype="complex64", dtypes=ONCE),
    ],
)
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
samples_of("result_type.Scalar", [sample(tensor(2), number) for number in (True, 2, 2.5, 1j)])
samples_of("result_type.Scalar_Scalar", [sample(True, 2), sample(2, 2.5), sample(1j, 2), sample(False, True)])
samples_of("result_type.Scalar_Tensor", [sample(number, tensor(2)) for number in (True, 2, 2.5, 1j)])

samples_of("arange", [sample(2, dtype=dtype, dtypes=ONCE) for dtype in ("uint8", "bfloat16", "float64")])
samples_of(
    "arange", [bad("NotImplementedError", 2, dtype="bool"), bad("NotImplementedError", 2, dtype="complex64")]
)
samples_of(
    "arange.start_step",
    [
        sample(*bounds, dtype=dtype, dtypes=ONCE)
        for bounds in ((0, 10, 2.5), (2.7, 10, 2.5), (-1.5, 4, 1.5), (10, 0, -2.5))
        for dtype in ("int64", "int32", "int8", "float16")
    ]
    + [bad("ValueError", 0, 1, 0.5, dtype="int64"), bad("RuntimeError", 0, 1j, 1)],
)
NUMBERS = [dtype for dtype in DTYPES if dtype != "bool"]
SPANS = [(0, 10, 7), (-5, 7, 33), (0.25, 0.75, 13), (5, 5, 3), (2, 7, 1), (0, 1, 0), (3, -2, 5)]
samples_of(
    "linspace",
    [
        sample(*span, dtype=dtype, dtypes=ONCE)
        for span in SPANS
        for dtype in NUMBERS
        if dtype != "uint8" or min(span) >= 0
    ],
    tolerance="exact",
)
samples_of(
    "logspace",
    [
        sample(*span, base=base, dtype=dtype, dtypes=ONCE)
        for span, base in (((0, 4, 9), 3.0), ((-2, 2, 5), 2.0), ((1, 3, 1), 2.0), ((0, 1, 0), 2.0))
        for dtype in NUMBERS
        if not (dtype in ("uint8", "complex64", "complex128", "float16", "bfloat16") and span[0] < 0)
    ],
    tolerance="elementary",
)
for _name in ("linspace", "logspace"):
    samples_of(
        _name, [sample(0, 2, 3, dtypes=ONCE), sample(0, 1j, 3, dtypes=ONCE), sample(0.5, 2, 4, dtypes=ONCE)]
    )
    samples_of(_name, [sample(0, 2, 3, dtypes=ONCE, **options) for options in OPTIONS[2:]])
    samples_of(
        _name,
        [
            bad("RuntimeError", 0, 1, -1),
            bad("RuntimeError", 0, 1j, 2, dtype="float32"),
            bad("NotImplementedError", 0, 1, 3, dtype="bool"),
            bad("RuntimeError", 0, 300, 2, dtype="uint8"),
        ],
    )
samples_of("logspace", [sample(0, 2, 3, 2.0, dtypes=ONCE)])
BOUND = tensor()
for _name in ("linspace", "logspace"):
    for _overload, _bounds in (
        ("Tensor_Tensor", (BOUND, BOUND)),
        ("Tensor_Scalar", (BOUND, 2)),
        ("Scalar_Tensor", (2, BOUND)),
    ):
        _full = f"{_name}.{_overload}"
        _others = {"Tensor_Scalar": [sample(BOUND, 1.5, 4)], "Scalar_Tensor": [sample(1.5, BOUND, 4)]}
        _float: Judged = {"dtypes": ONCE, "differentiable": False}
        samples_of(
            _full,
            [
                each._replace(dtypes=("float32",), differentiable=False)
                for each in _others.get(_overload, [sample(BOUND, BOUND, 4)])
            ],
        )
        samples_of(_full, [sample(*_bounds, 3, **_float), sample(*_bounds, 3, dtype="float64", **_float)])
        samples_of(_full, [sample(*_bounds, 3, **_float, **options) for options in OPTIONS[2:]])
        samples_of(
            _full, [bad("RuntimeError", *(tensor(1) if each is BOUND else each for each in _bounds), 3)]
        )
        if _name == "logspace":
            samples_of(_full, [sample(*_bounds, 3, 2.0, **_float)])
        samples_of(_full, [], tolerance="elementary" if _name == "logspace" else "exact")
samples_of(
    "empty_permuted",
    [
        sample([2, 3, 4], [0, 2, 1], dtypes=ONCE),
        sample([2, 0], [1, 0], dtypes=ONCE),
        sample([], [], dtypes=ONCE),
        bad("RuntimeError", [2, 3], [0]),
        bad("RuntimeError", [2, 3], [0, 0]),
        bad("RuntimeError", [2, 3], [0, 2]),
        bad("RuntimeError", [2, 3], [0, -1]),
        bad("RuntimeError", [-2, 3], [0, 1]),
    ],
)
samples_of("empty_permuted", [sample([2], [0], dtypes=ONCE, **options) for options in OPTIONS])
samples_of(
    "new_empty_strided",
    [
        sample(tensor(2), [2, 3], [1, 2]),
        sample(tensor(2), [], []),
        bad("RuntimeError", tensor(2), [2], [1, 1]),
    ],
)
samples_of("new_empty_strided", [sample(tensor(2), [2], [1], **options) for options in OPTIONS])
for _name in ("tril_indices", "triu_indices"):
    samples_of(
        _name,
        [sample(*sizes, dtypes=ONCE) for sizes in ((3, 3), (2, 4), (4, 2, 1), (3, 3, -1), (0, 3), (3, 3, 9))],
    )
    samples_of(
        _name, [sample(3, 3, dtypes=ONCE, **options) for options in ({"dtype": "int32"}, *OPTIONS[2:])]
    )
    samples_of(
        _name,
        [
            bad("RuntimeError", -1, 2),
            bad("RuntimeError", 2, -1),
            bad("NotImplementedError", 2, 2, dtype="float32"),
            bad("NotImplementedError", 2, 2, dtype="int16"),
        ],
    )
samples_of(
    "fill.Scalar", [sample(tensor(2, 3), 1), sample(tensor(), 0), sample(tensor(0), 1)], tolerance="exact"
)
samples_of(
    "fill.Scalar", [sample(tensor(2, dtype="float16"), 2.5, dtypes=ONCE), bad("RuntimeError", tensor(2), 1j)]
)
samples_of(
    "fill.Tensor fill_.Tensor",
    [
        sample(tensor(2, 3), tensor()),
        sample(tensor(2, dtype="float32"), tensor(values="positive")),
        bad("RuntimeError", tensor(2), tensor(1)),
    ],
    tolerance="exact",
)

# The limits of int64 as float64: its minimum, and 2**63, which wraps around to it.
LEAST, ABOVE = -(2.0**63), 2.0**63
samples_of("full", [sample([2], number, dtype="int64", dtypes=ONCE) for number in (LEAST, ABOVE)])
samples_of("fill.Scalar", [sample(tensor(2), number, dtypes=["int64"]) for number in (LEAST, ABOVE)])
samples_of("linspace", [sample(LEAST, 0, 3, dtype="int64", dtypes=ONCE)])
_BOUNDS = (ABOVE - 1024, ABOVE + 3072, 2048)
samples_of(
    "arange.start_step",
    [sample(*_BOUNDS, dtype=dtype, dtypes=ONCE) for dtype in ("float32", "float64", "bfloat16", "int32")]
    + [sample(LEAST, LEAST / 2, ABOVE / 4, dtype="int64", dtypes=ONCE)]
    + [sample(2**53 + 1, 2**53 + 9, 2, dtype=dtype, dtypes=ONCE) for dtype in ("int64", "float64")]
    + [bad("RuntimeError", *_BOUNDS, dtype="int64"), bad("RuntimeError", 0, 1, 2.0**70, dtype="uint8")],
)

# fractional numbers for integer tensors are truncated before the computation
for _number in (2.5, 1.9):
    samples_of("fill.Scalar full_like", [sample(tensor(3, 4), _number, dtypes=(*INTEGERS, "bool"))])
    samples_of("new_full", [sample(tensor(3, 4), [2, 3], _number, dtypes=(*INTEGERS, "bool"))])
samples_of(
    "resize_as_",
    [
        sample(CONTIGUOUS, tensor(3, 2), differentiable=False),
        sample(CONTIGUOUS, tensor(2, dtype="int64"), differentiable=False),
        sample(CONTIGUOUS, tensor(1, 2, 3, 2), memory_format="channels_last", differentiable=False),
    ],
)

for _name in ("bartlett", "blackman", "hamming", "hann", "kaiser"):
    _function = f"{_name}_window"
    _shared = [bad("RuntimeError", -1, dtypes=ONCE), bad("RuntimeError", 3, dtype="int64", dtypes=ONCE)]
    samples_of(
        _function,
        [sample(length, dtypes=ONCE) for length in (0, 1, 2, 9)]
        + [sample(5, dtypes=ONCE, **options) for options in ({"dtype": "float64"}, *OPTIONS[2:])]
        + _shared,
        tolerance="composed",
    )
    _overloads = ["periodic", *(["periodic_alpha", "periodic_alpha_beta"] if _name == "hamming" else [])]
    for _count, _overload in enumerate([*_overloads, *(["beta"] if _name == "kaiser" else [])]):
        samples_of(
            f"{_function}.{_overload}",
            [
                sample(length, periodic, *(0.75, 0.5)[:_count], dtype=dtype, dtypes=ONCE)
                for length, periodic, dtype in ((6, True, None), (6, False, "float64"), (1, False, None))
            ]
            + [sample(7, False, *(2.0, 0.25)[:_count], dtypes=ONCE, **options) for options in OPTIONS[2:]]
            + [bad("RuntimeError", -1, True, *(1.0, 1.0)[:_count], dtypes=ONCE)],
            tolerance="composed",
        )

SOURCE = tensor(6, layout="offset", grad=False)
samples_of("set_", [sample(CONTIGUOUS, differentiable=False)])
samples_of(
    "set_.source_Tensor",
    [
        sample(CONTIGUOUS, tensor(3, 2), differentiable=False),
        sample(CONTIGUOUS, SOURCE, differentiable=False),
    ],
)
samples_of(
    "set_.source_Storage",
    [sample(CONTIGUOUS, source, differentiable=False) for source in (SOURCE, tensor(0, grad=False))],
)
PARTS = [  # of a source without enough elements, those that are added would be any
    sample(
        CONTIGUOUS,
        given([0.5 * x for x in range(count)], (count - 2,), (1,), 2, "float32"),
        *part,
        differentiable=False,
        dtypes=ONCE,
    )
    for count, part in ((8, (1, [2, 2])), (9, (0, [2, 2], [1, 2])), (8, (4, [])), (8, (40, [0])))
] + [
    bad("RuntimeError", CONTIGUOUS, SOURCE, -4, [2]),
    bad("RuntimeError", CONTIGUOUS, SOURCE, 0, [2], [-1]),
    bad("RuntimeError", CONTIGUOUS, SOURCE, 0, [2], [1, 1]),
    bad("RuntimeError", CONTIGUOUS, SOURCE, 2**62, [2, 2]),
]
samples_of(
    "set_.source_Tensor_storage_offset",
    [*PARTS, bad("RuntimeError", CONTIGUOUS, tensor(6, layout="gapped"), 0, [2])],
)
samples_of("set_.source_Storage_storage_offset", PARTS)
samples_of(
    "is_same_size",
    [
        sample(tensor(2, 3), tensor(2, 3, dtype="int64")),
        sample(tensor(2, 3), tensor(3, 2)),
        sample(tensor(), tensor()),
    ],
)
_WHOLE = given([1.0, 2.0, 3.0, 4.0], (2, 2), (2, 1), 0, "float32", storage=0)
samples_of(
    "is_set_to",
    [
        sample(_WHOLE, given([1.0, 2.0, 3.0, 4.0], sizes, strides, offset, "float32", storage=0), dtypes=ONCE)
        for sizes, strides, offset in (((2, 2), (2, 1), 0), ((2, 2), (1, 2), 0), ((2,), (1,), 2))
    ]
    + [sample(tensor(2), tensor(2))],
)
