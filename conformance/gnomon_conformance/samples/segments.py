"""Samples of reductions of segments."""

from ..inputs.description import REAL_FLOATS, bad, given, sample, tensor
from . import samples_of


def numbers(*values, dtype="int64", rows=1):
    """A tensor of these integers: a vector, or a matrix of as many rows."""
    count = len(values) // rows
    sizes, strides = ((count,), (1,)) if rows == 1 else ((rows, count), (count, 1))
    return given(values, sizes, strides, 0, dtype)


LENGTHS = numbers(2, 0, 3, 1)
OFFSETS = numbers(0, 2, 2, 5)
OF_ROWS = numbers(1, 2, 3, 0, rows=2)
OFFSETS_OF_ROWS = numbers(0, 1, 3, 0, 3, 3, rows=2, dtype="int32")
WORDS = ("sum", "mean", "prod", "max", "min")

samples_of(
    "segment_reduce",
    [
        *[
            sample(tensor(6, values="distinct"), word, lengths=LENGTHS, dtypes=REAL_FLOATS)
            for word in (*WORDS, "amax", "amin")
        ],
        *[
            sample(tensor(6, 2, values="distinct"), word, offsets=OFFSETS, initial=0.5, dtypes=REAL_FLOATS)
            for word in WORDS
        ],
        *[sample(tensor(2, 3), word, lengths=OF_ROWS, axis=1, dtypes=REAL_FLOATS) for word in WORDS],
        sample(tensor(2, 3, 2), "sum", offsets=OFFSETS_OF_ROWS, axis=-2, dtypes=REAL_FLOATS),
        sample(tensor(6), "sum", lengths=numbers(1, 2, dtype="int32"), unsafe=True, dtypes=REAL_FLOATS),
        sample(tensor(6, values="below 2"), "max", lengths=LENGTHS, smooth=False, dtypes=REAL_FLOATS),
        sample(tensor(6, values="below 2"), "prod", lengths=LENGTHS, dtypes=REAL_FLOATS),
        sample(tensor(0, 2), "sum", lengths=numbers(0, 0), dtypes=REAL_FLOATS),
        *[
            sample(
                tensor(14, values="special"),
                word,
                offsets=numbers(0, 3, 9),
                differentiable=False,
                dtypes=REAL_FLOATS,
            )
            for word in WORDS
        ],
        bad("NotImplementedError", tensor(6), "sum", lengths=LENGTHS, dtypes=["int64", "complex64", "bool"]),
        bad("RuntimeError", tensor(6), "median", lengths=LENGTHS),
        bad("RuntimeError", tensor(6), "sum"),
        bad("RuntimeError", tensor(6), "sum", lengths=LENGTHS, indices=OFFSETS),
        bad("RuntimeError", tensor(7), "sum", lengths=LENGTHS),
        bad("RuntimeError", tensor(6), "sum", lengths=numbers(7, -1)),
        bad("RuntimeError", tensor(6), "sum", offsets=numbers(0, 4, 2)),
        bad("RuntimeError", tensor(2, 3), "sum", lengths=OF_ROWS, axis=0),
        bad("RuntimeError", tensor(6), "sum", lengths=OF_ROWS, axis=0),
        bad("IndexError", tensor(6), "sum", lengths=LENGTHS, axis=1),
    ],
    tolerance="terms",
)
samples_of(
    "_segment_reduce_backward",
    [
        *[
            sample(tensor(4), tensor(4), tensor(6), word, lengths=LENGTHS, dtypes=REAL_FLOATS, smooth=False)
            for word in ("sum", "mean")
        ],
        *[
            sample(
                tensor(2, 2),
                given([1.0, 2.0, 0.5, 6.0], (2, 2), (2, 1), 0, dtype),
                given([1.0, 0.5, 2.0, -1.0, -2.0, 6.0], (2, 3), (3, 1), 0, dtype),
                word,
                offsets=OFFSETS_OF_ROWS if word == "max" else numbers(0, 1, 3, 0, 2, 3, rows=2),
                axis=1,
                initial=2,
                dtypes=[dtype],
                smooth=False,
            )
            for dtype in REAL_FLOATS
            for word in ("max", "prod")
        ],
        bad("RuntimeError", tensor(4), tensor(4), tensor(6), "median", lengths=LENGTHS),
        bad("RuntimeError", tensor(4), tensor(4), tensor(6), "sum"),
    ],
    tolerance="terms",
)
