"""Floor 4: the operators, one record each.

Files never import each other: a formula or a composition calls other
operators as methods of its tensors, or by name through ``aten``.
"""

from ..dispatch.dispatcher import aten
from . import (
    activation,
    compare,
    convolution,
    copy,
    embedding,
    factory,
    index,
    join,
    linalg,
    loss,
    normalization,
    pointwise,
    pooling,
    random,
    reduce,
    view,
)

__all__ = [
    "activation",
    "aten",
    "compare",
    "convolution",
    "copy",
    "embedding",
    "factory",
    "index",
    "join",
    "linalg",
    "loss",
    "normalization",
    "pointwise",
    "pooling",
    "random",
    "reduce",
    "view",
]
