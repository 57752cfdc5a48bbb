"""Samples of copies, and of conversions of dtype, device or memory format."""

from ..inputs.description import IN_FLOAT32, LIMITED, ON_DEVICE, UNSIGNED, Keywords, bad, sample, tensor
from . import samples_of

samples_of(
    "copy_",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3), tensor(3)),
        sample(tensor(2, 3), tensor()),
        sample(tensor(2, 3), tensor(2, 1), True),
        sample(tensor(0, 3), tensor(3)),
        *[
            sample(tensor(2, 3, dtype=dtype), tensor(2, 3, values="positive"))
            for dtype in ("float16", "int64", "bool", "complex64", "bfloat16")
        ],
        sample(
            tensor(14, dtype="float32"),
            tensor(14, dtype="float64", values="special"),
            dtypes=["float32"],
            differentiable=False,
        ),
        sample(
            tensor(14, dtype="float16"),
            tensor(14, dtype="float32", values="special"),
            dtypes=["float32"],
            differentiable=False,
        ),
        sample(
            tensor(14, dtype="bfloat16"),
            tensor(14, dtype="float32", values="special"),
            dtypes=["float32"],
            differentiable=False,
        ),
        sample(tensor(7, dtype="int8"), tensor(7, dtype="int64", values="special"), dtypes=["float32"]),
        *[
            sample(tensor(14, dtype=to), tensor(14, dtype=source, values="special"), **IN_FLOAT32)
            for dtype in LIMITED
            # not from fractions to unsigned dtypes, as C leaves the result open
            for to, source in (
                (dtype, "int64" if dtype in UNSIGNED else "float32"),
                ("complex64", dtype),
                (dtype, dtype),
            )
        ],
        *[sample(tensor(3, 4, dtype=dtype), tensor(4, dtype=dtype), **IN_FLOAT32) for dtype in LIMITED],
        *[sample(tensor(7, dtype="int64"), tensor(7, dtype=dtype), **IN_FLOAT32) for dtype in LIMITED],
        bad("RuntimeError", tensor(2, 3), tensor(2)),
        bad("RuntimeError", tensor(3), tensor(2, 3)),
    ],
)
samples_of(
    "fill_.Scalar",
    [
        sample(tensor(2, 3), 1),
        sample(tensor(), 0),
        sample(tensor(0), 1),
        sample(tensor(2, dtype="float32"), 2.5, dtypes=["float32"]),
        sample(tensor(2, dtype="float16"), float("inf"), dtypes=["float32"]),
        sample(tensor(2, dtype="complex64"), 1j, dtypes=["float32"]),
        *[sample(tensor(2, 3, dtype=dtype), 3, **IN_FLOAT32) for dtype in LIMITED],
        *[sample(tensor(2, dtype=dtype), 0.3, **IN_FLOAT32) for dtype in LIMITED],
        sample(tensor(2, dtype="uint64"), 2**64 - 1, **IN_FLOAT32),
        sample(tensor(2, dtype="complex32"), 1.5 - 2j, **IN_FLOAT32),
    ],
)
samples_of("zero_", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(0))])
IMAGE = tensor(2, 3, 2, 2)
samples_of(
    "clone",
    [
        sample(tensor(2, 3)),
        sample(tensor(0, 2)),
        sample(tensor()),
        sample(IMAGE, memory_format="channels_last"),
        sample(tensor(2, 3), memory_format="contiguous_format"),
        sample(tensor(2, 3), memory_format="preserve_format"),
    ],
)
OPTIONS: list[Keywords] = [
    {"dtype": "float64"},
    {"dtype": "int32"},
    {"device": ON_DEVICE},
    {"layout": "strided"},
    {"pin_memory": False},
    {"non_blocking": True},
]
samples_of("_to_copy", [sample(tensor(2, 3, values="positive"), **options) for options in OPTIONS])
samples_of("to.dtype_layout", [sample(tensor(2, 3, values="positive"), **options) for options in OPTIONS])
samples_of(
    "_to_copy to.dtype_layout",
    [
        sample(IMAGE, memory_format="channels_last"),
        sample(tensor(3, dtype="int8", values="special"), dtype="uint8"),
    ],
)
samples_of("to.dtype_layout", [sample(tensor(2, 3), copy=True)])
samples_of(
    "to.device",
    [
        sample(tensor(2, 3, values="positive"), ON_DEVICE, "float64"),
        sample(tensor(2, 3, dtype="float32"), ON_DEVICE, "float32", True),
        sample(tensor(2), ON_DEVICE, "float16", copy=True),
        sample(IMAGE, ON_DEVICE, "float64", memory_format="channels_last"),
    ],
)
samples_of(
    "to.dtype",
    [
        *[
            sample(tensor(2, 3, values="positive"), dtype)
            for dtype in ("float64", "int32", "bool", "float16", "bfloat16", "complex64")
        ],
        sample(tensor(2, dtype="float32"), "float32", False, True),
        sample(tensor(2), "float64", True),
        sample(IMAGE, "float64", memory_format="channels_last"),
    ],
)
samples_of(
    "to.other",
    [
        sample(tensor(2, 3), tensor(1, dtype="float64")),
        sample(tensor(2, dtype="float32"), tensor(1, dtype="float32")),
        sample(tensor(2, dtype="float32"), tensor(1, dtype="float32"), True, True),
        sample(IMAGE, tensor(1, dtype="float64"), memory_format="channels_last"),
    ],
)
samples_of(
    "contiguous",
    [
        sample(tensor(2, 3)),
        sample(tensor()),
        sample(tensor(0, 3)),
        sample(IMAGE, memory_format="channels_last"),
    ],
)
samples_of(
    "is_contiguous",
    [
        sample(tensor(2, 3)),
        sample(tensor()),
        sample(IMAGE, memory_format="channels_last"),
        sample(tensor(2, 3, 2, 2, layout="channels_last"), memory_format="channels_last"),
    ],
)
samples_of("item _local_scalar_dense", [sample(tensor()), sample(tensor(1)), sample(tensor(1, 1))])
samples_of("item", [bad("RuntimeError", tensor(2)), bad("RuntimeError", tensor(0))])
samples_of(
    "copy",
    [
        sample(tensor(2, 3), tensor(2, 3), smooth=False),
        sample(tensor(2, 3), tensor(3), True, smooth=False),
        sample(tensor(2, 3, dtype="float64"), tensor(), smooth=False),
        sample(tensor(2, 3, dtype="int64"), tensor(2, 1, values="positive"), smooth=False),
        sample(tensor(), tensor(), smooth=False),
        bad("RuntimeError", tensor(2, 3), tensor(2)),
    ],
    tolerance="exact",
)
