"""Samples of pooling and adaptive pooling."""

from ..inputs.description import REAL_FLOATS, TensorDescription, bad, given, sample, tensor
from . import samples_of

PLANE = tensor(1, 2, 5, 4, values="distinct")
VOLUME = tensor(1, 2, 3, 2, 4, values="distinct")
CHANNELS_LAST = tensor(2, 3, 3, 4, values="distinct", layout="channels_last")
VOLUME_LAST = tensor(2, 3, 2, 3, 2, values="distinct", layout="channels_last")
MAXIMA = [
    sample(PLANE, [2, 2]),
    sample(PLANE, [2]),
    sample(PLANE, [3, 2], [1, 2]),
    sample(PLANE, [3, 3], [2, 1], [1, 1]),
    sample(PLANE, [2, 2], [1, 1], [0, 0], [2, 1]),
    sample(PLANE, [2, 2], [2, 2], [0, 0], [1, 1], True),
    sample(PLANE, [3, 3], [2, 2], [1, 1], [1, 1], True),
    sample(CHANNELS_LAST, [2, 2], [1, 2]),
    sample(tensor(2, 4, 4, values="distinct"), [2, 2]),
    sample(tensor(1, 1, 2, 7, values="special"), [2, 2], differentiable=False),
    sample(tensor(0, 1, 2, 3), [2, 2], dtypes=REAL_FLOATS),
    sample(tensor(1, 2, 2, 1, values="distinct"), [2, 2], [2, 2], [1, 1], [2, 2], differentiable=False),
    bad("RuntimeError", tensor(4, 4), [2, 2]),
    bad("RuntimeError", tensor(1, 0, 4, 4), [2, 2]),
    bad("RuntimeError", PLANE, [2, 2], [1, 1], [2, 2]),
    bad("RuntimeError", PLANE, [2, 2], [1, 1], [-1, 0]),
    bad("RuntimeError", PLANE, [6, 6]),
    bad("RuntimeError", PLANE, [2, 2, 2]),
    bad("RuntimeError", PLANE, [0, 2]),
    bad("RuntimeError", PLANE, [2, 2], [0, 1]),
]
samples_of("max_pool2d max_pool2d_with_indices", MAXIMA, tolerance="choice")
samples_of(
    "max_pool3d max_pool3d_with_indices",
    [
        sample(VOLUME, [2, 2, 2]),
        sample(VOLUME, [2]),
        sample(VOLUME, [1, 2, 3], [2, 1, 1], [0, 1, 1]),
        sample(VOLUME, [2, 1, 2], [1, 1, 1], [0, 0, 0], [2, 1, 3]),
        sample(VOLUME, [2, 2, 3], [2, 2, 2], [0, 1, 1], [1, 1, 1], True),
        sample(VOLUME_LAST, [2, 2, 2], [1, 1, 1]),
        sample(tensor(2, 2, 3, 2, values="distinct"), [2, 2, 2]),
        sample(tensor(1, 1, 1, 2, 7, values="special"), [1, 2, 2], differentiable=False),
        bad("RuntimeError", tensor(2, 4, 4), [2, 2, 2]),
        bad("RuntimeError", tensor(1, 2, 0, 4, 4), [2, 2, 2]),
        bad("RuntimeError", VOLUME, [2, 2, 2], [1], [2, 2, 2]),
        bad("RuntimeError", VOLUME, [2, 2]),
        bad("RuntimeError", VOLUME, [6]),
        bad("RuntimeError", VOLUME, [2], [0]),
    ],
    tolerance="choice",
)
LINE = tensor(2, 2, 7, values="distinct")
samples_of(
    "max_pool1d max_pool1d_with_indices",
    [
        sample(LINE, [2]),
        sample(LINE, [3], [1]),
        sample(LINE, [3], [2], [1]),
        sample(LINE, [2], [1], [0], [3]),
        sample(LINE, [3], [3], [1], [1], True),
        sample(tensor(2, 5, values="distinct"), [2]),
        sample(tensor(1, 1, 14, values="special"), [2], differentiable=False),
        bad("RuntimeError", tensor(5), [2]),
        bad("RuntimeError", LINE, [8]),
        bad("RuntimeError", LINE, [2], [2], [2]),
        bad("RuntimeError", LINE, [2, 2]),
    ],
    tolerance="choice",
)


def chosen(*sizes: int, of: int):
    """Indices into a plane of ``of`` elements.

    Those of volumes are contiguous: PyTorch's adaptive_max_pool3d_backward assumes that without checking.
    """
    return tensor(
        *sizes, dtype="int64", values=f"below {of}", layout="contiguous" if len(sizes) == 5 else None
    )


samples_of(
    "max_pool2d_with_indices_backward",
    [
        sample(tensor(1, 2, *pooled), tensor(1, 2, 5, 4), *window, chosen(1, 2, *pooled, of=20))
        for pooled, window in (
            ((2, 2), ([2, 2], [2, 2], [0, 0], [1, 1], False)),
            ((3, 4), ([3, 3], [2, 1], [1, 1], [1, 1], False)),
            ((4, 2), ([2, 3], [1, 1], [0, 0], [1, 1], False)),
            ((3, 2), ([2, 2], [2, 2], [0, 0], [1, 1], True)),
            ((3, 3), ([2, 2], [1, 1], [0, 0], [2, 1], False)),
        )
    ]
    + [
        sample(
            tensor(2, 3, 1, 2), CHANNELS_LAST, [2, 2], [], [0, 0], [1, 1], False, chosen(2, 3, 1, 2, of=12)
        ),
        bad(
            "RuntimeError",
            tensor(1, 2, 2, 3),
            tensor(1, 2, 5, 4),
            [2, 2],
            [2, 2],
            [0, 0],
            [1, 1],
            False,
            chosen(1, 2, 2, 2, of=20),
        ),
    ],
    tolerance="terms",
)
samples_of(
    "max_pool3d_with_indices_backward",
    [
        sample(tensor(1, 2, *pooled), VOLUME, *window, chosen(1, 2, *pooled, of=24))
        for pooled, window in (
            ((1, 1, 2), ([2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False)),
            ((2, 3, 2), ([1, 2, 3], [2, 1, 2], [0, 1, 1], [1, 1, 1], False)),
            ((2, 1, 2), ([2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], True)),
            ((1, 2, 1), ([2, 1, 2], [1, 1, 1], [0, 0, 0], [2, 1, 3], False)),
        )
    ]
    + [
        sample(tensor(2, 3, 1, 1, 1), VOLUME_LAST, [2], [], [0], [1], False, chosen(2, 3, 1, 1, 1, of=12)),
        bad(
            "RuntimeError",
            tensor(1, 3, 1, 1, 2),
            VOLUME,
            [2],
            [2],
            [0],
            [1],
            False,
            chosen(1, 3, 1, 1, 2, of=4),
        ),
    ],
    tolerance="terms",
)

samples_of(
    "avg_pool2d",
    [
        sample(PLANE, [2, 2]),
        sample(PLANE, [2]),
        sample(PLANE, [3, 2], [1, 2]),
        sample(PLANE, [3, 3], [2, 1], [1, 1]),
        sample(PLANE, [3, 3], [2, 1], [1, 1], False, False),
        sample(PLANE, [2, 2], [2, 2], [1, 0], True),
        sample(PLANE, [2, 3], [2, 2], [0, 1], True, False),
        sample(PLANE, [2, 2], [1, 1], [0, 0], False, True, 3),
        sample(CHANNELS_LAST, [2, 2], [1, 2]),
        sample(tensor(2, 4, 4), [2, 2]),
        sample(tensor(1, 1, 2, 7, values="special"), [2, 2], [1, 1], differentiable=False),
        sample(tensor(0, 1, 2, 3), [2, 2], dtypes=REAL_FLOATS),
        bad("IndexError", tensor(4, 4), [2, 2]),
        bad("RuntimeError", PLANE, [2, 2], [1, 1], [2, 2]),
        bad("RuntimeError", PLANE, [6, 6]),
        bad("RuntimeError", PLANE, [2, 2, 2]),
        bad("RuntimeError", PLANE, [2, 2], [0, 1]),
        bad("RuntimeError", PLANE, [2, 2], [1, 1], [0, 0], False, True, 0),
    ],
    tolerance="terms",
)
samples_of(
    "avg_pool2d_backward",
    [
        sample(tensor(1, 2, *pooled), tensor(1, 2, 5, 4), *window)
        for pooled, window in (
            ((2, 2), ([2, 2], [], [0, 0], False, True, None)),
            ((3, 4), ([3, 3], [2, 1], [1, 1], False, True, None)),
            ((3, 4), ([3, 3], [2, 1], [1, 1], False, False, None)),
            ((3, 2), ([2, 2], [2, 2], [1, 0], True, True, None)),
            ((4, 3), ([2, 2], [1, 1], [0, 0], False, True, 3)),
        )
    ]
    + [
        sample(tensor(2, 3, 2, 2), CHANNELS_LAST, [2, 2], [1, 2], [0, 0], False, True, None),
        bad("RuntimeError", tensor(1, 2, 2, 3), PLANE, [2, 2], [], [0, 0], False, True, None),
    ],
    tolerance="terms",
)
samples_of(
    "avg_pool3d",
    [
        sample(VOLUME, [2, 2, 2]),
        sample(VOLUME, [2]),
        sample(VOLUME, [1, 2, 3], [2, 1, 1], [0, 1, 1]),
        sample(VOLUME, [1, 2, 3], [2, 1, 1], [0, 1, 1], False, False),
        sample(VOLUME, [2, 2, 3], [2, 2, 2], [0, 1, 1], True),
        sample(VOLUME, [2, 1, 2], [1, 1, 1], [0, 0, 0], False, True, 3),
        sample(VOLUME_LAST, [2, 2, 2], [1, 1, 1]),
        sample(tensor(2, 2, 3, 2), [2, 2, 2]),
        bad("RuntimeError", tensor(2, 4, 4), [2, 2, 2]),
        bad("RuntimeError", VOLUME, [2, 2, 2], [1], [2, 2, 2]),
        bad("RuntimeError", VOLUME, [2, 2]),
        bad("RuntimeError", VOLUME, [6]),
        bad("RuntimeError", VOLUME, [2, 3, 2], [1], [0, 1, 0]),
        bad("RuntimeError", VOLUME, [2], [0]),
        bad("RuntimeError", VOLUME, [2], [1], [0], False, True, 0),
    ],
    tolerance="terms",
)
samples_of(
    "avg_pool3d_backward",
    [
        sample(tensor(1, 2, *pooled), VOLUME, *window)
        for pooled, window in (
            ((1, 1, 2), ([2, 2, 2], [], [0, 0, 0], False, True, None)),
            ((2, 3, 4), ([1, 2, 3], [2, 1, 1], [0, 1, 1], False, True, None)),
            ((2, 3, 4), ([1, 2, 3], [2, 1, 1], [0, 1, 1], False, False, None)),
            ((2, 1, 2), ([2, 2, 2], [2, 2, 2], [0, 0, 0], True, True, None)),
            ((2, 2, 3), ([2, 1, 2], [1, 1, 1], [0, 0, 0], False, True, 3)),
        )
    ]
    + [
        sample(tensor(2, 3, 1, 1, 1), VOLUME_LAST, [2], [], [0], False, True, None),
        bad("RuntimeError", tensor(1, 2, 1, 1, 1), VOLUME, [2], [], [0], False, True, None),
    ],
    tolerance="terms",
)
samples_of(
    "avg_pool1d",
    [
        sample(LINE, [2]),
        sample(LINE, [3], [1]),
        sample(LINE, [3], [2], [1]),
        sample(LINE, [3], [3], [1], True),
        sample(LINE, [3], [2], [1], False, False),
        sample(tensor(2, 5), [2]),
        bad("RuntimeError", tensor(5), [2]),
        bad("RuntimeError", LINE, [8]),
        bad("RuntimeError", LINE, [2], [2], [2]),
        bad("RuntimeError", LINE, [2, 2]),
    ],
    tolerance="terms",
)

ADAPTIVE = [
    sample(PLANE, [2, 3]),
    sample(PLANE, [1, 2]),
    sample(PLANE, [6, 4]),
    sample(CHANNELS_LAST, [2, 2]),
    sample(tensor(2, 4, 3, values="distinct"), [3, 2]),
    sample(PLANE, [0, 2], dtypes=REAL_FLOATS),
    sample(tensor(1, 1, 2, 7, values="special"), [2, 3], differentiable=False),
    sample(tensor(0, 1, 2, 3), [2, 2], dtypes=REAL_FLOATS),
    bad("RuntimeError", tensor(4, 4), [2, 2]),
    bad("RuntimeError", tensor(1, 2, 0, 4), [2, 2]),
    bad("RuntimeError", PLANE, [2]),
    bad("RuntimeError", PLANE, [-1, 2]),
]
ADAPTIVE_3D = [
    sample(VOLUME, [2, 2, 3]),
    sample(VOLUME, [4, 1, 2]),
    sample(VOLUME_LAST, [2, 2, 1]),
    sample(tensor(2, 2, 3, 2, values="distinct"), [1, 2, 2]),
    sample(VOLUME, [0, 2, 1], dtypes=REAL_FLOATS),
    bad("RuntimeError", tensor(2, 4, 4), [2, 2, 2]),
    bad("RuntimeError", tensor(1, 2, 0, 4, 2), [2, 2, 2]),
    bad("RuntimeError", VOLUME, [2]),
]
WHOLE = [
    sample(PLANE, [1, 1]),
    sample(CHANNELS_LAST, [1, 1]),
    sample(tensor(2, 3, 3, values="distinct"), [1, 1]),
]
WHOLE_3D = [sample(VOLUME, [1, 1, 1]), sample(VOLUME_LAST, [1, 1, 1])]
samples_of("_adaptive_avg_pool2d", ADAPTIVE, tolerance="terms")
samples_of("adaptive_avg_pool2d", ADAPTIVE + WHOLE, tolerance="terms")
samples_of("adaptive_max_pool2d", ADAPTIVE + WHOLE, tolerance="choice")
samples_of("_adaptive_avg_pool3d", ADAPTIVE_3D, tolerance="terms")
samples_of("adaptive_avg_pool3d", ADAPTIVE_3D + WHOLE_3D, tolerance="terms")
samples_of("adaptive_max_pool3d", ADAPTIVE_3D + WHOLE_3D, tolerance="choice")
for _name, _tolerance in (("adaptive_avg_pool1d", "terms"), ("adaptive_max_pool1d", "choice")):
    samples_of(
        _name,
        [
            sample(LINE, [3]),
            sample(LINE, [1]),
            sample(tensor(2, 5, values="distinct"), [6]),
            bad("RuntimeError", tensor(5), [2]),
            bad("RuntimeError", tensor(1, 2, 0), [2]),
            bad("RuntimeError", LINE, [2, 2]),
        ],
        tolerance=_tolerance,
    )
samples_of(
    "_adaptive_avg_pool2d_backward",
    [
        sample(tensor(1, 2, 2, 3), PLANE),
        sample(tensor(1, 2, 6, 1), PLANE),
        sample(tensor(2, 3, 2, 2), CHANNELS_LAST),
        sample(tensor(2, 3, 2), tensor(2, 4, 3)),
        bad("RuntimeError", tensor(1, 2, 0, 3), PLANE),
        bad("RuntimeError", tensor(2, 3), PLANE),
        bad("RuntimeError", tensor(1, 2, 2, 3, dtype="float64"), PLANE),
    ],
    tolerance="terms",
)
samples_of(
    "_adaptive_avg_pool3d_backward",
    [
        sample(tensor(1, 2, 2, 2, 3), VOLUME),
        sample(tensor(2, 3, 2, 2, 1), VOLUME_LAST),
        sample(tensor(2, 1, 2, 2), tensor(2, 2, 3, 2)),
        bad("RuntimeError", tensor(1, 2, 0, 3, 2), VOLUME),
        bad("RuntimeError", tensor(2, 3), VOLUME),
    ],
    tolerance="terms",
)
samples_of(
    "adaptive_max_pool2d_backward",
    [
        sample(tensor(1, 2, 2, 3), PLANE, chosen(1, 2, 2, 3, of=20)),
        sample(tensor(2, 3, 2, 2), CHANNELS_LAST, chosen(2, 3, 2, 2, of=12)),
        sample(tensor(2, 3, 2), tensor(2, 4, 3), chosen(2, 3, 2, of=12)),
        bad("RuntimeError", tensor(1, 2, 0, 3), PLANE, chosen(1, 2, 0, 3, of=4)),
        bad("RuntimeError", tensor(1, 2, 2, 3, dtype="float64"), PLANE, chosen(1, 2, 2, 3, of=4)),
    ],
    tolerance="terms",
)
samples_of(
    "adaptive_max_pool3d_backward",
    [
        sample(tensor(1, 2, 2, 2, 3), VOLUME, chosen(1, 2, 2, 2, 3, of=24)),
        sample(tensor(2, 3, 2, 2, 1), VOLUME_LAST, chosen(2, 3, 2, 2, 1, of=12)),
        sample(tensor(1, 2, 2, 2, 3), tensor(1, 2, 3, 2, 4), chosen(1, 2, 2, 2, 3, of=12)),
        bad("RuntimeError", tensor(1, 2, 0, 3, 2), VOLUME, chosen(1, 2, 0, 3, 2, of=4)),
    ],
    tolerance="terms",
)


def _places(*sizes: int, dtype: str = "int64") -> TensorDescription:
    """Indices of two planes or volumes of at least nine elements: distinct in each."""
    numbers = [0, 3, 5, 8, 7, 1, 2, 6] if 0 not in sizes else []
    strides = [1]
    for size in reversed(sizes[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return given(numbers, sizes, strides, 0, dtype)


samples_of(
    "max_unpool2d",
    [
        sample(tensor(1, 2, 2, 2), _places(1, 2, 2, 2), [3, 3]),
        sample(tensor(2, 2, 2), _places(2, 2, 2), [2, 5]),
        sample(tensor(1, 2, 2, 2, layout="channels_last"), _places(1, 2, 2, 2), [4, 3]),
        sample(tensor(0, 2, 2, 2), _places(0, 2, 2, 2), [3, 3], dtypes=REAL_FLOATS),
        bad("RuntimeError", tensor(1, 2, 2, 2), _places(1, 2, 2, 2, dtype="int32"), [3, 3]),
        bad("RuntimeError", tensor(1, 2, 2, 2), _places(2, 2, 2), [3, 3]),
        bad("RuntimeError", tensor(1, 2, 2, 2), _places(1, 2, 2, 2), [2, 2]),
        bad("RuntimeError", tensor(1, 2, 2, 2), _places(1, 2, 2, 2), [3]),
        bad("RuntimeError", tensor(1, 2, 2, 2), _places(1, 2, 2, 2), [3, -3]),
        bad("RuntimeError", tensor(1, 0, 2, 2), _places(1, 0, 2, 2), [3, 3]),
        bad("RuntimeError", tensor(2, 4), _places(2, 4), [3, 3]),
    ],
)
samples_of(
    "max_unpool3d",
    [
        sample(tensor(1, 2, 1, 2, 2), _places(1, 2, 1, 2, 2), [2, 3, 3], [1, 2, 2], [0, 0, 0]),
        sample(tensor(2, 1, 2, 2), _places(2, 1, 2, 2), [1, 5, 2], [2, 2, 2], [0, 1, 1]),
        sample(
            tensor(0, 2, 1, 2, 2), _places(0, 2, 1, 2, 2), [2, 3, 3], [1, 2, 2], [0, 0, 0], dtypes=REAL_FLOATS
        ),
        bad("RuntimeError", tensor(1, 2, 1, 2, 2), _places(1, 2, 1, 2, 2), [2, 3, 3], [1, 2], [0, 0, 0]),
        bad("RuntimeError", tensor(1, 2, 1, 2, 2), _places(1, 2, 1, 2, 2), [2, 3, 3], [0, 2, 2], [0, 0, 0]),
        bad("RuntimeError", tensor(1, 2, 1, 2, 2), _places(1, 2, 1, 2, 2), [1, 2, 2], [1, 2, 2], [0, 0, 0]),
        bad("RuntimeError", tensor(2, 2, 2), _places(2, 2, 2), [2, 3, 3], [1, 2, 2], [0, 0, 0]),
    ],
)
for _spatial in (2, 3):
    _plane = (
        tensor(2, 3, 5, 6, 4, values="distinct") if _spatial == 3 else tensor(2, 3, 5, 6, values="distinct")
    )
    _numbers = tensor(2, 3, _spatial, values="probability", grad=False)
    _unbatched = tensor(*_plane.sizes[1:], values="distinct")
    _widths, _sizes = [2, 3, 1][-_spatial:], [3, 2, 3][:_spatial]
    samples_of(
        f"fractional_max_pool{_spatial}d",
        [
            sample(_plane, _widths, _sizes, _numbers, dtypes=REAL_FLOATS),
            sample(_unbatched, [1] * _spatial, [2] * _spatial, _numbers, dtypes=REAL_FLOATS),
            sample(_plane, [2] * _spatial, [1] * _spatial, _numbers, dtypes=REAL_FLOATS),
            sample(
                tensor(0, *_plane.sizes[1:]),
                [2] * _spatial,
                [1] * _spatial,
                tensor(0, 3, _spatial, grad=False),
                dtypes=REAL_FLOATS,
            ),
            bad("RuntimeError", _plane, [6] * _spatial, [1] * _spatial, _numbers),
            bad("RuntimeError", _plane, [2] * _spatial, [1], _numbers),
            bad("RuntimeError", _plane, [2] * _spatial, [1] * _spatial, tensor(1, 3, _spatial)),
            bad("RuntimeError", _plane, [2] * _spatial, [1] * _spatial, tensor(2, 2, _spatial)),
            bad("RuntimeError", _plane, [2] * _spatial, [1] * _spatial, tensor(2, 3, 1)),
            bad("RuntimeError", _plane, [2] * _spatial, [1] * _spatial, tensor(2, 3)),
            bad(
                "RuntimeError",
                _plane,
                [2] * _spatial,
                [1] * _spatial,
                tensor(2, 3, _spatial, dtype="float64"),
            ),
            bad("RuntimeError", tensor(4), [2] * _spatial, [1] * _spatial, _numbers),
        ],
        tolerance="choice",
    )
