"""The switch of torch.backends.nnpack; gnomon does not use NNPACK.  Source: torch.backends.nnpack."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from ._switches import SwitchModule, restored, set_switches

enabled = True


def is_available() -> bool:
    """False: gnomon does not use NNPACK."""
    return False


def set_flags(_enabled: bool) -> tuple[Any, ...]:
    """Sets the switch; returns what it was."""
    return set_switches(__name__, {"enabled": _enabled})


def flags(enabled: bool = False) -> AbstractContextManager[None]:
    """A context manager that sets the switch, and restores it."""
    return restored(set_flags, enabled)


sys.modules[__name__].__class__ = SwitchModule
