"""Memory that several processes can map: an anonymous file of the system.

It has no name, so nothing is left behind, however its processes end: the system frees it with the last
descriptor and mapping.

Source: torch/csrc/StorageSharing.cpp, with the strategy file_descriptor; memfd_create(2).
"""

from __future__ import annotations

import mmap
import os

from ..values.errors import OutOfMemoryError
from .backend import reference_backend


class SharedBlock:
    """A block of shared memory, mapped by this process.

    descriptor  of the file; closed with this object.  A process that receives it can map the same memory
    view        the bytes; it keeps them mapped, also without this object
    key         identifies the block in all processes
    """

    __slots__ = ("__weakref__", "_mapping", "descriptor", "key", "view")

    def __init__(self, descriptor: int, key: bytes):
        """Map the file of a descriptor, which then belongs to this object.  Raises OSError."""
        self.descriptor = descriptor
        self.key = key
        self.map()

    @classmethod
    def create(cls, nbytes: int) -> SharedBlock:
        """A new block of at least ``nbytes`` bytes, all zero.

        Raises OutOfMemoryError; OSError if this process has too many open files.
        """
        made = cls.__new__(cls)
        made.descriptor = os.memfd_create("gnomon")  # belongs to the block at once, which closes it
        made.key = os.urandom(16)
        made.grow(max(nbytes, 1))  # nothing can not be mapped
        return made

    def grow(self, nbytes: int) -> None:
        """Give the file ``nbytes`` bytes, and map them.  Earlier views last.  Raises OutOfMemoryError."""
        try:
            os.posix_fallocate(self.descriptor, 0, nbytes)  # now, because a later failure would be a signal
        except OSError as error:
            raise OutOfMemoryError(f"can not share {nbytes} bytes of memory: {error.strerror}") from None
        self.map()

    def map(self) -> None:
        """Map the whole file, which another process may have grown.  Raises OSError."""
        self._mapping = mmap.mmap(self.descriptor, os.fstat(self.descriptor).st_size)
        self.view = memoryview(self._mapping)

    def address(self) -> int:
        """The address of the first byte in this process."""
        return reference_backend.address(self._mapping)

    def __del__(self) -> None:
        descriptor = getattr(self, "descriptor", None)
        if descriptor is not None:
            os.close(descriptor)
