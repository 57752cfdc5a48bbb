"""Dropout of elements and of whole channels.

Source: torch/nn/modules/dropout.py.
"""

from __future__ import annotations

import gnomon as gn

from .. import functional
from .module import Module


class _DropoutNd(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        functional.check_probability(p)
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training, zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``.

    Raises ValueError for a ``p`` outside [0, 1].  Source: torch.nn.Dropout; arXiv:1207.0580.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """In training, zeroes whole channels with probability ``p`` and scales the rest by ``1 / (1 - p)``.

    Raises ValueError for a ``p`` outside [0, 1].  Source: torch.nn.Dropout1d; arXiv:1411.4280.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, L) -> the same shape."""
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """The same as Dropout1d for (N, C, H, W).  Source: torch.nn.Dropout2d."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, C, H, W) or (N, C, L) -> the same shape."""
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """The same as Dropout1d for ([N,] C, D, H, W).  Source: torch.nn.Dropout3d."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, D, H, W) -> the same shape."""
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """In training, dropout that keeps mean and variance of the outputs of SELU; never in place.

    Raises ValueError for a ``p`` outside [0, 1].  Source: torch.nn.AlphaDropout; arXiv:1706.02515.
    """

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """Any shape -> the same shape."""
        return functional.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """The same as AlphaDropout for whole channels of (N, C, *).  Source: torch.nn.FeatureAlphaDropout."""

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, C, *) -> the same shape."""
        return functional.feature_alpha_dropout(input, self.p, self.training)
