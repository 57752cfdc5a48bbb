"""The C speedups, where they were built: the package gnomon_speedups, or None.

As CPython pairs its modules (PEP 399): all of gnomon is written in Python, whole; where there is the same in
C, a module's last lines put it in its place.  ``GNOMON_SPEEDUPS=none`` leaves it away; another value is the
file of the extension.
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
        if chosen:  # a file that was asked for
            raise
        return None


speedups = _find()
