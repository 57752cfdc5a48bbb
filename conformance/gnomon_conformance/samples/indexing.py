"""Samples of indexing, gathering and embedding."""

from ..inputs.description import FLOATS, IN_FLOAT32, LIMITED, UNSIGNED, bad, given, sample, tensor
from . import samples_of


def index(*sizes: int, below: int, **fields):
    """An index tensor: int64 numbers from 0 to ``below`` - 1."""
    return tensor(*sizes, dtype="int64", values=f"below {below}", **fields)


samples_of(
    "gather",
    [
        sample(tensor(3, 4), 0, index(2, 4, below=3)),
        sample(tensor(3, 4), -1, index(3, 2, below=4)),
        sample(tensor(3, 4), 1, index(2, 5, below=4), sparse_grad=True, differentiable=False),
        sample(tensor(2, 3, 2), 1, index(2, 4, 1, below=3)),
        sample(tensor(), 0, index(below=1)),
        sample(tensor(3), 0, index(0, below=1)),
        bad("RuntimeError", tensor(3), 0, tensor(2, values="zeros")),
        bad("RuntimeError", tensor(3), 0, index(2, 2, below=3)),
        bad("IndexError", tensor(3), 1, index(2, below=3)),
        bad("RuntimeError", tensor(2, 3), 0, index(1, 4, below=2)),
        bad("RuntimeError", tensor(2, layout="contiguous"), 0, index(9, below=9, layout="contiguous")),
    ],
)
samples_of(
    "scatter_add",
    [
        sample(tensor(3, 4), 0, index(2, 4, below=3), tensor(2, 4)),
        sample(tensor(3, 4), -1, index(3, 2, below=4), tensor(3, 2)),
        sample(tensor(3, 4), -1, index(3, 2, below=4), tensor(3, 3), differentiable=False),
        sample(tensor(3), 0, index(6, below=2), tensor(6)),
        sample(tensor(), 0, index(below=1), tensor()),
        bad("RuntimeError", tensor(3), 0, tensor(2, values="zeros"), tensor(2)),
        bad("RuntimeError", tensor(3), 0, index(2, below=3), tensor(2, dtype="float64")),
        bad("RuntimeError", tensor(3), 0, index(4, below=3), tensor(2)),
        bad("RuntimeError", tensor(3), 0, index(2, 1, below=3), tensor(2)),
    ],
    tolerance="terms",
)
samples_of(
    "index_select",
    [
        sample(tensor(3, 4), 0, index(5, below=3)),
        sample(tensor(3, 4), -1, index(2, below=4)),
        sample(tensor(3), 0, tensor(2, dtype="int32", values="below 3")),
        sample(tensor(3, 4), 1, index(below=4)),
        sample(tensor(), 0, index(1, below=1)),
        sample(tensor(3, 4), 0, index(0, below=1)),
        bad("IndexError", tensor(3), 0, index(2, 2, below=3)),
        bad("RuntimeError", tensor(3), 0, tensor(2, values="zeros")),
        bad("IndexError", tensor(3), 1, index(2, below=3)),
    ],
)
samples_of(
    "index_select",
    [
        sample(tensor(3, 4, dtype=dtype), dim, index(5, below=3), **IN_FLOAT32)
        for dtype in LIMITED
        for dim in (0, 1)
        if dtype not in UNSIGNED
    ],
)
samples_of(
    "index_select",
    [bad("NotImplementedError", tensor(3, dtype=each), 0, index(2, below=3)) for each in UNSIGNED],
)
samples_of(
    "nonzero",
    [
        sample(tensor(2, 3)),
        sample(tensor()),
        sample(tensor(3, values="zeros")),
        sample(tensor(7, values="special")),
    ],
)
samples_of("nonzero", [sample(tensor(2, 2, dtype="bool"), dtypes=["float32"]), sample(tensor(0, 2))])
samples_of(
    "nonzero_static",
    [sample(tensor(2, 3), size=3), sample(tensor(2, 3), size=8), sample(tensor(2, 3), size=9, fill_value=-7)],
)
samples_of("nonzero_static", [bad("RuntimeError", tensor(2), size=-1)])
MASK = tensor(3, dtype="bool")
INDICES = [
    (tensor(3, 4), [index(2, below=3)]),
    (tensor(3, 4), [None, index(2, below=4)]),
    (tensor(3, 4), [index(2, 1, below=3), index(3, below=4)]),
    (tensor(2, 3, 2), [index(2, below=2), None, index(2, below=2)]),
    (tensor(3, 4), [index(below=3)]),
    (tensor(3, 4), [index(0, below=1)]),
]
samples_of("index.Tensor", [sample(self, indices) for self, indices in INDICES])
PREPARED = [  # as the kernel gets them: one index or None for each dimension, broadcast
    (tensor(3, 4), [index(2, below=3), None]),
    (tensor(3, 4), [None, index(2, below=4)]),
    (tensor(3, 4), [index(2, 3, below=3), index(2, 3, below=4)]),
    (tensor(2, 3, 2), [index(2, below=2), None, index(2, below=2)]),
]
samples_of("_index", [sample(self, indices) for self, indices in PREPARED])
samples_of(
    "_index index.Tensor",
    [
        sample(tensor(3, 4, dtype=dtype), indices, **IN_FLOAT32)
        for dtype in LIMITED
        for indices in (
            [index(2, below=3), None],
            [None, index(2, below=4)],
            [index(2, 3, below=3), index(2, 3, below=4)],
        )
    ],
)
samples_of("index.Tensor", [sample(tensor(3, dtype=each), [MASK], **IN_FLOAT32) for each in LIMITED])
samples_of(
    "index.Tensor",
    [
        sample(tensor(3, 4), [tensor(3, dtype="bool")]),
        sample(tensor(3, 4), [tensor(3, 4, dtype="bool")]),
        sample(tensor(3, 4), [tensor(3, dtype="int32", values="below 3")]),
        sample(tensor(3, 4), [None, tensor(4, dtype="bool")]),
        bad("IndexError", tensor(3), [index(2, below=2), index(2, below=2)]),
        bad("IndexError", tensor(3), [tensor(2)]),
        bad("IndexError", tensor(3), [tensor(2, dtype="bool")]),
        bad("IndexError", tensor(3, 4), [index(2, below=2), index(3, below=2)]),
        bad("IndexError", tensor(1, layout="contiguous"), [index(9, below=9, layout="contiguous")]),
    ],
)
DISTINCT_PUTS = [  # no element is written twice, because the order of such writes is unspecified
    (tensor(3, 4), [None, index(below=4)], tensor(3)),
    (tensor(3, 4), [index(1, below=3), index(1, below=4)], tensor(1)),
]
samples_of("index_put index_put_", [sample(*each) for each in DISTINCT_PUTS], tolerance="terms")
samples_of(
    "_index_put", [sample(tensor(3, 4), [None, index(1, below=4)], tensor(3, 1), False)], tolerance="terms"
)
samples_of("_index_put", [sample(tensor(3, 4), [index(5, below=3), None], tensor(5, 4), True)])
samples_of("index_put index_put_", [sample(tensor(3, 4), [index(5, below=3)], tensor(5, 4), True)])
samples_of(
    "index_put index_put_ _index_put",
    [
        sample(tensor(3, 4), [index(4, below=3), index(4, below=4)], tensor(4), True),
    ],
)
samples_of(
    "index_put index_put_",
    [
        sample(tensor(3, 4), [tensor(3, dtype="bool")], tensor()),
        sample(tensor(3, 4), [tensor(3, 4, dtype="bool")], tensor(), True),
        bad("RuntimeError", tensor(3), [index(2, below=2)], tensor(2, dtype="float64")),
        bad("RuntimeError", tensor(3), [index(2, below=2)], tensor(3)),
        bad("IndexError", tensor(3), [index(2, below=2), index(2, below=2)], tensor(2)),
        bad("IndexError", tensor(1, layout="contiguous"), [index(9, below=9, layout="contiguous")], tensor()),
    ],
)
samples_of(
    "embedding",
    [
        sample(tensor(4, 3), index(5, below=4)),
        sample(tensor(4, 3), index(2, 3, below=4), 1, smooth=False),
        sample(tensor(4, 3), index(6, below=3), -1, True, smooth=False),
        sample(tensor(4, 3), tensor(2, dtype="int32", values="below 4")),
        sample(tensor(4, 3), index(below=4)),
        sample(tensor(4, 3), index(0, below=1)),
        sample(tensor(4, 3), index(2, below=4), sparse=True, differentiable=False),
        *[sample(tensor(4, 3, dtype=each), index(2, 3, below=4), **IN_FLOAT32) for each in LIMITED],
        bad("RuntimeError", tensor(3), index(2, below=3)),
        bad("RuntimeError", tensor(3, 2), tensor(2, values="zeros")),
        bad("IndexError", tensor(1, 3, layout="contiguous"), index(9, below=9, layout="contiguous")),
    ],
)
samples_of(
    "embedding_dense_backward",
    [
        sample(tensor(5, 3), index(5, below=4), 4, -1, False),
        sample(tensor(5, 3), index(5, below=3), 3, 1, False),
        sample(tensor(6, 2), index(6, below=3), 4, -1, True, dtypes=FLOATS),
    ],
    tolerance="composed",
)
OUTSIDE = given([1, 9, -9, 2], (4,), (1,), 0, "int64")
SOME = given([True, False, True, True], (4,), (1,), 0, "bool")
samples_of(
    "_unsafe_masked_index",
    [
        sample(tensor(5), SOME, [OUTSIDE], 1),
        sample(tensor(3, 4), SOME, [OUTSIDE, OUTSIDE], 0),
        sample(tensor(3, 2), tensor(4, 1, dtype="bool"), [OUTSIDE], 2),
        sample(tensor(3, 2), SOME, [None, given([1, 0, 7, 1], (4,), (1,), 0, "int32")], 1),
        sample(tensor(0), SOME, [OUTSIDE], 1),
        sample(tensor(3, dtype="int64"), SOME, [OUTSIDE], 2.5, dtypes=["float32"]),
        bad("RuntimeError", tensor(4), SOME, [SOME], 1),
        bad("RuntimeError", tensor(4), tensor(3, dtype="bool"), [OUTSIDE], 1),
        bad("IndexError", tensor(4), SOME, [], 1),
    ],
)
samples_of(
    "_unsafe_masked_index_put_accumulate",
    [
        sample(tensor(5), SOME, [OUTSIDE], tensor(4)),
        sample(tensor(5), SOME, [given([1, 1, 1, 0], (4,), (1,), 0, "int64")], tensor()),
        sample(tensor(3, 4), SOME, [OUTSIDE, OUTSIDE], tensor(4)),
        sample(tensor(3, 2), tensor(4, 1, dtype="bool"), [OUTSIDE], tensor(4, 2)),
        sample(tensor(0), SOME, [OUTSIDE], tensor(4)),
        bad("RuntimeError", tensor(4), SOME, [SOME], tensor(4)),
        bad("RuntimeError", tensor(4, dtype="float32"), SOME, [OUTSIDE], tensor(4, dtype="int64")),
    ],
    tolerance="terms",
)
