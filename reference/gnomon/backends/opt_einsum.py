"""The switches of torch.backends.opt_einsum; gnomon's einsum always multiplies from left to right.

Source: torch.backends.opt_einsum.
"""

from __future__ import annotations

import sys

from ._switches import SwitchModule

enabled = False
strategy: str | None = None


def is_available() -> bool:
    """False: gnomon does not use the package opt_einsum."""
    return False


sys.modules[__name__].__class__ = SwitchModule
