"""PyTorch's modules that gnomon does not have, but programs import long before they use them."""

from __future__ import annotations

from types import ModuleType

from ..values.absent import absent

_WHY = {
    "export": "gnomon does not trace programs to graphs",
    "fx": "gnomon does not trace functions to graphs",
    "monitor": "gnomon counts no events",
    "package": "gnomon has no packages of models",
    "quantization": "gnomon has no quantized tensors",
}


def _module(name: str) -> ModuleType:
    made = ModuleType(f"torch.{name}", "A module that gnomon does not have: it can be imported.")
    vars(made)["__getattr__"] = absent(made.__name__, _WHY[name])
    return made


MODULES = {name: _module(name) for name in _WHY}
