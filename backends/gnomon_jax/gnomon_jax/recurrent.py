"""A layer of a recurrent network in one direction, and its gradients.

The rows of all time steps, packed one after the other, are spread to (steps, sequences): sequences that have
ended keep their state.  XLA loops over the steps, so that a program's size does not depend on their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from .elementary import sigmoid, tanh
from .numbers import Array
from .programs import FLOATS, Family

family = Family()

RELU, TANH, LSTM, GRU = range(4)
GATES = (1, 1, 4, 3)


class _Steps(NamedTuple):
    """The time steps in the order in which they are computed; NumPy's arrays (steps, sequences)."""

    rows: Any  # the row of each sequence, 0 where it has none
    exists: Any
    step_of: Any  # of each row
    sequence_of: Any

    def spread(self, a: Array) -> Array:
        """Rows as (steps, sequences, …); 0 where there is none."""
        return jnp.where(self.exists[..., None], a[self.rows], 0.0)

    def packed(self, a: Array) -> Array:
        """The rows of (steps, sequences, …)."""
        return a[self.step_of, self.sequence_of]

    def before(self, states: Array, first: Array) -> Array:
        """For each step the states that it found: those of the step before, or the first ones."""
        known = np.concatenate([np.zeros_like(self.exists[:1]), self.exists[:-1]])
        earlier = jnp.concatenate([jnp.zeros_like(states[:1]), states[:-1]])
        return jnp.where(known[..., None], earlier, first)


def _steps(batch_sizes: Sequence[int], sequences: int, reverse: bool) -> _Steps:
    firsts = np.cumsum([0, *batch_sizes])[:-1]
    order = list(range(len(batch_sizes)))[:: -1 if reverse else 1]
    number = np.arange(sequences)
    exists = np.array([number < batch_sizes[each] for each in order]).reshape(-1, sequences)
    rows = np.array([firsts[each] + number for each in order], np.int64).reshape(-1, sequences)
    count = sum(batch_sizes)
    step_of, sequence_of = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for place, each in enumerate(order):
        own = slice(firsts[each], firsts[each] + batch_sizes[each])
        step_of[own], sequence_of[own] = place, np.arange(batch_sizes[each])
    return _Steps(np.where(exists, rows, 0), exists, step_of, sequence_of)


def _kept(exists: Array, new: Array, old: Array) -> Array:
    return jnp.where(exists[:, None], new, old)


@family.kernel("_rnn_layer", FLOATS, outputs=4, is_sized=True)
def layer(
    sizes: Any,
    inputs: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    w_hr: Array | None,
    hx: Array,
    cx: Array | None,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    train: bool,
) -> tuple[Any, Array, Any, Array]:
    """The input's products of all steps at once, then step by step those of the state."""
    no_cells = None if sizes[2] is None else jnp.zeros(sizes[2])
    workspace = jnp.zeros(sizes[3])
    if not batch_sizes or not hx.size:
        return jnp.zeros(sizes[0]), hx, no_cells if cx is None else cx, workspace
    steps = _steps(batch_sizes, hx.shape[0], reverse)
    inner_bias, outer_bias = (0.0 if each is None else each for each in (b_ih, b_hh))
    products = steps.spread(inputs @ w_ih.T + inner_bias)

    def step(carry: tuple[Array, Array], given: tuple[Array, Array]) -> tuple[Any, Any]:
        state, cell = carry
        product, exists = given
        inner = jnp.split(product, GATES[mode], axis=1)
        outer = jnp.split(state @ w_hh.T + outer_bias, GATES[mode], axis=1)
        kept: list[Array] = []
        new_cell = cell
        if mode == LSTM:
            let_in, forget, let_out = (sigmoid(inner[gate] + outer[gate]) for gate in (0, 1, 3))
            fresh = tanh(inner[2] + outer[2])
            new_cell = forget * cell + let_in * fresh
            new = let_out * tanh(new_cell)
            kept = [let_in, forget, fresh, let_out, new_cell]
        elif mode == GRU:
            reset, update = (sigmoid(inner[gate] + outer[gate]) for gate in (0, 1))
            fresh = tanh(inner[2] + reset * outer[2])
            new = (state - fresh) * update + fresh
            kept = [reset, update, outer[2], fresh]
        else:
            sums = inner[0] + outer[0]
            new = tanh(sums) if mode == TANH else jnp.where(sums <= 0, 0.0, sums)
        new = new if w_hr is None else new @ w_hr.T
        saved = jnp.concatenate(kept, 1) if kept else new
        return (_kept(exists, new, state), _kept(exists, new_cell, cell)), (new, saved)

    first_cells = jnp.zeros((hx.shape[0], 0)) if cx is None else cx
    (states, cells), (outputs, saved) = lax.scan(step, (hx, first_cells), (products, steps.exists))
    if train and mode in (LSTM, GRU):
        workspace = steps.packed(saved)
    return steps.packed(outputs), states, no_cells if cx is None else cells, workspace


@family.kernel("_rnn_layer_backward", FLOATS, outputs=8, is_sized=True)
def layer_backward(
    sizes: Any,
    grad_output: Array | None,
    grad_hy: Array | None,
    grad_cy: Array | None,
    inputs: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    w_hr: Array | None,
    hx: Array,
    cx: Array | None,
    output: Array,
    workspace: Array,
    batch_sizes: Sequence[int],
    mode: int,
    reverse: bool,
    output_mask: Sequence[bool],
) -> Sequence[Any]:
    """The gradients of the preactivations step by step, then all others as products over all rows."""
    hidden = w_hh.shape[0] // GATES[mode]
    states = jnp.zeros(hx.shape) if grad_hy is None else grad_hy
    cells = jnp.zeros((hx.shape[0], hidden)) if grad_cy is None or cx is None else grad_cy
    if not batch_sizes or not hx.size:
        found = [None if each is None else jnp.zeros(each) for each in sizes]
        return [*found[:6], states, cells]
    steps = _steps(batch_sizes, hx.shape[0], reverse)
    outputs = steps.spread(output)
    before = steps.before(outputs, hx)
    arriving = jnp.zeros(outputs.shape) if grad_output is None else steps.spread(grad_output)
    saved = steps.spread(workspace) if mode in (LSTM, GRU) else outputs
    cells_before = outputs[..., :0]
    if mode == LSTM and cx is not None:
        cells_before = steps.before(saved[..., 4 * hidden :], cx)

    def step(carry: tuple[Array, Array], given: Any) -> tuple[Any, Any]:
        states, cells = carry
        exists, arrived, state, new, kept, cell = given
        projected = grad = states + arrived
        if w_hr is not None:
            grad = grad @ w_hr
        direct: Any = 0.0
        news, for_cells = jnp.zeros_like(grad), cells
        if mode == LSTM:
            let_in, forget, fresh, let_out, new_cell = jnp.split(kept, 5, axis=1)
            bounded = tanh(new_cell)
            news = let_out * bounded
            for_cell = cells + grad * let_out * (1 - bounded * bounded)
            slopes = outer_slopes = [
                for_cell * fresh * let_in * (1 - let_in),
                for_cell * cell * forget * (1 - forget),
                for_cell * let_in * (1 - fresh * fresh),
                grad * bounded * let_out * (1 - let_out),
            ]
            for_cells = for_cell * forget
        elif mode == GRU:
            reset, update, product, fresh = jnp.split(kept, 4, axis=1)
            for_fresh = grad * (1 - update) * (1 - fresh * fresh)
            for_update = grad * (state - fresh) * update * (1 - update)
            slopes = [for_fresh * product * reset * (1 - reset), for_update, for_fresh]
            outer_slopes = [*slopes[:2], for_fresh * reset]
            direct = grad * update
        else:
            slopes = outer_slopes = [grad * (1 - new * new) if mode == TANH else grad * (new > 0)]
        inner, outer = jnp.concatenate(slopes, 1), jnp.concatenate(outer_slopes, 1)
        carry = _kept(exists, outer @ w_hh + direct, states), _kept(exists, for_cells, cells)
        return carry, (inner, outer, projected, news)

    given = steps.exists, arriving, before, outputs, saved, cells_before
    (states, cells), found = lax.scan(step, (states, cells), given, reverse=True)
    inner, outer, projected, news = (steps.packed(each) for each in found)
    return (
        inner @ w_ih,
        inner.T @ inputs,
        outer.T @ steps.packed(before),
        jnp.sum(inner, axis=0),
        jnp.sum(outer, axis=0),
        projected.T @ news,
        states,
        cells,
    )
