"""Reductions and normalizations of the elements that a mask selects.

``mask`` is a bool tensor that broadcasts to the operand; elements where it is False do not take part, and
without a mask all do.  A result for which no element is selected is the identity of the operation: 0 for a
sum, 1 for a product, the lowest number for a maximum; NaN for a mean, a variance and a softmax.
Source: torch/masked/_ops.py.
"""

from __future__ import annotations

from .normalizations import cumprod, cumsum, log_softmax, logaddexp, normalize, softmax, softmin
from .reductions import (
    amax,
    amin,
    argmax,
    argmin,
    logsumexp,
    mean,
    median,
    norm,
    prod,
    std,
    sum,
    var,
)

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]
