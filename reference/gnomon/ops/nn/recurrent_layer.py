"""One layer of a recurrent network in one direction, over all time steps, and its gradients.

PyTorch has this operator as ``mkldnn_rnn_layer`` and ``mkldnn_rnn_layer_backward``.  It is named otherwise
here because it has no oneDNN behind it and serves every call: any mode, missing biases, projections,
sequences of different lengths, and each gradient on request.

Sequences are packed: ``input`` (rows, features) has the first steps of all sequences, then their second
steps, and so on; ``batch_sizes`` says how many sequences each step has, the longest sequences first.  Padded
sequences are the case in which all steps have the same number.

The preactivations of a step are exactly rounded sums in float64, like its state and its gates, which are
rounded to the dtype when they are stored.

Source: aten/src/ATen/native/mkldnn/RNN.cpp, aten/src/ATen/native/RNN.cpp; Elman, "Finding structure in time"
(1990); Hochreiter and Schmidhuber, "Long short-term memory" (1997); Cho et al., arXiv:1406.1078 (GRU); Sak et
al., arXiv:1402.1128 (projections).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...calls.checks import check_dim, check_dtype, check_same_dtype, check_size
from ...calls.meta_functions import computed_in
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...dispatch.mode import is_differentiating
from ...memory.accessor import TensorAccessor, elements, nested_list
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum, sigmoid
from ...values.dtype import FLOATS

RELU, TANH, LSTM, GRU = range(4)  # PyTorch's numbers of the modes
_GATES = (1, 1, 4, 3)  # rows of the weights, over the hidden size
_SAVED = (0, 0, 5, 4)  # columns of the workspace, over the hidden size

Rows = list[list[Any]]


class _Functions(NamedTuple):
    """Activations, of numbers or of tensors."""

    relu: Callable[[Any], Any]
    sigmoid: Callable[[Any], Any]
    tanh: Callable[[Any], Any]


_OF_NUMBERS = _Functions(lambda a: 0.0 if a <= 0 else a, sigmoid, math.tanh)
_OF_TENSORS = _Functions(
    lambda a: aten.relu.default(a), lambda a: aten.sigmoid.default(a), lambda a: aten.tanh.default(a)
)


class _Step(NamedTuple):
    """A time step: its first row and its sequences, one for each row, and those of the step before.

    Before: in the order of computation.
    """

    first: int
    sequences: int
    first_before: int
    sequences_before: int


def _steps(batch_sizes: Sequence[int], reverse: bool) -> list[_Step]:
    """The time steps in the order in which they are computed."""
    places, first = [], 0
    for count in batch_sizes:
        places.append((first, count))
        first += count
    if reverse:
        places.reverse()
    return [_Step(*place, *before) for place, before in zip(places, [(0, 0), *places])]


def _advance(mode: int, apply: _Functions, inner: Any, outer: Any, state: Any, cell: Any) -> Any:
    """One step, from the preactivations of the input and of the state, one for each gate.

    Returns the new state (before a projection), the new cell, and the values that the gradients need.
    """
    if mode == RELU or mode == TANH:
        activation = apply.relu if mode == RELU else apply.tanh
        return activation(inner[0] + outer[0]), None, ()
    if mode == LSTM:
        sums = [a + b for a, b in zip(inner, outer)]
        let_in, forget, let_out = (apply.sigmoid(sums[gate]) for gate in (0, 1, 3))
        fresh = apply.tanh(sums[2])
        cell = forget * cell + let_in * fresh
        return let_out * apply.tanh(cell), cell, (let_in, forget, fresh, let_out, cell)
    reset, update = (apply.sigmoid(inner[gate] + outer[gate]) for gate in (0, 1))
    fresh = apply.tanh(inner[2] + reset * outer[2])
    return (state - fresh) * update + fresh, None, (reset, update, outer[2], fresh)


def _retreat(
    mode: int, apply: _Functions, saved: Any, new: Any, state: Any, cell: Any, grad: Any, grad_cell: Any
) -> Any:
    """The gradients of one step, from those of its new state and cell.  ``state``, ``cell``: the old ones.

    Returns the gradients of the preactivations of the input and of the state, of the old state without the
    part that passes through the preactivations, and of the old cell.
    """
    if mode == RELU or mode == TANH:
        slopes = (grad * (new > 0) if mode == RELU else grad * (1 - new * new),)
        return slopes, slopes, 0.0, None
    if mode == LSTM:
        let_in, forget, fresh, let_out, new_cell = saved
        bounded = apply.tanh(new_cell)
        grad_cell = grad_cell + grad * let_out * (1 - bounded * bounded)
        gates = (
            grad_cell * fresh * let_in * (1 - let_in),
            grad_cell * cell * forget * (1 - forget),
            grad_cell * let_in * (1 - fresh * fresh),
            grad * bounded * let_out * (1 - let_out),
        )
        return gates, gates, 0.0, grad_cell * forget
    reset, update, hidden, fresh = saved
    for_fresh = grad * (1 - update) * (1 - fresh * fresh)
    for_update = grad * (state - fresh) * update * (1 - update)
    for_reset = for_fresh * hidden * reset * (1 - reset)
    inner, outer = (for_reset, for_update, for_fresh), (for_reset, for_update, for_fresh * reset)
    return inner, outer, grad * update, None


# ---------------------------------------------------------------------------------------------------------
# The layer.


def _check_layer(
    input: Spec,
    w_ih: Spec,
    w_hh: Spec,
    b_ih: Spec | None,
    b_hh: Spec | None,
    w_hr: Spec | None,
    hx: Spec,
    cx: Spec | None,
    batch_sizes: Sequence[int],
    mode: int,
) -> int:
    """The hidden size.  Raises RuntimeError for arguments that do not match."""
    if mode not in range(4):
        raise RuntimeError(f"Expected mode to be 0 (relu), 1 (tanh), 2 (LSTM) or 3 (GRU), but got {mode}")
    check_dtype(*FLOATS, input=input)
    check_same_dtype(input=input, w_ih=w_ih, w_hh=w_hh, b_ih=b_ih, b_hh=b_hh, w_hr=w_hr, hx=hx, cx=cx)
    check_dim(2, input=input, w_ih=w_ih, w_hh=w_hh, w_hr=w_hr, hx=hx, cx=cx)
    if (cx is not None) != (mode == LSTM):
        raise RuntimeError("Expected cx for an LSTM, and for no other mode")
    if w_hr is not None and mode != LSTM:
        raise RuntimeError("Expected w_hr for an LSTM only")
    gates, hidden = _GATES[mode], w_hh.sizes[0] // _GATES[mode]
    width = hidden if w_hr is None else w_hr.sizes[0]
    check_size((gates * hidden, input.sizes[1]), w_ih=w_ih)
    check_size((gates * hidden, width), w_hh=w_hh)
    check_size((gates * hidden,), b_ih=b_ih, b_hh=b_hh)
    check_size((width, hidden), w_hr=w_hr)
    if not batch_sizes or min(batch_sizes) < 0 or sum(batch_sizes) != input.sizes[0]:
        raise RuntimeError(
            f"Expected batch_sizes to sum to the {input.sizes[0]} rows of input, but got {list(batch_sizes)}"
        )
    if any(later > earlier for earlier, later in itertools.pairwise(batch_sizes)):
        raise RuntimeError(f"Expected batch_sizes not to increase, but got {list(batch_sizes)}")
    check_size((batch_sizes[0], width), hx=hx)
    check_size((batch_sizes[0], hidden), cx=cx)
    return hidden


def _layer_meta(
    input: Spec,
    w_ih: Spec,
    w_hh: Spec,
    b_ih: Spec | None,
    b_hh: Spec | None,
    w_hr: Spec | None,
    hx: Spec,
    cx: Spec | None,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    train: bool,
) -> tuple[Spec, Spec, Spec, Spec]:
    hidden = _check_layer(input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx, batch_sizes, mode)
    saved = _SAVED[mode] * hidden if train else 0
    return (
        input.contiguous((input.sizes[0], hx.sizes[1])),
        hx.contiguous(),
        hx.contiguous((0,)) if cx is None else cx.contiguous(),
        input.contiguous((input.sizes[0], saved), computed_in(input.dtype)),
    )


def _rows(tensor: Tensor | None) -> Rows:
    return [] if tensor is None else nested_list(tensor)


def _store(tensor: Tensor | None, rows: Rows) -> None:
    if tensor is None:
        return
    accessor = TensorAccessor(tensor)
    for index, row in enumerate(rows):
        for column, number in enumerate(row):
            accessor[index, column] = number


def _affine(row: Sequence[Any], weight: Rows, bias: Sequence[Any] | None) -> list[Any]:
    """``weight @ row + bias``."""
    sums = []
    for place, line in enumerate(weight):
        terms = [a * b for a, b in zip(row, line)]
        sums.append(exact_sum(terms if bias is None else [*terms, bias[place]]))
    return sums


def _layer_kernel(
    output: Tensor,
    hy: Tensor,
    cy: Tensor,
    workspace: Tensor,
    input: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    w_hr: Tensor | None,
    hx: Tensor,
    cx: Tensor | None,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    train: bool,
) -> None:
    inputs, states, cells = _rows(input), _rows(hx), _rows(cx)
    inner_weight, outer_weight, projection = _rows(w_ih), _rows(w_hh), _rows(w_hr)
    inner_bias, outer_bias = (None if each is None else elements(each) for each in (b_ih, b_hh))
    hidden = len(outer_weight) // _GATES[mode]
    outputs: Rows = [[]] * len(inputs)
    saved: Rows = [[]] * len(inputs)
    for step in _steps(batch_sizes, reverse):
        for row in range(step.sequences):
            inner = _affine(inputs[step.first + row], inner_weight, inner_bias)
            outer = _affine(states[row], outer_weight, outer_bias)
            new, new_cell, kept = [], [], []
            for unit in range(hidden):
                made = _advance(
                    mode,
                    _OF_NUMBERS,
                    inner[unit::hidden],
                    outer[unit::hidden],
                    states[row][unit] if mode == GRU else None,
                    cells[row][unit] if mode == LSTM else None,
                )
                new.append(made[0])
                new_cell.append(made[1])
                kept.append(made[2])
            states[row] = new if w_hr is None else _affine(new, projection, None)
            if mode == LSTM:
                cells[row] = new_cell
            outputs[step.first + row] = states[row]
            saved[step.first + row] = [number for numbers in zip(*kept) for number in numbers]
    _store(output, outputs)
    _store(hy, states)
    if mode == LSTM:
        _store(cy, cells)
    if train:
        _store(workspace, saved)


def _layer_grad(
    grads: Any,
    input: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any,
    b_hh: Any,
    w_hr: Any,
    hx: Any,
    cx: Any,
    result0: Any,
    result3: Any,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    train: bool,
    grad_input_mask: Sequence[bool],
) -> Any:
    """By one operator, or by ordinary operators if the gradients are themselves differentiated."""
    given = (input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx)
    if is_differentiating() or not train:
        return _gradients(grads, *given, batch_sizes, mode, reverse, grad_input_mask)
    return aten._rnn_layer_backward.default(
        *grads[:3], *given, result0, result3, batch_sizes, mode, reverse, grad_input_mask
    )


_TENSORS = (
    "Tensor input, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh, Tensor? w_hr, Tensor hx, Tensor? cx"
)

native_function(
    f"_rnn_layer({_TENSORS}, int[] batch_sizes, int mode, bool reverse, bool train) -> (Tensor output, "
    "Tensor hy, Tensor cy, Tensor workspace)",
    meta=_layer_meta,
    kernel=_layer_kernel,
    derivatives={"input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx": _layer_grad},
    non_differentiable_outputs=(3,),
    variants="function",
    doc="""Returns a layer's outputs (rows, width), the last states (N, width) and cells (N, hidden size), and
    what the gradients need.

    ``input`` (rows, features) are packed sequences, ``batch_sizes`` the number of rows of each time step, not
    increasing.  ``mode``: 0 relu, 1 tanh, 2 LSTM, 3 GRU; weights and biases have the gates' rows one after
    the other.  ``w_hr`` (width, hidden size) is an LSTM's projection; without it, the width is the hidden
    size. ``cx`` is given for an LSTM only; else ``cy`` has no elements.  ``reverse``: from the last step to
    the first. Without ``train``, the workspace has no elements, and the gradients take longer.  Raises
    RuntimeError for sizes that do not match.""",
)


# ---------------------------------------------------------------------------------------------------------
# The gradients.


def _backward_meta(
    grad_output: Spec | None,
    grad_hy: Spec | None,
    grad_cy: Spec | None,
    input: Spec,
    w_ih: Spec,
    w_hh: Spec,
    b_ih: Spec | None,
    b_hh: Spec | None,
    w_hr: Spec | None,
    hx: Spec,
    cx: Spec | None,
    output: Spec,
    workspace: Spec,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    output_mask: Sequence[bool],
) -> tuple[Spec | None, ...]:
    given = (input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx)
    made = _layer_meta(*given, batch_sizes, mode, reverse, True)
    check_size(made[0].sizes, output=output, grad_output=grad_output)
    check_size(made[1].sizes, grad_hy=grad_hy)
    check_size(made[2].sizes, grad_cy=grad_cy)
    check_size(made[3].sizes, workspace=workspace)
    grads = {"grad_output": grad_output, "grad_hy": grad_hy, "grad_cy": grad_cy}
    check_same_dtype(input=input, output=output, **grads)
    check_dtype(made[3].dtype, workspace=workspace)
    return tuple(
        spec.contiguous() if spec is not None and wanted else None for spec, wanted in zip(given, output_mask)
    )


def _columns(tensor: Tensor | None) -> Rows:
    rows = _rows(tensor)
    return [[row[place] for row in rows] for place in range(0 if tensor is None else tensor._spec.sizes[1])]


def _sum_of_products(left: Rows, right: Rows) -> Rows:
    """The transpose of ``left`` times ``right``."""
    return [[exact_sum([a * b for a, b in zip(one, other)]) for other in zip(*right)] for one in zip(*left)]


def _backward_kernel(
    grad_input: Tensor | None,
    grad_w_ih: Tensor | None,
    grad_w_hh: Tensor | None,
    grad_b_ih: Tensor | None,
    grad_b_hh: Tensor | None,
    grad_w_hr: Tensor | None,
    grad_hx: Tensor | None,
    grad_cx: Tensor | None,
    grad_output: Tensor | None,
    grad_hy: Tensor | None,
    grad_cy: Tensor | None,
    input: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    w_hr: Tensor | None,
    hx: Tensor,
    cx: Tensor | None,
    output: Tensor,
    workspace: Tensor,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    output_mask: Sequence[bool],
) -> None:
    inputs, outputs, saved = _rows(input), _rows(output), _rows(workspace)
    first_states, first_cells = _rows(hx), _rows(cx)
    inner_weight, outer_weight, projection = (_columns(each) for each in (w_ih, w_hh, w_hr))
    hidden, width = w_hh._spec.sizes[0] // _GATES[mode], hx._spec.sizes[1]
    count = len(first_states)
    states = _rows(grad_hy) or [
        [0.0] * width for _ in range(count)
    ]  # the gradients of states and cells so far
    cells = (_rows(grad_cy) if cx is not None else []) or [[0.0] * hidden for _ in range(count)]
    arriving = _rows(grad_output) or [[0.0] * width] * len(inputs)
    made: list[Rows] = [[[]] * len(inputs) for _ in range(5)]
    inner, outer, before, news, projected = made
    for step in reversed(_steps(batch_sizes, reverse)):
        for row in range(step.sequences):
            place, place_before = step.first + row, step.first_before + row
            is_first = row >= step.sequences_before
            before[place] = first_states[row] if is_first else outputs[place_before]
            grad = projected[place] = [exact_sum(list(pair)) for pair in zip(states[row], arriving[place])]
            if w_hr is not None:
                grad = _affine(grad, projection, None)
            slopes, new = [], []
            for unit in range(hidden):
                kept = saved[place][unit::hidden]
                cell = None
                if mode == LSTM:
                    cell = (first_cells[row] if is_first else saved[place_before][4 * hidden :])[unit]
                    new.append(kept[3] * math.tanh(kept[4]))
                slopes.append(
                    _retreat(
                        mode,
                        _OF_NUMBERS,
                        kept,
                        outputs[place][unit] if mode in (RELU, TANH) else None,
                        before[place][unit] if mode == GRU else None,
                        cell,
                        grad[unit],
                        cells[row][unit],
                    )
                )
            inner[place], outer[place] = (
                [number for numbers in zip(*(each[side] for each in slopes)) for number in numbers]
                for side in (0, 1)
            )
            news[place] = new
            direct = [each[2] for each in slopes] if mode == GRU else [0.0] * width
            states[row] = _affine(outer[place], outer_weight, direct)
            cells[row] = [each[3] for each in slopes]
    if grad_input is not None:
        _store(grad_input, [_affine(row, inner_weight, None) for row in inner])
    for gradient, left, right in (
        (grad_w_ih, inner, inputs),
        (grad_w_hh, outer, before),
        (grad_w_hr, projected, news),
    ):
        if gradient is not None:
            _store(gradient, _sum_of_products(left, right) if inputs else _zeros(gradient))
    for bias, terms in ((grad_b_ih, inner), (grad_b_hh, outer)):
        if bias is not None:
            accessor = TensorAccessor(bias)
            for place in range(accessor.sizes[0]):
                accessor[place] = exact_sum([row[place] for row in terms])
    _store(grad_hx, states)
    _store(grad_cx, cells)


def _zeros(tensor: Tensor) -> Rows:
    return [[0.0] * tensor._spec.sizes[1]] * tensor._spec.sizes[0]


native_function(
    f"_rnn_layer_backward(Tensor? grad_output, Tensor? grad_hy, Tensor? grad_cy, {_TENSORS}, Tensor output, "
    "Tensor workspace, int[] batch_sizes, int mode, bool reverse, bool[8] output_mask) -> (Tensor, Tensor, "
    "Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
    meta=_backward_meta,
    kernel=_backward_kernel,
    variants="function",
    doc="""The gradients of _rnn_layer with respect to its eight tensors.

    None where ``output_mask`` is False or the tensor is not given.

    ``output`` and ``workspace`` are the layer's results with ``train``.  Gradients that are not given are
    zeros. Raises RuntimeError for sizes that do not match.""",
)


def _over(state: Any, changed: Any) -> Any:
    """``state`` with its first rows replaced by ``changed``."""
    count = changed._spec.sizes[0]
    left = state._spec.sizes[0] - count
    return aten.cat.default([changed, state.narrow(0, count, left)], 0) if left else changed


def _computed_again(
    input: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any,
    b_hh: Any,
    w_hr: Any,
    hx: Any,
    cx: Any,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
) -> Iterator[tuple[_Step, Any, Any, Any, Any]]:
    """For each step its old states and cells, its saved values, and its new states before a projection."""
    inner = aten.linear.default(input, w_ih, b_ih)
    states, cells = hx, cx
    for step in _steps(batch_sizes, reverse):
        state = states.narrow(0, 0, step.sequences)
        cell = None if cells is None else cells.narrow(0, 0, step.sequences)
        new, new_cell, saved = _advance(
            mode,
            _OF_TENSORS,
            inner.narrow(0, step.first, step.sequences).chunk(_GATES[mode], 1),
            aten.linear.default(state, w_hh, b_hh).chunk(_GATES[mode], 1),
            state,
            cell,
        )
        yield step, state, cell, saved, new
        states = _over(states, new if w_hr is None else aten.linear.default(new, w_hr, None))
        cells = None if cells is None else _over(cells, new_cell)


def _gradients(
    grads: Any,
    input: Any,
    w_ih: Any,
    w_hh: Any,
    b_ih: Any,
    b_hh: Any,
    w_hr: Any,
    hx: Any,
    cx: Any,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    wanted: Sequence[bool],
) -> tuple[Any, ...]:
    """The gradients by operators that have derivatives."""
    arguments = (input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx, batch_sizes, mode, reverse)
    arriving = grads[0]
    grad_states = aten.zeros_like(hx) if grads[1] is None else grads[1]
    grad_cells = aten.zeros_like(cx) if cx is not None and grads[2] is None else grads[2]
    by_step = []
    for step, state, cell, saved, new in reversed(list(_computed_again(*arguments))):
        grad = projected = grad_states.narrow(0, 0, step.sequences)
        if arriving is not None:
            grad = projected = grad + arriving.narrow(0, step.first, step.sequences)
        if w_hr is not None:
            grad = grad.matmul(w_hr)
        grad_cell = None if cx is None else grad_cells.narrow(0, 0, step.sequences)
        inner, outer, direct, grad_cell = _retreat(
            mode, _OF_TENSORS, saved, new, state, cell, grad, grad_cell
        )
        inner, outer = (aten.cat.default(list(each), 1) for each in (inner, outer))
        grad_states = _over(grad_states, outer.matmul(w_hh) + direct)
        grad_cells = None if cx is None else _over(grad_cells, grad_cell)
        by_step.append((step.first, inner, outer, state, projected, new))
    by_step.sort(key=lambda each: each[0])
    inner, outer, before, projected, new = (
        aten.cat.default([each[place] for each in by_step], 0) for place in range(1, 6)
    )
    gradients = (
        lambda: inner.matmul(w_ih),
        lambda: inner.t().matmul(input),
        lambda: outer.t().matmul(before),
        lambda: inner.sum(0),
        lambda: outer.sum(0),
        lambda: projected.t().matmul(new),
        lambda: grad_states,
        lambda: grad_cells,
    )
    return tuple(make() if is_wanted else None for make, is_wanted in zip(gradients, wanted))
