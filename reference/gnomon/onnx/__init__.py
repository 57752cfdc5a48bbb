"""Export to ONNX, which gnomon does not have.  Source: torch.onnx."""

from __future__ import annotations

from ..values.absent import absent

__getattr__ = absent(__name__, "gnomon does not export to ONNX")


def is_in_onnx_export() -> bool:
    """False: there is no export."""
    return False
