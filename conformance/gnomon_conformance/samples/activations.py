"""Samples of activations and their gradients."""

from ..inputs.description import INTEGERS, REAL_FLOATS, bad, sample, tensor
from . import samples_of
from .pointwise import SPECIAL, binary, unary

samples_of("elu celu selu softplus mish log_sigmoid log_sigmoid_forward", unary(), tolerance="composed")
samples_of("elu", [sample(tensor(2, 3), 0.5), sample(tensor(2, 3), 2, 0.5, 3)])
samples_of("celu", [sample(tensor(2, 3), 0.5), sample(tensor(3), -2.0), bad("RuntimeError", tensor(2), 0)])
samples_of(
    "softplus",
    [sample(tensor(2, 3), 2), sample(tensor(2, 3), 0.5, 0.25), sample(SPECIAL, 3, 0.5, differentiable=False)],
)
samples_of("softshrink", [], tolerance="choice")
samples_of("hardsigmoid hardswish", [*unary(), sample(tensor(7, values="distinct"))], tolerance="elementary")
samples_of("hardtanh relu6", unary(), tolerance="choice")
samples_of(
    "hardtanh",
    [
        sample(tensor(2, 3), 0, 1),
        sample(tensor(2, 3), -0.3, 0.7, dtypes=REAL_FLOATS),
        sample(tensor(2, 3), 1.0, -1.0, dtypes=REAL_FLOATS, smooth=False),
        bad("RuntimeError", tensor(2), dtypes=["bool", "uint8", "complex64"]),
    ],
)
samples_of("hardshrink softshrink", [*unary(), sample(tensor(2, 3), 0.25), sample(tensor(2, 3), 0)])
samples_of(
    "hardshrink", [sample(tensor(2, 3), -0.5), sample(tensor(33, values="distinct"), 0.5, smooth=False)]
)
samples_of(
    "softshrink",
    [bad("RuntimeError", tensor(2), -0.5), sample(tensor(33, values="distinct"), 0.5, smooth=False)],
)
samples_of(
    "threshold",
    [
        sample(tensor(2, 3), 0, 1),
        sample(tensor(2, 3), 0.5, -1.5, dtypes=("int16", "int64", *REAL_FLOATS)),
        sample(tensor(33, values="distinct"), 0.5, 2, smooth=False),
        sample(SPECIAL, 1, 3, differentiable=False),
        sample(tensor(), 0, 0.1),
        sample(tensor(0, 3), 0, 1),
    ],
)
samples_of(
    "glu",
    [
        sample(tensor(2, 4)),
        sample(tensor(4, 3), 0),
        sample(tensor(2, 4, 3), 1),
        sample(tensor(2, 0)),
        sample(tensor(0, 4)),
        sample(SPECIAL, differentiable=False),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor()),
        bad("IndexError", tensor(2), 1),
    ],
    tolerance="composed",
)
samples_of(
    "prelu",
    [
        sample(tensor(2, 3), tensor(1)),
        sample(tensor(2, 3), tensor()),
        sample(tensor(2, 3, 2), tensor(3)),
        sample(tensor(2, 3), tensor(3)),
        sample(tensor(3), tensor(1)),
        sample(tensor(), tensor()),
        sample(tensor(0, 3), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(2)),
        bad("RuntimeError", tensor(2, 3), tensor(1, 1)),
        bad("RuntimeError", tensor(), tensor(2)),
        bad("RuntimeError", tensor(2), tensor(1, dtype="float64")),
    ],
)
samples_of("_prelu_kernel", binary()[:4])
samples_of("_prelu_kernel_backward", [sample(tensor(2, 3), tensor(2, 3), tensor(2, 3))])

PAIRS = [
    *[sample(tensor(2, 3), tensor(2, 3, values=values)) for values in ("normal", "distinct")],
    sample(tensor(), tensor()),
    sample(tensor(0), tensor(0)),
]


def with_numbers(*numbers):
    """Gradient and input, then numbers; the seventh of the "distinct" inputs equals such a bound."""
    return [each._replace(args=(*each.args, *numbers)) for each in PAIRS]


KINKS = tensor(33, values="distinct")
samples_of("hardswish_backward hardsigmoid_backward", PAIRS, tolerance="composed")
samples_of(
    "hardswish_backward hardsigmoid_backward",
    [sample(tensor(2), tensor(41, 1, values="distinct"), differentiable=False)],
)
for name in ("hardshrink_backward", "softshrink_backward"):
    samples_of(name, [*with_numbers(0.5), sample(tensor(33), KINKS, 0.25, smooth=False)])
samples_of("hardtanh_backward", [*with_numbers(-1, 1), sample(tensor(33), KINKS, -0.5, 0.25, smooth=False)])
samples_of("threshold_backward", [sample(tensor(33), KINKS, 0.25, smooth=False), *with_numbers(0.3)])
samples_of(
    "leaky_relu_backward",
    [sample(tensor(33), KINKS, 0.25, False, smooth=False), *with_numbers(0.3, True)],
    tolerance="elementary",
)
samples_of(
    "elu_backward",
    [
        sample(tensor(2, 3), 1, 1, 1, False, tensor(2, 3)),
        sample(tensor(2, 3), 0.5, 2, 0.25, False, tensor(2, 3)),
        sample(tensor(2, 3), 1, 1, 1, True, tensor(2, 3, values="unit")),
        sample(tensor(2, 3), 0.5, 2, 3, True, tensor(2, 3, values="unit")),
        sample(tensor(33), 1, 2, 3, False, KINKS, smooth=False),
        bad("RuntimeError", tensor(2), -1.0, 1, 1, True, tensor(2)),
    ],
    tolerance="composed",
)
samples_of("softplus_backward", [*with_numbers(1, 20), *with_numbers(2, 0.5)[:1]], tolerance="composed")
samples_of(
    "log_sigmoid_backward",
    [sample(tensor(2, 3), tensor(2, 3), tensor(2, 3, values="positive", grad=False), smooth=False)],
    tolerance="composed",
)

# random numbers of training cannot be compared; with equal bounds the result is deterministic
samples_of(
    "rrelu rrelu_",
    [
        sample(tensor(2, 3)),
        sample(tensor(2, 3), 0.1, 0.5),
        sample(tensor(2, 3), 0.25, 0.25, True, dtypes=("float32", "float64")),
        sample(tensor(14, values="special"), 0.25, 0.25, True, dtypes=("float32", "float64"), smooth=False),
        sample(tensor(0), training=True, dtypes=("float32", "float64")),
        sample(tensor(2), 0.5, 0.5, True, generator=5, dtypes=("float32", "float64")),
        bad("RuntimeError", tensor(2, 3), 0.5, 0.25),
        bad("NotImplementedError", tensor(2, 3), 0.25, 0.25, True, dtypes=["float16", "int64"]),
    ],
    tolerance="composed",
)
samples_of("rrelu", [bad("RuntimeError", tensor(2, 3), 0.5, float("inf"))])

# fractional numbers for integer tensors are truncated before the computation
for _number in (2.5, 1.9):
    samples_of("threshold", [sample(tensor(3, 4), 1.5, _number, dtypes=INTEGERS)])
    samples_of("hardtanh", [sample(tensor(3, 4), 0.5, _number, dtypes=INTEGERS)])
