"""Quantization of models: ``gnomon.ao.nn.quantized``, ``gnomon.ao.quantization``.  Source: torch.ao."""

from . import nn, quantization

__all__ = ["nn", "quantization"]
