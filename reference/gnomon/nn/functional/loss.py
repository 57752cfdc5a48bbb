"""Losses."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ...values.errors import warn
from ..common_types import Reduction
from .arguments import REDUCTIONS, reduction_number, resolve_reduction


def _expanded(name: str, input: gn.Tensor, target: gn.Tensor) -> tuple[gn.Tensor, ...]:
    """``input`` and ``target``, broadcast; warns if their shapes differ."""
    if target.shape != input.shape:
        warn(
            f"{name}: Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to broadcasting. Please ensure "
            "they have the same size.",
        )
    return gn.broadcast_tensors(input, target)


def _weighted(name: str, losses: gn.Tensor, weight: gn.Tensor, input: gn.Tensor, reduction: Reduction) -> Any:
    """The losses times ``weight``, reduced; the mean divides by the sum of the weights."""
    if weight.shape != input.shape:
        raise ValueError(
            f"{name}: Weights and input must have the same size, but got {weight.shape} and {input.shape}"
        )
    number = reduction_number(reduction)
    weighted = losses * weight
    if number == REDUCTIONS["none"]:
        return weighted
    return weighted.sum() / weight.sum() if number == REDUCTIONS["mean"] else weighted.sum()


def mse_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    weight: gn.Tensor | None = None,
) -> gn.Tensor:
    """``(input - target) ** 2``, times ``weight`` if given; ``reduction``: "mean", "sum" or "none".

    With a weight, the mean divides by the sum of the weights.  Warns if the shapes differ and have to be
    broadcast.  Raises ValueError for an unknown reduction, and for a weight of another shape than the input.

    Source: torch.nn.functional.mse_loss.
    """
    reduction = resolve_reduction(reduction, size_average, reduce)
    one, other = _expanded("mse_loss", input, target)
    if weight is None:
        return gn.ops.aten.mse_loss(one, other, reduction_number(reduction))
    losses = gn.ops.aten.mse_loss(one, other, REDUCTIONS["none"])
    return _weighted("mse_loss", losses, weight, input, reduction)


def l1_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    weight: gn.Tensor | None = None,
) -> gn.Tensor:
    """``|input - target|``; weight, reduction, warnings and errors are those of ``mse_loss``.

    The result is 0-dim, or with reduction "none" has the shape that both broadcast to.  Raises ValueError
    for a ``reduction`` other than "none", "mean" and "sum".

    Source: torch.nn.functional.l1_loss.
    """
    reduction = resolve_reduction(reduction, size_average, reduce)
    one, other = _expanded("l1_loss", input, target)
    if weight is None:
        return gn.ops.aten.l1_loss(one, other, reduction_number(reduction))
    return _weighted("l1_loss", (one - other).abs(), weight, input, reduction)


def smooth_l1_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    beta: float = 1.0,
) -> gn.Tensor:
    """``d ** 2 / (2 * beta)`` for differences d with ``|d| < beta``, else ``|d| - beta / 2``.

    The result is 0-dim, or with reduction "none" has the shape that both broadcast to.  Raises ValueError
    for a ``reduction`` other than "none", "mean" and "sum".

    Source: torch.nn.functional.smooth_l1_loss.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.smooth_l1_loss(*_expanded("smooth_l1_loss", input, target), number, beta)


def huber_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    reduction: Reduction = "mean",
    delta: float = 1.0,
    weight: gn.Tensor | None = None,
) -> gn.Tensor:
    """``d ** 2 / 2`` for differences d with ``|d| <= delta``, else ``delta * (|d| - delta / 2)``.

    ``weight``, with the shape of the input, multiplies each loss; the mean divides by the number of elements.

    Raises ValueError for a ``reduction`` other than "none", "mean" and "sum", and for a weight of
    another shape than the input.

    Source: torch.nn.functional.huber_loss.
    """
    one, other = _expanded("huber_loss", input, target)
    number = reduction_number(reduction)
    if weight is None:
        return gn.ops.aten.huber_loss(one, other, number, delta)
    if weight.shape != input.shape:
        raise ValueError(
            f"huber_loss: Weights and input must have the same size, but got {weight.shape} and {input.shape}"
        )
    weighted = gn.ops.aten.huber_loss(one, other, REDUCTIONS["none"], delta) * weight
    if number == REDUCTIONS["none"]:
        return weighted
    return weighted.mean() if number == REDUCTIONS["mean"] else weighted.sum()


def kl_div(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    log_target: bool = False,
) -> gn.Tensor:
    """``target * (log(target) - input)``: the Kullback-Leibler divergence; ``input`` has log-probabilities.

    ``reduction`` may also be "batchmean": the sum divided by the batch size, which is the mathematical
    definition; "mean" divides by the number of elements, with a warning.

    Raises ValueError for a ``reduction`` other than "none", "mean", "sum" and "batchmean".

    Source: torch.nn.functional.kl_div.
    """
    meant = resolve_reduction(reduction, size_average, reduce)
    if reduction == "mean" and size_average is None and reduce is None:
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. "
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition.",
        )
    number = reduction_number("sum" if meant == "batchmean" else meant)
    reduced = gn.kl_div(input, target, number, log_target=log_target)
    return reduced / input.size(0) if reduction == "batchmean" and input.dim() else reduced


def binary_cross_entropy(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """``-(target * log(input) + (1 - target) * log(1 - input))``; both are between 0 and 1.

    ``weight`` broadcasts.  Raises ValueError for a target of another size.

    Source: torch.nn.functional.binary_cross_entropy.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    if target.shape != input.shape:
        raise ValueError(
            f"binary_cross_entropy: Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). Please ensure they have the same size: target.view_as(input) has the input's, "
            "if it has as many elements."
        )
    if weight is not None:
        weight = weight.expand(gn.broadcast_shapes(target.shape, weight.shape))
    return gn.ops.aten.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    pos_weight: gn.Tensor | None = None,
) -> gn.Tensor:
    """``binary_cross_entropy`` of ``sigmoid(input)``, without overflow.

    ``pos_weight`` multiplies the terms of positive targets.  Raises ValueError for a target of another size.

    Source: torch.nn.functional.binary_cross_entropy_with_logits.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    if target.shape != input.shape:
        raise ValueError(
            f"binary_cross_entropy_with_logits: Target size ({target.shape}) must be the same as input size "
            f"({input.shape})"
        )
    return gn.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def hinge_embedding_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1.

    Both broadcast; the result is 0-dim, or with reduction "none" has the shape of the terms.  Raises
    ValueError for a ``reduction`` other than "none", "mean" and "sum".

    Source: torch.nn.functional.hinge_embedding_loss.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.hinge_embedding_loss(input, target, margin, number)


def margin_ranking_loss(
    input1: gn.Tensor,
    input2: gn.Tensor,
    target: gn.Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """``max(0, margin - target * (input1 - input2))``.

    Raises RuntimeError for tensors of different numbers of dimensions.

    All three broadcast; the result is 0-dim, or with reduction "none" has the shape of the terms.

    Source: torch.nn.functional.margin_ranking_loss.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss: All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape}"
        )
    return gn.margin_ranking_loss(input1, input2, target, margin, number)


def soft_margin_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """``log(1 + exp(-target * input))``, for targets 1 and -1.

    Both broadcast and are floating point; the result is 0-dim, or with reduction "none" has the shape of
    the terms.  Raises ValueError for a ``reduction`` other than "none", "mean" and "sum".

    Source: torch.nn.functional.soft_margin_loss.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.soft_margin_loss(input, target, number)


def cosine_embedding_loss(
    input1: gn.Tensor,
    input2: gn.Tensor,
    target: gn.Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """With the cosine c of two vectors, ``1 - c`` if the target is 1, ``max(0, c - margin)`` if it is -1.

    Inputs (N, D) or (D), target (N) or (); the result is 0-dim, or with reduction "none" has the shape of
    the target.  Raises ValueError for a ``reduction`` other than "none", "mean" and "sum",
    RuntimeError for other numbers of dimensions.

    Source: torch.nn.functional.cosine_embedding_loss.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.cosine_embedding_loss(input1, input2, target, margin, number)


def triplet_margin_loss(
    anchor: gn.Tensor,
    positive: gn.Tensor,
    negative: gn.Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is ``pairwise_distance``.

    With ``swap``, d(positive, negative) replaces d(anchor, negative) if it is smaller.  Raises ValueError
    unless the margin is positive.

    Inputs (N, D) or (D), which broadcast; the result is 0-dim, or with reduction "none" has the shape (N)
    or ().

    Source: torch.nn.functional.triplet_margin_loss.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return gn.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


def nll_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """Minus the log-probability of each target class: input (N, C, *), target (N, *) of classes in [0, C).

    ``weight`` (C) has a weight for each class; targets equal to ``ignore_index`` are ignored.

    The result is 0-dim, or with reduction "none" has the shape of the target.  Raises ValueError for a
    ``reduction`` other than "none", "mean" and "sum", ValueError for batches of other sizes,
    IndexError for a target out of range.

    Source: torch.nn.functional.nll_loss.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.nll_loss_nd(input, target, weight, number, ignore_index)


def cross_entropy(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
) -> gn.Tensor:
    """``nll_loss`` of ``log_softmax(input, 1)``.

    ``target`` may also hold class probabilities, with the shape of ``input``.

    Raises ValueError for a ``reduction`` other than "none", "mean" and "sum", ValueError for
    batches of other sizes, IndexError for a class out of range.

    Source: torch.nn.functional.cross_entropy.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.cross_entropy_loss(input, target, weight, number, ignore_index, label_smoothing)
