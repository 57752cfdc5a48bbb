"""Losses: pointwise ones, negative log likelihood, connectionist temporal classification."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnomon.memory.tensor import Tensor

from .arrays import WIDE, Array, numbers, raw, store
from .families import ALL, FLOATS, Family, refuse_if
from .pointwise import divide

family = Family()

NONE, MEAN = 0, 1  # reduction


@family.elementwise("_smooth_l1", FLOATS, WIDE)
def smooth_l1(difference: Array, beta: float) -> Array:
    """A parabola within ``beta`` of 0, a line outside."""
    size = np.abs(difference)
    return np.where(size < beta, 0.5 * size * size / np.float64(beta), size - 0.5 * beta)


@family.elementwise("_huber", FLOATS, WIDE)
def huber(difference: Array, delta: float) -> Array:
    """A parabola within ``delta`` of 0, a line of slope ``delta`` outside."""
    size = np.abs(difference)
    return np.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta))


@family.elementwise("_binary_cross_entropy", FLOATS, WIDE)
def binary_cross_entropy(probability: Array, target: Array) -> Array:
    """Logarithms are clamped to -100, so that a wrong prediction of 0 or 1 has a finite loss."""
    for each in (probability, target):
        refuse_if(not np.all((each >= 0) & (each <= 1)))
    no, yes = np.maximum(np.log1p(-probability), -100.0), np.maximum(np.log(probability), -100.0)
    return (target - 1) * no - target * yes


# ---------------------------------------------------------------------------------------------------------
# Negative log likelihood.


def _picked(
    self: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> tuple[Array, Array, Array]:
    """For each row its class, whether it counts, and its weight (0 if it is ignored)."""
    classes = raw(target).astype(np.intp).reshape(-1)
    counts = classes != ignore_index
    size = self._spec.sizes[-1]
    refuse_if(np.any(counts & ((classes < 0) | (classes >= size))))
    classes = np.where(counts, classes, 0)
    weights = np.ones(size) if weight is None else numbers(weight, WIDE)
    used = weights[classes] if size else np.zeros(classes.shape)
    return classes, counts, np.where(counts, used, 0.0)


@family.kernel("nll_loss_forward", FLOATS)
def nll_loss(
    output: Tensor,
    total_weight: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
) -> None:
    """Minus the target's element of each row times the class's weight; their sum, or their weighted mean."""
    classes, counts, weights = _picked(self, target, weight, ignore_index)
    lines = np.atleast_2d(numbers(self, WIDE))
    if lines.shape[1]:
        losses = np.where(counts, -lines[np.arange(classes.size), classes] * weights, 0.0)
    else:
        losses = np.zeros(classes.size)
    if reduction == NONE and self._spec.ndim == 2:
        store(output, np.where(losses == 0, 0.0, losses))
        store(total_weight, 0.0)
        return
    total, used = np.sum(losses), np.sum(weights)
    store(output, total / used if reduction == MEAN else total)
    store(total_weight, used)


@family.kernel("nll_loss_backward", ALL)
def nll_loss_backward(
    grad_input: Tensor,
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: Tensor,
) -> None:
    """At each row's target, minus the weight (for a mean, over the total) times ``grad``; 0 elsewhere."""
    classes, counts, weights = _picked(self, target, weight, ignore_index)
    grad = numbers(grad_output, WIDE).reshape(-1)  # one for all rows, or one per row
    values = -(grad * weights)
    if reduction == MEAN:
        values = divide(values, numbers(total_weight, WIDE))
    result = np.zeros(grad_input._spec.sizes, values.dtype)
    lines = np.atleast_2d(result)  # a view
    at = np.flatnonzero(counts)
    lines[at, classes[at]] = values[at]
    store(grad_input, result)


# ---------------------------------------------------------------------------------------------------------
# Connectionist temporal classification.


class _States:
    """One sequence of a batch: its targets with blanks around them, and the states reachable by a skip."""

    def __init__(self, targets: Array, blank: int):
        self.labels = np.full(2 * targets.size + 1, blank)
        self.labels[1::2] = targets
        self.skips = np.zeros(self.labels.size, bool)  # can it follow the state two before it?
        self.skips[2:] = self.labels[2:] != self.labels[:-2]


def _sequences(targets: Tensor, lengths: Sequence[int], blank: int, classes: int) -> list[_States]:
    found, start = [], 0
    table = raw(targets).astype(np.intp)
    for number, length in enumerate(lengths):
        own = table[start : start + length] if table.ndim == 1 else table[number, :length]
        refuse_if(np.any((own < 0) | (own >= classes)))
        found.append(_States(own, blank))
        start += length
    return found


def _behind(a: Array, count: int) -> Array:
    """``a`` shifted right by ``count``, filled with -inf."""
    return np.concatenate([np.full(min(count, a.size), -np.inf), a[: max(a.size - count, 0)]])


def _total(*logarithms: Array) -> Array:
    """Elementwise logsumexp."""
    stacked = np.stack(logarithms)
    largest = np.max(stacked, axis=0)
    shift = np.where(largest == -np.inf, 0.0, largest)
    return np.where(np.isinf(largest), largest, shift + np.log(np.sum(np.exp(stacked - shift), axis=0)))


@family.kernel("_ctc_loss", ALL)
def ctc_loss(
    losses: Tensor,
    log_alpha: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
    zero_infinity: bool,
) -> None:
    """The probability of the paths that reach each state at each time step; vectorized over states."""
    source = numbers(log_probs, WIDE)
    found = np.zeros(losses._spec.sizes)
    alpha = np.full(log_alpha._spec.sizes, -np.inf)
    for number, each in enumerate(_sequences(targets, target_lengths, blank, source.shape[2])):
        reached = np.full(each.labels.size, -np.inf)
        reached[0] = 0.0  # before the first time step
        times = input_lengths[number]
        for time in range(times):
            if time == 0:
                before = np.where(np.arange(reached.size) < 2, 0.0, -np.inf)
            else:
                skipped = np.where(each.skips, _behind(reached, 2), -np.inf)
                before = _total(reached, _behind(reached, 1), skipped)
            reached = before + source[time, number, each.labels]
            alpha[number, time, : reached.size] = reached
        last = reached[-2:] if times else reached[-1:]
        found[number] = -_total(*last)
    store(losses, found)
    store(log_alpha, alpha)


@family.kernel("_ctc_loss_backward", ALL)
def ctc_loss_backward(
    grad_input: Tensor,
    grad: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    neg_log_likelihood: Tensor,
    log_alpha: Tensor,
    blank: int,
    zero_infinity: bool,
) -> None:
    """The gradient of log_softmax's input; log_softmax's backward leaves it unchanged."""
    source, alpha = numbers(log_probs, WIDE), numbers(log_alpha, WIDE)
    losses, factors = numbers(neg_log_likelihood, WIDE), numbers(grad, WIDE)
    result = np.zeros(grad_input._spec.sizes)
    classes = source.shape[2]
    for number, each in enumerate(_sequences(targets, target_lengths, blank, classes)):
        loss = losses[number]
        if zero_infinity and loss == np.inf:
            continue
        size = each.labels.size
        ahead = np.full(size, -np.inf)  # the probability of the paths from each state to the end
        is_last = np.arange(size) >= size - 2
        for time in reversed(range(input_lengths[number])):
            if time == input_lengths[number] - 1:
                after = np.where(is_last, 0.0, -np.inf)
            else:
                mirrored, skips = ahead[::-1], each.skips[::-1]
                skipped = _behind(np.where(skips, mirrored, -np.inf), 2)
                after = _total(mirrored, _behind(mirrored, 1), skipped)[::-1]
            emitted = source[time, number]
            ahead = after + emitted[each.labels]
            through = np.full(classes, -np.inf)
            np.logaddexp.at(through, each.labels, alpha[number, time, :size] + ahead)
            share = np.exp(through + loss - emitted)
            result[time, number] = (np.exp(emitted) - share) * factors[number]
    store(grad_input, result)
