"""Activations with random numbers."""

from __future__ import annotations

import gnomon as gn

from ...values.errors import warn

rrelu_ = gn.rrelu_


def rrelu(
    input: gn.Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> gn.Tensor:
    """``input`` where it is positive, elsewhere ``slope * input``.

    In ``training`` each element has a random slope from [lower, upper), else it is the mean of the bounds.
    """
    return (gn.rrelu_ if inplace else gn.rrelu)(input, lower, upper, training)


def gumbel_softmax(
    logits: gn.Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> gn.Tensor:
    """A soft sample of the classes along ``dim``: ``softmax((logits + noise) / tau)``, with Gumbel noise.

    ``hard``: 1 for the sampled class and 0 for all others, with the gradient of the soft sample.  ``eps`` is
    ignored, with a warning.  Jang et al. (2017).
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = -gn.empty_like(logits, memory_format=gn.contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    drawn = soft.max(dim, keepdim=True)[1]
    one_hot = gn.zeros_like(logits, memory_format=gn.contiguous_format).scatter_(dim, drawn, 1.0)
    return one_hot - soft.detach() + soft
