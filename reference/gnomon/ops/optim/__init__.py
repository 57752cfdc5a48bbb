"""Optimizer steps (_fused_), and operators on lists of tensors (_foreach_)."""

from . import foreach, optimizer

__all__ = ["foreach", "optimizer"]
