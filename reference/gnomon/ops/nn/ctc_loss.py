"""Connectionist temporal classification: the likelihood of a sequence of classes without alignment in time.

A path has a class or the blank at each time step; it represents the sequence that remains after merging
repetitions and then removing blanks.  The likelihood of a sequence is the sum of those of its paths, computed
over the sequence with a blank before, between and after its classes: 2 S + 1 states for S classes.  Sums of
probabilities are computed in float64, from their logarithms.

Source: aten/src/ATen/native/LossCTC.cpp; Graves et al. (2006), to whose equations the numbers below refer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...calls.checks import check_dim, check_dtype, check_same_dtype, check_size, refuse_half
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum, exp, log
from ...values.dtype import int32, int64
from ...values.geometry import Ints

MEAN, SUM = 1, 2
_NEVER = float("-inf")  # the logarithm of probability 0


class _Sequence(NamedTuple):
    """One sequence of a batch: its index, its number of time steps, and the classes of its states."""

    number: int
    times: int
    states: list[int]

    def skips(self, state: int) -> bool:
        """May a path go to ``state`` from ``state - 2``, skipping the blank between them?"""
        return state >= 2 and self.states[state] != self.states[state - 2]


def _sequences(targets: Tensor, times: Ints, lengths: Ints, blank: int, classes: int) -> Iterator[_Sequence]:
    accessor = TensorAccessor(targets)
    flat = len(accessor.sizes) == 1
    start = 0
    for number, (count, length) in enumerate(zip(times, lengths)):
        states = [blank]
        for place in range(length):
            found = accessor[(start + place,) if flat else (number, place)]
            if not 0 <= found < classes:
                raise RuntimeError(f"Expected targets to be classes from 0 to {classes - 1}, but got {found}")
            states += [found, blank]
        start += length
        yield _Sequence(number, count, states)


def _total(logarithms: Sequence[float]) -> float:
    """logsumexp of ``logarithms``."""
    largest = max(logarithms)
    if largest == _NEVER or largest != largest:
        return largest
    return largest + log(exact_sum([exp(each - largest) for each in logarithms]))


def _ctc_meta(
    log_probs: Spec,
    targets: Spec,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
    zero_infinity: bool,
) -> tuple[Spec, Spec]:
    check_dim(3, log_probs=log_probs)
    if not log_probs.numel:
        raise RuntimeError(f"log_probs tensor must not be empty, but has sizes {list(log_probs.sizes)}")
    refuse_half(log_probs.dtype, "bool", "integer", "complex")
    check_dtype(int64, int32, targets=targets)
    times, batch, classes = log_probs.sizes
    if not 0 <= blank < classes:
        raise RuntimeError(f"blank must be in label range, 0 to {classes - 1}, but got {blank}")
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if len(lengths) != batch:
            raise RuntimeError(f"{name} must be of size batch_size {batch}, but got {len(lengths)} numbers")
        if min(lengths) < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {min(lengths)}")
    if max(input_lengths) > times:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {times}, but got value {max(input_lengths)}"
        )
    longest = max(target_lengths)
    if targets.ndim == 1:
        wanted = targets.sizes[0] == sum(target_lengths)
    else:
        wanted = targets.ndim == 2 and targets.sizes[0] == batch and targets.sizes[1] >= longest
    if not wanted:
        raise RuntimeError(
            f"Expected targets to have sizes [{sum(target_lengths)}], or [{batch}, at least {longest}], but "
            f"got {list(targets.sizes)}"
        )
    return log_probs.contiguous((batch,)), log_probs.contiguous((batch, times, 2 * longest + 1))


def _ctc_kernel(
    losses: Tensor,
    log_alpha: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Ints,
    target_lengths: Ints,
    blank: int,
    zero_infinity: bool,
) -> None:
    """Equations 5 to 8: the probability of the paths that reach each state at each time step."""
    loss, alpha, source = TensorAccessor(losses), TensorAccessor(log_alpha), TensorAccessor(log_probs)
    for offset in alpha.offsets():
        alpha.write(offset, _NEVER)
    for each in _sequences(targets, input_lengths, target_lengths, blank, source.sizes[2]):
        reached = [0.0] + [_NEVER] * (len(each.states) - 1)  # before the first time step
        for time in range(each.times):
            before = reached if time else None
            reached = []
            for state, label in enumerate(each.states):
                if before is None:
                    sum_before = 0.0 if state < 2 else _NEVER
                else:
                    paths = before[max(state - 1, 0) : state + 1]
                    sum_before = _total([*paths, before[state - 2]] if each.skips(state) else paths)
                reached.append(sum_before + source[(time, each.number, label)])
                alpha[(each.number, time, state)] = reached[-1]
        loss[(each.number,)] = -_total(reached[-2:] if each.times else reached[-1:])


def _ctc_grad(
    grad: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    result0: Any,
    result1: Any,
    blank: int,
    zero_infinity: bool,
) -> Any:
    return aten._ctc_loss_backward.default(
        grad, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity
    )


native_function(
    "_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, "
    "bool zero_infinity=False) -> (Tensor, Tensor)",
    meta=_ctc_meta,
    kernel=_ctc_kernel,
    derivatives={"log_probs": _ctc_grad},
    non_differentiable_outputs=(1,),
    node_name="CtcLossBackward0",
    variants="function",
    doc="""Returns the negative log likelihood of each target sequence (N), and the log-probability of its
    paths up to each time step and state (N, T, 2 S + 1), -inf past the sequence's end.

    ``log_probs`` (T, N, C), float32 or float64; ``targets`` int32 or int64, (N, S) or concatenated.  Raises
    RuntimeError for lengths that do not match.""",
)


def _ctc_backward_meta(
    grad: Spec,
    log_probs: Spec,
    targets: Spec,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    neg_log_likelihood: Spec,
    log_alpha: Spec,
    blank: int,
    zero_infinity: bool,
) -> Spec:
    losses, alphas = _ctc_meta(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    check_size(losses.sizes, grad=grad, neg_log_likelihood=neg_log_likelihood)
    # log_alpha may have more states than the longest target needs
    is_wide = log_alpha.ndim == 3 and log_alpha.sizes[2] >= alphas.sizes[2]
    states = log_alpha.sizes[2] if is_wide else alphas.sizes[2]
    check_size((*alphas.sizes[:2], states), log_alpha=log_alpha)
    given = {"grad": grad, "neg_log_likelihood": neg_log_likelihood, "log_alpha": log_alpha}
    check_same_dtype(log_probs=log_probs, **given)
    return log_probs.contiguous()


def _ctc_backward_kernel(
    grad_input: Tensor,
    grad: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Ints,
    target_lengths: Ints,
    neg_log_likelihood: Tensor,
    log_alpha: Tensor,
    blank: int,
    zero_infinity: bool,
) -> None:
    """Equations 10 to 16.  This is the gradient of log_softmax's input; log_softmax's backward leaves it
    unchanged.
    """
    out, source = TensorAccessor(grad_input), TensorAccessor(log_probs)
    alpha, losses, factors = (TensorAccessor(each) for each in (log_alpha, neg_log_likelihood, grad))
    for offset in out.offsets():
        out.write(offset, 0.0)
    classes = source.sizes[2]
    for each in _sequences(targets, input_lengths, target_lengths, blank, classes):
        loss = losses[(each.number,)]
        if zero_infinity and loss == float("inf"):
            continue
        last = len(each.states) - 1
        ahead = [_NEVER] * (last + 1)  # the probability of the paths from each state to the end
        for time in reversed(range(each.times)):
            after, ahead = ahead, []
            through: list[list[float]] = [[] for _ in range(classes)]
            for state, label in enumerate(each.states):
                if time == each.times - 1:
                    total = 0.0 if state >= last - 1 else _NEVER
                else:
                    paths = after[state : state + 2]
                    skips = state + 2 <= last and each.skips(state + 2)
                    total = _total([*paths, after[state + 2]] if skips else paths)
                ahead.append(total + source[(time, each.number, label)])
                through[label].append(alpha[(each.number, time, state)] + ahead[-1])
            for label, paths in enumerate(through):
                number = source[(time, each.number, label)]
                share = exp((_total(paths) if paths else _NEVER) + loss - number)
                out[(time, each.number, label)] = (exp(number) - share) * factors[(each.number,)]


native_function(
    "_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] "
    "target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> "
    "Tensor",
    meta=_ctc_backward_meta,
    kernel=_ctc_backward_kernel,
    variants="function",
    doc="""The gradient of _ctc_loss (T, N, C), for log-probabilities of distributions (outputs of
    log_softmax).

    ``zero_infinity``: 0 for sequences whose loss is infinite.""",
)


def _ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
    reduction: int,
    zero_infinity: bool,
) -> Any:
    batched = log_probs.ndim == 3
    batch = log_probs if batched else log_probs.unsqueeze(1)
    losses, _ = aten._ctc_loss.default(batch, targets, input_lengths, target_lengths, blank, zero_infinity)
    if zero_infinity:
        losses = losses.masked_fill(losses == float("inf"), 0)
    if reduction == MEAN:
        each = [losses.select(0, number) / max(count, 1) for number, count in enumerate(target_lengths)]
        return aten.stack.default(each, 0).mean()
    if reduction == SUM:
        return losses.sum()
    return losses if batched else losses.squeeze(0)


def _numbers(name: str, lengths: Any) -> tuple[int, ...]:
    """The elements of a tensor of lengths.  Raises RuntimeError unless they are integers."""
    if lengths._spec.dtype.category != 1:
        raise RuntimeError(f"{name} must be integral, but got {lengths._spec.dtype.name}")
    return tuple(lengths.reshape((-1,)).tolist())


_DOC = """Returns the connectionist temporal classification loss, the negative log likelihood of ``targets``.

    ``log_probs``: log-probabilities of the classes, (T, N, C) or (T, C), as returned by log_softmax.
    ``targets``: class indices, (N, S), or all sequences concatenated.  ``reduction``: 0 none, 1 mean of the
    losses divided by their target lengths, 2 sum.  ``zero_infinity``: the loss is 0 if the input is too short
    for its target.  Raises RuntimeError for lengths that do not match."""

native_function(
    "ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int "
    "blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor",
    composite=_ctc_loss,
    variants="function",
    doc=_DOC,
)

native_function(
    "ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
    "blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor",
    composite=lambda log_probs, targets, input_lengths, target_lengths, *options: _ctc_loss(
        log_probs,
        targets,
        _numbers("input_lengths", input_lengths),
        _numbers("target_lengths", target_lengths),
        *options,
    ),
    variants="function",
    doc=_DOC,
)
