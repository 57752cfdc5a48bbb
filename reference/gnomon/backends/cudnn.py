"""The switches of torch.backends.cudnn; gnomon does not use cuDNN.  Source: torch.backends.cudnn."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from . import _precision
from ._precision import OperatorPrecision
from ._switches import SwitchModule, restored, set_switches

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
depthwise_kernel = "auto"
allow_tf32: bool
fp32_precision: str
conv = OperatorPrecision("cuda", "conv")
rnn = OperatorPrecision("cuda", "rnn")


class _Cudnn(SwitchModule):
    """The class of this module, with the switches that are settings of _precision.py."""

    @property
    def allow_tf32(self) -> bool:
        return _precision.cudnn_allows_tf32()

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        _precision.set_cudnn_allows_tf32(allowed)

    @property
    def fp32_precision(self) -> str:
        return _precision.get_precision("cuda", "all")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        _precision.set_precision("cuda", "all", precision)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "depthwise_kernel" and value not in ("auto", "cudnn", "native"):
            raise RuntimeError(
                f"Unknown cuDNN depthwise kernel mode: {value}. Expected one of: auto, cudnn, native"
            )
        super().__setattr__(name, value)


def is_available() -> bool:
    """False: gnomon does not use cuDNN."""
    return False


def is_acceptable(tensor: Any) -> bool:
    """False: gnomon does not use cuDNN."""
    return False


def version() -> None:
    """None: gnomon does not use cuDNN."""
    return None


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
    _depthwise_kernel: str | None = None,
) -> tuple[Any, ...]:
    """Sets the switches that are not None; returns what all of them were."""
    return set_switches(__name__, {name[1:]: value for name, value in locals().items()})


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
    depthwise_kernel: str = "auto",
) -> AbstractContextManager[None]:
    """A context manager that sets the switches, and restores them."""
    return restored(
        set_flags,
        enabled,
        benchmark,
        benchmark_limit,
        deterministic,
        allow_tf32,
        fp32_precision,
        depthwise_kernel,
    )


sys.modules[__name__].__class__ = _Cudnn
