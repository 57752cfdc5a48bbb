"""Upsampling.  Source: torch/nn/modules/upsampling.py."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .. import functional
from ..common_types import InterpolationMode, Sizes, _ratio_any_t
from .module import Module


class Upsample(Module):
    """Resizes (N, C, *spatial) to ``size``, or by ``scale_factor``; see ``functional.interpolate``.

    Source: torch.nn.Upsample.
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: _ratio_any_t | None = None,
        mode: InterpolationMode = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor: Any
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, C, *spatial) -> (N, C, *new sizes)."""
        return functional.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("recompute_scale_factor", True)  # what PyTorch did before there was this option
        super().__setstate__(state)

    def extra_repr(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resizes images (N, C, H, W) to the nearest pixels.  Source: torch.nn.UpsamplingNearest2d."""

    def __init__(self, size: Sizes | None = None, scale_factor: _ratio_any_t | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resizes images (N, C, H, W) by interpolation, with aligned corners.

    Source: torch.nn.UpsamplingBilinear2d.
    """

    def __init__(self, size: Sizes | None = None, scale_factor: _ratio_any_t | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
