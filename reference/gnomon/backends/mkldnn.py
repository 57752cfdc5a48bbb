"""The switches of torch.backends.mkldnn; there is no oneDNN here.  Source: torch.backends.mkldnn."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from ._switches import SwitchModule, switched

enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """False: no kernel here is oneDNN's."""
    return False


def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> AbstractContextManager[None]:
    """A context manager inside which the switches have these values."""
    return switched(__name__, dict(locals()))


sys.modules[__name__].__class__ = SwitchModule
