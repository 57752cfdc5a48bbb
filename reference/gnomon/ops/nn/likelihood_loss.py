"""Negative log likelihoods: poisson_nll_loss.

A reduction is an int: 0 none, 1 mean, 2 sum.  Source: aten/src/ATen/native/Loss.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.native import native_function

MEAN, SUM = 1, 2


def _reduced(losses: Any, reduction: int) -> Any:
    if reduction == MEAN:
        return losses.mean()
    return losses.sum() if reduction == SUM else losses


def _poisson_nll_loss(
    input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int
) -> Any:
    if log_input:
        product = target * input  # first, so that its gradient is added to the other one's
        losses = input.exp() - product
    else:
        losses = input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        losses += stirling.masked_fill(target <= 1, 0)  # in place: keeps the losses' dtype
    return _reduced(losses, reduction)


native_function(
    "poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> "
    "Tensor",
    composite=_poisson_nll_loss,
    doc="""Returns the negative log likelihood of a Poisson distribution, up to a constant.

    For a rate r and a count t it is ``r - t * log(r)``.  With ``log_input``, ``input`` is log(r), otherwise
    r, and ``eps`` is added inside the logarithm.  ``full`` adds Stirling's approximation of log(t!) for
    ``t > 1``.""",
)
