"""Samples of attention."""

from ..inputs.description import REAL_FLOATS, bad, sample, tensor
from . import samples_of

QUERY, KEY, VALUE = tensor(2, 3, 4), tensor(2, 5, 4), tensor(2, 5, 2)
HEADS = (tensor(1, 2, 3, 2), tensor(1, 2, 4, 2), tensor(1, 2, 4, 2))
# PyTorch's fused kernel, for four dimensions, misinterprets dimensions of size 1 by their strides; these are
# the three layouts that occur in programs
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


def dense(*sizes, **fields):
    """A contiguous tensor."""
    return tensor(*sizes, layout="contiguous", **fields)


# the layouts of grad_out, out and logsumexp that PyTorch creates; others are not supported there
FEW_KEYS = (dense(1, 2, 3, 2), dense(1, 1, 4, 2), dense(1, 1, 4, 2))
BROADCAST = dense(1, 2, 1, 4, grad=False)
samples_of(
    "_scaled_dot_product_flash_attention_for_cpu",
    [
        sample(*DENSE, dtypes=REAL_FLOATS),
        sample(*FEW_KEYS, dtypes=REAL_FLOATS),
        sample(*DENSE, 0.0, True, scale=0.75, dtypes=REAL_FLOATS),
        sample(*DENSE, scale=-0.5, dtypes=REAL_FLOATS),
        sample(*DENSE, attn_mask=dense(3, 4, grad=False), dtypes=REAL_FLOATS),
        sample(*DENSE, 0.0, True, attn_mask=BROADCAST, dtypes=REAL_FLOATS),
        sample(
            dense(1, 1, 70, 2), dense(1, 1, 300, 2), dense(1, 1, 300, 2), is_causal=True, dtypes=("float32",)
        ),
        sample(dense(1, 1, 3, 2), dense(1, 1, 300, 2), dense(1, 1, 300, 2), dtypes=("float32",)),
        bad("RuntimeError", dense(2, 3, 4), dense(2, 3, 4), dense(2, 3, 4)),
        bad("RuntimeError", *DENSE, 0.5),
        bad("RuntimeError", *DENSE, dtypes=("int64", "complex64")),
        bad("RuntimeError", DENSE[0], dense(1, 2, 4, 2, dtype="float64"), DENSE[2]),
        bad("RuntimeError", dense(1, 2, 3, 3), *DENSE[1:]),
        bad("RuntimeError", *DENSE, attn_mask=dense(3, 4, dtype="bool")),
        bad("RuntimeError", *DENSE, attn_mask=dense(2, 3, 4)),
        bad("RuntimeError", *DENSE, attn_mask=dense(3, 3)),
    ],
    tolerance="composed",
)
RESULT = (dense(1, 2, 3, 2), dense(1, 2, 3, 2))  # the output, and its gradient
LOGS = dense(1, 2, 3, values="positive")
samples_of(
    "_scaled_dot_product_flash_attention_for_cpu_backward",
    [
        sample(RESULT[0], *DENSE, RESULT[1], each, *options, **keywords, dtypes=dtypes, differentiable=False)
        for dtypes, each in (
            (("float32", "float64"), LOGS),
            (("float16", "bfloat16"), LOGS._replace(dtype="float32")),
        )
        for options, keywords in (
            ((0.0, False), {}),
            ((0.0, True), {"scale": 0.75}),
            ((0.0, False), {"attn_mask": dense(3, 4, grad=False)}),
        )
    ],
    tolerance="composed",
)
