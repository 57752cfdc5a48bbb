"""Samples of embedding bags, of renorm and of bilinear."""

from ..inputs.description import REAL_FLOATS, Judged, bad, sample, tensor
from . import samples_of

WEIGHT = tensor(5, 3)
ROWS = tensor(6, dtype="int64", values="below 5", layout="contiguous")
# offsets of bags: [0, 0, …] and [0]; expressions test others, because they can give explicit numbers
ONE = tensor(1, dtype="int64", values="zeros", layout="contiguous")
TWO = tensor(2, dtype="int64", values="zeros", layout="contiguous")
# PyTorch divides by the count of a different row, unless there is only one row
SAME = tensor(6, dtype="int64", values="zeros", layout="contiguous")
SCALES = tensor(6)
NONE: Judged = {"differentiable": False, "dtypes": REAL_FLOATS}
BAGS = [
    sample(WEIGHT, ROWS, ONE, dtypes=REAL_FLOATS),
    sample(WEIGHT, ROWS, TWO, False, 1, dtypes=REAL_FLOATS),
    sample(WEIGHT, ROWS, TWO, False, 2, dtypes=REAL_FLOATS, smooth=False),
    sample(WEIGHT, SAME, ONE, True, 0, dtypes=REAL_FLOATS, smooth=False),
    sample(WEIGHT, ROWS, TWO, False, 0, False, SCALES, dtypes=REAL_FLOATS),
    sample(WEIGHT, tensor(0, dtype="int64"), TWO, False, 1, dtypes=REAL_FLOATS),
    sample(WEIGHT, tensor(0, dtype="int64"), ONE, False, 1, False, None, True, dtypes=REAL_FLOATS),
    sample(WEIGHT, ROWS, ONE, False, 0, True, **NONE),
    bad("RuntimeError", tensor(3), ROWS, ONE),
    bad("RuntimeError", WEIGHT, tensor(6, dtype="int64", values="below 9", seed=3), ONE),
    bad("RuntimeError", WEIGHT, ROWS, ONE, False, 3),
    bad("RuntimeError", WEIGHT, ROWS, ONE, False, 1, False, SCALES),
    bad("RuntimeError", WEIGHT, ROWS, ONE, False, 0, False, tensor(5)),
    bad("RuntimeError", WEIGHT, ROWS, ONE, False, 0, False, tensor(6, dtype="float64")),
    bad("RuntimeError", tensor(5, 3, dtype="int64"), ROWS, ONE, dtypes=("int64",)),
]
samples_of("_embedding_bag embedding_bag", BAGS, tolerance="terms")
samples_of(
    "_embedding_bag",
    [
        sample(WEIGHT, ROWS, ONE, False, 1, padding_idx=2, dtypes=REAL_FLOATS, smooth=False),
        bad("RuntimeError", WEIGHT, tensor(6, values="positive"), ONE),
    ],
)
samples_of(
    "embedding_bag.padding_idx",
    [
        sample(WEIGHT, ROWS, ONE, False, 0, False, None, False, None, dtypes=REAL_FLOATS),
        sample(WEIGHT, ROWS, TWO, False, 1, False, None, False, 2, dtypes=REAL_FLOATS, smooth=False),
        sample(WEIGHT, SAME, TWO, True, 0, False, SCALES, False, -1, dtypes=REAL_FLOATS, smooth=False),
        sample(WEIGHT, tensor(0, dtype="int64"), ONE, False, 2, False, None, True, 1, dtypes=REAL_FLOATS),
        sample(WEIGHT, ROWS, ONE, False, 0, True, None, False, None, **NONE),
        bad("RuntimeError", WEIGHT, ROWS, ONE, False, 0, False, None, False, 5),
    ],
    tolerance="terms",
)
GRAD = tensor(2, 3, layout="contiguous")
BAG = tensor(6, dtype="int64", values="below 2", layout="contiguous")
SIZES = tensor(2, dtype="int64", values="positive", layout="contiguous")
CHOSEN = tensor(2, 3, dtype="int64", values="below 5", layout="contiguous")
# Gradients of repeated rows are divided by their count: sums of many terms with weights of sum 1; composed.
samples_of(
    "_embedding_bag_dense_backward",
    [
        sample(GRAD, ROWS, BAG, SIZES, SIZES, 5, False, 0, None, **NONE),
        sample(GRAD, SAME, BAG, SIZES, SIZES, 6, True, 1, None, **NONE),
        sample(GRAD, ROWS, BAG, SIZES, CHOSEN, 5, False, 2, None, **NONE),
        sample(GRAD, ROWS, BAG, SIZES, SIZES, 5, False, 0, tensor(6, layout="contiguous"), 1, **NONE),
    ],
    tolerance="composed",
)
samples_of(
    "_embedding_bag_backward",
    [
        sample(GRAD, ROWS, TWO, BAG, SIZES, SIZES, 5, False, 0, False, None, **NONE),
        sample(GRAD, SAME, TWO, BAG, SIZES, SIZES, 6, True, 1, False, None, **NONE),
        sample(GRAD, ROWS, TWO, tensor(0, dtype="int64"), SIZES, SIZES, 5, False, 0, False, None, 1, **NONE),
        sample(
            GRAD, ROWS, TWO, BAG, SIZES, SIZES, 5, False, 0, False, tensor(6, layout="contiguous"), **NONE
        ),
    ],
    tolerance="composed",
)
samples_of(
    "_embedding_bag_per_sample_weights_backward",
    [
        sample(GRAD, WEIGHT, ROWS, TWO, BAG, 0, **NONE),
        sample(GRAD, WEIGHT, ROWS, TWO, BAG, 0, 2, **NONE),
        bad("RuntimeError", GRAD, WEIGHT, ROWS, TWO, BAG, 1),
    ],
    tolerance="terms",
)
samples_of(
    "embedding_renorm_",
    [
        sample(WEIGHT, ROWS, 1.0, 2.0, differentiable=False, dtypes=REAL_FLOATS),
        sample(WEIGHT, ROWS, 0.5, 1.0, differentiable=False, dtypes=REAL_FLOATS),
        sample(WEIGHT, tensor(2, 3, dtype="int32", values="below 5"), 0.25, float("inf"), **NONE),
        sample(WEIGHT, tensor(0, dtype="int64"), 0.25, 2.0, **NONE),
        bad("RuntimeError", tensor(3), ROWS, 1.0, 2.0),
        bad("RuntimeError", WEIGHT, tensor(2), 1.0, 2.0),
        bad("IndexError", WEIGHT, tensor(6, dtype="int64", values="below 9", seed=3), 1.0, 2.0),
    ],
    tolerance="composed",
)
TABLE = tensor(4, 2, 3)
samples_of(
    "bilinear",
    [
        sample(tensor(2, 2), tensor(2, 3), TABLE),
        sample(tensor(2, 1, 2), tensor(2, 1, 3), TABLE, tensor(4)),
        sample(tensor(2), tensor(3), TABLE, tensor(4)),
        bad("RuntimeError", tensor(2, 2), tensor(3, 3), TABLE),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), TABLE),
        bad("RuntimeError", tensor(2, 2), tensor(2, 2), TABLE),
        bad("RuntimeError", tensor(2, 2), tensor(1, 2, 3), TABLE),
        bad("RuntimeError", tensor(2, 2), tensor(2, 3), TABLE, tensor(3)),
        bad("RuntimeError", tensor(2, 2, dtype="float64"), tensor(2, 3), TABLE),
    ],
    tolerance="terms",
)
