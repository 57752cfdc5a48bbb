"""Samples of views and copies."""

from ..description import ON_DEVICE, bad, sample, tensor
from . import samples_of

samples_of(
    "view reshape",
    [
        sample(tensor(2, 3), [3, 2]),
        sample(tensor(2, 3), [-1]),
        sample(tensor(2, 3, 2), [2, -1]),
        sample(tensor(2, 3), [2, 1, 3]),
        sample(tensor(), [1, 1]),
        sample(tensor(1), []),
        sample(tensor(0, 3), [3, 0]),
        bad("RuntimeError", tensor(2, 3), [4, 2]),
        bad("RuntimeError", tensor(2, 3), [-1, 4]),
        bad("RuntimeError", tensor(2, 3), [-1, -1]),
        bad("RuntimeError", tensor(2, 3), [-2, 3]),
        bad("RuntimeError", tensor(0, 3), [-1, 0]),
    ],
)
samples_of("view", [bad("RuntimeError", tensor(2, 3, layout="transposed"), [6])])
samples_of(
    "flatten.using_ints",
    [
        sample(tensor(2, 3, 2)),
        sample(tensor(2, 3, 2), 1),
        sample(tensor(2, 3, 2), 0, 1),
        sample(tensor(2, 3, 2), -2, -2),
        sample(tensor()),
        bad("RuntimeError", tensor(2, 3), 1, 0),
        bad("IndexError", tensor(2, 3), 2),
    ],
)
samples_of(
    "expand",
    [
        sample(tensor(2, 1), [2, 3]),
        sample(tensor(3), [2, 3]),
        sample(tensor(1, 3), [-1, 3]),
        sample(tensor(), [2]),
        sample(tensor(2, 1, 3), [1, 2, 1, 3]),
        sample(tensor(1), [0]),
        sample(tensor(2, 1), [2, 2], implicit=True),
        bad("RuntimeError", tensor(2, 3), [3]),
        bad("RuntimeError", tensor(2, 3), [4, 3]),
        bad("RuntimeError", tensor(3), [-1, 3]),
    ],
)
samples_of(
    "expand_as",
    [
        sample(tensor(2, 1), tensor(2, 3)),
        sample(tensor(3), tensor(2, 3)),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
)
samples_of(
    "permute",
    [
        sample(tensor(2, 3), [1, 0]),
        sample(tensor(2, 3, 4), [2, 0, 1]),
        sample(tensor(2, 3, 4), [-1, -3, -2]),
        sample(tensor(), []),
        bad("RuntimeError", tensor(2, 3), [0]),
        bad("RuntimeError", tensor(2, 3), [0, 0]),
        bad("IndexError", tensor(2, 3), [0, 2]),
    ],
)
samples_of(
    "transpose.int",
    [
        sample(tensor(2, 3), 0, 1),
        sample(tensor(2, 3, 4), -1, 0),
        sample(tensor(2, 3, 4), 1, 1),
        sample(tensor(), 0, -1),
        bad("IndexError", tensor(2, 3), 0, 2),
    ],
)
samples_of(
    "t", [sample(tensor(2, 3)), sample(tensor(3)), sample(tensor()), bad("RuntimeError", tensor(1, 2, 3))]
)
samples_of("squeeze", [sample(tensor(2, 1, 3, 1)), sample(tensor(1)), sample(tensor()), sample(tensor(2, 3))])
samples_of(
    "squeeze.dim",
    [
        sample(tensor(2, 1, 3), 1),
        sample(tensor(2, 1, 3), -1),
        sample(tensor(), 0),
        bad("IndexError", tensor(2, 1), 2),
    ],
)
samples_of(
    "squeeze.dims",
    [
        sample(tensor(1, 3, 1), [0, 2]),
        sample(tensor(1, 3, 1), [-1, 1]),
        sample(tensor(1), []),
        bad("RuntimeError", tensor(1, 1), [0, 0]),
        bad("IndexError", tensor(1, 1), [2]),
    ],
)
samples_of(
    "unsqueeze",
    [sample(tensor(2, 3), dim) for dim in (0, 1, 2, -1, -3)]
    + [sample(tensor(), 0), bad("IndexError", tensor(2), 2)],
)
samples_of(
    "select.int",
    [
        sample(tensor(2, 3), 0, 1),
        sample(tensor(2, 3), -1, -2),
        sample(tensor(2, 3, 2), 1, 0),
        bad("IndexError", tensor(2, 3), 0, 2),
        bad("IndexError", tensor(2, 3), 2, 0),
        bad("IndexError", tensor(), 0, 0),
    ],
)
samples_of(
    "select_backward",
    [
        sample(tensor(3), [2, 3], 0, 1),
        sample(tensor(2), [2, 2], 0, 1),
        sample(tensor(2), [2, 3], -1, -1),
        bad("IndexError", tensor(3), [2, 3], 0, 5),
    ],
)
samples_of(
    "slice.Tensor",
    [
        sample(tensor(4, 3)),
        sample(tensor(4, 3), 0, 1),
        sample(tensor(4, 3), 1, None, -1),
        sample(tensor(5), 0, 0, 5, 2),
        sample(tensor(5), -1, -3, 100),
        sample(tensor(5), 0, 4, 2),
        bad("IndexError", tensor(5), 1, 0, 2),
        bad("RuntimeError", tensor(5), 0, 0, 2, 0),
        bad("RuntimeError", tensor(5), 0, 0, 2, -1),
        bad("IndexError", tensor(), 0, 0, 1),
    ],
)
samples_of(
    "slice_backward",
    [
        sample(tensor(2, 3), [4, 3], 0, 1, 3, 1),
        sample(tensor(2), [5], 0, 0, 4, 2),
        sample(tensor(4, 2), [4, 3], 1, 0, 3, 2),
    ],
)
samples_of(
    "narrow",
    [
        sample(tensor(4, 3), 0, 1, 2),
        sample(tensor(4, 3), -1, -2, 1),
        sample(tensor(4, 3), 0, 4, 0),
        bad("RuntimeError", tensor(4), 0, 2, 3),
        bad("RuntimeError", tensor(4), 0, 0, -1),
        bad("IndexError", tensor(4), 0, 5, 0),
        bad("RuntimeError", tensor(), 0, 0, 0),
    ],
)
samples_of(
    "as_strided",
    [
        sample(tensor(3, 4, layout="contiguous"), [2, 2], [4, 1]),
        sample(tensor(3, 4, layout="contiguous"), [2, 3], [1, 2], 1),
        sample(tensor(3, 4, layout="contiguous"), [3, 2], [0, 1]),
        sample(tensor(3, 4, layout="offset"), [2], [3]),
        sample(tensor(3, 4, layout="contiguous"), [3, 3], [1, 1]),
        sample(tensor(4, layout="contiguous"), [], [], 2),
        bad("RuntimeError", tensor(4, layout="contiguous"), [5], [1]),
        bad("RuntimeError", tensor(4, layout="contiguous"), [2], [1, 1]),
        bad("RuntimeError", tensor(4, layout="contiguous"), [2], [-1]),
        bad("RuntimeError", tensor(4, layout="contiguous"), [2], [1], -1),
    ],
)
samples_of(
    "_as_strided",
    [
        sample(tensor(3, 4, layout="contiguous"), [2, 2], [4, 1], 1),
        sample(tensor(6, layout="contiguous"), [2], [3], 0),
    ],
)
samples_of(
    "as_strided_scatter",
    [
        sample(tensor(3, 4, layout="contiguous"), tensor(2, 2), [2, 2], [4, 1]),
        sample(tensor(3, 4, layout="contiguous"), tensor(2, 3), [2, 3], [1, 2], 1),
    ],
)
samples_of(
    "unbind.int",
    [
        sample(tensor(2, 3)),
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), -2),
        bad("IndexError", tensor(2), 1),
    ],
)
samples_of(
    "split_with_sizes",
    [
        sample(tensor(5, 2), [2, 3]),
        sample(tensor(2, 3), [1, 0, 2], -1),
        bad("RuntimeError", tensor(5), [2, 2]),
        bad("RuntimeError", tensor(5), [6, -1]),
        bad("IndexError", tensor(5), [5], 1),
    ],
)
samples_of(
    "split.Tensor",
    [
        sample(tensor(5, 2), 2),
        sample(tensor(2, 3), 3, 1),
        sample(tensor(0, 3), 2),
        bad("RuntimeError", tensor(5), -1),
        bad("RuntimeError", tensor(5), 0),
        bad("RuntimeError", tensor(), 1),
    ],
)
samples_of(
    "chunk",
    [
        sample(tensor(5, 2), 2),
        sample(tensor(2, 5), 3, 1),
        sample(tensor(2), 4),
        bad("RuntimeError", tensor(5), 0),
        bad("RuntimeError", tensor(), 1),
    ],
)
samples_of("detach alias", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(0))])
samples_of(
    "view_as reshape_as",
    [
        sample(tensor(2, 3), tensor(3, 2)),
        sample(tensor(4), tensor(2, 2)),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
)
samples_of(
    "movedim.intlist",
    [
        sample(tensor(2, 3, 4), [0, 1], [1, 2]),
        sample(tensor(2, 3, 4), [-1], [0]),
        bad("RuntimeError", tensor(2, 3), [0, 1], [0]),
    ],
)
samples_of(
    "movedim.int",
    [sample(tensor(2, 3, 4), 0, 2), sample(tensor(2, 3, 4), -1, 0), bad("IndexError", tensor(2, 3), 0, 2)],
)

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
    ],
)
samples_of(
    "clone",
    [
        sample(tensor(2, 3), memory_format="contiguous_format"),
        sample(tensor(2, 3), memory_format="preserve_format"),
    ],
)
OPTIONS = [
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
    ],
)
samples_of(
    "to.device",
    [
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
    "is_contiguous", [sample(tensor(2, 3)), sample(tensor()), sample(IMAGE, memory_format="channels_last")]
)
samples_of(
    "is_contiguous", [sample(tensor(2, 3, 2, 2, layout="channels_last"), memory_format="channels_last")]
)
samples_of("item _local_scalar_dense", [sample(tensor()), sample(tensor(1)), sample(tensor(1, 1))])
samples_of("item", [bad("RuntimeError", tensor(2)), bad("RuntimeError", tensor(0))])

# -- other ways to reorder, cut and other tensors --------------------------------------------------------

samples_of(
    "diagonal",
    [
        sample(tensor(3, 4)),
        sample(tensor(3, 4), 1),
        sample(tensor(4, 3), -2),
        sample(tensor(2, 3, 4), 1, 2, 0),
        sample(tensor(2, 3, 4), -1, -1, -2),
        sample(tensor(3, 3), 5),
        sample(tensor(0, 3)),
        bad("RuntimeError", tensor(3, 3), 0, 1, 1),
        bad("RuntimeError", tensor(3, 3), 0, 0, -2),
        bad("IndexError", tensor(3)),
        bad("IndexError", tensor(3, 3), 0, 0, 2),
    ],
)
samples_of(
    "diagonal_copy",
    [sample(tensor(3, 4)), sample(tensor(2, 4, 3), -1, 1, 2), bad("IndexError", tensor(3, 3), 0, 0, 2)],
)
samples_of(
    "diagonal_backward",
    [sample(tensor(3), [3, 4], 1, 0, 1), sample(tensor(3, 2), [2, 3, 4], -1, 2, 0)],
)
samples_of(
    "diag",
    [
        sample(tensor(3)),
        sample(tensor(2), -1),
        sample(tensor(3, 4), 1),
        sample(tensor(0)),
        sample(tensor(2, 3), 7),
        bad("RuntimeError", tensor(2, 2, 2)),
        bad("RuntimeError", tensor()),
    ],
)
samples_of(
    "diag_embed",
    [
        sample(tensor(3)),
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), -1, 0, 2),
        sample(tensor(2, 3), 0, 2, 0),
        sample(tensor(2, 0)),
        bad("RuntimeError", tensor(3), 0, 1, 1),
        bad("IndexError", tensor(3), 0, 0, 2),
        bad("IndexError", tensor()),
    ],
)
samples_of("diagflat", [sample(tensor(2, 2)), sample(tensor(3), 1), sample(tensor(), -1), sample(tensor(0))])
samples_of(
    "slice_scatter",
    [
        sample(tensor(4, 3), tensor(4, 3)),
        sample(tensor(4, 3), tensor(2, 3), 0, 1, 3),
        sample(tensor(4, 3), tensor(4, 2), 1, 0, 3, 2),
        sample(tensor(4, 3), tensor(1, 3), 0, -1, None),
        sample(tensor(2, 3, dtype="float32"), tensor(1, 3, dtype="float64"), 0, 0, 1, dtypes=["float32"]),
        bad("RuntimeError", tensor(4, 3), tensor(3), 0, 1, 2),
        bad("IndexError", tensor(4, 3), tensor(4, 3), 2),
    ],
)
samples_of(
    "select_scatter",
    [
        sample(tensor(2, 3), tensor(3), 0, 1),
        sample(tensor(2, 3), tensor(2), -1, -3),
        bad("RuntimeError", tensor(2, 3), tensor(2), 0, 0),
        bad("IndexError", tensor(2, 3), tensor(3), 0, 2),
    ],
)
samples_of(
    "diagonal_scatter",
    [
        sample(tensor(3, 3), tensor(3)),
        sample(tensor(3, 4), tensor(3), 1),
        sample(tensor(2, 3, 3), tensor(2, 2), -1, 1, 2),
        bad("RuntimeError", tensor(3, 3), tensor(2)),
        bad("IndexError", tensor(3), tensor(3)),
    ],
)
samples_of(
    "flip",
    [
        sample(tensor(2, 3), [0]),
        sample(tensor(2, 3), [0, 1]),
        sample(tensor(2, 3, 2), [-1, 1]),
        sample(tensor(2, 3), []),
        sample(tensor(), []),
        sample(tensor(), [0]),
        sample(tensor(0, 3), [1]),
        sample(tensor(2, 3, 1, 1), [1]),
        bad("RuntimeError", tensor(2, 3), [0, -2]),
        bad("IndexError", tensor(2, 3), [2]),
    ],
)
samples_of("fliplr", [sample(tensor(2, 3)), sample(tensor(2, 3, 2)), bad("RuntimeError", tensor(3))])
samples_of("flipud", [sample(tensor(2, 3)), sample(tensor(3)), bad("RuntimeError", tensor())])
samples_of(
    "roll",
    [
        sample(tensor(2, 3), [1]),
        sample(tensor(2, 3), [-1], [1]),
        sample(tensor(2, 3), [1, 2], [0, -1]),
        sample(tensor(2, 3), [7], [1]),
        sample(tensor(3), [1, 1], [0, 0]),
        sample(tensor(), [2]),
        sample(tensor(0, 3), [1], [0]),
        bad("RuntimeError", tensor(2, 3), []),
        bad("RuntimeError", tensor(2, 3), [1, 1], [0]),
        bad("IndexError", tensor(2, 3), [1], [2]),
    ],
)
samples_of("rot90", [sample(tensor(2, 3), k) for k in (0, 1, 2, 3, -1, 5)])
samples_of(
    "rot90",
    [
        sample(tensor(2, 3, 2), 1, [2, 0]),
        sample(tensor(2, 3, 2), 3, [-1, 1]),
        bad("RuntimeError", tensor(2, 3), 1, [0]),
        bad("RuntimeError", tensor(2, 3), 1, [0, 0]),
        bad("RuntimeError", tensor(2, 3), 1, [0, -2]),
        bad("IndexError", tensor(2, 3), 1, [0, 2]),
        bad("RuntimeError", tensor(3)),
    ],
)
samples_of(
    "repeat",
    [
        sample(tensor(2, 3), [2, 1]),
        sample(tensor(2, 3), [2, 1, 2]),
        sample(tensor(2), [3]),
        sample(tensor(), []),
        sample(tensor(), [2]),
        sample(tensor(2, 3), [0, 2]),
        sample(tensor(0, 3), [2, 2]),
        bad("RuntimeError", tensor(2, 3), [2]),
        bad("RuntimeError", tensor(2), [-1]),
    ],
)
samples_of(
    "tile",
    [sample(tensor(2, 3), [2]), sample(tensor(2), [2, 2]), sample(tensor(2, 1), []), sample(tensor(), [3])],
)
samples_of("tile", [bad("RuntimeError", tensor(2), [-2])])
COUNTS = tensor(3, dtype="int64", values="below 4")
samples_of(
    "repeat_interleave.Tensor",
    [
        sample(COUNTS),
        sample(tensor(4, dtype="int32", values="below 3")),
        sample(tensor(0, dtype="int64")),
        sample(tensor(3, dtype="int64", values="positive", layout="contiguous"), output_size=17),
        bad("RuntimeError", tensor(2, 2, dtype="int64", values="below 3")),
        bad("NotImplementedError", tensor(2)),
        bad("RuntimeError", tensor(9, dtype="int64", layout="contiguous")),
    ],
)
samples_of(
    "repeat_interleave.self_Tensor",
    [
        sample(tensor(3), COUNTS),
        sample(tensor(2, 3), COUNTS, 1),
        sample(tensor(2, 3), COUNTS, -1),
        sample(tensor(2, 3), tensor(dtype="int64", values="below 4")),
        sample(tensor(3, 2), tensor(1, dtype="int32", values="below 4"), 0),
        bad("RuntimeError", tensor(2), COUNTS),
        bad("RuntimeError", tensor(2), tensor(1, 2, dtype="int64", values="below 2")),
        bad("IndexError", tensor(3), COUNTS, 1),
    ],
)
samples_of(
    "repeat_interleave.self_Tensor",
    [sample(tensor(2), tensor(2, dtype="int64", values="zeros"), output_size=0, dtypes=["float32"])],
)
samples_of(
    "repeat_interleave.self_int",
    [
        sample(tensor(2, 3), 2),
        sample(tensor(2, 3), 2, 1),
        sample(tensor(2, 3), 0, -2),
        sample(tensor(), 3),
        sample(tensor(3), 2, output_size=6),
        bad("RuntimeError", tensor(2), -1),
        bad("RuntimeError", tensor(2), 2, output_size=3),
        bad("IndexError", tensor(2), 2, 1),
    ],
)
samples_of("swapaxes swapdims", [sample(tensor(2, 3, 4), 0, -1), sample(tensor(2, 3), 1, 1)])
samples_of("swapaxes swapdims", [bad("IndexError", tensor(2, 3), 0, 2)])
samples_of(
    "moveaxis.intlist",
    [
        sample(tensor(2, 3, 4), [0, 1], [1, 2]),
        sample(tensor(2, 3), [1], [0]),
        bad("RuntimeError", tensor(2), [0], []),
    ],
)
samples_of("moveaxis.int", [sample(tensor(2, 3, 4), 0, 2), sample(tensor(2, 3, 4), -1, 0)])
samples_of(
    "unfold",
    [
        sample(tensor(5), 0, 2, 1),
        sample(tensor(2, 5), 1, 3, 2),
        sample(tensor(5, 2), -2, 2, 3),
        sample(tensor(3), 0, 3, 1),
        sample(tensor(3), 0, 0, 1),
        sample(tensor(), 0, 1, 1),
        bad("RuntimeError", tensor(3), 0, 4, 1),
        bad("RuntimeError", tensor(3), 0, 2, 0),
        bad("RuntimeError", tensor(3), 0, -1, 1),
        bad("IndexError", tensor(3), 1, 2, 1),
    ],
)
samples_of(
    "unfold_backward",
    [
        sample(tensor(4, 2), [5], 0, 2, 1),
        sample(tensor(2, 2, 3), [2, 5], 1, 3, 2),
        sample(tensor(2, 2), [5], 0, 2, 3),
    ],
    tolerance="terms",
)
samples_of(
    "unflatten.int",
    [
        sample(tensor(6), 0, [2, 3]),
        sample(tensor(2, 6), -1, [3, -1]),
        sample(tensor(2, 6), 0, [1, 2, 1]),
        sample(tensor(0, 2), 0, [0, 3]),
        bad("RuntimeError", tensor(6), 0, [2, 2]),
        bad("RuntimeError", tensor(6), 0, [4, -1]),
        bad("RuntimeError", tensor(6), 0, [-1, -1]),
        bad("RuntimeError", tensor(6), 0, []),
        bad("IndexError", tensor(6), 1, [2, 3]),
        bad("RuntimeError", tensor(), 0, [1]),
    ],
)
samples_of("ravel", [sample(tensor(2, 3)), sample(tensor()), sample(tensor(3)), sample(tensor(0, 3))])
samples_of(
    "broadcast_to",
    [
        sample(tensor(2, 1), [2, 3]),
        sample(tensor(3), [-1]),
        sample(tensor(), [2, 0]),
        bad("RuntimeError", tensor(2), [3]),
    ],
)
samples_of(
    "view.dtype",
    [
        sample(tensor(2, 4, layout="contiguous"), "uint8", dtypes=[dtype])
        for dtype in ("float32", "bool", "complex128", "int16")
    ]
    + [sample(tensor(2, 4, dtype="float32"), "int32", dtypes=["float32"])]
    + [
        sample(tensor(2, 8, dtype="int8", layout="contiguous"), dtype)
        for dtype in ("bool", "float64", "int16", "complex64")
    ]
    + [
        sample(tensor(2, 0, dtype="int16", layout="contiguous"), "int64"),
        sample(tensor(dtype="int32"), "float32"),
    ]
    + [
        bad("RuntimeError", tensor(2, 3, dtype="int8"), "int16"),
        bad("RuntimeError", tensor(dtype="int8"), "int16"),
        bad("RuntimeError", tensor(4, 2, dtype="int16", layout="transposed"), "int8"),
        bad("RuntimeError", tensor(4, 2, dtype="int8", layout="transposed"), "int16"),
        bad("RuntimeError", tensor(2, 4, dtype="int8", layout="offset"), "int16"),
    ],
)
samples_of(
    "narrow.Tensor",
    [
        sample(tensor(4, 3), 0, tensor(dtype="int64", values="below 2"), 2),
        sample(tensor(4, 3), -1, tensor(dtype="int32", values="zeros"), 1),
        bad("RuntimeError", tensor(4), 0, tensor(1, dtype="int64"), 1),
        bad("RuntimeError", tensor(4), 0, tensor(values="zeros"), 1),
    ],
)
samples_of(
    "atleast_1d atleast_2d atleast_3d",
    [sample(tensor(*sizes)) for sizes in ((), (2,), (2, 3), (2, 1, 3), (0,))],
)
samples_of(
    "atleast_1d.Sequence atleast_2d.Sequence atleast_3d.Sequence",
    [sample([tensor(), tensor(2), tensor(2, 3)]), sample([tensor(2, 2, 2)]), sample([])],
)
for _name in (
    "squeeze_",
    "squeeze_.dim",
    "squeeze_.dims",
    "unsqueeze_",
    "t_",
    "transpose_",
    "swapaxes_",
    "swapdims_",
):
    _arguments = {
        "squeeze_": [()],
        "squeeze_.dim": [(1,), (-1,)],
        "squeeze_.dims": [([0, 1],), ([1],)],
        "unsqueeze_": [(0,), (-1,)],
        "t_": [()],
    }.get(_name, [(0, 1), (-1, 0)])
    samples_of(_name, [sample(tensor(3, 1), *each) for each in _arguments])
    if not _name.startswith(("squeeze_.", "transpose", "swap")):
        samples_of(_name, [sample(tensor(), *each) for each in _arguments])
samples_of("t_", [bad("RuntimeError", tensor(2, 2, 2))])
samples_of("squeeze_.dim unsqueeze_", [bad("IndexError", tensor(2), 3)])
samples_of(
    "as_strided_",
    [
        sample(tensor(3, 4, layout="contiguous"), [2, 2], [4, 1]),
        sample(tensor(3, 4, layout="offset"), [2], [3], 1),
        bad("RuntimeError", tensor(4, layout="contiguous"), [5], [1]),
    ],
)
samples_of("detach_", [sample(tensor(2, 3), differentiable=False)])
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
