"""The caching allocator of a device: memory that nobody uses is kept, and given to the next who asks.

Asking the driver for memory takes long, and giving memory back makes it wait for all work.  So blocks are
kept in lists, by the stream that their memory was asked for in.  Within one stream a block can be given out
again at once, although kernels that use it may not have run: what is put into the stream next runs after
them.  Who uses a block in another stream too has to say so (``record_stream``); it then rests, once it is
released, until an event in that stream has come.

Requests are cut out of larger pieces of the driver's memory, called segments, and neighbours that are both
free are joined again when a request finds no block of its size.  Over the emulated driver every request has a
piece of its own, of just its size, so that the driver sees an access beside it.

``Memory`` objects are released by Python, possibly in the middle of any function here, of this or another
thread.  Hence ``release`` only appends to a queue, which the next request empties.
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
GRAIN = 512  # what sizes are rounded up to, so that they repeat; every block begins at a multiple of it
SMALL = 1 << 20  # up to here blocks are cut from small segments
SMALL_SEGMENT = 2 << 20
MIDDLE = 10 << 20  # up to here from middle ones; what is larger has a segment of its own
MIDDLE_SEGMENT = 20 << 20
LARGE_GRAIN = 2 << 20  # what larger sizes are rounded up to: the driver's own page

DEFAULT_POOL = 0


class Block:
    """A piece of a segment: free, or somebody's.

    stream     the stream that it can be given out in at once, by its handle
    pool       whose it is: DEFAULT_POOL, or the number of a private pool
    before, after  its neighbours in the segment
    users      other streams that have used it since it was given out
    home       the list of free blocks of its stream and size, once it has been in it: the way back is short
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
        """Is it all that its segment has?"""
        return self.before is None and self.after is None


class Memory:
    """Memory of a device, released when the last reference to it goes.

    ``address`` is the device's; ``nbytes`` how many it has, at least as many as were asked for.
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
        """The device that it is on."""
        return self._allocator.index

    def record_stream(self, stream: Stream) -> None:
        """Say that work of ``stream`` uses it: once released, it rests until that work is done."""
        block = self._block
        if stream.handle == block.stream and stream.index == self._allocator.index:
            return
        if block.users is None:
            block.users = [stream]
        elif stream not in block.users:
            block.users.append(stream)


class Resting:
    """Things that can be used again once events have come; the order in which they were put in is kept."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[list[Event], Any]] = deque()

    def put(self, thing: Any, streams: Sequence[Stream]) -> None:
        """Let it rest until all that is in ``streams`` now is done."""
        self.waiting.append(([stream.record_event() for stream in streams], thing))

    def take_ready(self) -> list[Any]:
        """Those from the longest resting on whose events have come, up to the first whose have not."""
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
        """All of them, after waiting for their events."""
        things = []
        while self.waiting:
            events, thing = self.waiting[0]
            for event in events:
                event.synchronize()
            self.waiting.popleft()
            things.append(thing)
        return things


class Allocator:
    """The memory of device ``index``.  Threads may share it.

    ``exact``: every request has a segment of its own, of its size to the byte; by default so over the
    emulated driver.
    """

    def __init__(self, driver: Driver, index: int = 0, exact: bool | None = None):
        self.driver = driver
        self.index = index
        self.exact = driver.emulated if exact is None else exact
        self._lock = threading.Lock()
        self._released: deque[Block] = deque()  # by Memory objects; not looked at yet
        self._released_pools: deque[int] = deque()
        self._resting = Resting()
        # (pool, stream) -> size -> free blocks.  Their neighbours may be free as well.
        self._free: dict[tuple[int, int], dict[int, list[Block]]] = {}
        self._pool_of_stream: dict[int, int] = {}  # streams whose requests go to a private pool
        self._pool_count = DEFAULT_POOL
        self._gone_pools: set[int] = set()  # of which somebody may still have memory
        self._limit: int | None = None
        self._allocated = 0
        self._reserved = 0  # of the driver: allocated, cached and resting
        self._peak = 0
        self._requests = 0
        self._segments = 0

    # -----------------------------------------------------------------------------------------------------
    # Requests.

    def allocate(self, nbytes: int, stream: Stream) -> Memory:
        """At least ``nbytes`` (maybe 0) for work in ``stream``.

        Raises OutOfMemoryError, after what is cached has been given back and Python's garbage collected.
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
            gc.collect()  # tensors may be waiting in cycles; their finalizers may come back here
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
        """A free block of just ``size``, cut from a larger one or from new memory; None: there is none."""
        if not self.exact:
            block = self._cut_best(size, pool, stream)
            if block is not None:
                return block
        block = self._new_segment(size, stream, pool)
        if block is None:
            # what rests is waited for; what other streams have is given back, and the driver waits for it
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
            nbytes = size  # a whole segment may be more than the limit leaves
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
        self._segments += 1
        return Block(address, nbytes, stream, pool)

    def _cut_best(self, size: int, pool: int, stream: int) -> Block | None:
        """``size`` bytes of the smallest free block that has them."""
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
        # Small requests leave middle and large segments alone, which they would only break up; and of a large
        # one there has to be little left over.
        most = SMALL_SEGMENT if size <= SMALL else size + MIDDLE_SEGMENT
        return min(
            (each for each, fitting in lists.items() if fitting and size <= each <= most), default=None
        )

    def _cut(self, block: Block, size: int) -> Block:
        """The first ``size`` bytes of a free block; the rest goes to the lists."""
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
        """Join free blocks that lie beside each other; all blocks of a segment are one stream's."""
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
        # one that was joined to its predecessor after it was looked at itself is left out here
        for block in blocks:
            if id(block) not in gone:
                self._put(block)

    def _put(self, block: Block) -> None:
        """Into the lists of free blocks."""
        block.free = True
        home = block.home
        if home is None:
            if block.pool in self._gone_pools:
                block.pool = DEFAULT_POOL
            lists = self._free.setdefault((block.pool, block.stream), {})
            home = lists.setdefault(block.nbytes, [])
            if block.pool == DEFAULT_POOL:  # the lists of others go with their pool
                block.home = home
        home.append(block)

    def _sort_released(self) -> None:
        """Put what has been released where it belongs."""
        released, later = self._released, []
        while released:
            block = released.popleft()
            users, home = block.users, block.home
            if users is None:
                self._allocated -= block.nbytes
                if home is not None:  # as in _put, which this is the usual case of
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
    # Giving back.

    def _give_back_all(self) -> None:
        """Give segments that nobody uses back to the driver, after waiting for what rests."""
        if self._pool_of_stream:
            return  # a stream is being captured: nothing may be waited for
        for block in self._resting.take_all():
            self._put(block)
        with on_device(self.driver, self.index):
            for (pool, _), lists in self._free.items():
                if pool != DEFAULT_POOL:
                    continue  # a graph has its addresses
                self._join_neighbours(lists)
                for fitting in lists.values():
                    blocks = fitting[:]
                    fitting.clear()  # in place: it is the home of others
                    for block in blocks:
                        if not block.is_whole_segment():
                            fitting.append(block)
                            continue
                        self.driver.free(block.address)
                        self._reserved -= block.nbytes
                        self._segments -= 1

    def empty_cache(self) -> None:
        """Give memory that nobody uses back to the driver.  Waits for the device; not during a capture."""
        with self._lock:
            self._sort_released()
            self._give_back_all()

    def _raise_out_of_memory(self, nbytes: int) -> NoReturn:
        with on_device(self.driver, self.index):
            free, total = self.driver.memory_info()
        cached = self._reserved - self._allocated
        limit = "" if self._limit is None else f", the limit is {described(self._limit)}"
        raise OutOfMemoryError(
            f"cuda:{self.index}: out of memory: asked for {described(nbytes)}; of the device's "
            f"{described(total)} are {described(free)} free, {described(self._allocated)} allocated and "
            f"{described(cached)} cached by gnomon{limit}"
        )

    # -----------------------------------------------------------------------------------------------------
    # Numbers.

    def stats(self) -> dict[str, int]:
        """Bytes ``allocated`` to somebody, ``cached`` for the next request, the most ever allocated
        (``peak``); how many ``requests`` there were and how many ``segments`` the driver has given.
        """
        with self._lock:
            self._sort_released()
            return {
                "allocated": self._allocated,
                "cached": self._reserved - self._allocated,
                "peak": self._peak,
                "requests": self._requests,
                "segments": self._segments,
            }

    def reset_peak(self) -> None:
        """Count the peak anew from what is allocated now."""
        with self._lock:
            self._sort_released()
            self._peak = self._allocated

    def set_limit(self, nbytes: int | None) -> None:
        """The most bytes that may be allocated and cached together; None: as many as the device has."""
        with self._lock:
            self._limit = nbytes

    # -----------------------------------------------------------------------------------------------------
    # Private pools: the memory of a graph, which uses the same addresses whenever it runs.

    def begin_pool(self, stream: Stream, pool: int | None = None) -> int:
        """From now on requests for ``stream`` are served from a private pool, a new one or ``pool``, and
        nothing is waited for: the stream is about to be captured.  Returns the pool's number.

        Raises RuntimeError where the stream has one already.
        """
        with self._lock:
            if stream.handle in self._pool_of_stream:
                raise RuntimeError(f"{stream!r} is being captured already")
            self._sort_released()
            if pool is None:
                self._pool_count += 1
                pool = self._pool_count
            self._pool_of_stream[stream.handle] = pool
            return pool

    def end_pool(self, stream: Stream) -> None:
        """Requests for ``stream`` are served from the common memory again; the pool's stays its own."""
        with self._lock:
            self._sort_released()
            del self._pool_of_stream[stream.handle]

    def release_pool(self, pool: int) -> None:
        """The graph is gone, and what it was asked for is done: the pool's memory becomes common.

        May be called from a finalizer: like Memory's, it only leaves word.
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
    """A number of bytes in a unit that suits it, and exactly."""
    size, unit = float(nbytes), 0
    while size >= 1024 and unit + 1 < len(UNITS):
        size, unit = size / 1024, unit + 1
    return f"{size:.2f} {UNITS[unit]} ({nbytes} bytes)" if unit else f"{nbytes} bytes"
