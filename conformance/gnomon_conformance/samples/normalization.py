"""Samples of batch, layer, group, instance and root-mean-square normalization."""

from ..inputs.description import REAL_FLOATS, Judged, bad, sample, tensor
from . import samples_of

INPUT = tensor(2, 3, 4)
IMAGE = tensor(2, 3, 2, 2)
LAST = tensor(2, 3, 2, 2, layout="channels_last")
WEIGHT, BIAS = tensor(3), tensor(3)
MEAN = tensor(3, grad=False)
VARIANCE = tensor(3, values="positive", grad=False)
# PyTorch's native_ operators assume that parameters and statistics are contiguous, without checking.
DENSE = {"layout": "contiguous"}
STATISTICS = (tensor(3, grad=False, **DENSE), tensor(3, values="positive", grad=False, **DENSE))
HALVES = ("float16", "bfloat16")
WIDE = {"dtype": "float32"}

# Updates of running statistics are tested in expressions: the schemas do not say which operators make them.
samples_of(
    "native_batch_norm",
    [
        sample(INPUT, WEIGHT, BIAS, None, None, True, 0.25, 1e-5),
        sample(INPUT, WEIGHT, BIAS, MEAN, VARIANCE, False, 0.25, 0.5),
        sample(INPUT, None, None, None, None, True, 0.5, 0.25),
        sample(IMAGE, None, BIAS, None, None, True, 0.5, 1e-3),
        sample(LAST, WEIGHT, None, MEAN, VARIANCE, False, 0.5, 1e-5),
        sample(LAST, WEIGHT, None, None, None, True, 0.5, 1e-5),
        sample(tensor(4, 3), WEIGHT, None, None, None, True, 0.5, 1e-5),
        sample(INPUT, tensor(3, **WIDE), tensor(3, **WIDE), None, None, True, 0.5, 1e-5, dtypes=HALVES),
        bad("IndexError", tensor(3), None, None, None, None, True, 0.1, 1e-5),
        bad("RuntimeError", tensor(0, 3, 2), None, None, None, None, True, 0.1, 1e-5),
        bad("RuntimeError", INPUT, tensor(3, dtype="float64"), None, None, None, True, 0.1, 1e-5),
    ],
    tolerance="composed",
)
samples_of(
    "_native_batch_norm_legit",
    [
        sample(tensor(2, 3, 4, values="zeros"), WEIGHT, BIAS, MEAN, VARIANCE, True, 0.5, 0.25),
        sample(INPUT, WEIGHT, BIAS, MEAN, VARIANCE, False, 0.25, 0.5),
        sample(INPUT, None, None, MEAN, VARIANCE, True, 0.0, 1e-5),
        sample(INPUT, WEIGHT, BIAS, MEAN, VARIANCE, True, 0.25, 1e-5),
        sample(IMAGE, None, BIAS, MEAN, VARIANCE, True, 0.5, 1e-3),
        sample(LAST, WEIGHT, None, MEAN, VARIANCE, True, 0.5, 1e-5),
        sample(tensor(4, 3), WEIGHT, None, MEAN, VARIANCE, True, 0.5, 1e-5),
        bad("RuntimeError", tensor(0, 3, 2), None, None, MEAN, VARIANCE, True, 0.1, 1e-5),
    ],
    tolerance="composed",
)
samples_of(
    "_batch_norm_with_update",
    [
        sample(INPUT, WEIGHT, BIAS, MEAN, VARIANCE, 0.25, 1e-5),
        # PyTorch needs a weight for the derivative
        sample(LAST, None, None, MEAN, VARIANCE, 0.5, 0.5, differentiable=False),
        bad("RuntimeError", tensor(0, 3, 2), None, None, MEAN, VARIANCE, 0.1, 1e-5),
    ],
    tolerance="composed",
)
samples_of(
    "_batch_norm_no_update",
    [
        sample(INPUT, WEIGHT, BIAS, MEAN, VARIANCE, 0.25, 1e-5),
        sample(
            LAST,
            None,
            None,
            tensor(3, values="unit", grad=False),
            tensor(3, values="ones", grad=False),
            0.5,
            0.5,
            differentiable=False,
        ),
        bad("IndexError", tensor(3), None, None, MEAN, VARIANCE, 0.1, 1e-5),
    ],
    tolerance="composed",
)
samples_of(
    "_native_batch_norm_legit.no_stats",
    [
        sample(INPUT, WEIGHT, BIAS, True, 0.25, 1e-5),
        sample(LAST, None, BIAS, True, 0.5, 0.5),
        sample(tensor(1, 3), WEIGHT, None, True, 0.5, 0.5),
        bad("RuntimeError", tensor(0, 3, 2), None, None, True, 0.1, 1e-5),
    ],
    tolerance="composed",
)
samples_of(
    "_native_batch_norm_legit_no_training",
    [
        sample(INPUT, WEIGHT, BIAS, MEAN, VARIANCE, 0.25, 1e-5),
        sample(LAST, None, BIAS, MEAN, VARIANCE, 0.5, 0.5),
        sample(INPUT, WEIGHT, None, MEAN, VARIANCE, 0.5, 0.5),
    ],
    tolerance="composed",
)
samples_of(
    "native_batch_norm_backward",
    [
        sample(INPUT, INPUT, WEIGHT, MEAN, VARIANCE, MEAN, VARIANCE, True, 1e-5, [True] * 3, smooth=False),
        sample(INPUT, INPUT, WEIGHT, MEAN, VARIANCE, None, None, False, 0.5, [True] * 3),
        sample(
            LAST, LAST, None, None, None, *STATISTICS, True, 1e-5, [True, False, True], differentiable=False
        ),
        sample(INPUT, INPUT, WEIGHT, MEAN, VARIANCE, None, None, False, 0.5, [False, True, False]),
    ],
    tolerance="composed",
)
samples_of(
    "batch_norm",
    [
        sample(INPUT, WEIGHT, BIAS, None, None, True, 0.25, 1e-5, False),
        sample(INPUT, WEIGHT, BIAS, MEAN, VARIANCE, False, 0.25, 0.5, True),
        sample(LAST, None, None, None, None, True, 0.5, 0.25, False),
        sample(tensor(0, 3, 2), WEIGHT, BIAS, MEAN, VARIANCE, True, 0.5, 0.25, False),
        bad("RuntimeError", INPUT, None, None, None, None, False, 0.1, 1e-5, False),
        bad("RuntimeError", INPUT, None, None, MEAN, None, False, 0.1, 1e-5, False),
        bad("ValueError", INPUT, None, None, MEAN, None, True, 0.1, 1e-5, False),
        bad("RuntimeError", INPUT, tensor(4), None, None, None, True, 0.1, 1e-5, False),
        bad("RuntimeError", INPUT, None, None, tensor(4), tensor(4), False, 0.1, 1e-5, False),
    ],
    tolerance="composed",
)
samples_of(
    "instance_norm",
    [
        sample(INPUT, WEIGHT, BIAS, None, None, True, 0.25, 1e-5, False),
        sample(INPUT, WEIGHT, BIAS, None, None, True, 0.25, 0.5, True),
        sample(LAST, None, None, MEAN, VARIANCE, False, 0.5, 0.25, False),
        bad("RuntimeError", INPUT, None, None, MEAN, None, False, 0.1, 1e-5, False),
        bad("IndexError", tensor(3), None, None, None, None, True, 0.1, 1e-5, False),
        bad("RuntimeError", INPUT, tensor(4), None, None, None, True, 0.1, 1e-5, False),
    ],
    tolerance="composed",
)

SHAPED = tensor(3, 4)
LAYERS = [
    sample(INPUT, [4], tensor(4), tensor(4), eps=1e-5),
    sample(INPUT, [3, 4], SHAPED, None, eps=0.5),
    sample(INPUT, [2, 3, 4], None, tensor(2, 3, 4), eps=1e-3),
    sample(LAST, [2, 2], None, None, eps=1e-5),
    sample(tensor(0, 3), [3], None, None, eps=1e-5),
    sample(INPUT, [4], tensor(4, **WIDE, **DENSE), tensor(4, **WIDE, **DENSE), eps=1e-5, dtypes=HALVES),
    bad("RuntimeError", INPUT, [3], None, None, eps=1e-5),
    bad("RuntimeError", INPUT, [], None, None, eps=1e-5),
    bad("RuntimeError", INPUT, [4], tensor(3), None, eps=1e-5),
    bad("RuntimeError", INPUT, [4], None, tensor(1, 4), eps=1e-5),
    bad("RuntimeError", INPUT, [4], tensor(4, dtype="float64"), None, eps=1e-5),
    bad("RuntimeError", INPUT, [2, 3, 3, 4], None, None, eps=1e-5),
]
samples_of("native_layer_norm layer_norm", LAYERS, tolerance="composed")
samples_of("layer_norm", [sample(INPUT, [4]), sample(INPUT, [4], tensor(4), None, 1e-5, False)])
STATISTIC = tensor(2, 3, 1, grad=False, **DENSE)
SPREAD = tensor(2, 3, 1, values="positive", grad=False, **DENSE)
samples_of(
    "native_layer_norm_backward",
    [
        sample(INPUT, INPUT, [4], STATISTIC, SPREAD, tensor(4), tensor(4), [True] * 3, smooth=False),
        sample(INPUT, INPUT, [4], STATISTIC, SPREAD, None, None, [True, False, False], smooth=False),
        sample(
            INPUT,
            INPUT,
            [3, 4],
            tensor(2, 1, 1, grad=False, **DENSE),
            tensor(2, 1, 1, values="positive", grad=False, **DENSE),
            tensor(3, 4),
            None,
            [True, True, False],
            smooth=False,
        ),
        bad("RuntimeError", INPUT, INPUT, [3], STATISTIC, SPREAD, None, None, [True, False, False]),
    ],
    tolerance="composed",
)
samples_of(
    "rms_norm",
    [
        sample(INPUT, [4]),
        sample(INPUT, [3, 4], tensor(3, 4)),
        sample(INPUT, [4], tensor(4), 0.5),
        sample(LAST, [2, 2], None, 1e-3),
        bad("RuntimeError", INPUT, [3]),
        bad("RuntimeError", INPUT, []),
        bad("RuntimeError", INPUT, [4], tensor(3)),
    ],
    tolerance="composed",
)

HALF_WIDE: Judged = {"dtypes": ("float16", "bfloat16"), "differentiable": False}
samples_of(
    "_fused_rms_norm",
    [
        sample(INPUT, [4], None, 0.5, dtypes=REAL_FLOATS),
        sample(INPUT, [3, 4], tensor(3, 4), None, dtypes=REAL_FLOATS),
        sample(INPUT, [4], tensor(4), 1e-5, dtypes=REAL_FLOATS),
        sample(INPUT, [4], tensor(4, **WIDE), 1e-5, **HALF_WIDE),
        sample(tensor(2, 0), [0], None, 0.5, dtypes=("float32",), differentiable=False),
        sample(tensor(0, 3), [3], None, 0.5, dtypes=("float32",), differentiable=False),
        bad("RuntimeError", INPUT, [4], tensor(3), None),
        bad("NotImplementedError", INPUT, [4], None, None, dtypes=("int64",)),
    ],
    tolerance="composed",
)
GRAD_OUT = tensor(2, 3, 4, seed=5)
ROOT = tensor(2, 3, 1, values="positive")
samples_of(
    "_fused_rms_norm_backward",
    [
        sample(GRAD_OUT, INPUT, [4], ROOT, tensor(4), [True, True], dtypes=("float32", "float64")),
        sample(GRAD_OUT, INPUT, [4], ROOT, None, [True, False], dtypes=("float32", "float64")),
        sample(
            GRAD_OUT,
            INPUT,
            [3, 4],
            tensor(2, 1, 1, values="positive"),
            tensor(3, 4),
            [False, True],
            dtypes=("float32", "float64"),
        ),
        sample(
            GRAD_OUT,
            INPUT,
            [4],
            tensor(2, 3, 1, values="positive", **WIDE),
            tensor(4),
            [True, True],
            **HALF_WIDE,
        ),
        bad("RuntimeError", tensor(2, 3), INPUT, [4], ROOT, None, [True, False]),
    ],
    tolerance="composed",
)

CHANNELS = tensor(2, 4, 3, layout="contiguous")
CHANNELS_LAST = tensor(2, 4, 1, 3, layout="channels_last")
W4, B4 = tensor(4, **DENSE), tensor(4, **DENSE)
samples_of(
    "native_group_norm",
    [
        sample(CHANNELS, W4, B4, 2, 4, 3, 2, 1e-5),
        sample(tensor(2, 0, 3, layout="contiguous"), None, None, 2, 0, 3, 2, 1e-5, differentiable=False),
        sample(CHANNELS, W4, None, 2, 4, 3, 1, 0.5),
        sample(CHANNELS_LAST, W4, None, 2, 4, 3, 4, 1e-5),
        sample(tensor(1, 2, 2, layout="contiguous"), None, None, 1, 2, 2, 2, 0.25),
        sample(
            CHANNELS,
            tensor(4, **WIDE, **DENSE),
            tensor(4, **WIDE, **DENSE),
            2,
            4,
            3,
            2,
            1e-5,
            dtypes=HALVES,
            differentiable=False,
        ),
        bad("RuntimeError", CHANNELS, None, None, 2, 4, 4, 2, 1e-5),
        bad("RuntimeError", tensor(2, 4, 3, layout="transposed"), None, None, 2, 4, 3, 2, 1e-5),
        bad("RuntimeError", CHANNELS, tensor(4, dtype="float64"), None, 2, 4, 3, 2, 1e-5),
    ],
    tolerance="composed",
)
GROUPED_MEAN = tensor(2, 2, grad=False, layout="contiguous")
GROUPED_SPREAD = tensor(2, 2, values="positive", grad=False, layout="contiguous")
samples_of(
    "native_group_norm_backward",
    [
        sample(CHANNELS, CHANNELS, GROUPED_MEAN, GROUPED_SPREAD, W4, 2, 4, 3, 2, [True] * 3, smooth=False),
        sample(
            CHANNELS_LAST,
            CHANNELS_LAST,
            GROUPED_MEAN,
            GROUPED_SPREAD,
            None,
            2,
            4,
            3,
            2,
            [True, False, False],
            smooth=False,
        ),
        sample(
            tensor(1, 2, 4, layout="contiguous"),
            tensor(1, 2, 4, layout="contiguous"),
            tensor(1, 1, grad=False),
            tensor(1, 1, values="positive", grad=False),
            tensor(2),
            1,
            2,
            4,
            1,
            [False, True, True],
            smooth=False,
        ),
    ],
    tolerance="composed",
)
samples_of(
    "group_norm",
    [
        sample(tensor(2, 4, 3), 2),
        sample(tensor(2, 4, 3), 1, W4, B4),
        sample(CHANNELS_LAST, 4, W4, None, 0.5, False),
        sample(tensor(2, 4), 2, None, B4, differentiable=False),
        sample(tensor(0, 4, 2), 2, W4, B4),
        bad("RuntimeError", tensor(2, 4, 3), 3),
        bad("RuntimeError", tensor(2, 4, 3), 0),
        bad("RuntimeError", tensor(2, 4, 3), 2, tensor(3)),
        bad("RuntimeError", tensor(2, 4, 3), 2, None, tensor(3)),
        bad("IndexError", tensor(4), 2),
    ],
    tolerance="composed",
)
