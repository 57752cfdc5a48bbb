"""Distances between vectors.  Source: torch/nn/modules/distance.py."""

from __future__ import annotations

import gnomon as gn

from .. import functional
from .module import Module


class PairwiseDistance(Module):
    """The ``p``-norm of ``x1 - x2 + eps`` along the last dimension, which ``keepdim`` keeps with size 1.

    Source: torch.nn.PairwiseDistance.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: gn.Tensor, x2: gn.Tensor) -> gn.Tensor:
        """(*, D) and (*, D) -> (*), or with ``keepdim`` (*, 1)."""
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``dim``; their norms are at least ``eps``.

    Source: torch.nn.CosineSimilarity.
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: gn.Tensor, x2: gn.Tensor) -> gn.Tensor:
        """Two tensors that broadcast -> their shape without ``dim``."""
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)
