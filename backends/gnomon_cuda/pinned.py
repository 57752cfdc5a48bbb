"""Pinned host memory, which a GPU accesses asynchronously to the host.

Allocating it is slow, so it is cached, in lists by size, rounded up to powers of two.  Memory of a pending
copy is not reused until the copy is done (``record_stream``).
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections import deque

from gnomon.values.errors import OutOfMemoryError

from .allocator import Resting, described
from .driver import Driver
from .errors import OUT_OF_MEMORY, CudaError
from .streams import Stream, on_device

SMALLEST = 4096  # in bytes: the system pins whole pages


class _Block:
    __slots__ = ("address", "nbytes", "users")

    def __init__(self, address: int, nbytes: int):
        self.address = address
        self.nbytes = nbytes
        self.users: list[Stream] = []


class PinnedMemory:
    """Pinned host memory, released when the last reference to it is dropped.

    A view does not keep it alive: keep the object as long as the view.
    """

    __slots__ = ("__weakref__", "_block", "_pool", "address", "nbytes")

    def __init__(self, pool: PinnedPool, block: _Block, nbytes: int):
        self._pool = pool
        self._block = block
        self.address = block.address
        self.nbytes = nbytes

    def __del__(self) -> None:
        self._pool._released.append(self._block)

    def view(self) -> memoryview:
        """A writable view of its bytes."""
        return self._pool.driver.host_view(self.address, self.nbytes)

    def record_stream(self, stream: Stream) -> None:
        """Declares that a copy in ``stream`` uses it: once released, it is not reused until that is done."""
        if stream not in self._block.users:
            self._block.users.append(stream)


class PinnedPool:
    """The cache of pinned memory of a process.  It is thread-safe."""

    def __init__(self, driver: Driver):
        self.driver = driver
        self._lock = threading.Lock()
        self._released: deque[_Block] = deque()  # by PinnedMemory objects; not processed yet
        self._resting = Resting()
        self._free: dict[int, list[_Block]] = {}  # size -> blocks
        self._lent: weakref.WeakSet[PinnedMemory] = weakref.WeakSet()
        self._allocated = 0
        self._reserved = 0

    def allocate(self, nbytes: int) -> PinnedMemory:
        """Allocates ``nbytes`` (possibly 0) of host memory.  Raises OutOfMemoryError."""
        size = max(SMALLEST, 1 << max(nbytes - 1, 0).bit_length())
        with self._lock:
            block = self._take(size)
        if block is None:
            gc.collect()  # reference cycles may hold memory
            with self._lock:
                self._sort_released()
                self._give_back_all()
                block = self._take(size)
                if block is None:
                    raise OutOfMemoryError(
                        f"cuda: out of pinned host memory. Tried to allocate {described(nbytes)}; "
                        f"{described(self._allocated)} are allocated"
                    )
        return PinnedMemory(self, block, nbytes)

    def lend(self, nbytes: int) -> memoryview:
        """A writable view of ``nbytes`` of pinned memory, which keeps it.  Raises OutOfMemoryError."""
        pinned = self.allocate(nbytes)
        with self._lock:
            self._lent.add(pinned)
        ffi = self.driver.ffi
        # The destructor holds a reference to the memory, and does nothing.
        pointer = ffi.gc(ffi.cast("char *", pinned.address), [pinned].count)
        return memoryview(ffi.buffer(pointer, nbytes))

    def has_lent(self, address: int) -> bool:
        """Is this an address of memory that was lent and is still used?"""
        return any(each.address <= address < each.address + each.nbytes for each in list(self._lent))

    def _take(self, size: int) -> _Block | None:
        self._sort_released()
        for block in self._resting.take_ready():
            self._free.setdefault(block.nbytes, []).append(block)
        free = self._free.get(size)
        if free:
            block = free.pop()
        else:
            try:
                with on_device(self.driver, max(self.driver.active_device(), 0)):
                    block = _Block(self.driver.allocate_host(size), size)
            except CudaError as error:
                if error.code != OUT_OF_MEMORY:
                    raise
                return None
            self._reserved += size
        self._allocated += size
        return block

    def _sort_released(self) -> None:
        while self._released:
            block = self._released.popleft()
            self._allocated -= block.nbytes
            if block.users:
                users, block.users = block.users, []
                self._resting.put(block, users)
            else:
                self._free.setdefault(block.nbytes, []).append(block)

    def _give_back_all(self) -> None:
        for block in self._resting.take_all():
            self._free.setdefault(block.nbytes, []).append(block)
        with on_device(self.driver, max(self.driver.active_device(), 0)):
            for free in self._free.values():
                while free:
                    block = free.pop()
                    self.driver.free_host(block.address)
                    self._reserved -= block.nbytes

    def empty_cache(self) -> None:
        """Releases cached memory to the system, after waiting for copies to and from it."""
        with self._lock:
            self._sort_released()
            self._give_back_all()

    def stats(self) -> dict[str, int]:
        """The bytes ``allocated``, and ``cached`` for reuse."""
        with self._lock:
            self._sort_released()
            return {"allocated": self._allocated, "cached": self._reserved - self._allocated}
