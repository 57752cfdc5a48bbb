"""The switches of torch.backends.opt_einsum; einsum here takes its operands from left to right.

Source: torch.backends.opt_einsum.
"""

from __future__ import annotations

import sys

from ._switches import SwitchModule

enabled = False
strategy: str | None = None


def is_available() -> bool:
    """False: the package opt_einsum is not asked for an order."""
    return False


sys.modules[__name__].__class__ = SwitchModule
