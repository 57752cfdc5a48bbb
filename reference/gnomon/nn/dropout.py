"""Dropout."""

from __future__ import annotations

import gnomon as gn

from . import functional
from .module import Module


class Dropout(Module):
    """In training, zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``.

    Raises ValueError for a ``p`` outside [0, 1].  Source: torch.nn.Dropout; arXiv:1207.0580.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        functional.check_probability(p)
        self.p = p
        self.inplace = inplace

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
