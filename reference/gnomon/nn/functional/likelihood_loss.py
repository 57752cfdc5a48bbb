"""Losses that are minus the logarithm of a likelihood."""

from __future__ import annotations

import math
from typing import Any

import gnomon as gn

from .arguments import REDUCTIONS, reduction_number, resolve_reduction


def poisson_nll_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> gn.Tensor:
    """``rate - target * log(rate)``: counts ``target`` of a Poisson distribution; ``input`` is log(rate).

    Without ``log_input`` it is the rate, and ``eps`` is added where the logarithm is taken.  ``full`` adds
    Stirling's approximation of log(target!) where the target exceeds 1.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.poisson_nll_loss(input, target, log_input, full, eps, number)


def _variance(var: gn.Tensor | float, input: gn.Tensor) -> gn.Tensor:
    """``var`` as a tensor that broadcasts with ``input``.  Raises ValueError for one that can not be it."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError(f"gaussian_nll_loss: var has negative entry/entries: {var}")
        return var * gn.ones_like(input)
    if bool((var < 0).any()):
        raise ValueError("gaussian_nll_loss: var has negative entry/entries")
    if var.shape == input.shape:
        return var
    if var.shape == input.shape[:-1]:
        return var.unsqueeze(-1)
    differing = [have for wanted, have in zip(input.shape, var.shape) if wanted != have]
    if input.ndim != var.ndim or sum(differing) != 1:
        raise ValueError(
            f"gaussian_nll_loss: var is of incorrect size: {var.shape} for an input of {input.shape}"
        )
    return var


def gaussian_nll_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    var: gn.Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> gn.Tensor:
    """``(log(var) + (input - target) ** 2 / var) / 2``: targets of normal distributions of mean ``input``.

    ``var`` is a float, or a tensor shaped as ``input``, or with its last size left out, or with one size 1;
    it is at least ``eps``, of which the gradient knows nothing.  ``full`` adds the constant.  Raises
    ValueError for negative and other variances.
    """
    variance = _variance(var, input)
    number = reduction_number(reduction)
    variance = variance.clone()
    with gn.no_grad():
        variance.clamp_(min=eps)
    losses = 0.5 * (variance.log() + (input - target) ** 2 / variance)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    if number == REDUCTIONS["mean"]:
        return losses.mean()
    return losses.sum() if number == REDUCTIONS["sum"] else losses


def ctc_loss(
    log_probs: gn.Tensor,
    targets: gn.Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> gn.Tensor:
    """Minus the logarithm of the likelihood of sequences of classes that are not aligned in time.

    ``log_probs`` (T, N, C) or (T, C), as log_softmax gives them; ``targets`` (N, S), or one sequence behind
    the other; lengths as tensors or lists.  The mean is that of the losses over their targets' lengths.
    ``zero_infinity``: no loss where the input is too short for its target.
    """
    number = reduction_number(reduction)
    return gn.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity)
