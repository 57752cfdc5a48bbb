"""Observers: the ranges of tensors that are to be quantized.  Source: torch.ao.quantization."""

from .observer import MinMaxObserver, PerChannelMinMaxObserver

__all__ = ["MinMaxObserver", "PerChannelMinMaxObserver"]
