"""Samples of convolution."""

from ..inputs.description import bad, sample, tensor
from . import samples_of


def options(
    stride: list[int] | None = None,
    padding: list[int] | None = None,
    dilation: list[int] | None = None,
    transposed: bool = False,
    output_padding: list[int] | None = None,
    groups: int = 1,
    dims: int = 2,
):
    """The operators' last six arguments; by default lists of 1 (stride, dilation) or 0."""
    ones, zeros = [1] * dims, [0] * dims
    return (stride or ones, padding or zeros, dilation or ones, transposed, output_padding or zeros, groups)


IMAGE = tensor(1, 2, 4, 4)
CALLS = [
    (IMAGE, tensor(3, 2, 3, 3), tensor(3), *options()),
    (IMAGE, tensor(2, 2, 2, 3), None, *options([2, 1], [1, 0])),
    (IMAGE, tensor(2, 2, 2, 2), tensor(2), *options(None, [0, 1], [2, 1])),
    (IMAGE, tensor(4, 1, 2, 2), None, *options(groups=2)),
    (
        tensor(1, 2, 2, 2),
        tensor(2, 2, 2, 2),
        tensor(2),
        *options([2, 2], transposed=True, output_padding=[1, 0]),
    ),
    (tensor(2, 2, 4), tensor(2, 2, 3), tensor(2), *options([1], [1], dims=1)),
    (tensor(1, 1, 2, 2, 2), tensor(1, 1, 2, 2, 2), None, *options(dims=3)),
    (tensor(0, 2, 4, 4), tensor(3, 2, 3, 3), None, *options()),
]
samples_of("convolution", [sample(*call) for call in CALLS], tolerance="terms")
samples_of(
    "convolution",
    [
        bad("RuntimeError", IMAGE, tensor(3, 1, 3, 3), None, *options()),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), tensor(2), *options()),
        bad("RuntimeError", IMAGE, tensor(3, 2, 5, 5), None, *options()),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *options([0, 1])),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *options(padding=[-1, 0])),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3, dtype="float64"), None, *options()),
        bad("RuntimeError", tensor(2, 4), tensor(3, 2, 3, 3), None, *options()),
    ],
)
ALL = [True, True, True]  # output_mask
samples_of(
    "convolution_backward",
    [
        sample(tensor(1, 3, 2, 2), IMAGE, tensor(3, 2, 3, 3), [3], *options(), ALL),
        sample(tensor(1, 3, 2, 2), IMAGE, tensor(3, 2, 3, 3), None, *options(), [False, True, False]),
        sample(
            tensor(1, 2, 3, 2),
            IMAGE,
            tensor(2, 2, 2, 3),
            None,
            *options([2, 1], [1, 0]),
            [True, False, False],
        ),
        sample(tensor(1, 2, 2, 5), IMAGE, tensor(2, 2, 2, 2), [2], *options(None, [0, 1], [2, 1]), ALL),
        sample(tensor(1, 4, 3, 3), IMAGE, tensor(4, 1, 2, 2), None, *options(groups=2), [True, True, False]),
        sample(
            tensor(1, 2, 5, 4),
            tensor(1, 2, 2, 2),
            tensor(2, 2, 2, 2),
            [2],
            *options([2, 2], transposed=True, output_padding=[1, 0]),
            ALL,
        ),
    ],
    tolerance="composed",
)


def convolutions(dims: int):
    """Samples of conv1d, conv2d or conv3d that vary every argument."""
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
    """Samples with padding given by name."""
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
    samples_of(f"conv{_dims}d", convolutions(_dims), tolerance="terms")
    samples_of(f"conv{_dims}d.padding", padded(_dims), tolerance="terms")

LAST = tensor(2, 2, 3, 4, layout="channels_last")
VOLUME_LAST = tensor(1, 2, 2, 3, 2, layout="channels_last")
samples_of(
    "convolution",
    [
        sample(LAST, tensor(2, 2, 2, 2), tensor(2), *options()),
        sample(tensor(1, 2, 3, 3), tensor(2, 2, 2, 2, layout="channels_last"), None, *options()),
        sample(VOLUME_LAST, tensor(2, 2, 2, 2, 1), None, *options(dims=3)),
        sample(
            tensor(1, 4, 2, 2),
            tensor(4, 1, 2, 2),
            None,
            *options([2, 1], [1, 0], [1, 2], True, groups=2),
        ),
        sample(
            tensor(1, 2, 3),
            tensor(2, 1, 2),
            tensor(1),
            *options([2], [1], transposed=True, output_padding=[1], dims=1),
        ),
        sample(
            tensor(1, 1, 2, 1, 2),
            tensor(1, 1, 2, 2, 1),
            None,
            *options([2] * 3, transposed=True, output_padding=[1, 0, 0], dims=3),
        ),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *options(groups=0)),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *options(dilation=[0, 1])),
        bad("RuntimeError", IMAGE, tensor(3, 2, 3, 3), None, *options(transposed=True)),
    ],
)
samples_of(
    "convolution_backward",
    [
        sample(tensor(2, 2, 2, 3), LAST, tensor(2, 2, 2, 2), [2], *options(), ALL),
        sample(tensor(1, 2, 1, 2, 2), VOLUME_LAST, tensor(2, 2, 2, 2, 1), [2], *options(dims=3), ALL),
        sample(tensor(2, 2, 2), tensor(2, 2, 4), tensor(2, 2, 3), [2], *options(dims=1), ALL),
        sample(
            tensor(1, 2, 2, 4),
            tensor(1, 4, 2, 2),
            tensor(4, 1, 2, 2),
            None,
            *options([2, 1], [1, 0], [1, 2], True, groups=2),
            ALL,
        ),
    ],
)


TIME = tensor(5, 2, 3)
samples_of(
    "conv_tbc",
    [
        sample(TIME, tensor(2, 3, 4), tensor(4)),
        sample(TIME, tensor(3, 3, 2), tensor(2), 1),
        sample(TIME, tensor(1, 3, 1), tensor(1), pad=2),
        bad("RuntimeError", tensor(5, 3), tensor(2, 3, 4), tensor(4)),
        bad("RuntimeError", TIME, tensor(3, 4), tensor(4)),
        bad("RuntimeError", TIME, tensor(2, 3, 4), tensor(1, 4)),
        bad("RuntimeError", TIME, tensor(2, 2, 4), tensor(4)),
        bad("RuntimeError", TIME, tensor(2, 3, 4), tensor(3)),
    ],
    tolerance="terms",
)


def transposed(dims: int):
    """Samples of conv_transpose1d, 2d or 3d that vary every argument."""
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
    _name = f"conv_transpose{_dims}d{_overload}"
    samples_of(_name, transposed(_dims), tolerance="terms")
    # with more output padding than a kernel of one element reaches
    _point = tensor(2, 3, *[1] * _dims)
    _call = (tensor(1, 2, *range(2, 2 + _dims)), _point, tensor(3), [1], [0], [2] * _dims, 1, [3] * _dims)
    samples_of(_name, [sample(*_call)])
