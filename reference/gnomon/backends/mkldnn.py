"""The switches of torch.backends.mkldnn; gnomon does not use oneDNN.  Source: torch.backends.mkldnn."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from ._switches import SwitchModule, switched

enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """False: gnomon does not use oneDNN."""
    return False


def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> AbstractContextManager[None]:
    """A context manager that sets the switches, and restores them."""
    return switched(__name__, dict(locals()))


sys.modules[__name__].__class__ = SwitchModule
