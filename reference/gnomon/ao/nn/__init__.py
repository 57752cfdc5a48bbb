"""Layers of quantized models.  Source: torch.ao.nn."""

from . import quantized

__all__ = ["quantized"]
