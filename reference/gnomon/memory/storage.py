"""Storage: one block of untyped bytes on one device, shared by all the tensors that view it.

Source: c10/core/StorageImpl.h, torch.UntypedStorage.
"""

from __future__ import annotations

from typing import Any

from ..values.device import device
from .backend import Backend


class Storage:
    """``size`` bytes of a backend's memory.

    ``memory`` is whatever the backend's allocator returned: only the backend knows what it is.  The bytes go
    back when the last reference to it goes.
    """

    __slots__ = ("__weakref__", "_outgrown", "backend", "device", "memory", "size")

    def __init__(self, backend: Backend, device: device, memory: Any, size: int):
        self.backend = backend
        self.device = device
        self.memory = memory
        self.size = size
        self._outgrown: list[Any] = []

    def nbytes(self) -> int:
        """Bytes in the block."""
        return self.size

    def __len__(self) -> int:
        return self.size

    def data_ptr(self) -> int:
        """The address of the first byte, or a number that identifies the block where there is no address."""
        return self.backend.address(self.memory)

    def host_view(self) -> memoryview:
        """The bytes themselves, in place.  Only for backends with host memory."""
        return self.backend.host_view(self.memory, self.size)

    def copy_out(self) -> memoryview:
        """The bytes for reading: in place where that is possible, else a copy."""
        if self.backend.host_memory:
            return self.host_view()
        return memoryview(self.backend.copy_out(self.memory, 0, self.size))

    def copy_in(self, offset: int, data: memoryview) -> None:
        """Write ``data`` from byte ``offset`` on."""
        self.backend.copy_in(self.memory, offset, data)

    def copy_from(self, source: Storage, nbytes: int) -> None:
        """Write the first bytes of another storage; between backends they go by way of the host."""
        if source.backend is self.backend:
            self.backend.copy_between(self.memory, source.memory, nbytes)
        else:
            self.copy_in(0, source.copy_out()[:nbytes])

    def resize_(self, size: int) -> Storage:
        """Change the size to ``size`` bytes; what fits of the old content is kept.

        Other tensors on this storage go on showing the old bytes.
        """
        memory = self.backend.allocate(size, self.device.index or 0)
        kept = min(size, self.size)
        if kept:
            self.backend.copy_between(memory, self.memory, kept)
        # tensors that view this storage may hold addresses in the old block; it lives as long as they can
        self._outgrown.append(self.memory)
        self.memory = memory
        self.size = size
        return self

    def tolist(self) -> list[int]:
        """The bytes as integers."""
        return list(self.copy_out())

    def __repr__(self) -> str:
        return f"gnomon.storage.UntypedStorage(device={self.device}) of size {self.size}"
