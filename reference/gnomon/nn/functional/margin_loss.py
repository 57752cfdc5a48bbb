"""Margin losses of scores and of distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn

from ...calls.checks import check_triplet
from ..common_types import Reduction
from .activation import logsigmoid
from .arguments import REDUCTIONS, reduction_number, resolve_reduction


def _reduced(losses: gn.Tensor, number: int) -> gn.Tensor:
    if number == REDUCTIONS["mean"]:
        return losses.mean()
    return losses.sum() if number == REDUCTIONS["sum"] else losses


def multi_margin_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """The sum of ``max(0, margin - input[target] + input[i]) ** p`` over the other classes i, divided by C.

    ``input`` is (N, C) or (C), ``target`` (N) or one class; ``weight`` (C) has a weight for each class.
    Raises ValueError for a p other than 1 and 2, and for a weight that is not 1-D.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: only p == 1 and p == 2 supported, but got {p}")
    if weight is not None and weight.dim() != 1:
        raise ValueError(f"multi_margin_loss: weight must be one-dimensional, but got {weight.dim()}D")
    return gn.ops.aten.multi_margin_loss(input, target, p, margin, weight, number)


def multilabel_margin_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """The sum of ``max(0, 1 - input[t] + input[i])`` over target classes t and all others i, divided by C.

    ``target``, with the shape of ``input``, lists the classes of each row; -1 ends the list.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.multilabel_margin_loss(input, target, number)


def multilabel_soft_margin_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """The mean of ``binary_cross_entropy_with_logits`` over the classes, each term times ``weight``."""
    meant = resolve_reduction(reduction, size_average, reduce)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    losses = losses.sum(input.dim() - 1) / input.size(-1)
    return _reduced(losses, reduction_number(meant))


def triplet_margin_with_distance_loss(
    anchor: gn.Tensor,
    positive: gn.Tensor,
    negative: gn.Tensor,
    *,
    distance_function: Callable[[gn.Tensor, gn.Tensor], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is ``distance_function``.

    Its default is ``pairwise_distance``.  With ``swap``, d(positive, negative) replaces d(anchor, negative)
    if it is smaller.  Raises ValueError unless the margin is positive, RuntimeError for different numbers of
    dimensions.
    """
    number = reduction_number(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    check_triplet(anchor, positive, negative)
    distance = gn.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = gn.minimum(far, distance(positive, negative))
    return _reduced((margin + near - far).clamp_min(0), number)
