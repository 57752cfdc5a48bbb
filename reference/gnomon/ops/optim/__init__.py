"""Steps of optimizers, and operators on lists of tensors (_foreach_, _fused_)."""

from . import foreach, optimizer

__all__ = ["foreach", "optimizer"]
