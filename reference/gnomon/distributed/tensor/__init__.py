"""Tensors of which each process has a part.

PyTorch has a class for them, DTensor.  Here a part is a plain tensor, which knows nothing of the whole, and
the code that computes with parts says so; only a parameter remembers how it was cut (``Sharding``), so that
``full_tensor`` and ``full_state_dict`` can put it together.

Source: torch.distributed.tensor.
"""

from __future__ import annotations

from .placement_types import Partial, Placement, Replicate, Shard
from .sharding import Sharding, full_state_dict, full_tensor, load_full_state_dict

__all__ = [
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "Sharding",
    "full_state_dict",
    "full_tensor",
    "load_full_state_dict",
]
