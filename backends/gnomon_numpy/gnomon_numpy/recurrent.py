"""A layer of a recurrent network in one direction, and its gradients.

Computes all sequences of a time step at once, in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, maybe_numbers, numbers, store
from .families import FLOATS, Family

family = Family()

RELU, TANH, LSTM, GRU = range(4)
GATES = (1, 1, 4, 3)


class _Step(NamedTuple):
    """The rows of a time step, and of the one computed before it; that has at least the rows ``known``."""

    rows: slice
    sequences: int
    before: slice
    known: int


def _steps(batch_sizes: Sequence[int], reverse: bool) -> list[_Step]:
    """The time steps in the order in which they are computed."""
    places, first = [], 0
    for count in batch_sizes:
        places.append((first, count))
        first += count
    if reverse:
        places.reverse()
    found = []
    first_before = known = 0
    for first, count in places:
        known = min(known, count)
        found.append(
            _Step(slice(first, first + count), count, slice(first_before, first_before + known), known)
        )
        first_before, known = first, count
    return found


def _sigmoid(a: Array) -> Array:
    small = np.exp(-np.abs(a))
    return np.where(a < 0, small, 1.0) / (1 + small)


def _gates_of(array: Array, count: int) -> list[Array]:
    """The gates of (rows, gates * hidden size)."""
    return np.split(array, count, axis=1)


@family.kernel("_rnn_layer", FLOATS)
def layer(
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
    """The input's products of all steps at once, then step by step those of the state."""
    outer_weight, projection = numbers(w_hh, WIDE).T, maybe_numbers(w_hr, WIDE)
    inner_bias, outer_bias = (0.0 if each is None else numbers(each, WIDE) for each in (b_ih, b_hh))
    products = numbers(input, WIDE) @ numbers(w_ih, WIDE).T + inner_bias
    states = numbers(hx, WIDE).astype(np.float64)
    cells = None if cx is None else numbers(cx, WIDE).astype(np.float64)
    outputs = np.zeros(output._spec.sizes)
    saved = np.zeros(workspace._spec.sizes)
    for step in _steps(batch_sizes, reverse):
        state = states[: step.sequences]
        inner = _gates_of(products[step.rows], GATES[mode])
        outer = _gates_of(state @ outer_weight + outer_bias, GATES[mode])
        kept: list[Array] = []
        if mode == LSTM:
            assert cells is not None  # the meta function has checked it
            let_in, forget, let_out = (_sigmoid(inner[gate] + outer[gate]) for gate in (0, 1, 3))
            fresh = np.tanh(inner[2] + outer[2])
            cell = forget * cells[: step.sequences] + let_in * fresh
            cells[: step.sequences] = cell
            new = let_out * np.tanh(cell)
            kept = [let_in, forget, fresh, let_out, cell]
        elif mode == GRU:
            reset, update = (_sigmoid(inner[gate] + outer[gate]) for gate in (0, 1))
            fresh = np.tanh(inner[2] + reset * outer[2])
            new = (state - fresh) * update + fresh
            kept = [reset, update, outer[2], fresh]
        else:
            sums = inner[0] + outer[0]
            new = np.tanh(sums) if mode == TANH else np.where(sums <= 0, 0.0, sums)
        outputs[step.rows] = states[: step.sequences] = new if projection is None else new @ projection.T
        if train and kept:
            saved[step.rows] = np.concatenate(kept, axis=1)
    store(output, outputs)
    store(hy, states)
    if cells is not None:
        store(cy, cells)
    store(workspace, saved)


@family.kernel("_rnn_layer_backward", FLOATS)
def layer_backward(
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
    """The gradients of the preactivations step by step, then all others as products over all rows."""
    inputs, outputs, saved = (numbers(each, WIDE) for each in (input, output, workspace))
    outer_weight, projection = numbers(w_hh, WIDE), maybe_numbers(w_hr, WIDE)
    hidden = outer_weight.shape[0] // GATES[mode]
    rows = inputs.shape[0]
    first_states, first_cells = numbers(hx, WIDE), maybe_numbers(cx, WIDE)
    states = _copied(grad_hy, first_states.shape)
    cells = _copied(grad_cy if cx is not None else None, (first_states.shape[0], hidden))
    arriving = _copied(grad_output, outputs.shape)
    inner, outer = np.zeros((rows, GATES[mode] * hidden)), np.zeros((rows, GATES[mode] * hidden))
    before, projected, news = np.zeros(outputs.shape), np.zeros(outputs.shape), np.zeros((rows, hidden))
    for step in reversed(_steps(batch_sizes, reverse)):
        state = np.concatenate([outputs[step.before], first_states[step.known : step.sequences]])
        grad = states[: step.sequences] + arriving[step.rows]
        before[step.rows], projected[step.rows] = state, grad
        if projection is not None:
            grad = grad @ projection
        direct: Array | float = 0.0
        if mode == LSTM:
            assert first_cells is not None  # the meta function has checked it
            let_in, forget, fresh, let_out, new_cell = _gates_of(saved[step.rows], 5)
            cell = np.concatenate(
                [saved[step.before, 4 * hidden :], first_cells[step.known : step.sequences]]
            )
            bounded = np.tanh(new_cell)
            news[step.rows] = let_out * bounded
            for_cell = cells[: step.sequences] + grad * let_out * (1 - bounded * bounded)
            slopes = outer_slopes = [
                for_cell * fresh * let_in * (1 - let_in),
                for_cell * cell * forget * (1 - forget),
                for_cell * let_in * (1 - fresh * fresh),
                grad * bounded * let_out * (1 - let_out),
            ]
            cells[: step.sequences] = for_cell * forget
        elif mode == GRU:
            reset, update, product, fresh = _gates_of(saved[step.rows], 4)
            for_fresh = grad * (1 - update) * (1 - fresh * fresh)
            for_update = grad * (state - fresh) * update * (1 - update)
            slopes = [for_fresh * product * reset * (1 - reset), for_update, for_fresh]
            outer_slopes = [*slopes[:2], for_fresh * reset]
            direct = grad * update
        else:
            new = outputs[step.rows]
            slopes = outer_slopes = [grad * (1 - new * new) if mode == TANH else grad * (new > 0)]
        inner[step.rows] = np.concatenate(slopes, axis=1)
        outer[step.rows] = np.concatenate(outer_slopes, axis=1)
        states[: step.sequences] = outer[step.rows] @ outer_weight + direct
    _store_given(grad_input, inner @ numbers(w_ih, WIDE))
    _store_given(grad_w_ih, inner.T @ inputs)
    _store_given(grad_w_hh, outer.T @ before)
    _store_given(grad_b_ih, inner.sum(axis=0))
    _store_given(grad_b_hh, outer.sum(axis=0))
    _store_given(grad_w_hr, projected.T @ news)
    _store_given(grad_hx, states)
    _store_given(grad_cx, cells)


def _copied(tensor: Tensor | None, sizes: Sequence[int]) -> Array:
    """The numbers of a tensor, to write to; zeros for None."""
    return np.zeros(sizes) if tensor is None else np.array(numbers(tensor, WIDE), np.float64)


def _store_given(tensor: Tensor | None, values: Array) -> None:
    if tensor is not None:
        store(tensor, values)
