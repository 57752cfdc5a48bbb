"""Samples of recurrent networks and of packed sequences."""

from ..inputs.description import REAL_FLOATS, Judged, bad, given, sample, tensor
from . import samples_of

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
FEATURES, HIDDEN, COUNT = 3, 2, 2
SIZES = [2, 2, 1]  # of the steps of packed sequences
ROWS = sum(SIZES)


def numbers(*values, dtype="int64"):
    """A tensor of these integers."""
    return given(values, (len(values),), (1,), 0, dtype)


def weights(mode, features=FEATURES, width=HIDDEN, has_biases=True, proj_size=0):
    """The parameters of one layer in one direction."""
    rows = GATES[mode] * HIDDEN
    found = [tensor(rows, features), tensor(rows, proj_size or width, seed=1)]
    if has_biases:
        found += [tensor(rows, seed=2), tensor(rows, seed=3)]
    return found + ([tensor(proj_size, HIDDEN, seed=4)] if proj_size else [])


def states(mode, places=1, proj_size=0, count=COUNT):
    """The first states, as the argument ``hx``."""
    state = tensor(places, count, proj_size or HIDDEN, seed=5)
    return [state, tensor(places, count, HIDDEN, seed=6)] if mode == "lstm" else state


# ---------------------------------------------------------------------------------------------------------
# A layer.


def layer(mode, has_biases=True, proj_size=0, count=COUNT, rows=ROWS):
    """The tensors of _rnn_layer."""
    own = weights(mode, has_biases=has_biases, proj_size=proj_size)
    projection = own.pop() if proj_size else None
    biases = own[2:] if has_biases else [None, None]
    cell = tensor(count, HIDDEN, seed=6) if mode == "lstm" else None
    state = tensor(count, proj_size or HIDDEN, seed=5)
    return (tensor(rows, FEATURES), *own[:2], *biases, projection, state, cell)


SMOOTH: dict[str, Judged] = {mode: {"dtypes": REAL_FLOATS, "smooth": mode != "rnn_relu"} for mode in MODES}
for _mode, _number in MODES.items():
    samples_of(
        "_rnn_layer",
        [
            sample(*layer(_mode), SIZES, _number, False, True, **SMOOTH[_mode]),
            sample(*layer(_mode), SIZES, _number, True, False, **SMOOTH[_mode]),
            sample(*layer(_mode, has_biases=False), [2, 2, 1], _number, True, True, **SMOOTH[_mode]),
            sample(*layer(_mode, count=0, rows=0), [0, 0], _number, False, True, **SMOOTH[_mode]),
        ],
        tolerance="composed",
    )
samples_of(
    "_rnn_layer",
    [
        sample(*layer("lstm", proj_size=1), SIZES, 2, False, True, dtypes=REAL_FLOATS),
        bad("RuntimeError", *layer("gru"), SIZES, 4, False, True),
        bad("RuntimeError", *layer("gru"), [2, 2], 3, False, True),
        bad("RuntimeError", *layer("gru"), [1, 2, 2], 3, False, True),
        bad("RuntimeError", *layer("gru"), [5], 3, False, True),
        bad("RuntimeError", *layer("gru"), SIZES, 2, False, True),
        bad("RuntimeError", *layer("lstm"), SIZES, 3, False, True),
        bad("RuntimeError", tensor(ROWS, 4), *layer("gru")[1:], SIZES, 3, False, True),
        bad(
            "RuntimeError", tensor(ROWS, FEATURES, dtype="float64"), *layer("gru")[1:], SIZES, 3, False, True
        ),
        bad("RuntimeError", *layer("gru")[:6], tensor(3, HIDDEN), None, SIZES, 3, False, True),
    ],
    tolerance="composed",
)
for _mode, _number in MODES.items():
    _saved = {"lstm": 5, "gru": 4}.get(_mode, 0) * HIDDEN
    _output, _state = tensor(ROWS, HIDDEN, seed=7), tensor(COUNT, HIDDEN, seed=8)
    _cell = _state if _mode == "lstm" else None
    _workspace = tensor(ROWS, _saved, seed=9)
    samples_of(
        "_rnn_layer_backward",
        [
            sample(
                *(
                    _output,
                    _state,
                    _cell,
                    *layer(_mode),
                    _output,
                    _workspace,
                    SIZES,
                    _number,
                    False,
                    [True] * 8,
                ),
                dtypes=("float32", "float64"),
                differentiable=False,
            ),
            sample(
                *(
                    _output,
                    None,
                    None,
                    *layer(_mode, has_biases=False),
                    _output,
                    _workspace,
                    [2, 1, 1, 1],
                    _number,
                ),
                *(True, [True, False, True, False, False, False, True, False]),
                dtypes=("float32", "float64"),
                differentiable=False,
            ),
            sample(
                *(None, _state, None, *layer(_mode), _output, _workspace, SIZES, _number, True),
                [False, True, False, True, False, False, False, False],
                dtypes=("float32", "float64"),
                differentiable=False,
            ),
        ],
        tolerance="composed",
    )
samples_of(
    "_rnn_layer_backward",
    [
        sample(
            *(tensor(ROWS, 1), tensor(COUNT, 1, seed=7), tensor(COUNT, HIDDEN, seed=8)),
            *layer("lstm", proj_size=1),
            *(tensor(ROWS, 1, seed=7), tensor(ROWS, 5 * HIDDEN, seed=9), SIZES, 2, False, [True] * 8),
            dtypes=("float32", "float64"),
            differentiable=False,
        ),
        bad(
            "RuntimeError",
            *(tensor(ROWS, 3), None, None, *layer("gru"), tensor(ROWS, HIDDEN), tensor(ROWS, 4 * HIDDEN)),
            *(SIZES, 3, False, [True] * 8),
            dtypes=("float32",),
        ),
    ],
    tolerance="composed",
)

# ---------------------------------------------------------------------------------------------------------
# Networks.  A dropout of 1 makes all outputs of a layer zeros.

for _mode in MODES:
    _input, _data = tensor(3, COUNT, FEATURES), tensor(ROWS, FEATURES)
    _two = weights(_mode) + weights(_mode, HIDDEN)
    _both = weights(_mode, has_biases=False) * 2
    samples_of(
        f"{_mode}.input",
        [
            sample(_input, states(_mode), weights(_mode), True, 1, 0.0, False, False, False, **SMOOTH[_mode]),
            sample(
                *(tensor(COUNT, 3, FEATURES), states(_mode, 2), _two, True, 2, 0.0, True, False, True),
                **SMOOTH[_mode],
            ),
            sample(_input, states(_mode, 2), _both, False, 1, 0.0, False, True, False, **SMOOTH[_mode]),
            sample(_input, states(_mode, 2), _two, True, 2, 1.0, True, False, False, **SMOOTH[_mode]),
            sample(_input, states(_mode, 2), _two, True, 2, 1.0, False, False, False, **SMOOTH[_mode]),
            bad("RuntimeError", _input, states(_mode), weights(_mode)[:3], True, 1, 0.0, False, False, False),
            bad("RuntimeError", _input, states(_mode), weights(_mode), True, 1, 0.0, False, True, False),
            bad(
                "RuntimeError",
                *(
                    tensor(0, COUNT, FEATURES),
                    states(_mode),
                    weights(_mode),
                    True,
                    1,
                    0.0,
                    False,
                    False,
                    False,
                ),
            ),
        ],
        tolerance="composed",
    )
    samples_of(
        f"{_mode}.data",
        [
            sample(
                *(_data, numbers(*SIZES), states(_mode), weights(_mode), True, 1, 0.0, False, False),
                **SMOOTH[_mode],
            ),
            sample(
                *(_data, numbers(*SIZES), states(_mode, 2), _both, False, 1, 0.0, True, True), **SMOOTH[_mode]
            ),
            sample(
                *(_data, numbers(*SIZES), states(_mode, 2), _two, True, 2, 1.0, True, False), **SMOOTH[_mode]
            ),
            bad(
                "RuntimeError",
                *(_data, numbers(2, 2, 1, dtype="int32"), states(_mode), weights(_mode), True, 1, 0.0),
                *(False, False),
            ),
        ],
        tolerance="composed",
    )
    _batch, _hidden = tensor(COUNT, FEATURES), tensor(COUNT, HIDDEN, seed=5)
    _hx = [_hidden, tensor(COUNT, HIDDEN, seed=6)] if _mode == "lstm" else _hidden
    _wide = tensor(COUNT, HIDDEN + 1)
    samples_of(
        f"{_mode}_cell",
        [
            sample(_batch, _hx, *weights(_mode), **SMOOTH[_mode]),
            sample(_batch, _hx, *weights(_mode, has_biases=False), **SMOOTH[_mode]),
            bad("RuntimeError", tensor(COUNT, 4), _hx, *weights(_mode)),
            bad("RuntimeError", _batch, [_wide, _hidden] if _mode == "lstm" else _wide, *weights(_mode)),
            bad("RuntimeError", tensor(3, FEATURES), _hx, *weights(_mode)),
        ],
        tolerance="composed",
    )

# ---------------------------------------------------------------------------------------------------------
# Packed sequences.

samples_of(
    "_pack_padded_sequence",
    [
        sample(tensor(4, 3, 2), numbers(4, 2, 2), False),
        sample(tensor(3, 4, 2), numbers(4, 3, 1), True),
        sample(tensor(3, 2), numbers(3, 3), False),
        bad("RuntimeError", tensor(4, 2, 3), numbers(2, 4), False),
        bad("RuntimeError", tensor(4, 2, 3), numbers(4, 0), False),
        bad("RuntimeError", tensor(4, 2, 3), numbers(4), False),
        bad("RuntimeError", tensor(4, 2, 3), numbers(4, 2, dtype="int32"), False),
        bad("RuntimeError", tensor(0, 2, 3), numbers(1, 1), False),
        bad("IndexError", tensor(4), numbers(1), False),
    ],
)
samples_of(
    "_pack_padded_sequence_backward",
    [
        sample(tensor(5, 3), [3, 2, 3], numbers(2, 2, 1), False),
        sample(tensor(5, 3), [2, 4, 3], numbers(2, 2, 1), True),
    ],
)
samples_of(
    "_pad_packed_sequence",
    [
        sample(tensor(5, 3), numbers(2, 2, 1), False, 0.0, -1),
        sample(tensor(5, 3), numbers(2, 2, 1), True, 1.0, 4),
        sample(tensor(5), numbers(2, 2, 1), False, 2.0, 3),
        bad("RuntimeError", tensor(5, 3), numbers(2, 2, 1), False, 0.0, 2),
        bad("RuntimeError", tensor(5, 3), numbers(2, 2, 1, dtype="int32"), False, 0.0, -1),
        bad("RuntimeError", tensor(5, 3), numbers(), False, 0.0, -1),
    ],
)
samples_of(
    "pad_sequence",
    [
        sample([tensor(2, 3), tensor(4, 3)]),
        sample([tensor(2, 3), tensor(4, 3)], True, 1.0),
        sample([tensor(2), tensor(0), tensor(3)], padding_side="left"),
        bad("RuntimeError", []),
        bad("RuntimeError", [tensor(2, 3), tensor(2, 4)]),
        bad("RuntimeError", [tensor(2)], padding_side="up"),
    ],
)
