"""A model answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon import Tensor


class SavedVariable:
    def __init__(
        self,
        tensor: Tensor,
        pack: Callable[[Tensor], Any] | None = None,
        unpack: Callable[[Any], Tensor] | None = None,
    ):
        self.unpack_hook = unpack
        self.version = tensor._version
        self.is_released = False
        self.kept = tensor if pack is None else pack(tensor)
        if tensor._version != self.version:
            raise RuntimeError("the pack hook wrote to the tensor")

    def unpack(self) -> Tensor:
        if self.is_released:
            raise RuntimeError("the saved tensor was released")
        if self.unpack_hook is not None:
            return self.unpack_hook(self.kept)
        if self.kept._version != self.version:
            raise RuntimeError(f"the tensor is at version {self.kept._version}; expected {self.version}")
        return self.kept

    def release(self) -> None:
        self.kept = self.unpack_hook = None
        self.is_released = True
