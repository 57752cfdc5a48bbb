"""PyTorch's modules that gnomon does not have, but programs import long before they use them."""

from __future__ import annotations

from types import ModuleType

from ..memory.tensor import disabled_torch_function
from ..values.absent import absent

_WHY = {
    "_C": "gnomon has nothing of PyTorch's compiled part",
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

# What a class without ``__torch_function__`` assigns to it in PyTorch, since its base class there has one.
vars(MODULES["_C"])["_disabled_torch_function_impl"] = disabled_torch_function
