"""The extension: the one beside this file, or the file that ``GNOMON_SPEEDUPS`` names."""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from typing import Any


def _opened(file: str) -> Any:
    """Loads the extension from a file.  Raises ImportError."""
    spec = importlib.util.spec_from_file_location("gnomon_speedups._speedups", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"GNOMON_SPEEDUPS: expected 'none' or an extension's file, got {file!r}")
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    return extension


_file = os.environ.get("GNOMON_SPEEDUPS", "")
extension: Any = _opened(_file) if _file else importlib.import_module("gnomon_speedups._speedups")
if not extension.claim():
    text = "the C speedups are in use by another copy of gnomon in this process; this copy runs without them"
    warnings.warn_explicit(f"gnomon: {text}", RuntimeWarning, __file__, 1)
    raise ImportError(text)
