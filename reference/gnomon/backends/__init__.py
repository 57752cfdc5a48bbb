"""gnomon.backends: a call lists the backends; its submodules are the switches of torch.backends.

    gn.backends()                           # {'c': BackendInfo(name='c', available=True, …), …}
    gn.backends.cudnn.benchmark = True
    import gnomon.backends.cudnn as cudnn

In PyTorch the switches select algorithms of libraries that gnomon does not use.  Here they are stored, so
that programs which set them run, but have no effect: no kernel benchmarks algorithms, and all kernels are
deterministic.

Source: torch.backends.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

_MODULES = ("cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum")


class _Backends(ModuleType):
    """The class of this module, which makes it callable."""

    def __call__(self) -> dict[str, Any]:
        """All backends by name, built-in ones and plug-ins: see gnomon.backends.listing.backends."""
        from .listing import backends

        return backends()

    def __getattr__(self, name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted([*_MODULES, "__call__", "__doc__", "__name__"])


sys.modules[__name__].__class__ = _Backends
