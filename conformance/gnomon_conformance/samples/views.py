"""Samples of views, copies and joins."""

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
    "cat",
    [
        sample([tensor(2, 3), tensor(1, 3)]),
        sample([tensor(2, 3), tensor(2, 1), tensor(2, 2)], 1),
        sample([tensor(2, 3), tensor(2, 3)], -2),
        sample([tensor(0), tensor(2, 3)]),
        sample([tensor(2)]),
        sample([tensor(0, 3), tensor(0, 3)]),
        sample([tensor(2, dtype="int32"), tensor(2, dtype="float16")], dtypes=["float32"]),
        sample([tensor(2, dtype="float64"), tensor(2, dtype="bool")], dtypes=["float32"]),
        bad("RuntimeError", [tensor(2, 3), tensor(2, 2)]),
        bad("RuntimeError", [tensor(2, 3), tensor(2)]),
        bad("IndexError", [tensor(2), tensor(2)], 1),
        bad("RuntimeError", [tensor(), tensor()]),
        bad("ValueError", []),
    ],
)
samples_of(
    "stack",
    [
        sample([tensor(2, 3), tensor(2, 3)]),
        sample([tensor(2, 3), tensor(2, 3)], 1),
        sample([tensor(2), tensor(2), tensor(2)], -1),
        sample([tensor(), tensor()]),
        bad("RuntimeError", [tensor(2), tensor(3)]),
        bad("IndexError", [tensor(2), tensor(2)], 2),
        bad("RuntimeError", []),
    ],
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
