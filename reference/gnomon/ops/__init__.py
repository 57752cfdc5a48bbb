"""The operators, one record each, grouped into families.

Files of operators never import each other: a derivative formula or a composite calls other operators as
tensor methods, or by name through ``aten``.

``gnomon.ops.<namespace>.<name>`` are the operators that users define (library/).
"""

from typing import Any

from ..dispatch.dispatcher import aten, namespaces
from . import creation, indexing, linalg, losses, nn, optim, pointwise, reductions, views

__all__ = [
    "aten",
    "creation",
    "indexing",
    "linalg",
    "losses",
    "nn",
    "optim",
    "pointwise",
    "reductions",
    "views",
]


def __getattr__(name: str) -> Any:
    if name in namespaces:
        return namespaces[name]
    raise AttributeError(f"there is no namespace of operators {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *namespaces})
