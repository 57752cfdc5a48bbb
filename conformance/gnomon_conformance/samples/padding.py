"""Samples of padding."""

from ..inputs.description import INTEGERS, bad, sample, tensor
from . import samples_of

PLANE = tensor(1, 2, 3, 4)
VOLUME = tensor(1, 2, 2, 3, 2)
LAST = tensor(2, 2, 3, 4, layout="channels_last")
VOLUME_LAST = tensor(1, 2, 2, 3, 2, layout="channels_last")
LINE = tensor(2, 2, 4)

samples_of(
    "constant_pad_nd",
    [
        sample(tensor(2, 3), [1, 2]),
        sample(
            tensor(2, 3),
            [1, 2],
            2.5,
            dtypes=("float16", "bfloat16", "float32", "float64", "complex64", "int64"),
        ),
        sample(tensor(2, 3), [0, 1, 2, 0], 1),
        sample(tensor(2, 3), [-1, 2]),
        sample(tensor(2, 3), [-1, -1]),
        sample(tensor(2, 3), [-3, 0]),
        sample(tensor(2, 3), [0, 0]),
        sample(tensor(2, 3), []),
        sample(tensor(), []),
        sample(tensor(2, 0), [1, 1], 3),
        sample(tensor(1, 2, 1, 3), [1, 1, 1, 1, 1, 0, 0, 1]),
        sample(LAST, [1, 0, -1, 2]),
        sample(VOLUME_LAST, [1, 0]),
        sample(tensor(14, values="special"), [1, 1], differentiable=False),
        bad("RuntimeError", tensor(2, 3), [1]),
        bad("RuntimeError", tensor(2, 3), [1, 1, 1, 1, 1, 1]),
        bad("RuntimeError", tensor(2, 3), [-4, 0]),
        bad("RuntimeError", tensor(2, 3), [-2, -2]),
        bad("RuntimeError", tensor(2, 3), [1, 1], 2j),
    ],
)

SIZED = {1: (LINE, [1, 2]), 2: (PLANE, [1, 2, 0, 1]), 3: (VOLUME, [1, 0, 2, 1, 0, 1])}
for _dims, (_input, _pads) in SIZED.items():
    for _kind in ("reflection", "replication"):
        _samples = [
            sample(_input, _pads),
            sample(_input, [-1, *_pads[1:]]),
            sample(_input, [0] * 2 * _dims),
            sample(tensor(*_input.sizes[1:]), _pads),
            sample(tensor(0, *_input.sizes[1:]), _pads),
            bad("RuntimeError", _input, _pads[:-1]),
            bad("RuntimeError", _input, [*_pads, 1, 1]),
            bad("RuntimeError", tensor(*_input.sizes[2:]), _pads),
            bad("RuntimeError", tensor(2, 0, *_input.sizes[2:]), _pads),
            bad("RuntimeError", _input, [-3, -3, *_pads[2:]]),
        ]
        if _kind == "reflection":
            _samples.append(bad("RuntimeError", _input, [4, *_pads[1:]]))
        else:
            _samples.append(sample(_input, [5, *_pads[1:]]))
        if _dims > 1:
            _samples.append(sample(LAST if _dims == 2 else VOLUME_LAST, _pads))
        samples_of(f"{_kind}_pad{_dims}d", _samples)
        _padded = list(_input.sizes)
        for _number in range(_dims):
            _padded[-1 - _number] += _pads[2 * _number] + _pads[2 * _number + 1]
        samples_of(
            f"{_kind}_pad{_dims}d_backward",
            [
                sample(tensor(*_padded), _input, _pads),
                sample(_input, _input, [0] * 2 * _dims),
                sample(tensor(*_padded[1:]), tensor(*_input.sizes[1:]), _pads),
                bad("RuntimeError", _input, _input, _pads),
            ],
            tolerance="terms",
        )
for _kind in ("reflection", "replication"):
    samples_of(f"{_kind}_pad2d_backward", [sample(tensor(2, 2, 4, 5), LAST, [1, 0, 0, 1])])

CIRCULAR = [
    sample(LINE, [1, 2]),
    sample(LINE, [3, -1]),
    sample(tensor(2, 4), [1, 1]),
    sample(LINE, [-1, -1]),
    sample(LINE, [0, 0]),
    sample(PLANE, [1, 2, 3, 0]),
    sample(LAST, [1, 0, 0, 1]),
    sample(VOLUME, [1, 0, 0, 1, 2, 0]),
    bad("RuntimeError", LINE, [5, 0]),
    bad("RuntimeError", LINE, [-3, -2]),
    bad("RuntimeError", tensor(4), [1, 1]),
    bad("RuntimeError", LINE, [1, 1, 1, 1, 1, 1]),
]
samples_of("_pad_circular", CIRCULAR)
samples_of(
    "pad",
    [
        sample(tensor(2, 3), [1, 2]),
        sample(tensor(2, 3), [1, 2], "constant", 3.0),
        sample(LINE, [1, 2], "reflect"),
        sample(PLANE, [1, 2, 0, 1], "replicate"),
        sample(VOLUME, [1, 0, 1, 1, 0, 1], "reflect"),
        sample(PLANE, [1, 2, 0, 1], "circular"),
        sample(tensor(2, 3), [1, 2], "replicate", 0.0),
        bad("NotImplementedError", LINE, [1, 2], "zero"),
        bad("NotImplementedError", PLANE, [1, 2], "reflect"),
        bad("NotImplementedError", tensor(4), [1, 2], "replicate"),
        bad("RuntimeError", LINE, [1, 2], "reflect", 1.0),
        bad("RuntimeError", LINE, [1, 2, 1]),
        bad("RuntimeError", LINE, [1] * 8),
        sample(tensor(2, 3), [1, 2], "circular"),
    ],
)
samples_of(
    "constant_pad_nd",
    [sample(tensor(2), [1, 0], number, dtypes=["int64"]) for number in (-(2.0**63), 2.0**63)],
)
samples_of("pad", [sample(tensor(2), [1, 0], "constant", 2.0**63, dtypes=["int64"])])

# fractional numbers for integer tensors are truncated before the computation
for _fraction in (2.5, 1.9):
    samples_of("constant_pad_nd", [sample(tensor(3, 4), [1, 2], _fraction, dtypes=(*INTEGERS, "bool"))])
