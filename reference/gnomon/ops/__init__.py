"""The operators, one record each, grouped into families.

Files of operators never import each other: a derivative formula or a composite calls other operators as
tensor methods, or by name through ``aten``.

``gnomon.ops.<namespace>.<name>`` are the operators that users define (library/).
"""

import sys
from types import ModuleType
from typing import Any

from ..dispatch.dispatcher import aten, namespaces
from . import creation, fft, indexing, linalg, nn, optim, pointwise, reductions, views

__all__ = [
    "aten",
    "creation",
    "fft",
    "indexing",
    "linalg",
    "nn",
    "optim",
    "pointwise",
    "reductions",
    "views",
]

# Compatibility aliases: files of operators were directly in this package, and some in other families.
for _family in (creation, fft, indexing, linalg, nn, optim, pointwise, reductions, views):
    for _name, _module in list(vars(_family).items()):
        if isinstance(_module, ModuleType) and _module.__name__ == f"{_family.__name__}.{_name}":
            sys.modules.setdefault(f"{__name__}.{_name}", _module)
_MOVED = {
    "normalization": nn.norm_layers,
    "piecewise": nn.piecewise_activation,
    "pointwise.piecewise": nn.piecewise_activation,
    "linalg.hermitian_fft": fft.hermitian_fft,
    "linalg.spectral": fft.spectral,
    "losses": nn,
    "losses.cross_entropy": nn.cross_entropy,
    "losses.ctc_loss": nn.ctc_loss,
    "losses.likelihood_loss": nn.likelihood_loss,
    "losses.loss": nn.loss,
    "losses.margin_loss": nn.margin_loss,
}
for _name, _module in _MOVED.items():
    sys.modules.setdefault(f"{__name__}.{_name}", _module)


def __getattr__(name: str) -> Any:
    if name in namespaces:
        return namespaces[name]
    if f"{__name__}.{name}" in sys.modules:
        return sys.modules[f"{__name__}.{name}"]
    raise AttributeError(f"there is no namespace of operators {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *namespaces})
