"""What gnomon's values and classes print in a program that says ``import torch``: PyTorch's names.

``str(x.dtype)`` is "torch.float32", ``x.type()`` "torch.FloatTensor", ``x.device.type`` "cpu" and ``type(x)``
"<class 'torch.Tensor'>".  Only modules keep their names: ``torch.nn.__name__`` is "gnomon.nn".
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

import gnomon as gn

from ..bindings.tensor_types import TYPES as TENSOR_TYPES
from ..bindings.typed_storage import TYPES as STORAGE_TYPES
from ..memory.backend import name_default_device_cpu
from ..memory.prepared import free_function, register_free
from ..memory.storage import Storage
from ..values.dtype import dtype
from ..values.library_name import LIBRARY

# PyTorch's modules of what is elsewhere in gnomon.
_MODULES = {
    "torch": "Generator OutOfMemoryError Size Tensor device dtype finfo iinfo layout memory_format qscheme",
    "torch.linalg": "LinAlgError",
    "torch.storage": "TypedStorage UntypedStorage",
}

# Rooms whose files have the names that PyTorch's have.
_ROOMS = frozenset(
    {"amp", "ao", "autograd", "cuda", "distributed", "distributions", "func", "futures", "hub", "jit"}
    | {"library", "masked", "multiprocessing", "nn", "optim", "profiler", "return_types", "serialization"}
    | {"signal", "utils"}
)

# Packages whose contents are in one file in PyTorch.
_WHOLE = ("futures", "nn.functional", "serialization")

_named: set[str] = set()  # modules whose classes have PyTorch's names already


def rename() -> None:
    """Give PyTorch's names to what is there; modules that are imported later need ``rename_classes``."""
    LIBRARY.text = "torch"
    host = gn.get_default_device().type
    free = free_function(host)
    named = name_default_device_cpu().type
    if free is not None:
        register_free(named, free)
    dtype.__reduce__ = lambda self: self.name  # type: ignore[assignment, method-assign, return-value]
    for module, names in _MODULES.items():
        for name in names.split():
            _rename(getattr(gn, name, None) or getattr(gn.linalg, name), module)
    Storage.__name__ = Storage.__qualname__ = "UntypedStorage"
    for kind in (*TENSOR_TYPES.values(), *STORAGE_TYPES.values()):
        _rename(kind, "torch")
    rename_classes()


def rename_classes() -> None:
    """Give the modules' names in PyTorch to the classes and functions of modules that have been imported."""
    for name, module in list(sys.modules.items()):
        package, _, rest = name.partition(".")
        if package != "gnomon" or rest.partition(".")[0] not in _ROOMS or name in _named:
            continue
        _named.add(name)
        whole = next((each for each in _WHOLE if rest.startswith(f"{each}.")), None)
        public = vars(sys.modules[f"gnomon.{whole}"]) if whole else {}
        sys.modules.setdefault(f"torch.{rest}", module)  # pickle and inspect look for classes there
        for key, value in list(vars(module).items()):
            if isinstance(value, (type, FunctionType)) and value.__module__ == name:
                _rename(value, f"torch.{whole if public.get(key) is value else rest}")


def _rename(value: Any, module: str) -> None:
    value.__module__ = module
