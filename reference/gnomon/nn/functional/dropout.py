"""Dropout."""

from __future__ import annotations

import gnomon as gn

from .arguments import check_probability


def dropout(input: gn.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> gn.Tensor:
    """While ``training``, zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``.

    Raises ValueError when ``p`` is not a probability.
    """
    check_probability(p)
    if not training or p == 0.0:
        return input
    with gn.no_grad():
        if p == 1.0:
            mask = gn.zeros_like(input)
        else:
            mask = (gn.rand_like(input) >= p).to(dtype=input.dtype).mul_(1.0 / (1.0 - p))
    return input.mul_(mask) if inplace else input * mask
