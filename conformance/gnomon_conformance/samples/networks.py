"""Samples of convolution, pooling and losses."""

from ..description import bad, sample, tensor
from . import samples_of

ONE = (
    [1, 1],
    [0, 0],
    [1, 1],
    False,
    [0, 0],
    1,
)  # stride, padding, dilation, transposed, output_padding, groups
IMAGE = tensor(1, 2, 4, 4)
CALLS = [
    (IMAGE, tensor(3, 2, 3, 3), tensor(3), *ONE),
    (IMAGE, tensor(2, 2, 2, 3), None, [2, 1], [1, 0], [1, 1], False, [0, 0], 1),
    (IMAGE, tensor(2, 2, 2, 2), tensor(2), [1, 1], [0, 1], [2, 1], False, [0, 0], 1),
    (IMAGE, tensor(4, 1, 2, 2), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 2),
    (tensor(1, 2, 2, 2), tensor(2, 2, 2, 2), tensor(2), [2, 2], [0, 0], [1, 1], True, [1, 0], 1),
    (tensor(2, 2, 4), tensor(2, 2, 3), tensor(2), [1], [1], [1], False, [0], 1),
]
samples_of("convolution", [sample(*call) for call in CALLS])
samples_of(
    "convolution",
    [
        sample(
            tensor(1, 1, 2, 2, 2), tensor(1, 1, 2, 2, 2), None, [1] * 3, [0] * 3, [1] * 3, False, [0] * 3, 1
        )
    ],
)
samples_of("convolution", [sample(tensor(0, 2, 4, 4), tensor(3, 2, 3, 3), None, *ONE)])
samples_of(
    "convolution",
    [
        bad("RuntimeError", IMAGE, tensor(3, 1, 3, 3), None, *ONE),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), tensor(2), *ONE),
        bad("RuntimeError", IMAGE, tensor(3, 2, 5, 5), None, *ONE),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, [0, 1], *ONE[1:]),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, [1, 1], [-1, 0], *ONE[2:]),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3, dtype="float64"), None, *ONE),
        bad("RuntimeError", tensor(2, 4), tensor(3, 2, 3, 3), None, *ONE),
    ],
)
samples_of(
    "convolution_backward",
    [
        sample(tensor(1, 3, 2, 2), IMAGE, tensor(3, 2, 3, 3), [3], *ONE, [True, True, True]),
        sample(tensor(1, 3, 2, 2), IMAGE, tensor(3, 2, 3, 3), None, *ONE, [False, True, False]),
        sample(
            tensor(1, 2, 3, 2),
            IMAGE,
            tensor(2, 2, 2, 3),
            None,
            [2, 1],
            [1, 0],
            [1, 1],
            False,
            [0, 0],
            1,
            [True, False, False],
        ),
        sample(
            tensor(1, 2, 2, 5),
            IMAGE,
            tensor(2, 2, 2, 2),
            [2],
            [1, 1],
            [0, 1],
            [2, 1],
            False,
            [0, 0],
            1,
            [True, True, True],
        ),
        sample(
            tensor(1, 4, 3, 3),
            IMAGE,
            tensor(4, 1, 2, 2),
            None,
            [1, 1],
            [0, 0],
            [1, 1],
            False,
            [0, 0],
            2,
            [True, True, False],
        ),
        sample(
            tensor(1, 2, 5, 4),
            tensor(1, 2, 2, 2),
            tensor(2, 2, 2, 2),
            [2],
            [2, 2],
            [0, 0],
            [1, 1],
            True,
            [1, 0],
            1,
            [True, True, True],
        ),
    ],
)


def convolutions(dims: int):
    """Every argument of conv1d, conv2d or conv3d moved."""
    size = {1: (6,), 2: (4, 4), 3: (3, 3, 3)}[dims]
    kernel = {1: (3,), 2: (3, 3), 3: (2, 2, 2)}[dims]
    input, weight = tensor(1, 2, *size), tensor(2, 2, *kernel)
    small = tensor(2, 2, *[2] * dims)
    return [
        sample(input, weight),
        sample(input, weight, tensor(2)),
        sample(input, weight, None, [2] * dims),
        sample(input, weight, tensor(2), [1] * dims, [1] * dims),
        sample(input, small, None, [1], [0], [2] * dims),
        sample(input, tensor(4, 1, *kernel), None, [1], [0], [1], 2),
        sample(tensor(2, *size), weight),
        bad("RuntimeError", tensor(1, 3, *size), weight),
        bad("RuntimeError", tensor(*size), weight),
        bad("RuntimeError", input, weight, None, [1] * (dims + 2)),
    ]


def padded(dims: int):
    """Padding by name."""
    size = {1: (6,), 2: (4, 4), 3: (3, 3, 3)}[dims]
    input, weight, even = tensor(1, 2, *size), tensor(2, 2, *[3] * dims), tensor(2, 2, *[2] * dims)
    return [
        sample(input, even, None, [1], "valid"),
        sample(input, weight, tensor(2), [1], "same"),
        sample(input, even, None, [1], "same", [2] * dims),
        sample(input, even, None, [2]),
        sample(input, tensor(4, 1, *[2] * dims), None, [1], "valid", [1], 2),
        bad("RuntimeError", input, weight, None, [2], "same"),
        bad("RuntimeError", input, weight, None, [1], "full"),
    ]


for _dims in (1, 2, 3):
    samples_of(f"conv{_dims}d", convolutions(_dims))
    samples_of(f"conv{_dims}d.padding", padded(_dims))

PLANE = tensor(1, 2, 5, 4, values="distinct")
POOLS = [
    sample(PLANE, [2, 2]),
    sample(PLANE, [2]),
    sample(PLANE, [3, 2], [1, 2]),
    sample(PLANE, [3, 3], [2, 1], [1, 1]),
    sample(PLANE, [2, 2], [1, 1], [0, 0], [2, 1]),
    sample(PLANE, [2, 2], [2, 2], [0, 0], [1, 1], True),
    sample(PLANE, [3, 3], [2, 2], [1, 1], [1, 1], True),
    sample(tensor(2, 4, 4, values="distinct"), [2, 2]),
    sample(tensor(1, 1, 2, 7, values="special"), [2, 2], differentiable=False),
    bad("RuntimeError", tensor(4, 4), [2, 2]),
    bad("RuntimeError", PLANE, [2, 2], [1, 1], [2, 2]),
    bad("RuntimeError", PLANE, [6, 6]),
    bad("RuntimeError", PLANE, [2, 2, 2]),
    bad("RuntimeError", PLANE, [0, 2]),
]
samples_of("max_pool2d max_pool2d_with_indices", POOLS)
samples_of(
    "max_pool2d_with_indices_backward",
    [
        sample(
            tensor(1, 2, 2, 2),
            tensor(1, 2, 5, 4),
            [2, 2],
            [2, 2],
            [0, 0],
            [1, 1],
            False,
            tensor(1, 2, 2, 2, dtype="int64", values="below 20"),
        ),
        sample(
            tensor(1, 2, 3, 4),
            tensor(1, 2, 5, 4),
            [3, 3],
            [2, 1],
            [1, 1],
            [1, 1],
            False,
            tensor(1, 2, 3, 4, dtype="int64", values="below 20"),
        ),
        sample(
            tensor(1, 2, 4, 2),
            tensor(1, 2, 5, 4),
            [2, 3],
            [1, 1],
            [0, 0],
            [1, 1],
            False,
            tensor(1, 2, 4, 2, dtype="int64", values="below 20"),
        ),
        sample(
            tensor(1, 2, 3, 2),
            tensor(1, 2, 5, 4),
            [2, 2],
            [2, 2],
            [0, 0],
            [1, 1],
            True,
            tensor(1, 2, 3, 2, dtype="int64", values="below 20"),
        ),
        sample(
            tensor(1, 2, 3, 3),
            tensor(1, 2, 5, 4),
            [2, 2],
            [1, 1],
            [0, 0],
            [2, 1],
            False,
            tensor(1, 2, 3, 3, dtype="int64", values="below 20"),
        ),
    ],
)

TARGET = tensor(3, dtype="int64", values="below 4")
LOGITS = tensor(3, 4)
WEIGHT = tensor(4, values="positive", grad=False)
TOTAL_WEIGHT = tensor(values="positive", grad=False)
NONE, MEAN, SUM = 0, 1, 2
samples_of(
    "nll_loss_forward", [sample(LOGITS, TARGET, None, reduction, -100) for reduction in (NONE, MEAN, SUM)]
)
samples_of(
    "nll_loss_forward", [sample(LOGITS, TARGET, WEIGHT, reduction, 1) for reduction in (NONE, MEAN, SUM)]
)
samples_of("nll_loss_forward", [sample(tensor(4), tensor(dtype="int64", values="below 4"), None, MEAN, -100)])
samples_of(
    "nll_loss_backward",
    [
        sample(tensor(), LOGITS, TARGET, None, MEAN, -100, TOTAL_WEIGHT, smooth=False),
        sample(tensor(), LOGITS, TARGET, WEIGHT, SUM, 1, TOTAL_WEIGHT, smooth=False),
        sample(tensor(3), LOGITS, TARGET, WEIGHT, NONE, -100, TOTAL_WEIGHT, smooth=False),
    ],
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [sample(LOGITS, TARGET), sample(LOGITS, TARGET, WEIGHT), sample(LOGITS, TARGET, None, SUM)],
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [sample(LOGITS, TARGET, WEIGHT, NONE), sample(LOGITS, TARGET, None, MEAN, 1)],
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [sample(tensor(4), tensor(dtype="int64", values="below 4")), sample(LOGITS, TARGET, WEIGHT, MEAN, 2)],
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [
        bad("ValueError", LOGITS, tensor(2, dtype="int64", values="below 4")),
        bad("RuntimeError", LOGITS, TARGET, tensor(3)),
        bad(
            "IndexError",
            tensor(3, 1, layout="contiguous"),
            tensor(3, dtype="int64", values="positive", layout="contiguous"),
        ),
    ],
)
samples_of(
    "cross_entropy_loss",
    [sample(LOGITS, TARGET, label_smoothing=0.25), sample(LOGITS, TARGET, WEIGHT, SUM, -100, 0.5)],
)
samples_of(
    "cross_entropy_loss",
    [
        sample(LOGITS, tensor(3, 4, values="positive")),
        sample(LOGITS, tensor(3, 4, values="positive"), WEIGHT, NONE),
    ],
)
samples_of("cross_entropy_loss", [bad("RuntimeError", LOGITS, TARGET, label_smoothing=2.0)])
PAIR = (tensor(2, 3), tensor(2, 3))
samples_of("mse_loss l1_loss", [sample(*PAIR, reduction) for reduction in (NONE, MEAN, SUM)])
samples_of(
    "mse_loss l1_loss",
    [
        sample(tensor(2, 3), tensor(3), differentiable=False),
        sample(tensor(), tensor(), NONE),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
)
