"""Losses."""

from __future__ import annotations

import warnings

import gnomon as gn

from .arguments import REDUCTIONS, reduction_number, resolve_reduction


def mse_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: gn.Tensor | None = None,
) -> gn.Tensor:
    """The mean (or sum, or each) of ``(input - target) ** 2``, each times ``weight`` if given.

    The mean is then over the sum of the weights.  Warns when the shapes differ and have to be broadcast.
    Raises ValueError for an unknown reduction, and for a weight of another shape than the input's.
    """
    if target.shape != input.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
            "same size.",
            stacklevel=2,
        )
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    if weight is None:
        return gn.ops.aten.mse_loss(input, target, number)
    if weight.shape != input.shape:
        raise ValueError(
            f"mse_loss: Weights and input must have the same size, but got {weight.shape} and {input.shape}"
        )
    weighted = gn.ops.aten.mse_loss(input, target, REDUCTIONS["none"]) * weight
    if number == REDUCTIONS["none"]:
        return weighted
    return weighted.sum() / weight.sum() if number == REDUCTIONS["mean"] else weighted.sum()


def nll_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> gn.Tensor:
    """Minus the log-probability of each target class: input (N, C, *), target (N, *) of classes in [0, C).

    ``weight`` (C) weighs the classes; targets equal to ``ignore_index`` do not count.
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
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> gn.Tensor:
    """``nll_loss`` of ``log_softmax(input, 1)``.

    ``target`` may also hold class probabilities, shaped as ``input``.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.cross_entropy_loss(input, target, weight, number, ignore_index, label_smoothing)
