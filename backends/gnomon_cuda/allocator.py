"""The caching allocator of a device: freed blocks are cached and reused.

Allocating from the driver is slow, and freeing makes it wait for all work.  So free blocks are kept in lists,
by the stream that they were allocated for.  Within one stream a block can be reused at once, although kernels
that use it may not have run yet: work that is enqueued later runs after them.  If a block is also used in
another stream, ``record_stream`` must be called; once released, the block then waits until an event in that
stream has completed.

Blocks are split off larger pieces of the driver's memory, called segments; adjacent free blocks are merged
again when no block fits a request.  On the emulated driver every request has its own segment of exactly its
size, so that the driver detects accesses out of bounds.

``Memory`` objects are released by Python, possibly in the middle of any function here, of this or another
thread.  Hence ``release`` only appends to a queue, which the next request processes.
"""

from __future__ import annotations

import gc
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any, NoReturn

from gnomon.values.errors import OutOfMemoryError

from .driver import Driver
from .errors import OUT_OF_MEMORY, CudaError
from .streams import Event, Stream, on_device

# Sizes in bytes.
GRAIN = 512  # sizes are rounded up to a multiple of it, so that they recur; all blocks are aligned to it
SMALL = 1 << 20  # up to here blocks are split off small segments
SMALL_SEGMENT = 2 << 20
MIDDLE = 10 << 20  # up to here off middle ones; larger blocks have their own segment
MIDDLE_SEGMENT = 20 << 20
LARGE_GRAIN = 2 << 20  # larger sizes are rounded up to the driver's page size

DEFAULT_POOL = 0


class Block:
    """A piece of a segment, free or in use.

    stream     the handle of the stream in which it can be reused at once
    pool       DEFAULT_POOL, or the number of a private pool
    before, after  its neighbours in the segment
    users      other streams that have used it since it was allocated
    home       a cached reference to the list of free blocks of its stream and size, once it has been in it
    """

    __slots__ = ("address", "after", "before", "free", "home", "nbytes", "pool", "stream", "users")

    def __init__(self, address: int, nbytes: int, stream: int, pool: int):
        self.address = address
        self.nbytes = nbytes
        self.stream = stream
        self.pool = pool
        self.free = True
        self.before: Block | None = None
        self.after: Block | None = None
        self.users: list[Stream] | None = None
        self.home: list[Block] | None = None

    def is_whole_segment(self) -> bool:
        """Is it the only block of its segment?"""
        return self.before is None and self.after is None


class Memory:
    """Memory of a device, released when the last reference to it is dropped.

    ``address`` is a device address; ``nbytes`` is the size, at least the requested one.
    """

    __slots__ = ("__weakref__", "_allocator", "_block", "address")

    def __init__(self, allocator: Allocator, block: Block):
        self.address = block.address
        self._block = block
        self._allocator = allocator

    def __del__(self) -> None:
        self._allocator._released.append(self._block)

    @property
    def nbytes(self) -> int:
        return self._block.nbytes

    @property
    def index(self) -> int:
        """The index of its device."""
        return self._allocator.index

    def record_stream(self, stream: Stream) -> None:
        """Declares that work in ``stream`` uses it: once released, it waits for that work before reuse."""
        block = self._block
        if stream.handle == block.stream and stream.index == self._allocator.index:
            return
        if block.users is None:
            block.users = [stream]
        elif stream not in block.users:
            block.users.append(stream)


class Resting:
    """A queue of things that can be reused once their events have completed."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[list[Event], Any]] = deque()

    def put(self, thing: Any, streams: Sequence[Stream]) -> None:
        """Adds a thing that must wait for all work that is in ``streams`` now."""
        self.waiting.append(([stream.record_event() for stream in streams], thing))

    def take_ready(self) -> list[Any]:
        """Removes things from the front of the queue while their events have completed."""
        ready = []
        while self.waiting:
            events, thing = self.waiting[0]
            while events and events[-1].query():
                events.pop()
            if events:
                break
            self.waiting.popleft()
            ready.append(thing)
        return ready

    def take_all(self) -> list[Any]:
        """Removes all things, after waiting for their events."""
        things = []
        while self.waiting:
            events, thing = self.waiting[0]
            for event in events:
                event.synchronize()
            self.waiting.popleft()
            things.append(thing)
        return things


class Allocator:
    """The allocator of device ``index``.  It is thread-safe.

    ``exact``: every request has its own segment of exactly its size; the default on the emulated driver.
    """

    def __init__(self, driver: Driver, index: int = 0, exact: bool | None = None):
        self.driver = driver
        self.index = index
        self.exact = driver.emulated if exact is None else exact
        self._lock = threading.Lock()
        self._released: deque[Block] = deque()  # by Memory objects; not processed yet
        self._released_pools: deque[int] = deque()
        self._resting = Resting()
        # (pool, stream) -> size -> free blocks.  Their neighbours may be free as well.
        self._free: dict[tuple[int, int], dict[int, list[Block]]] = {}
        self._pool_of_stream: dict[int, int] = {}  # streams that allocate from a private pool
        self._pool_count = DEFAULT_POOL
        self._gone_pools: set[int] = set()  # released, but blocks may still be in use
        self._limit: int | None = None
        self._allocated = 0
        self._reserved = 0  # from the driver: allocated, cached and waiting for events
        self._peak = 0
        self._peak_reserved = 0
        self._requests = 0
        self._segments = 0

    # -----------------------------------------------------------------------------------------------------
    # Allocation.

    def allocate(self, nbytes: int, stream: Stream) -> Memory:
        """Allocates at least ``nbytes`` (possibly 0) for work in ``stream``.

        Raises OutOfMemoryError, after releasing cached memory and running Python's garbage collector.
        """
        if self.exact:
            size = nbytes or 1
        else:
            grain = GRAIN if nbytes <= MIDDLE else LARGE_GRAIN
            size = (nbytes + grain - 1) // grain * grain or GRAIN
        handle = stream.handle
        with self._lock:
            block = self._take(size, handle)
        if block is None:
            gc.collect()  # reference cycles may hold tensors; their finalizers may call this allocator
            with self._lock:
                block = self._take(size, handle)
                if block is None:
                    self._raise_out_of_memory(nbytes)
        return Memory(self, block)

    def _take(self, size: int, stream: int) -> Block | None:
        if self._released or self._released_pools:
            self._sort_released()
        if self._resting.waiting:
            for block in self._resting.take_ready():
                self._put(block)
        pool = self._pool_of_stream.get(stream, DEFAULT_POOL) if self._pool_of_stream else DEFAULT_POOL
        lists = self._free.get((pool, stream))
        fitting = lists.get(size) if lists is not None else None
        if fitting:
            block = fitting.pop()
        else:
            found = self._search(size, stream, pool)
            if found is None:
                return None
            block = found
        block.free = False
        self._requests += 1
        self._allocated += block.nbytes
        if self._allocated > self._peak:
            self._peak = self._allocated
        return block

    def _search(self, size: int, stream: int, pool: int) -> Block | None:
        """A free block of exactly ``size``, split off a larger one or a new segment; None if impossible."""
        if not self.exact:
            block = self._cut_best(size, pool, stream)
            if block is not None:
                return block
        block = self._new_segment(size, stream, pool)
        if block is None:
            # waits for blocks with pending events, and frees cached segments, also those of other streams
            self._give_back_all()
            block = self._new_segment(size, stream, pool)
        return block if block is None or self.exact else self._cut(block, size)

    def _segment_bytes(self, size: int) -> int:
        if self.exact:
            return size
        if size <= SMALL:
            return SMALL_SEGMENT
        if size <= MIDDLE:
            return MIDDLE_SEGMENT
        return size

    def _new_segment(self, size: int, stream: int, pool: int) -> Block | None:
        nbytes = self._segment_bytes(size)
        if self._limit is not None and self._reserved + nbytes > self._limit:
            nbytes = size  # a whole segment may exceed the limit
            if self._reserved + nbytes > self._limit:
                return None
        try:
            with on_device(self.driver, self.index):
                address = self.driver.allocate(nbytes)
        except CudaError as error:
            if error.code != OUT_OF_MEMORY:
                raise
            return None
        self._reserved += nbytes
        self._peak_reserved = max(self._peak_reserved, self._reserved)
        self._segments += 1
        return Block(address, nbytes, stream, pool)

    def _cut_best(self, size: int, pool: int, stream: int) -> Block | None:
        """``size`` bytes of the smallest free block that fits."""
        lists = self._free.get((pool, stream))
        if not lists:
            return None
        found = self._best_size(lists, size)
        if found is None:
            self._join_neighbours(lists)
            found = self._best_size(lists, size)
            if found is None:
                return None
        return self._cut(lists[found].pop(), size)

    @staticmethod
    def _best_size(lists: dict[int, list[Block]], size: int) -> int | None:
        # Small requests do not use middle and large segments, which they would fragment; larger ones use only
        # blocks of which little remains.
        most = SMALL_SEGMENT if size <= SMALL else size + MIDDLE_SEGMENT
        return min(
            (each for each, fitting in lists.items() if fitting and size <= each <= most), default=None
        )

    def _cut(self, block: Block, size: int) -> Block:
        """Splits off the first ``size`` bytes of a free block; the rest goes to the free lists."""
        rest = block.nbytes - size
        if not rest:
            return block
        other = Block(block.address + size, rest, block.stream, block.pool)
        other.before, other.after = block, block.after
        if block.after is not None:
            block.after.before = other
        block.after = other
        block.nbytes = size
        block.home = None
        self._put(other)
        return block

    def _join_neighbours(self, lists: dict[int, list[Block]]) -> None:
        """Merges adjacent free blocks; all blocks of a segment belong to one stream."""
        blocks = [block for fitting in lists.values() for block in fitting]
        for fitting in lists.values():
            fitting.clear()
        gone: set[int] = set()
        for block in blocks:
            if id(block) in gone:
                continue
            after = block.after
            while after is not None and after.free:
                block.nbytes += after.nbytes
                block.home = None
                block.after = after.after
                if after.after is not None:
                    after.after.before = block
                gone.add(id(after))
                after = block.after
        # skips blocks that were merged into their predecessor after their own turn
        for block in blocks:
            if id(block) not in gone:
                self._put(block)

    def _put(self, block: Block) -> None:
        """Adds a block to the free lists."""
        block.free = True
        home = block.home
        if home is None:
            if block.pool in self._gone_pools:
                block.pool = DEFAULT_POOL
            lists = self._free.setdefault((block.pool, block.stream), {})
            home = lists.setdefault(block.nbytes, [])
            if block.pool == DEFAULT_POOL:  # lists of private pools are temporary
                block.home = home
        home.append(block)

    def _sort_released(self) -> None:
        """Processes the queues of released blocks and pools."""
        released, later = self._released, []
        while released:
            block = released.popleft()
            users, home = block.users, block.home
            if users is None:
                self._allocated -= block.nbytes
                if home is not None:  # the usual case of _put, inlined
                    block.free = True
                    home.append(block)
                else:
                    self._put(block)
            elif any(user.handle in self._pool_of_stream for user in users):
                later.append(block)  # an event would become part of the graph
            else:
                self._allocated -= block.nbytes
                block.users = None
                self._resting.put(block, users)
        released.extend(later)
        while self._released_pools:
            self._make_common(self._released_pools.popleft())

    # -----------------------------------------------------------------------------------------------------
    # Freeing.

    def _give_back_all(self) -> None:
        """Returns unused segments to the driver, after waiting for blocks with pending events."""
        if self._pool_of_stream:
            return  # during a capture waiting is not allowed
        for block in self._resting.take_all():
            self._put(block)
        with on_device(self.driver, self.index):
            for (pool, _), lists in self._free.items():
                if pool != DEFAULT_POOL:
                    continue  # a graph uses its addresses
                self._join_neighbours(lists)
                for fitting in lists.values():
                    blocks = fitting[:]
                    fitting.clear()  # in place: it is the home of other blocks
                    for block in blocks:
                        if not block.is_whole_segment():
                            fitting.append(block)
                            continue
                        self.driver.free(block.address)
                        self._reserved -= block.nbytes
                        self._segments -= 1

    def empty_cache(self) -> None:
        """Returns cached memory to the driver.  Waits for the device; does nothing during a capture."""
        with self._lock:
            self._sort_released()
            self._give_back_all()

    def _raise_out_of_memory(self, nbytes: int) -> NoReturn:
        with on_device(self.driver, self.index):
            free, total = self.driver.memory_info()
        cached = self._reserved - self._allocated
        limit = "" if self._limit is None else f", the limit is {described(self._limit)}"
        raise OutOfMemoryError(
            f"cuda:{self.index}: out of memory. Tried to allocate {described(nbytes)}. The device has "
            f"{described(total)}, of which {described(free)} are free; {described(self._allocated)} are "
            f"allocated and {described(cached)} cached by gnomon{limit}"
        )

    # -----------------------------------------------------------------------------------------------------
    # Statistics.

    def stats(self) -> dict[str, int]:
        """The bytes ``allocated``, ``cached`` for reuse, and the maxima allocated (``peak``) and allocated
        from the driver (``peak_reserved``); the number of ``requests``, and of ``segments`` from the driver.
        """
        with self._lock:
            self._sort_released()
            return {
                "allocated": self._allocated,
                "cached": self._reserved - self._allocated,
                "peak": self._peak,
                "peak_reserved": self._peak_reserved,
                "requests": self._requests,
                "segments": self._segments,
            }

    def reset_peak(self) -> None:
        """Resets the peaks to what is allocated now."""
        with self._lock:
            self._sort_released()
            self._peak, self._peak_reserved = self._allocated, self._reserved

    def reset_accumulated(self) -> None:
        """Counts requests from 0 again."""
        with self._lock:
            self._requests = 0

    @property
    def limit(self) -> int | None:
        """What ``set_limit`` set."""
        return self._limit

    def set_limit(self, nbytes: int | None) -> None:
        """Limits the bytes allocated and cached together; None: no limit."""
        with self._lock:
            self._limit = nbytes

    # -----------------------------------------------------------------------------------------------------
    # Private pools: the memory of a graph, which uses the same addresses at each replay.

    def begin_pool(self, stream: Stream, pool: int | None = None) -> int:
        """Makes ``stream``, about to be captured, allocate from a private pool, ``pool`` or a new one.  Until
        ``end_pool`` the allocator does not wait for events.  Returns the pool's number.

        Raises RuntimeError if the stream has a pool already.
        """
        with self._lock:
            if stream.handle in self._pool_of_stream:
                raise RuntimeError(f"{stream!r} is already being captured")
            self._sort_released()
            if pool is None:
                self._pool_count += 1
                pool = self._pool_count
            self._pool_of_stream[stream.handle] = pool
            return pool

    def end_pool(self, stream: Stream) -> None:
        """Makes ``stream`` allocate from the default pool again; the private pool keeps its memory."""
        with self._lock:
            self._sort_released()
            del self._pool_of_stream[stream.handle]

    def release_pool(self, pool: int) -> None:
        """Returns the pool's memory to the default pool, after its graph was destroyed and its work is done.

        May be called from a finalizer: like the release of Memory, it only appends to a queue.
        """
        self._released_pools.append(pool)

    def _make_common(self, pool: int) -> None:
        self._gone_pools.add(pool)
        for owner, stream in [key for key in self._free if key[0] == pool]:
            for fitting in self._free.pop((owner, stream)).values():
                for block in fitting:
                    self._put(block)


UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def described(nbytes: int) -> str:
    """A number of bytes in a suitable unit, and the exact number."""
    size, unit = float(nbytes), 0
    while size >= 1024 and unit + 1 < len(UNITS):
        size, unit = size / 1024, unit + 1
    return f"{size:.2f} {UNITS[unit]} ({nbytes} bytes)" if unit else f"{nbytes} bytes"
