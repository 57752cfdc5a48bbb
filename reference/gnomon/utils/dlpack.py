"""Exchange of tensors by DLPack.  Source: torch.utils.dlpack."""

from __future__ import annotations

from ..bindings.exchange import from_dlpack, to_dlpack
from ..interop.dlpack_device import DLDeviceType

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
