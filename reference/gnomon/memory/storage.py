"""Storage: one block of untyped bytes on one device, shared by all the tensors that view it.

Source: c10/core/StorageImpl.h, torch.UntypedStorage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values.device import device
from ..values.errors import OutOfMemoryError
from ..values.library_name import LIBRARY
from ..values.speedups import speedups
from .backend import Backend
from .shared_memory import SharedBlock

MAX_NBYTES = 2**63 - 1  # kernels use 64-bit signed offsets
_FREED = object()  # in place of memory; None is the memory of a device without data


def allocate(backend: Backend, nbytes: int, device: device) -> Any:
    """Allocate ``nbytes`` bytes on a device.  Raises OutOfMemoryError, also for more than 2**63 - 1 bytes."""
    if nbytes > MAX_NBYTES:
        raise OutOfMemoryError(f"{backend.name}: can not allocate {nbytes} bytes")
    return backend.allocate(nbytes, device.index or 0)


class Storage:
    """``size`` bytes of a backend's memory.

    ``memory`` is what the backend's allocator returned, opaque to everyone else.  It is freed with the last
    reference to it.  A storage that was resized to 0 bytes has none.
    """

    __slots__ = (
        *("__weakref__", "_capacity", "_is_freed", "_is_pinned", "_resizable", "_shared"),
        *("backend", "device", "memory", "size"),
    )

    def __init__(self, backend: Backend, device: device, memory: Any, size: int):
        self.backend = backend
        self.device = device
        self.memory = memory
        self.size = size
        self._capacity = size
        self._shared: SharedBlock | None = None
        self._is_freed = False
        self._is_pinned = False
        self._resizable = True

    @classmethod
    def on_shared_block(cls, block: SharedBlock, backend: Backend, device: device, size: int) -> Storage:
        """A storage of ``size`` bytes on shared memory.

        Raises RuntimeError for a backend that can not use memory that it did not allocate.
        """
        memory = backend.wrap_host_memory(block.view, block.address()) if backend.host_memory else None
        if memory is None:
            raise RuntimeError(f"backend {backend.name!r} can not use shared memory")
        made = cls(backend, device, memory, size)
        made._capacity = block.view.nbytes
        made._shared = block
        return made

    def nbytes(self) -> int:
        """The size in bytes."""
        return self.size

    def __len__(self) -> int:
        return self.size

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python asks for attributes that are absent: ``memory``, after it was freed.
            if name == "memory":
                raise RuntimeError(
                    f"the memory of a tensor on {self.device} was freed, by untyped_storage().resize_(0): "
                    "its values can not be read or written before resize_ has made it as large as the "
                    "tensor again"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def data_ptr(self) -> int:
        """The address of the first byte, or a number that identifies the block where there is no address.

        0 if the memory was freed.
        """
        return 0 if self._is_freed else self.address()

    def address(self) -> int:
        """``data_ptr()`` for who will use the memory: raises RuntimeError if it was freed."""
        return self.backend.address(self.memory)

    def host_view(self) -> memoryview:
        """The block's bytes in place, at least ``size``.  Only for backends with host memory."""
        return self.backend.host_view(self.memory, self._capacity)

    def copy_out(self) -> memoryview:
        """The block's bytes for reading, at least ``size``: in place in host memory, else a copy."""
        if self.backend.host_memory:
            return self.backend.host_view(self.memory, self._capacity)
        return memoryview(self.backend.copy_out(self.memory, 0, self._capacity))

    def copy_in(self, offset: int, data: Any) -> None:
        """Write ``data``, an object with a contiguous buffer, starting at byte ``offset``.

        Raises TypeError for an offset that is not an int and for other data, RuntimeError for bytes outside
        of the storage; then nothing is written.
        """
        if not isinstance(offset, int):
            raise TypeError(f"copy_in: argument 'offset' must be an int, not {type(offset).__name__}")
        given = memoryview(data)
        if not given.contiguous:
            raise TypeError("copy_in: argument 'data' must be contiguous")
        if offset < 0 or offset + given.nbytes > self.size:
            raise RuntimeError(
                f"copy_in: {given.nbytes} bytes at offset {offset} do not fit in a storage of {self.size} "
                "bytes"
            )
        self.backend.copy_in(self.memory, offset, given)

    def copy_from(self, source: Storage, nbytes: int) -> None:
        """Copy the first ``nbytes`` bytes of another storage, through the host if the backends differ.

        Raises RuntimeError for more bytes than either storage has.
        """
        if not 0 <= nbytes <= min(self.size, source.size):
            raise RuntimeError(
                f"copy_from: {nbytes} bytes cannot be copied from a storage of {source.size} bytes to one "
                f"of {self.size}"
            )
        if source.backend is self.backend:
            self.backend.copy_between(self.memory, source.memory, nbytes)
        else:
            self.copy_in(0, source.copy_out()[:nbytes])

    def resize_(self, size: int) -> Storage:
        """Change the size to ``size`` bytes, and keep the old content up to there.

        Raises TypeError for a size that is not an int, RuntimeError for a negative one, for more shared
        memory than there is, and for memory that another library uses, OutOfMemoryError.

        Of 0 bytes: the memory is freed.  A tensor on this storage keeps its shape, and who reads or writes
        its values gets a RuntimeError, until the storage is resized again (in PyTorch the process may end).
        To other sizes the block never shrinks: a tensor that is larger than its storage reads the old
        content, while in PyTorch it would read other memory.
        """
        if not isinstance(size, int):
            raise TypeError(f"resize_: argument 'size' must be an int, not {type(size).__name__}")
        if size < 0:
            raise RuntimeError(f"resize_: argument 'size' must be non-negative, got {size}")
        if not self._resizable or (self._shared is not None and size > self._capacity):
            raise RuntimeError("Trying to resize storage that is not resizable")
        if size == 0 and self._capacity and self._shared is None:
            self._replace_memory(_FREED)
            self._capacity = 0
            self._is_pinned = False
        elif size > self._capacity:
            memory = allocate(self.backend, size, self.device)
            if self.size:
                self.backend.copy_between(memory, self.memory, self.size)
            self._replace_memory(memory)
            self._capacity = size
            self._is_pinned = False
        self.size = size
        return self

    def resizable(self) -> bool:
        """Can the size change?  Not of memory that another library uses.  Source: torch.UntypedStorage."""
        return self._resizable

    def keep_size(self) -> None:
        """From now on another library uses the memory, if there is any, too: it stays what it is."""
        if not self._is_freed:
            self._resizable = False

    def _replace_memory(self, memory: Any) -> None:
        """Continue on other memory, which has the same content and is at least as large; or on ``_FREED``."""
        self._is_freed = memory is _FREED
        if self._is_freed:
            del self.memory
        else:
            self.memory = memory

    # -- shared memory ---------------------------------------------------------------------------------------

    def is_shared(self) -> bool:
        """Is the memory shared memory, which other processes can map?  Source: torch.UntypedStorage."""
        return self._shared is not None

    def share_memory_(self) -> Storage:
        """Move the bytes to shared memory, if they are not there, for all tensors on this storage.

        Raises RuntimeError for memory that is not the host's, and for a backend that can not use memory that
        it did not allocate; OutOfMemoryError.  Source: torch.UntypedStorage.share_memory_.
        """
        if self._shared is None:
            if not self.backend.host_memory:
                raise RuntimeError(f"_share_fd_: only available on CPU, not on {self.device}")
            block = SharedBlock.create(self._capacity)
            moved = Storage.on_shared_block(block, self.backend, self.device, self.size)
            block.view[: self._capacity] = self.host_view()[: self._capacity]
            self._replace_memory(moved.memory)
            self._shared = block
            self._is_pinned = False
        return self

    def shared_block(self) -> SharedBlock:
        """The shared memory, to which the bytes are moved if they are not there: ``share_memory_``."""
        block = self.share_memory_()._shared
        assert block is not None
        return block

    @property
    def filename(self) -> None:
        """None: the memory is no file with a name."""
        return None

    def tolist(self) -> list[int]:
        """The bytes as integers."""
        return list(self.copy_out()[: self.size]) if self.size else []

    def __repr__(self) -> str:
        return f"{LIBRARY}.storage.UntypedStorage(device={self.device}) of size {self.size}"


if speedups is not None:
    Storage = speedups.storage(Storage)  # type: ignore[misc]
