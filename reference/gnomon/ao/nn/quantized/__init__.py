"""Layers of quantized tensors, and functions for them.  Source: torch.ao.nn.quantized."""

from . import functional
from .layers import Conv1d, Conv2d, Conv3d, DeQuantize, Linear, Quantize

__all__ = ["Conv1d", "Conv2d", "Conv3d", "DeQuantize", "Linear", "Quantize", "functional"]
