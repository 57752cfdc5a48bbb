"""Networks in the opaque layout ``gnomon._mkldnn``; the modules are in nn/mkldnn.py.

Source: torch/utils/mkldnn.py.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """``to_mkldnn``, and the modules that it puts in the place of others."""
    from ..nn import mkldnn

    if name != "to_mkldnn" and not name.startswith("Mkldnn"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(mkldnn, name)
