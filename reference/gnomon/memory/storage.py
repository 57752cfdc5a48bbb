"""Storage: one block of untyped bytes on one device, shared by all the tensors that view it.

Source: c10/core/StorageImpl.h, torch.UntypedStorage.
"""

from __future__ import annotations

from typing import Any

from ..values.device import device
from ..values.errors import OutOfMemoryError
from ..values.speedups import speedups
from .backend import Backend

MAX_NBYTES = 2**63 - 1  # what a 64-bit signed integer counts, as offsets in kernels do


def allocate(backend: Backend, nbytes: int, device: device) -> Any:
    """Memory for ``nbytes`` bytes on a device.  Raises OutOfMemoryError, also for what no machine has."""
    if nbytes > MAX_NBYTES:
        raise OutOfMemoryError(f"{backend.name}: can not allocate {nbytes} bytes")
    return backend.allocate(nbytes, device.index or 0)


class Storage:
    """``size`` bytes of a backend's memory.

    ``memory`` is whatever the backend's allocator returned: only the backend knows what it is.  The bytes go
    back when the last reference to it goes.
    """

    __slots__ = ("__weakref__", "_capacity", "backend", "device", "memory", "size")

    def __init__(self, backend: Backend, device: device, memory: Any, size: int):
        self.backend = backend
        self.device = device
        self.memory = memory
        self.size = size
        self._capacity = size

    def nbytes(self) -> int:
        """Bytes in the block."""
        return self.size

    def __len__(self) -> int:
        return self.size

    def data_ptr(self) -> int:
        """The address of the first byte, or a number that identifies the block where there is no address."""
        return self.backend.address(self.memory)

    def host_view(self) -> memoryview:
        """The block's bytes themselves, in place: at least ``size``.  Only for backends with host memory."""
        return self.backend.host_view(self.memory, self._capacity)

    def copy_out(self) -> memoryview:
        """The block's bytes for reading, at least ``size``: in place where that is possible, else a copy."""
        if self.backend.host_memory:
            return self.backend.host_view(self.memory, self._capacity)
        return memoryview(self.backend.copy_out(self.memory, 0, self._capacity))

    def copy_in(self, offset: int, data: Any) -> None:
        """Write ``data``, an object with a contiguous buffer, from byte ``offset`` on.

        Raises TypeError for another offset than an int or other data, RuntimeError for bytes that would lie
        outside of the storage; nothing is written then.
        """
        if not isinstance(offset, int):
            raise TypeError(f"copy_in: argument 'offset' must be an int, not {type(offset).__name__}")
        given = memoryview(data)
        if not given.contiguous:
            raise TypeError("copy_in: argument 'data' must be contiguous")
        if offset < 0 or offset + given.nbytes > self.size:
            raise RuntimeError(
                f"copy_in: {given.nbytes} bytes from byte {offset} on do not lie in a storage of {self.size} "
                "bytes"
            )
        self.backend.copy_in(self.memory, offset, given)

    def copy_from(self, source: Storage, nbytes: int) -> None:
        """Write the first bytes of another storage; between backends they go by way of the host.

        Raises RuntimeError for more bytes than either storage has.
        """
        if not 0 <= nbytes <= min(self.size, source.size):
            raise RuntimeError(
                f"copy_from: {nbytes} bytes can not be copied from a storage of {source.size} bytes to one "
                f"of {self.size}"
            )
        if source.backend is self.backend:
            self.backend.copy_between(self.memory, source.memory, nbytes)
        else:
            self.copy_in(0, source.copy_out()[:nbytes])

    def resize_(self, size: int) -> Storage:
        """Change the size to ``size`` bytes; what fits of the old content is kept.

        Raises TypeError for what is no int, RuntimeError for a negative number, OutOfMemoryError.

        The block never becomes smaller: a tensor that is larger than what the storage has become reads what
        was there, where PyTorch would read other memory.
        """
        if not isinstance(size, int):
            raise TypeError(f"resize_: argument 'size' must be an int, not {type(size).__name__}")
        if size < 0:
            raise RuntimeError(f"resize_: a storage can not have {size} bytes")
        if size > self._capacity:
            memory = allocate(self.backend, size, self.device)
            if self.size:
                self.backend.copy_between(memory, self.memory, self.size)
            self.memory = memory
            self._capacity = size
        self.size = size
        return self

    def tolist(self) -> list[int]:
        """The bytes as integers."""
        return list(self.copy_out()[: self.size])

    def __repr__(self) -> str:
        return f"gnomon.storage.UntypedStorage(device={self.device}) of size {self.size}"


if speedups is not None:
    Storage = speedups.storage(Storage)  # type: ignore[misc]
