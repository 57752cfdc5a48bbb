"""PixelShuffle and PixelUnshuffle.  Source: torch/nn/modules/pixelshuffle.py."""

from __future__ import annotations

import gnomon as gn

from .. import functional
from .module import Module


class PixelShuffle(Module):
    """Moves channels to pixels: (*, C * r * r, H, W) -> (*, C, H * r, W * r), with r = ``upscale_factor``.

    Source: torch.nn.PixelShuffle; arXiv:1609.05158.
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, C * r * r, H, W) -> (*, C, H * r, W * r)."""
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The inverse of PixelShuffle.  Source: torch.nn.PixelUnshuffle."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, C, H * r, W * r) -> (*, C * r * r, H, W), with r = ``downscale_factor``."""
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
