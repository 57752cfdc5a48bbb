"""Flatten and Unflatten.  Source: torch/nn/modules/flatten.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from .module import Module


class Flatten(Module):
    """Merges dimensions ``start_dim`` to ``end_dim`` into one.  Source: torch.nn.Flatten."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(a, b, c, d) -> (a, b*c*d), with the defaults."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits dimension ``dim`` into dimensions of the sizes ``unflattened_size``, one of which may be -1.

    Raises TypeError unless ``unflattened_size`` is a tuple or list of ints.  Source: torch.nn.Unflatten.
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        _check_sizes(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(a, b*c*d) -> (a, b, c, d), for example with dim 1 and sizes (b, c, d)."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


def _check_sizes(sizes: Any) -> None:
    if not isinstance(sizes, (tuple, list)):
        raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}")
    for place, size in enumerate(sizes):
        if not isinstance(size, int):
            raise TypeError(
                "unflattened_size must be tuple of ints, but found element of type "
                f"{type(size).__name__} at pos {place}"
            )
