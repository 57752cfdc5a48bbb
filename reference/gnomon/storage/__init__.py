"""Storages: the memory of tensors, untyped and, deprecated, typed.  Source: torch.storage."""

from __future__ import annotations

from ..bindings.typed_storage import TypedStorage
from ..memory.storage import Storage as UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
