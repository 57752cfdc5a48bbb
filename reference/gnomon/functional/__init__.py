"""The functions that PyTorch defines in a module of its own.  Source: torch.functional."""

from __future__ import annotations

from ..bindings.functional import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    cdist,
    chain_matmul,
    einsum,
    lu,
    meshgrid,
    norm,
    split,
    stft,
    tensordot,
    unique,
    unique_consecutive,
    unravel_index,
)
from ..bindings.functions import operator_functions
from ..bindings.low_rank import pca_lowrank, svd_lowrank

_NAMES = ("istft",)
_OPERATORS = {name: each for name, each in operator_functions().items() if name in _NAMES}
globals().update(_OPERATORS)

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "lu",
    "meshgrid",
    "norm",
    "pca_lowrank",
    "split",
    "stft",
    "svd_lowrank",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]
__all__ += sorted(_OPERATORS)
