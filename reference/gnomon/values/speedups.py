"""The C speedups if they were built: the package gnomon_speedups, or None.

Like CPython's modules (PEP 399): everything is implemented in Python, and where a C replacement exists, a
module's last lines install it.  ``GNOMON_SPEEDUPS=none`` disables them; another value is the path of the
extension.
"""

from __future__ import annotations

import importlib
import os
from typing import Any


def _find() -> Any:
    chosen = os.environ.get("GNOMON_SPEEDUPS", "")
    if chosen == "none":
        return None
    try:
        return importlib.import_module("gnomon_speedups")
    except ImportError:
        if chosen:  # a path was requested
            raise
        return None


speedups = _find()
