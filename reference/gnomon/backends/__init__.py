"""gnomon.backends: called, the backends that there are; and the switches of PyTorch's, by PyTorch's names.

    gn.backends()                           # {'c': BackendInfo(name='c', available=True, …), …}
    gn.backends.cudnn.benchmark = True
    import gnomon.backends.cudnn as cudnn

The switches choose among algorithms of libraries that gnomon does not call.  They are kept and given back, so
that programs which set them run, and change nothing: no kernel here measures, and each is deterministic.

Source: torch.backends.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

_MODULES = ("cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum")


class _Backends(ModuleType):
    """The module itself, that can be called."""

    def __call__(self) -> dict[str, Any]:
        """Every backend by name, built in and plugged in: see gnomon.backends.listing.backends."""
        from .listing import backends

        return backends()

    def __getattr__(self, name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted([*_MODULES, "__call__", "__doc__", "__name__"])


sys.modules[__name__].__class__ = _Backends
