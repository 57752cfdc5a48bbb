"""The switches of torch.backends.cudnn; gnomon does not use cuDNN.  Source: torch.backends.cudnn."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from ._switches import SwitchModule, switched

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """False: gnomon does not use cuDNN."""
    return False


def version() -> None:
    """None: gnomon does not use cuDNN."""
    return None


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> AbstractContextManager[None]:
    """A context manager that sets the switches, and restores them."""
    return switched(__name__, dict(locals()))


sys.modules[__name__].__class__ = SwitchModule
