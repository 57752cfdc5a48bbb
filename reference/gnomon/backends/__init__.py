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
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

from . import _precision
from ._switches import restored

_MODULES = (
    *("cpu", "cuda", "cudnn", "mha", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum"),
    "quantized",
)
_NAMES = ("flags", "fp32_precision", "set_flags")


class _Backends(ModuleType):
    """The class of this module, which makes it callable."""

    def __call__(self) -> dict[str, Any]:
        """All backends by name, built-in ones and plug-ins: see gnomon.backends.listing.backends."""
        from .listing import backends

        return backends()

    @property
    def fp32_precision(self) -> str:
        """The precision of float32 operators of all libraries: "none", "ieee", "tf32" or "bf16"."""
        return _precision.get_precision("generic", "all")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        _precision.set_precision("generic", "all", precision)

    def __getattr__(self, name: str) -> Any:
        if name in _MODULES:
            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted([*_MODULES, *_NAMES, "__call__", "__doc__", "__name__"])


def set_flags(_fp32_precision: str | None = "none") -> tuple[str]:
    """Sets ``fp32_precision`` unless it is None; returns what it was."""
    before = _precision.get_precision("generic", "all")
    if _fp32_precision is not None:
        _precision.set_precision("generic", "all", _fp32_precision)
    return (before,)


def flags(fp32_precision: str = "none") -> AbstractContextManager[None]:
    """A context manager that sets ``fp32_precision``, and restores it."""
    return restored(set_flags, fp32_precision)


fp32_precision: str
sys.modules[__name__].__class__ = _Backends
