"""The engines of quantized operators, of which there are none.  Source: torch.backends.quantized."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

_ENGINES = {"none": "NoQEngine", "fbgemm": "FBGEMM", "qnnpack": "QNNPACK", "onednn": "ONEDNN", "x86": "X86"}

engine: str
supported_engines: list[str]


class _Quantized(ModuleType):
    """The class of this module: its attributes cannot be set."""

    @property
    def engine(self) -> str:
        return "none"

    @engine.setter
    def engine(self, name: Any) -> None:
        if name not in (*_ENGINES, "", None):
            raise RuntimeError(f"{name} is not a valid value for quantized engine")
        raise RuntimeError(f"quantized engine {_ENGINES[name or 'none']} is not supported")

    @property
    def supported_engines(self) -> list[str]:
        return []

    @supported_engines.setter
    def supported_engines(self, names: Any) -> None:
        raise RuntimeError("Assignment not supported")


sys.modules[__name__].__class__ = _Quantized
