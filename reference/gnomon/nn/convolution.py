"""Convolution over images, and max pooling."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from . import functional, init
from .functional import pair
from .module import Module
from .parameter import Parameter

IntOrPair = int | tuple[int, int]


class Conv2d(Module):
    """Cross-correlation of (N, in_channels, H, W) with ``weight``, plus ``bias``: (N, out_channels, H', W').

    ``weight`` is (out_channels, in_channels / groups, *kernel_size).  ``padding`` is a size, a pair, 'valid'
    (none) or 'same' (H' = H, W' = W; stride 1 only).  Only ``padding_mode='zeros'`` is supported.  Raises
    ValueError for sizes that do not match, NotImplementedError for another padding_mode.  Source:
    torch.nn.Conv2d.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: IntOrPair,
        stride: IntOrPair = 1,
        padding: str | IntOrPair = 0,
        dilation: IntOrPair = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError(f"groups must be a positive integer, but got {groups}")
        if in_channels % groups:
            raise ValueError(f"in_channels must be divisible by groups, but got {in_channels} and {groups}")
        if out_channels % groups:
            raise ValueError(f"out_channels must be divisible by groups, but got {out_channels} and {groups}")
        if isinstance(padding, str) and padding not in ("valid", "same"):
            raise ValueError(f"Invalid padding string '{padding}', should be one of 'valid', 'same'")
        if padding == "same" and pair(stride) != (1, 1):
            raise ValueError(
                f"padding='same' is not supported for strided convolutions, but stride is {stride}"
            )
        if padding_mode in ("reflect", "replicate", "circular"):
            raise NotImplementedError(f"Conv2d: padding_mode '{padding_mode}' is not supported, only 'zeros'")
        if padding_mode != "zeros":
            raise ValueError(f"padding_mode must be 'zeros', but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = pair(kernel_size)
        self.stride = pair(stride)
        self.padding = padding if isinstance(padding, str) else pair(padding)
        self.dilation = pair(dilation)
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = Parameter(
            gn.empty((out_channels, in_channels // groups, *self.kernel_size), device=device, dtype=dtype)
        )
        if bias:
            self.bias = Parameter(gn.empty((out_channels,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitializes weight and bias with random numbers."""
        init.linear_like_(self.weight, self.bias)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, in_channels, H, W) or (in_channels, H, W) -> ([N,] out_channels, H', W')."""
        return functional.conv2d(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )

    def extra_repr(self) -> str:
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}",
        ]
        if self.padding != (0, 0):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1, 1):
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class MaxPool2d(Module):
    """The largest element of each window of (N, C, H, W); the default ``stride`` is ``kernel_size``.

    With ``return_indices``, also returns its index within the H x W plane.  Source: torch.nn.MaxPool2d.
    """

    def __init__(
        self,
        kernel_size: IntOrPair,
        stride: IntOrPair | None = None,
        padding: IntOrPair = 0,
        dilation: IntOrPair = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: gn.Tensor) -> Any:
        """(N, C, H, W) -> (N, C, H', W'), or with ``return_indices`` a pair of such tensors."""
        return functional.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )
