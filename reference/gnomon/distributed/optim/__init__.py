"""Optimizers of several processes.  Source: torch.distributed.optim."""

from __future__ import annotations

from .zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]
