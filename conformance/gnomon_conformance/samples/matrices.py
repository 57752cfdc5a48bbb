"""Samples of matrix products."""

from ..inputs.description import FLOATS, bad, sample, tensor
from . import samples_of

samples_of(
    "mm",
    [
        sample(tensor(2, 3), tensor(3, 4)),
        sample(tensor(1, 5), tensor(5, 1)),
        sample(tensor(2, 0), tensor(0, 3)),
        sample(tensor(0, 2), tensor(2, 3)),
        sample(tensor(5, 17), tensor(17, 3)),
        bad("RuntimeError", tensor(2, 3), tensor(4, 2)),
        bad("RuntimeError", tensor(3), tensor(3, 2)),
        bad("RuntimeError", tensor(2, 3), tensor(3, 2, dtype="float64")),
    ],
    tolerance="terms",
)
BYTES = ("int8", "uint8")
samples_of(
    "_int_mm",
    [
        *[
            sample(tensor(*left, values=values), tensor(*right, dtype="int8", values=values), dtypes=BYTES)
            for left, right in (((2, 3), (3, 4)), ((5, 17), (17, 33)), ((2, 0), (0, 3)), ((0, 2), (2, 3)))
            for values in ("normal", "special")
        ],
        bad("RuntimeError", tensor(2, 3, dtype="int8"), tensor(4, 2, dtype="int8")),
        bad("RuntimeError", tensor(3, dtype="int8"), tensor(3, 2, dtype="int8")),
        bad("RuntimeError", tensor(2, 3, dtype="int16"), tensor(3, 2, dtype="int8")),
        bad("RuntimeError", tensor(2, 3, dtype="int8"), tensor(3, 2, dtype="uint8")),
    ],
)
_RAW, _MATRIX = tensor(7, 21, values="special"), tensor(21, 19, dtype="int8", values="special")
_SCALES, _BIAS = tensor(19, dtype="float32", values="positive"), tensor(19, dtype="float32")
_ZEROS = tensor(19, dtype="int64")
_SCALE, _ZERO = tensor(1, dtype="float32", values="positive"), tensor(1, dtype="int64")
samples_of(
    "_quantized_mm",
    [
        *[
            sample(*factors, *quantizer, added, 0.5, zero_point, 300.0, 127, minimum, dtypes=("uint8",))
            for factors in ((_RAW, _MATRIX), (tensor(3, 5), tensor(5, 19, dtype="int8", values="special")))
            for quantizer in ((_SCALES, _ZEROS), (_SCALE, _ZERO))
            for added, zero_point, minimum in ((_BIAS, 255, 0), (None, 0, 127))
        ],
        sample(
            tensor(2, 0),
            tensor(0, 19, dtype="int8"),
            _SCALES,
            _ZERO,
            _BIAS,
            0.1,
            3,
            0.1,
            9,
            0,
            dtypes=("uint8",),
        ),
        bad("RuntimeError", tensor(7, 21, dtype="int8"), _MATRIX, _SCALE, _ZERO, None, 1.0, 0, 1.0, 0, 0),
        bad("RuntimeError", tensor(7, 21, dtype="uint8"), _MATRIX, _SCALE, _ZERO, None, 1.0, 0, 1.0, 256, 0),
    ],
)
samples_of(
    "bmm",
    [
        sample(tensor(2, 2, 3), tensor(2, 3, 2)),
        sample(tensor(0, 2, 3), tensor(0, 3, 2)),
        sample(tensor(2, 2, 0), tensor(2, 0, 2)),
        bad("RuntimeError", tensor(2, 2, 3), tensor(1, 3, 2)),
        bad("RuntimeError", tensor(2, 3), tensor(3, 2)),
    ],
    tolerance="terms",
)
samples_of(
    "addmm",
    [
        sample(tensor(2, 4), tensor(2, 3), tensor(3, 4)),
        sample(tensor(4), tensor(2, 3), tensor(3, 4), beta=2, alpha=3),
        sample(tensor(2, 1), tensor(2, 3), tensor(3, 4), beta=0.5, alpha=-1.5, dtypes=FLOATS),
        sample(tensor(2, 4, values="special"), tensor(2, 3), tensor(3, 4), beta=0, differentiable=False),
        sample(tensor(4), tensor(2, 0), tensor(0, 4)),
        sample(tensor(), tensor(2, 3), tensor(3, 4)),
        bad("RuntimeError", tensor(3), tensor(2, 3), tensor(3, 4)),
        bad("RuntimeError", tensor(4), tensor(2, 3), tensor(2, 4)),
    ],
    tolerance="terms",
)
samples_of(
    "dot",
    [sample(tensor(4), tensor(4)), sample(tensor(0), tensor(0)), sample(tensor(33), tensor(33))],
    tolerance="terms",
)
samples_of(
    "dot", [bad("RuntimeError", tensor(3), tensor(4)), bad("RuntimeError", tensor(2, 2), tensor(2, 2))]
)
samples_of("dot", [bad("RuntimeError", tensor(3), tensor(3, dtype="float64"))])
samples_of(
    "mv",
    [
        sample(tensor(2, 3), tensor(3)),
        sample(tensor(2, 0), tensor(0)),
        bad("RuntimeError", tensor(2, 3), tensor(2)),
    ],
    tolerance="terms",
)
samples_of("mv", [bad("RuntimeError", tensor(3), tensor(3))])
samples_of(
    "matmul",
    [
        sample(tensor(3), tensor(3)),
        sample(tensor(2, 3), tensor(3)),
        sample(tensor(3), tensor(3, 2)),
        sample(tensor(2, 3), tensor(3, 2)),
        sample(tensor(2, 2, 3), tensor(3, 2)),
        sample(tensor(2, 2, 3), tensor(3)),
        sample(tensor(3), tensor(2, 3, 2)),
        sample(tensor(2, 1, 2, 3), tensor(3, 3, 2)),
        sample(tensor(0, 2, 3), tensor(3, 2)),
        bad("RuntimeError", tensor(), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3)),
        bad("RuntimeError", tensor(2, 2, 3), tensor(3, 3, 2)),
        bad("RuntimeError", tensor(3), tensor(2)),
    ],
    tolerance="terms",
)
samples_of(
    "linear",
    [
        sample(tensor(2, 3), tensor(4, 3)),
        sample(tensor(2, 3), tensor(4, 3), tensor(4)),
        sample(tensor(2, 2, 3), tensor(4, 3), tensor(4)),
        sample(tensor(3), tensor(4, 3), tensor(4)),
        sample(tensor(0, 3), tensor(4, 3), tensor(4)),
        bad("RuntimeError", tensor(2, 3), tensor(4, 2)),
        bad("RuntimeError", tensor(2, 3), tensor(4, 3), tensor(3)),
    ],
    tolerance="terms",
)
