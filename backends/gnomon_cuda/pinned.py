"""Pinned host memory: what a GPU reads and writes itself, while the host goes on.

Making some takes the driver long, so it is kept: in lists by size, powers of two.  Memory that a copy is
still under way to or from rests until that is done (``record_stream``).
"""

from __future__ import annotations

import gc
import threading
from collections import deque

from gnomon.values.errors import OutOfMemoryError

from .allocator import Resting, described
from .driver import Driver
from .errors import OUT_OF_MEMORY, CudaError
from .streams import Stream, on_device

SMALLEST = 4096  # bytes: the system pins whole pages


class _Block:
    __slots__ = ("address", "nbytes", "users")

    def __init__(self, address: int, nbytes: int):
        self.address = address
        self.nbytes = nbytes
        self.users: list[Stream] = []


class PinnedMemory:
    """Host memory that a GPU reaches, given back when the last reference to it goes.

    A view of it does not keep it: keep the object beside the view.
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
        """Its bytes, writable."""
        return self._pool.driver.host_view(self.address, self.nbytes)

    def record_stream(self, stream: Stream) -> None:
        """Say that a copy in ``stream`` uses it: once given back, it rests until that is done."""
        if stream not in self._block.users:
            self._block.users.append(stream)


class PinnedPool:
    """The pinned memory of a process.  Threads may share it."""

    def __init__(self, driver: Driver):
        self.driver = driver
        self._lock = threading.Lock()
        self._released: deque[_Block] = deque()  # by PinnedMemory objects; not looked at yet
        self._resting = Resting()
        self._free: dict[int, list[_Block]] = {}  # size -> blocks
        self._allocated = 0
        self._reserved = 0

    def allocate(self, nbytes: int) -> PinnedMemory:
        """``nbytes`` (maybe 0) of host memory.  Raises OutOfMemoryError."""
        size = max(SMALLEST, 1 << max(nbytes - 1, 0).bit_length())
        with self._lock:
            block = self._take(size)
        if block is None:
            gc.collect()  # memory may be waiting in cycles
            with self._lock:
                self._sort_released()
                self._give_back_all()
                block = self._take(size)
                if block is None:
                    raise OutOfMemoryError(
                        f"cuda: no pinned host memory: asked for {described(nbytes)}; "
                        f"{described(self._allocated)} are allocated"
                    )
        return PinnedMemory(self, block, nbytes)

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
        """Give memory that nobody uses back to the system, once copies to and from it are done."""
        with self._lock:
            self._sort_released()
            self._give_back_all()

    def stats(self) -> dict[str, int]:
        """Bytes ``allocated`` to somebody, and ``cached`` for the next request."""
        with self._lock:
            self._sort_released()
            return {"allocated": self._allocated, "cached": self._reserved - self._allocated}
