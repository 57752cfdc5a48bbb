"""PyTorch's modules that gnomon does not have, or has of them a part: programs import them long before they
use them.
"""

from __future__ import annotations

from types import ModuleType

from ..ao import quantization
from ..bindings.tensor_methods import disabled_torch_function
from ..values.absent import absent
from . import pytree

WHY = {
    "_C": "gnomon has nothing of PyTorch's compiled part",
    "export": "gnomon does not trace programs to graphs",
    "fx": "gnomon does not trace functions to graphs",
    "monitor": "gnomon counts no events",
    "package": "gnomon has no packages of models",
    "quantization": "gnomon has observers, fake quantization and stubs, and no passes over graphs",
    "utils._pytree": "gnomon's pytrees are tuples, lists and dictionaries alone; see gnomon.utils.pytree",
    "utils._python_dispatch": "gnomon.DispatchMode is TorchDispatchMode here, with __gnomon_dispatch__",
}


def _module(name: str) -> ModuleType:
    made = ModuleType(f"torch.{name}", "A module that gnomon does not have: it can be imported.")
    vars(made)["__getattr__"] = absent(made.__name__, WHY[name])
    return made


MODULES = {name: _module(name) for name in WHY}

vars(MODULES["utils._pytree"]).update({name: getattr(pytree, name) for name in pytree.__all__})
vars(MODULES["quantization"]).update({name: getattr(quantization, name) for name in quantization.__all__})

# What a class without ``__torch_function__`` assigns to it in PyTorch, since its base class there has one.
vars(MODULES["_C"])["_disabled_torch_function_impl"] = disabled_torch_function
