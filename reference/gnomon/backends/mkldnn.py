"""The switches of torch.backends.mkldnn; gnomon does not use oneDNN.  Source: torch.backends.mkldnn."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from ..values.errors import warn
from . import _precision
from ._precision import OperatorPrecision
from ._switches import SwitchModule, Verbosity, check_bool, restored, set_switches

VERBOSE_OFF = 0
VERBOSE_ON = 1
VERBOSE_ON_CREATION = 2

enabled = True
deterministic = False
allow_tf32: bool | None
fp32_precision: str
matmul = OperatorPrecision("mkldnn", "matmul")
conv = OperatorPrecision("mkldnn", "conv")
rnn = OperatorPrecision("mkldnn", "rnn")


class _Mkldnn(SwitchModule):
    """The class of this module, with the switches that are settings of _precision.py."""

    @property
    def allow_tf32(self) -> None:
        """None: it is a switch of Intel's GPUs."""

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        check_bool("gnomon.backends.mkldnn.allow_tf32", allowed)
        warn("TF32 acceleration on top of oneDNN is available for Intel GPUs, for which there is no backend")

    @property
    def fp32_precision(self) -> str:
        return _precision.get_precision("mkldnn", "all")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        _precision.set_precision("generic", "all", precision)  # as PyTorch does


def is_available() -> bool:
    """False: gnomon does not use oneDNN."""
    return False


def is_acl_available() -> bool:
    """False: gnomon does not use oneDNN."""
    return False


class verbose(Verbosity):
    """With a level other than VERBOSE_OFF, entering it raises AssertionError: there is no oneDNN."""

    _library = "MKLDNN"


def set_flags(
    _enabled: bool | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
) -> tuple[Any, ...]:
    """Sets the switches that are not None; returns what all of them were."""
    switches = {"enabled": _enabled, "deterministic": _deterministic, "allow_tf32": _allow_tf32}
    before = (*set_switches(__name__, switches), _precision.get_precision("mkldnn", "all"))
    if _fp32_precision is not None:
        _precision.set_precision("mkldnn", "all", _fp32_precision)
    return before


def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> AbstractContextManager[None]:
    """A context manager that sets the switches, and restores them."""
    return restored(set_flags, enabled, deterministic, allow_tf32, fp32_precision)


sys.modules[__name__].__class__ = _Mkldnn
