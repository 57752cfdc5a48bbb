"""Padding: each module calls ``functional.pad``.

``padding`` is one number for all sides, or (left, right), (left, right, top, bottom) or (left, right, top,
bottom, front, back).

Source: torch/nn/modules/padding.py.
"""

from __future__ import annotations

import gnomon as gn

from .. import functional
from ..common_types import PadMode, Sizes
from .module import Module
from .utils import _ntuple


class _PadNd(Module):
    """Padding of the last ``_spatial`` dimensions in the mode ``_mode``."""

    _spatial: int
    _mode: PadMode

    def __init__(self, padding: Sizes) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._spatial)(padding)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, *spatial) -> (*, *larger sizes)."""
        return functional.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] C, *spatial) -> ([N,] C, *larger sizes).  Raises ValueError for other inputs."""
        few = self._spatial + 1
        if input.dim() not in (few, few + 1):
            raise ValueError(f"expected {few}D or {few + 1}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads ([N,] C, W) with the elements of the other end.  Source: torch.nn.CircularPad1d."""

    _spatial = 1


class CircularPad2d(_CircularPadNd):
    """Pads ([N,] C, H, W) with the elements of the other end.  Source: torch.nn.CircularPad2d."""

    _spatial = 2


class CircularPad3d(_CircularPadNd):
    """Pads ([N,] C, D, H, W) with the elements of the other end.  Source: torch.nn.CircularPad3d."""

    _spatial = 3


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, *spatial) -> (*, *larger sizes)."""
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with ``value``.  Source: torch.nn.ConstantPad1d."""

    _spatial = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with ``value``.  Source: torch.nn.ConstantPad2d."""

    _spatial = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with ``value``.  Source: torch.nn.ConstantPad3d."""

    _spatial = 3


class ReflectionPad1d(_PadNd):
    """Pads ([N,] C, W) with its mirror image.  Source: torch.nn.ReflectionPad1d."""

    _spatial = 1
    _mode = "reflect"


class ReflectionPad2d(_PadNd):
    """Pads ([N,] C, H, W) with its mirror image.  Source: torch.nn.ReflectionPad2d."""

    _spatial = 2
    _mode = "reflect"


class ReflectionPad3d(_PadNd):
    """Pads ([N,] C, D, H, W) with its mirror image.  Source: torch.nn.ReflectionPad3d."""

    _spatial = 3
    _mode = "reflect"


class ReplicationPad1d(_PadNd):
    """Pads ([N,] C, W) with its outermost elements.  Source: torch.nn.ReplicationPad1d."""

    _spatial = 1
    _mode = "replicate"


class ReplicationPad2d(_PadNd):
    """Pads ([N,] C, H, W) with its outermost elements.  Source: torch.nn.ReplicationPad2d."""

    _spatial = 2
    _mode = "replicate"


class ReplicationPad3d(_PadNd):
    """Pads ([N,] C, D, H, W) with its outermost elements.  Source: torch.nn.ReplicationPad3d."""

    _spatial = 3
    _mode = "replicate"


class ZeroPad1d(ConstantPad1d):
    """Pads the last dimension with zeros.  Source: torch.nn.ZeroPad1d."""

    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Pads the last two dimensions with zeros.  Source: torch.nn.ZeroPad2d."""

    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dimensions with zeros.  Source: torch.nn.ZeroPad3d."""

    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"
