"""Samples of convolution."""

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

LAST = tensor(2, 2, 3, 4, layout="channels_last")
VOLUME_LAST = tensor(1, 2, 2, 3, 2, layout="channels_last")
ALL = [True, True, True]
samples_of(
    "convolution",
    [
        sample(LAST, tensor(2, 2, 2, 2), tensor(2), *ONE),
        sample(tensor(1, 2, 3, 3), tensor(2, 2, 2, 2, layout="channels_last"), None, *ONE),
        sample(VOLUME_LAST, tensor(2, 2, 2, 2, 1), None, [1] * 3, [0] * 3, [1] * 3, False, [0] * 3, 1),
        sample(tensor(1, 4, 2, 2), tensor(4, 1, 2, 2), None, [2, 1], [1, 0], [1, 2], True, [0, 0], 2),
        sample(tensor(1, 2, 3), tensor(2, 1, 2), tensor(1), [2], [1], [1], True, [1], 1),
        sample(
            tensor(1, 1, 2, 1, 2), tensor(1, 1, 2, 2, 1), None, [2] * 3, [0] * 3, [1] * 3, True, [1, 0, 0], 1
        ),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *ONE[:3], False, [0, 0], 0),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *ONE[:2], [0, 1], *ONE[3:]),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *ONE[:3], True, [0, 0], 1),
    ],
)
samples_of(
    "convolution_backward",
    [
        sample(tensor(2, 2, 2, 3), LAST, tensor(2, 2, 2, 2), [2], *ONE, ALL),
        sample(
            tensor(1, 2, 1, 2, 2),
            VOLUME_LAST,
            tensor(2, 2, 2, 2, 1),
            [2],
            [1] * 3,
            [0] * 3,
            [1] * 3,
            False,
            [0] * 3,
            1,
            ALL,
        ),
        sample(tensor(2, 2, 2), tensor(2, 2, 4), tensor(2, 2, 3), [2], [1], [0], [1], False, [0], 1, ALL),
        sample(
            tensor(1, 2, 2, 4),
            tensor(1, 4, 2, 2),
            tensor(4, 1, 2, 2),
            None,
            [2, 1],
            [1, 0],
            [1, 2],
            True,
            [0, 0],
            2,
            ALL,
        ),
    ],
)


def transposed(dims: int):
    """Every argument of conv_transpose1d, 2d or 3d moved."""
    size = {1: (4,), 2: (2, 3), 3: (2, 1, 2)}[dims]
    kernel = {1: (3,), 2: (2, 2), 3: (1, 2, 2)}[dims]
    input, weight = tensor(1, 2, *size), tensor(2, 3, *kernel)
    return [
        sample(input, weight),
        sample(input, weight, tensor(3)),
        sample(input, weight, None, [2]),
        sample(input, weight, tensor(3), [1] * dims, [1] * dims if dims < 3 else [0, 0, 1]),
        sample(input, weight, None, [2] * dims, [0], [1] * dims),
        sample(input, weight, None, [1], [0], [0], 2),
        sample(input, weight, None, [1], [0], [0], 1, [2] * dims),
        sample(tensor(2, *size), weight),
        bad("RuntimeError", tensor(1, 3, *size), weight),
        bad("RuntimeError", tensor(*size), weight),
        bad("RuntimeError", input, weight, tensor(2)),
        bad("RuntimeError", input, weight, None, [1] * (dims + 2)),
        bad("RuntimeError", input, weight, None, [1], [-1]),
        bad("RuntimeError", input, weight, None, [2], [0], [2]),
    ]


for _dims, _overload in ((1, ""), (2, ".input"), (3, ".input")):
    samples_of(f"conv_transpose{_dims}d{_overload}", transposed(_dims), tolerance="terms")
