"""Samples of attention."""

from ..description import REAL_FLOATS, bad, sample, tensor
from . import samples_of

QUERY, KEY, VALUE = tensor(2, 3, 4), tensor(2, 5, 4), tensor(2, 5, 2)
HEADS = (tensor(1, 2, 3, 2), tensor(1, 2, 4, 2), tensor(1, 2, 4, 2))
# PyTorch's fused kernel, for four dimensions, takes dimensions of size 1 for what they are not when strides
# say so; its layouts are the three that programs have
HEADS_BY_PLACE = tuple(tensor(*each.sizes, layout="channels_last") for each in HEADS)
DENSE = tuple(tensor(*each.sizes, layout="contiguous") for each in HEADS)
SAMPLES = [
    sample(QUERY, KEY, VALUE),
    sample(QUERY, KEY, VALUE, tensor(3, 5)),
    sample(QUERY, KEY, VALUE, tensor(2, 1, 5, dtype="bool", seed=3)),
    sample(QUERY, KEY, VALUE, is_causal=True),
    sample(QUERY, KEY, VALUE, scale=0.25),
    sample(QUERY, KEY, VALUE, None, 0.0, False, scale=-0.5),
    sample(tensor(3, 4), tensor(5, 4), tensor(5, 2)),
    sample(tensor(4, 3, 2), tensor(2, 5, 2), tensor(2, 5, 3), enable_gqa=True),
    sample(QUERY, KEY, VALUE, tensor(3, 5, dtype="bool", values="zeros"), dtypes=REAL_FLOATS),
    bad("RuntimeError", tensor(4), tensor(5, 4), tensor(5, 2)),
    bad("RuntimeError", QUERY, tensor(2, 5, 4, dtype="float64"), VALUE),
    bad("RuntimeError", QUERY, KEY, VALUE, tensor(3, 5, dtype="int64")),
    bad("RuntimeError", QUERY, KEY, VALUE, tensor(3, 5, dtype="float64")),
    bad("RuntimeError", QUERY, KEY, VALUE, tensor(4, 5)),
    bad("RuntimeError", QUERY, tensor(2, 5, 3), VALUE),
    bad("RuntimeError", QUERY, KEY, VALUE, tensor(3, 5), is_causal=True),
    bad("RuntimeError", tensor(4, 3, 2), tensor(3, 5, 2), tensor(3, 5, 3), enable_gqa=True),
    bad("IndexError", tensor(3, 2), tensor(5, 2), tensor(5, 3), enable_gqa=True),
    bad(
        "RuntimeError",
        tensor(2, 3, 4, dtype="int64"),
        tensor(2, 5, 4, dtype="int64"),
        tensor(2, 5, 2, dtype="int64"),
    ),
]
samples_of("scaled_dot_product_attention", SAMPLES, tolerance="composed")
samples_of(
    "_scaled_dot_product_attention_math",
    [each for each in SAMPLES if each.fails is None],
    tolerance="composed",
)
samples_of(
    "scaled_dot_product_attention",
    [
        sample(*DENSE, dtypes=REAL_FLOATS),
        sample(*DENSE, tensor(3, 4, layout="contiguous", grad=False), dtypes=REAL_FLOATS),
        sample(*DENSE, is_causal=True, scale=0.5, dtypes=REAL_FLOATS),
        sample(*HEADS_BY_PLACE, dtypes=REAL_FLOATS),
        sample(QUERY, KEY, VALUE, dropout_p=1.0, dtypes=REAL_FLOATS),
        bad("RuntimeError", QUERY, KEY, VALUE, None, 1.5),
    ],
)
samples_of(
    "_scaled_dot_product_attention_math",
    [
        sample(*HEADS),
        sample(QUERY, KEY, VALUE, None, 0.5, False, tensor(2, 3, 5, dtype="bool"), dtypes=REAL_FLOATS),
        sample(QUERY, KEY, VALUE, None, 1.0, dtypes=REAL_FLOATS),
        bad("RuntimeError", QUERY, KEY, VALUE, tensor(3, 5), is_causal=True),
        bad("RuntimeError", QUERY, tensor(2, 5, 3), VALUE),
    ],
)
samples_of(
    "_safe_softmax",
    [
        sample(tensor(2, 3), 1),
        sample(tensor(2, 3), 0, "float64", dtypes=("float16", "float32")),
        sample(tensor(), -1),
        sample(tensor(2, 7, values="special"), 0, differentiable=False),
        bad("IndexError", tensor(2), 1),
    ],
    tolerance="composed",
)
