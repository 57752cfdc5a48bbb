"""Fold and Unfold.  Source: torch/nn/modules/fold.py."""

from __future__ import annotations

import gnomon as gn

from .. import functional
from ..common_types import Sizes
from .module import Module


class Fold(Module):
    """The inverse of ``Unfold``: images of ``output_size`` from windows, which are summed where they overlap.

    Source: torch.nn.Fold.
    """

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C * kernel height * kernel width, windows) -> ([N,] C, H, W)."""
        return functional.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """The windows of an image as columns.  Source: torch.nn.Unfold."""

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, H, W) -> ([N,] C * kernel height * kernel width, windows)."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )
