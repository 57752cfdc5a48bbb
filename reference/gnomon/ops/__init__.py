"""The operators, one record each, grouped into families.

Files of operators never import each other: a derivative formula or a composite calls other operators as
tensor methods, or by name through ``aten``.

``gnomon.ops.<namespace>.<name>`` are the operators that users define (library/).
"""

import sys
from types import ModuleType
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

# Compatibility aliases: files of operators were directly in this package before they were grouped.
for _family in (creation, indexing, linalg, losses, nn, optim, pointwise, reductions, views):
    for _name, _module in list(vars(_family).items()):
        if isinstance(_module, ModuleType) and _module.__name__ == f"{_family.__name__}.{_name}":
            sys.modules.setdefault(f"{__name__}.{_name}", _module)


def __getattr__(name: str) -> Any:
    if name in namespaces:
        return namespaces[name]
    if f"{__name__}.{name}" in sys.modules:
        return sys.modules[f"{__name__}.{name}"]
    raise AttributeError(f"there is no namespace of operators {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *namespaces})
