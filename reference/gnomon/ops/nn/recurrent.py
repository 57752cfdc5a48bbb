"""Recurrent networks: all layers and directions of RNN, LSTM and GRU, their cells, and packed sequences.

Each layer and direction is one operator, ``_rnn_layer``.

Source: aten/src/ATen/native/RNN.cpp, aten/src/ATen/native/PackedSequence.cpp.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...dispatch.mode import mode_word
from ...values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, WRAPPER_KEYS
from ...values.dtype import int64
from ...values.geometry import wrap_dim

_MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


class _Weights(NamedTuple):
    """The parameters of one layer in one direction."""

    w_ih: Any
    w_hh: Any
    b_ih: Any
    b_hh: Any
    w_hr: Any


def _weights(params: Sequence[Any], has_biases: bool, has_projections: bool) -> list[_Weights]:
    """Raises RuntimeError for a wrong number of parameters.  Source: gather_params."""
    each = 2 + 2 * has_biases + has_projections
    if len(params) % each:
        raise RuntimeError("got an incorrect number of RNN parameters")
    found = []
    for first in range(0, len(params), each):
        own = list(params[first : first + each])
        projection = own.pop() if has_projections else None
        own += [] if has_biases else [None, None]
        found.append(_Weights(own[0], own[1], own[2], own[3], projection))
    return found


def _is_recorded(*tensors: Any) -> bool:
    """May a gradient with respect to one of the tensors be needed?"""
    keys = 0
    for each in tensors:
        keys |= 0 if each is None else each._keys
    return bool(mode_word() & GRAD_MODE_BIT and keys & (AUTOGRAD | WRAPPER_KEYS))


def _layer(
    mode: str, rows: Any, weights: _Weights, hx: Any, cx: Any, batch_sizes: Sequence[int], reverse: bool
) -> Any:
    tensors = (rows, *weights, hx, cx)
    return aten._rnn_layer.default(*tensors, batch_sizes, _MODES[mode], reverse, _is_recorded(*tensors))


def _layers(
    mode: str,
    rows: Any,
    batch_sizes: Sequence[int],
    hx: Any,
    cx: Any,
    params: Sequence[Any],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
) -> tuple[Any, Any, Any]:
    """The last layer's outputs, and the last states and cells of all layers.  Source: apply_layer_stack."""
    if not batch_sizes:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    weights = _weights(params, has_biases, cx is not None and hx.size(2) != cx.size(2))
    directions = 2 if bidirectional else 1
    if bidirectional and (len(weights) % 2 or hx.size(0) % 2):
        raise RuntimeError("Odd number of params or hiddens given to a bidirectional RNN")
    if hx.size(0) != num_layers * directions:
        raise RuntimeError("Expected more hidden states in stacked_rnn")
    if len(weights) != num_layers * directions:
        raise RuntimeError("Expected more weights in stacked_rnn")
    states, cells = [], []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            state, cell = hx.select(0, place), None if cx is None else cx.select(0, place)
            made = _layer(mode, rows, weights[place], state, cell, batch_sizes, direction == 1)
            outputs.append(made[0])
            states.append(made[1])
            cells.append(made[2])
        rows = outputs[0] if directions == 1 else aten.cat.default(outputs, 1)
        if dropout != 0 and train and layer < num_layers - 1:
            rows = aten.dropout.default(rows, dropout, True)
    return rows, aten.stack.default(states, 0), None if cx is None else aten.stack.default(cells, 0)


def _padded(
    mode: str, input: Any, hx: Any, cx: Any, params: Sequence[Any], *options: Any
) -> tuple[Any, Any, Any]:
    *others, batch_first = options
    if batch_first:
        input = input.transpose(0, 1)
    if input.ndim != 3 or hx.ndim != 3:
        raise RuntimeError(f"Expected input and hx to be 3-D, but got {input.ndim}-D and {hx.ndim}-D tensors")
    steps, count, features = input.shape
    rows = input.reshape((steps * count, features))
    rows, states, cells = _layers(mode, rows, (count,) * steps, hx, cx, params, *others)
    output = rows.view((steps, count, rows.size(1)))
    return output.transpose(0, 1) if batch_first else output, states, cells


def _batch_sizes(name: str, sizes: Any) -> tuple[int, ...]:
    """The elements of a 1-D tensor of int64.  Raises RuntimeError for any other tensor."""
    if sizes.ndim != 1 or sizes.dtype is not int64:
        raise RuntimeError(
            f"'{name}' argument should be a 1D CPU int64 tensor, but got {sizes.ndim}D {sizes.device} "
            f"{sizes.dtype.name} tensor"
        )
    return tuple(sizes.tolist())


def _packed(
    mode: str, data: Any, batch_sizes: Any, hx: Any, cx: Any, params: Sequence[Any], *options: Any
) -> tuple[Any, Any, Any]:
    return _layers(mode, data, _batch_sizes("batch_sizes", batch_sizes), hx, cx, params, *options)


def _pair(name: str, hx: Sequence[Any]) -> tuple[Any, Any]:
    if len(hx) != 2:
        raise RuntimeError(f"{name} expects two hidden states")
    return hx[0], hx[1]


_OPTIONS = "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"
_DOC = """{} of all layers and directions.

    ``params``: for each layer and direction w_ih, w_hh, and with ``has_biases`` b_ih and b_hh{}.  With
    ``train``, the outputs of all layers but the last are subject to dropout.  Returns the last layer's
    outputs, and the last states of all layers and directions{}.  {}Raises RuntimeError for a wrong number of
    parameters or hidden states, and for sizes that do not match."""
_INPUT = "``input`` is (T, N, features), or (N, T, features) with ``batch_first``, as are the outputs.  "
_DATA = "``data`` (rows, features) and ``batch_sizes`` are those of a PackedSequence.  "

native_function(
    f"lstm.input(Tensor input, Tensor[] hx, {_OPTIONS}, bool batch_first) -> (Tensor, Tensor, Tensor)",
    composite=lambda input, hx, params, *options: _padded(
        "lstm", input, *_pair("lstm", hx), params, *options
    ),
    variants="function",
    doc=_DOC.format("Long short-term memory", ", and w_hr if there are projections", " and cells", _INPUT),
)
native_function(
    f"lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, {_OPTIONS}) -> (Tensor, Tensor, Tensor)",
    composite=lambda data, batch_sizes, hx, params, *options: _packed(
        "lstm", data, batch_sizes, *_pair("lstm", hx), params, *options
    ),
    variants="function",
    doc=_DOC.format("Long short-term memory", ", and w_hr if there are projections", " and cells", _DATA),
)


def _define(name: str, title: str) -> None:
    """``name``.input and ``name``.data, of a network without cells."""
    native_function(
        f"{name}.input(Tensor input, Tensor hx, {_OPTIONS}, bool batch_first) -> (Tensor, Tensor)",
        composite=lambda input, hx, params, *options: _padded(name, input, hx, None, params, *options)[:2],
        variants="function",
        doc=_DOC.format(title, "", "", _INPUT),
    )
    native_function(
        f"{name}.data(Tensor data, Tensor batch_sizes, Tensor hx, {_OPTIONS}) -> (Tensor, Tensor)",
        composite=lambda data, batch_sizes, hx, params, *options: _packed(
            name, data, batch_sizes, hx, None, params, *options
        )[:2],
        variants="function",
        doc=_DOC.format(title, "", "", _DATA),
    )


_define("gru", "Gated recurrent units")
_define("rnn_tanh", "The Elman network with tanh")
_define("rnn_relu", "The Elman network with relu")


# ---------------------------------------------------------------------------------------------------------
# Cells: a single time step.


def _cell(mode: str, input: Any, states: Sequence[Any], w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    """The new states, after what a cell does not return.

    As in PyTorch, an Elman cell takes more dimensions, all but the last of them a batch's, and of two sizes
    the second dimension is checked.  Raises RuntimeError for sizes that do not match.  Source:
    check_rnn_cell_forward_*.
    """
    hidden = w_hh.size(1)
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")
    for number, state in enumerate(states):
        if input.size(0) != state.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{number} batch size {state.size(0)}"
            )
        if state.size(1) != hidden:
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected {hidden}"
            )
    gates = _GATES[mode]
    if w_hh.size(0) != gates * hidden:
        raise RuntimeError(
            f"weight_hh first dim must be {gates} * hidden_size = {gates * hidden}, but got {w_hh.size(0)}"
        )
    weights = _Weights(w_ih, w_hh, b_ih, b_hh, None)
    if gates == 1 and input.ndim == states[0].ndim > 2:
        rows, state = input.flatten(0, -2), states[0].flatten(0, -2)
        made = _layer(mode, rows, weights, state, None, (rows.size(0),), False)
        return None, made[1].view((*input.shape[:-1], hidden))
    hx, cx = (*states, None)[:2]
    return _layer(mode, input, weights, hx, cx, (input.size(0),), False)


_CELL_WEIGHTS = "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None"
_CELL_DOC = """One time step of {}, from ``input`` (N, features) and the state {} (N, hidden size).

    Returns the new state{}.  Raises RuntimeError for sizes that do not match."""

native_function(
    f"lstm_cell(Tensor input, Tensor[] hx, {_CELL_WEIGHTS}) -> (Tensor, Tensor)",
    composite=lambda input, hx, *weights: _cell("lstm", input, _pair("lstm_cell", hx), *weights)[1:3],
    variants="function",
    doc=_CELL_DOC.format("long short-term memory", "and the cell ``hx``, each", " and the new cell"),
)


def _define_cell(mode: str, title: str, more: str = "") -> None:
    native_function(
        f"{mode}_cell(Tensor input, Tensor hx, {_CELL_WEIGHTS}) -> Tensor",
        composite=lambda input, hx, *weights: _cell(mode, input, (hx,), *weights)[1],
        variants="function",
        doc=_CELL_DOC.format(title, "``hx``", more),
    )


_define_cell("gru", "gated recurrent units")
_MORE = ".  There can be more dimensions of a batch"
_define_cell("rnn_tanh", "the Elman network with tanh", _MORE)
_define_cell("rnn_relu", "the Elman network with relu", _MORE)


# ---------------------------------------------------------------------------------------------------------
# Packed sequences.


class _Run(NamedTuple):
    """Time steps with the same number of sequences."""

    first: int
    steps: int
    sequences: int
    row: int
    """The first row of the packed sequences."""


def _runs(batch_sizes: Sequence[int]) -> Iterator[_Run]:
    first = row = 0
    for count, group in itertools.groupby(batch_sizes):
        steps = len(list(group))
        yield _Run(first, steps, count, row)
        first += steps
        row += steps * count


def _check_lengths(input: Any, lengths: Sequence[int], batch_first: bool) -> None:
    """Raises RuntimeError for lengths that do not describe the sequences of ``input``."""
    steps, count = (input.size(1), input.size(0)) if batch_first else (input.size(0), input.size(1))
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if len(lengths) != count:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={count})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(earlier < later for earlier, later in itertools.pairwise(lengths)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
            "requirement if you do not need ONNX exportability."
        )
    if lengths[0] > steps:
        raise RuntimeError(f"Expected lengths of at most {steps} time steps, but got {lengths[0]}")


def _pack(input: Any, lengths: Any, batch_first: bool) -> tuple[Any, Any]:
    numbers = _batch_sizes("lengths", lengths)
    wrap_dim(1, input.ndim)
    _check_lengths(input, numbers, batch_first)
    by_time = input.transpose(0, 1) if batch_first else input
    batch_sizes = [sum(length > step for length in numbers) for step in range(numbers[0])]
    pieces = []
    for run in _runs(batch_sizes):
        piece = by_time.narrow(0, run.first, run.steps).narrow(1, 0, run.sequences)
        pieces.append(piece.reshape((run.steps * run.sequences, *by_time.shape[2:])))
    rows = aten.cat.default(pieces, 0)
    sizes = [
        aten.full((run.steps,), run.sequences, dtype=int64, device=lengths.device)
        for run in _runs(batch_sizes)
    ]
    return rows, aten.cat.default(sizes, 0)


native_function(
    "_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)",
    explicit=_pack,
    derivatives={
        "input": lambda grad, input_sizes, result1, batch_first: aten._pack_padded_sequence_backward.default(
            grad, input_sizes, result1, batch_first
        )
    },
    non_differentiable_outputs=(1,),
    batching="composed",
    variants="function",
    doc="""Returns the time steps of sequences one after the other, and how many sequences each has.

    ``input``: padded sequences (T, N, *), or (N, T, *) with ``batch_first``; ``lengths``: their lengths,
    int64, in decreasing order.  Raises RuntimeError for other lengths.""",
)


def _unpacked(data: Any, batch_sizes: Sequence[int], count: int, steps: int, padding_value: Any) -> Any:
    """The padded sequences (T, N, *) of packed ones."""
    pieces = []
    for run in _runs(batch_sizes):
        piece = data.narrow(0, run.row, run.steps * run.sequences)
        piece = piece.view((run.steps, run.sequences, *data.shape[1:]))
        pads = (0, 0) * (data.ndim - 1) + (0, count - run.sequences)
        pieces.append(aten.constant_pad_nd.default(piece, pads, padding_value))
    left = steps - len(batch_sizes)
    if left:
        sizes = (left, count, *data.shape[1:])
        pieces.append(aten.new_full.default(data, sizes, padding_value))
    return aten.cat.default(pieces, 0)


def _pack_backward(grad: Any, input_size: Sequence[int], batch_sizes: Any, batch_first: bool) -> Any:
    numbers = _batch_sizes("batch_sizes", batch_sizes)
    steps, count = (input_size[1], input_size[0]) if batch_first else input_size[:2]
    by_time = _unpacked(grad, numbers, count, steps, 0)
    return by_time.transpose(0, 1) if batch_first else by_time


native_function(
    "_pack_padded_sequence_backward(Tensor grad, SymInt[] input_size, Tensor batch_sizes, bool batch_first) "
    "-> Tensor",
    composite=_pack_backward,
    variants="function",
    doc="""The gradient of _pack_padded_sequence: the padded sequences of packed ones, with zeros as padding.

    ``input_size``: the sizes of the result.""",
)


def _pad(
    data: Any, batch_sizes: Any, batch_first: bool, padding_value: Any, total_length: int
) -> tuple[Any, Any]:
    numbers = _batch_sizes("batch_sizes", batch_sizes)
    if not numbers:
        raise RuntimeError("batch_sizes can not be empty")
    steps = len(numbers)
    if 0 < total_length < steps:
        raise RuntimeError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {steps}"
        )
    by_time = _unpacked(data, numbers, numbers[0], max(total_length, steps), padding_value)
    lengths, known = [], 0
    for run in reversed(list(_runs(numbers))):
        length, count = run.first + run.steps, run.sequences - known
        lengths.append(aten.full((count,), length, dtype=int64, device=batch_sizes.device))
        known = run.sequences
    return by_time.transpose(0, 1) if batch_first else by_time, aten.cat.default(lengths, 0)


native_function(
    "_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int "
    "total_length) -> (Tensor, Tensor)",
    composite=_pad,
    variants="function",
    doc="""Returns the padded sequences (T, N, *) of packed ones, or (N, T, *) with ``batch_first``, and their
    lengths.

    T is ``total_length`` if that is positive, else the longest length.  Raises RuntimeError for a smaller
    ``total_length``.""",
)


def _pad_sequence(
    sequences: Sequence[Any], batch_first: bool, padding_value: float, padding_side: str
) -> Any:
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    first = sequences[0]
    longest = max(each.size(0) for each in sequences)
    padded = []
    for each in sequences:
        sizes = (each.size(0), *first.shape[1:])
        if each.ndim > first.ndim or any(
            mine not in (1, wanted) for mine, wanted in zip(reversed(each.shape), reversed(sizes))
        ):
            raise RuntimeError(
                f"Expected sequences whose sizes broadcast to {list(sizes)}, but got {list(each.shape)}"
            )
        each = each.expand(sizes)
        missing = longest - each.size(0)
        pads = (missing, 0) if padding_side == "left" else (0, missing)
        pads = (0, 0) * (each.ndim - 1) + pads
        padded.append(aten.constant_pad_nd.default(each.to(first.dtype), pads, padding_value))
    return aten.stack.default(padded, 0 if batch_first else 1)


native_function(
    "pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str "
    'padding_side="right") -> Tensor',
    composite=_pad_sequence,
    python_module="nn",
    variants="function",
    doc="""Stacks sequences (L, *) of different lengths, with the dtype of the first one: (T, N, *), or
    (N, T, *) with ``batch_first``.

    T is the longest length; ``padding_side`` of the others is padded with ``padding_value``.  Sizes * are
    the first one's.  Raises RuntimeError for no sequences, for sizes that do not broadcast to these, and for
    another side.""",
)
