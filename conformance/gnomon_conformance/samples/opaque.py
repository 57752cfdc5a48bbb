"""Calls with tensors of the opaque layout _mkldnn: of the operators that only these have, and of others."""

from __future__ import annotations

from typing import Any

from ..inputs.description import TensorDescription, sample, tensor
from . import sparse_samples_of

FLOAT: dict[str, Any] = {"dtypes": ("float32",)}


def opaque(*sizes: int, **fields: Any) -> TensorDescription:
    """An opaque tensor."""
    return tensor(*sizes, layout="_mkldnn", **fields)


def dense(*sizes: int, **fields: Any) -> TensorDescription:
    """A contiguous tensor."""
    return tensor(*sizes, layout="contiguous", **fields)


IMAGES = opaque(2, 9, 4, 6)
EACH = [IMAGES, opaque(3, 5), opaque(1, 3, 2, 4, 2)]
PAIRS = [(each, opaque(*each.sizes, seed=1)) for each in EACH]

sparse_samples_of(
    "to_mkldnn",
    [sample(dense(2, 9, 2, 3), **FLOAT), sample(dense(3), dtype="bfloat16", differentiable=False, **FLOAT)],
    "exact",
)
sparse_samples_of("to_mkldnn_backward", [sample(IMAGES, dense(2, 9, 4, 6), **FLOAT)], "exact")
sparse_samples_of(
    "_to_dense", [sample(each, dtype=dtype, **FLOAT) for each in EACH for dtype in (None, "float32")]
)
sparse_samples_of("_mkldnn_reshape", [sample(IMAGES, each, **FLOAT) for each in ((2, -1), (18, 24))], "exact")
sparse_samples_of(
    "_mkldnn_transpose", [sample(IMAGES, *each, **FLOAT) for each in ((0, 1), (-1, 2))], "exact"
)
sparse_samples_of("add.Tensor", [sample(*each, alpha=alpha, **FLOAT) for each in PAIRS for alpha in (1, 0.5)])
sparse_samples_of("mul.Tensor", [sample(*each, **FLOAT) for each in PAIRS])
sparse_samples_of("relu", [sample(each, **FLOAT) for each in EACH])
sparse_samples_of("sigmoid tanh", [sample(each, differentiable=False, **FLOAT) for each in EACH])
sparse_samples_of("gelu", [sample(each, **FLOAT) for each in EACH])
sparse_samples_of("_softmax", [sample(each, 1, False, differentiable=False, **FLOAT) for each in EACH])
sparse_samples_of("clone", [sample(each, **FLOAT) for each in EACH])
sparse_samples_of("transpose.int", [sample(each, 0, 1, **FLOAT) for each in EACH])

WEIGHT, BIAS = dense(8, 9, 3, 2, values="unit"), dense(8)
sparse_samples_of(
    "mkldnn_linear",
    [
        sample(opaque(2, 3, 5), dense(4, 5), dense(4), **FLOAT),
        sample(opaque(3, 5), opaque(4, 5), differentiable=False, **FLOAT),
    ],
    "terms",
)
sparse_samples_of(
    "mkldnn_linear_backward",
    [
        sample(opaque(3, 5), opaque(3, 4), dense(4, 5), [True] * 3, **FLOAT),
        sample(opaque(2, 3, 5), opaque(2, 3, 4), dense(4, 5), [True, True, False], **FLOAT),
    ],
    "terms",
)
sparse_samples_of(
    "mkldnn_linear_backward_input",
    [
        sample((3, 5), opaque(3, 4), dense(4, 5), differentiable=False, **FLOAT),
        sample((2, 3, 5), opaque(2, 3, 4), dense(4, 5), differentiable=False, **FLOAT),
    ],
    "terms",
)
sparse_samples_of(
    "mkldnn_linear_backward_weights",
    [
        sample(opaque(3, 4), opaque(3, 5), dense(4, 5), each, differentiable=False, **FLOAT)
        for each in (True, False)
    ],
    "terms",
)
_WEIGHTS = (dense(8, 3), dense(8, 2), dense(8), dense(8))
sparse_samples_of(
    "mkldnn_rnn_layer",
    [
        sample(
            dense(4, 1, 3), *_WEIGHTS, *[dense(1, 1, 2)] * 2, reverse, sizes, 2, hidden, layers, biases,
            two, first, train, differentiable=False, **FLOAT
        )
        for reverse, sizes, hidden, layers, biases, two, first, train in (
            (False, (), 2, 1, True, False, False, False),
            (True, (1,), 3, 2, True, True, True, True),
            (False, (), 2, 1, False, False, False, False),
        )
    ],
    "composed",
)  # fmt: skip
sparse_samples_of(
    "mkldnn_convolution",
    [
        sample(IMAGES, WEIGHT, BIAS, (1, 0), (1, 2), (1, 1), 1, **FLOAT),
        sample(IMAGES, opaque(9, 1, 2, 2), None, (0, 0), (1, 1), (2, 1), 9, differentiable=False, **FLOAT),
        sample(dense(1, 4, 3, 3), dense(2, 4, 2, 2), dense(2), (0, 0), (1, 1), (1, 1), 1, **FLOAT),
    ],
    "terms",
)
for _spatial, _sizes in ((2, (9, 4, 2, 3)), (3, (4, 3, 2, 1, 2))):
    _options: list[dict[str, Any]] = [
        {},
        {"padding": (1,) * _spatial, "stride": (2,) * _spatial, "dilation": (2,) * _spatial, "groups": 1},
        {"input_size": (1, _sizes[1], *(6,) * _spatial)},
    ]
    sparse_samples_of(
        f"mkldnn_reorder_conv{_spatial}d_weight",
        [
            *[sample(opaque(*_sizes), differentiable=False, **each, **FLOAT) for each in _options],
            sample(opaque(4, *_sizes[1:]), groups=2, differentiable=False, **FLOAT),
        ],
        "exact",
    )
for _spatial, _given in ((2, IMAGES), (3, opaque(1, 3, 4, 5, 4))):
    _window: list[dict[str, Any]] = [
        {"kernel_size": (2,) * _spatial, "stride": (2,) * _spatial},
        {
            "kernel_size": (3,) * _spatial,
            "stride": (2,) * _spatial,
            "padding": (1,) * _spatial,
            "ceil_mode": True,
        },
    ]
    _name = f"mkldnn_max_pool{_spatial}d"
    sparse_samples_of(_name, [sample(_given, **each, **FLOAT) for each in _window], "choice")
    sparse_samples_of(
        f"{_name}_backward",
        [
            sample(
                opaque(*_sizes, seed=1),
                opaque(*_sizes, seed=2),
                _given,
                **each,
                differentiable=False,
                **FLOAT,
            )
            for _sizes, each in zip(
                [(2, 9, 2, 3), (2, 9, 3, 4)] if _spatial == 2 else [(1, 3, 2, 2, 2), (1, 3, 3, 3, 3)], _window
            )
        ],
        "choice",
    )
sparse_samples_of(
    "mkldnn_adaptive_avg_pool2d", [sample(IMAGES, each, **FLOAT) for each in ((2, 3), (1, 1))], "terms"
)
sparse_samples_of(
    "mkldnn_adaptive_avg_pool2d_backward",
    [sample(opaque(2, 9, 2, 3), IMAGES, differentiable=False, **FLOAT)],
    "terms",
)
AVERAGES: list[dict[str, Any]] = [
    {"kernel_size": (2, 2), "stride": (2, 2)},
    {"kernel_size": (3, 3), "stride": (2, 2), "padding": (1, 1), "count_include_pad": False},
]
sparse_samples_of("avg_pool2d", [sample(IMAGES, **each, **FLOAT) for each in AVERAGES])
sparse_samples_of(
    "convolution", [sample(IMAGES, WEIGHT, BIAS, (2, 1), (1, 1), (1, 1), False, (0, 0), 1, **FLOAT)]
)
sparse_samples_of(
    "native_batch_norm", [sample(IMAGES, dense(9), dense(9), None, None, True, 0.1, 1e-5, **FLOAT)]
)

sparse_samples_of(
    "_mkldnn_blocked_convolution",
    [
        sample(
            dense(2, 2, 4, 9, 8), dense(3, 2, 3, 2, 8, 8), dense(3, 8), 11, (1, 2), (1, 0), (1, 2), **FLOAT
        ),
        sample(dense(1, 1, 2, 13, 8), dense(2, 1, 1, 1, 8, 8), None, 3, (1, 1), (0, 0), (1, 1), **FLOAT),
        sample(
            dense(1, 1, 3, 3, 8), dense(1, 1, 3, 3, 8, 8), dense(1, 8), 8, (2, 1), (1, 1), (1, 1), **FLOAT
        ),
    ],
    "terms",
)
