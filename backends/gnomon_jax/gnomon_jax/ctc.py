"""Connectionist temporal classification and its gradient.

The states of a sequence are its targets with blanks around and between them.  All sequences of a batch are
computed at once, with as many states as the longest has; XLA loops over the time steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from .numbers import Array
from .programs import Family, refuse_if

family = Family()


class _States(NamedTuple):
    """The states of all sequences: (sequences, states)."""

    labels: Array
    exists: Any  # NumPy's: the rest is there because another sequence is longer
    skips: Array  # can it follow the state two before it?
    sizes: Any  # the number of states of each sequence


def _states(targets: Array, lengths: Sequence[int], blank: int, classes: int) -> _States:
    longest = max(lengths, default=0)
    number = np.arange(longest)
    own = number < np.array(lengths, np.int64).reshape(-1, 1)
    labels = jnp.full((len(lengths), 2 * longest + 1), blank, jnp.int64)
    if longest:
        if targets.ndim == 1:
            starts = np.cumsum([0, *lengths])[:-1]
            found = targets[np.where(own, starts[:, None] + number, 0)]
        else:
            found = targets[:, :longest]
        found = found.astype(jnp.int64)
        refuse_if(own & ((found < 0) | (found >= classes)))
        labels = labels.at[:, 1::2].set(jnp.where(own, jnp.clip(found, 0, classes - 1), blank))
    sizes = 2 * np.array(lengths, np.int64) + 1
    skips = jnp.zeros(labels.shape, bool).at[:, 2:].set(labels[:, 2:] != labels[:, :-2])
    return _States(labels, np.arange(labels.shape[1]) < sizes[:, None], skips, sizes)


def _behind(a: Array, count: int) -> Array:
    """``a`` shifted right by ``count``, filled with -inf."""
    width = a.shape[1]
    return jnp.concatenate([jnp.full((a.shape[0], count), -jnp.inf), a], 1)[:, :width]


def _ahead(a: Array, count: int) -> Array:
    """``a`` shifted left by ``count``, filled with -inf."""
    return jnp.concatenate([a, jnp.full((a.shape[0], count), -jnp.inf)], 1)[:, count:]


def _total(*logarithms: Array) -> Array:
    """Elementwise logsumexp."""
    stacked = jnp.stack(logarithms)
    largest = jnp.max(stacked, axis=0)
    shift = jnp.where(largest == -jnp.inf, 0.0, largest)
    total = jnp.log(jnp.sum(jnp.exp(stacked - shift), axis=0))
    return jnp.where(jnp.isinf(largest), largest, shift + total)


@family.kernel("_ctc_loss", ("float32", "float64"), outputs=2, is_sized=True)
def ctc_loss(
    sizes: Any,
    source: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
    zero_infinity: bool,
) -> tuple[Array, Array]:
    """The probability of the paths that reach each state at each time step."""
    states = _states(targets, target_lengths, blank, source.shape[2])
    steps, sequences = source.shape[0], source.shape[1]
    place = np.arange(states.labels.shape[1])
    times = np.array(input_lengths, np.int64).reshape(-1, 1)
    start = jnp.where(place < 2, 0.0, -jnp.inf)

    def step(reached: Array, given: tuple[Array, Array]) -> tuple[Array, Array]:
        time, emitted = given
        skipped = jnp.where(states.skips, _behind(reached, 2), -jnp.inf)
        before = jnp.where(time == 0, start, _total(reached, _behind(reached, 1), skipped))
        new = jnp.where(states.exists, before + jnp.take_along_axis(emitted, states.labels, 1), -jnp.inf)
        new = jnp.where(time < times, new, reached)
        return new, jnp.where(time < times, new, -jnp.inf)

    reached = jnp.broadcast_to(jnp.where(place == 0, 0.0, -jnp.inf), states.labels.shape)
    if steps:
        reached, alpha = lax.scan(step, reached, (jnp.arange(steps), source))
    else:
        alpha = jnp.zeros((0, *states.labels.shape))
    last = jnp.take_along_axis(reached, states.sizes[:, None] - 1, 1)[:, 0]
    previous = jnp.take_along_axis(reached, np.maximum(states.sizes[:, None] - 2, 0), 1)[:, 0]
    has_two = (states.sizes > 1) & (times[:, 0] > 0)
    losses = -_total(last, jnp.where(has_two, previous, -jnp.inf))
    full = jnp.full(sizes[1], -jnp.inf)
    alpha = jnp.swapaxes(alpha, 0, 1)[:, : full.shape[1], : full.shape[2]]
    return losses.reshape(sizes[0]), full.at[:sequences, : alpha.shape[1], : alpha.shape[2]].set(alpha)


@family.kernel("_ctc_loss_backward", ("float32", "float64"))
def ctc_loss_backward(
    grad: Array,
    source: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    losses: Array,
    alpha: Array,
    blank: int,
    zero_infinity: bool,
) -> Array:
    """The gradient of log_softmax's input; log_softmax's backward leaves it unchanged."""
    states = _states(targets, target_lengths, blank, source.shape[2])
    steps, sequences, classes = source.shape
    if not source.size:
        return source
    place = np.arange(states.labels.shape[1])
    times = np.array(input_lengths, np.int64).reshape(-1, 1)
    width = states.labels.shape[1]
    missing = ((0, 0), (0, max(steps - alpha.shape[1], 0)), (0, max(width - alpha.shape[2], 0)))
    alpha = jnp.pad(alpha, missing, constant_values=-jnp.inf)[:, :steps, :width]
    is_last = jnp.where(place >= states.sizes[:, None] - 2, 0.0, -jnp.inf)
    skips_ahead = jnp.concatenate([states.skips, jnp.zeros((sequences, 2), bool)], 1)[:, 2:]
    rows = np.arange(sequences)[:, None]
    scale = grad.reshape(-1, 1)
    is_dropped = (losses.reshape(-1, 1) == jnp.inf) & zero_infinity

    def step(ahead: Array, given: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        time, emitted, reached = given
        skipped = jnp.where(skips_ahead, _ahead(ahead, 2), -jnp.inf)
        after = jnp.where(time == times - 1, is_last, _total(ahead, _ahead(ahead, 1), skipped))
        new = jnp.where(states.exists, after + jnp.take_along_axis(emitted, states.labels, 1), -jnp.inf)
        both = jnp.where(states.exists, reached + new, -jnp.inf)
        # the logarithm of the sum over the states of each label
        largest = jnp.full((sequences, classes), -jnp.inf).at[rows, states.labels].max(both)
        shift = jnp.where(largest == -jnp.inf, 0.0, largest)
        powers = jnp.exp(both - jnp.take_along_axis(shift, states.labels, 1))
        total = jnp.log(jnp.zeros((sequences, classes)).at[rows, states.labels].add(powers))
        through = jnp.where(jnp.isinf(largest), largest, shift + total)
        share = jnp.exp(through + losses.reshape(-1, 1) - emitted)
        slope = (jnp.exp(emitted) - share) * scale
        is_inside = time < times
        return jnp.where(is_inside, new, ahead), jnp.where(is_inside & ~is_dropped, slope, 0.0)

    first = jnp.full(states.labels.shape, -jnp.inf)
    given = jnp.arange(steps), source, jnp.swapaxes(alpha, 0, 1)
    return lax.scan(step, first, given, reverse=True)[1]
