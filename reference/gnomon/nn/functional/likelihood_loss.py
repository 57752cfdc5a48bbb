"""Losses that are negative log likelihoods."""

from __future__ import annotations

import math
from typing import Any

import gnomon as gn

from ..common_types import Reduction
from .arguments import REDUCTIONS, reduction_number, resolve_reduction


def poisson_nll_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """``rate - target * log(rate)``, for counts ``target`` of a Poisson distribution; ``input`` is log(rate).

    Without ``log_input``, ``input`` is the rate, and ``eps`` is added inside the logarithm.  ``full`` adds
    Stirling's approximation of log(target!) where the target exceeds 1.
    """
    number = reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.poisson_nll_loss(input, target, log_input, full, eps, number)


def _variance(var: gn.Tensor | float, input: gn.Tensor) -> gn.Tensor:
    """``var`` as a tensor that broadcasts with ``input``.  Raises ValueError for an unsuitable one."""
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
    reduction: Reduction = "mean",
) -> gn.Tensor:
    """The negative log likelihood of ``target`` under normal distributions with mean ``input``.

    It is ``(log(var) + (input - target) ** 2 / var) / 2``.  ``var`` is a float, or a tensor with
    the shape of ``input``, or that shape without the last dimension, or with size 1 in it; it is clamped to
    at least ``eps``, outside autograd.  ``full`` adds the constant term.
    Raises ValueError for a negative variance and for one of another shape.
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
    reduction: Reduction = "mean",
    zero_infinity: bool = False,
) -> gn.Tensor:
    """The negative log likelihood of sequences of classes without alignment in time.

    ``log_probs`` is (T, N, C) or (T, C), as returned by log_softmax; ``targets`` is (N, S), or all sequences
    concatenated; lengths are tensors or lists.  The mean is that of the losses divided by their target
    lengths.  ``zero_infinity``: the loss is 0 if the input is too short for its target.
    """
    number = reduction_number(reduction)
    return gn.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity)
