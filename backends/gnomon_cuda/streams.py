"""Streams and events: order among what a GPU is asked for.

What is put into one stream runs in that order; streams run beside each other, and an event makes one wait
for another.  Each thread has a current stream on every device, which is the default one until it is told
otherwise.

Streams and events of the driver are not destroyed with their objects but lent again: a handle then keeps its
meaning for the allocator's lists, and work that was in it still comes before what is put into it next.
"""

from __future__ import annotations

from types import TracebackType

from .driver import Driver


def _lend(driver: Driver, kind: str, index: int) -> int | None:
    """A handle that nobody uses any more, or None."""
    idle = driver.idle_handles.get((kind, index))
    try:
        return idle.pop() if idle else None
    except IndexError:  # another thread was faster
        return None


def _give_back(driver: Driver, kind: str, index: int, handle: int) -> None:
    driver.idle_handles.setdefault((kind, index), []).append(handle)


class Stream:
    """A stream of device ``index``; ``with stream:`` makes it the current one of the thread.

    ``handle`` is what the driver calls it; 0 is the device's default stream.
    """

    __slots__ = ("__weakref__", "_own", "driver", "handle", "index")

    def __init__(self, driver: Driver, index: int = 0, handle: int | None = None):
        """A stream of its own; with a ``handle`` one that somebody else owns."""
        self.driver = driver
        self.index = index
        self._own = handle is None
        self.handle = handle if handle is not None else self._new_handle()

    def _new_handle(self) -> int:
        idle = _lend(self.driver, "stream", self.index)
        if idle is not None:
            return idle
        with on_device(self.driver, self.index):
            return self.driver.create_stream()

    def __del__(self) -> None:
        if getattr(self, "_own", False) and hasattr(self, "handle"):
            _give_back(self.driver, "stream", self.index, self.handle)

    def __repr__(self) -> str:
        return f"<gnomon_cuda.Stream of cuda:{self.index}, {self.handle:#x}>"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Stream)
            and self.driver is other.driver
            and (self.index, self.handle) == (other.index, other.handle)
        )

    def __hash__(self) -> int:
        return hash((self.index, self.handle))

    def synchronize(self) -> None:
        """Wait until everything in it is done.  Raises CudaError of a kernel that failed."""
        with on_device(self.driver, self.index):
            self.driver.wait_for_stream(self.handle)

    def query(self) -> bool:
        """Is everything in it done?"""
        with on_device(self.driver, self.index):
            return self.driver.is_stream_done(self.handle)

    def record_event(self, event: Event | None = None) -> Event:
        """An event, a new one or ``event``, that stands for all that is in it now."""
        recorded = Event(self.driver) if event is None else event
        recorded.record(self)
        return recorded

    def wait_event(self, event: Event) -> None:
        """What is put into it from now on runs after what ``event`` recorded."""
        if event.handle:
            with on_device(self.driver, self.index):
                self.driver.stream_wait_event(self.handle, event.handle)

    def wait_stream(self, stream: Stream) -> None:
        """What is put into it from now on runs after what is in ``stream`` now."""
        self.wait_event(stream.record_event())

    def __enter__(self) -> Stream:
        thread = self.driver.thread
        thread.outer_streams.append(current_stream(self.driver, self.index))
        thread.streams[self.index] = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        thread = self.driver.thread
        thread.streams[self.index] = thread.outer_streams.pop()


class Event:
    """A moment in a stream.  It belongs to the device of the first stream that it records.

    ``enable_timing``: may be asked for times.
    """

    __slots__ = ("__weakref__", "_kind", "_timing", "driver", "handle", "index")

    def __init__(self, driver: Driver, enable_timing: bool = False):
        self.driver = driver
        self._timing = enable_timing
        self._kind = "timing event" if enable_timing else "event"
        self.handle = 0  # of the driver, from the first record on
        self.index = -1

    def __del__(self) -> None:
        if getattr(self, "handle", 0):
            _give_back(self.driver, self._kind, self.index, self.handle)

    def record(self, stream: Stream | None = None) -> None:
        """Stand for all that is in ``stream`` now, by default the current one of the current device.

        Raises RuntimeError for a stream of another device than the first time.
        """
        if stream is None:
            stream = current_stream(self.driver, max(self.driver.active_device(), 0))
        if self.handle and stream.index != self.index:
            raise RuntimeError(
                f"Event.record: the event is one of cuda:{self.index}, the stream one of cuda:{stream.index}"
            )
        with on_device(self.driver, stream.index):
            if not self.handle:
                idle = _lend(self.driver, self._kind, stream.index)
                self.handle = self.driver.create_event(self._timing) if idle is None else idle
                self.index = stream.index
            self.driver.record_event(self.handle, stream.handle)

    def wait(self, stream: Stream | None = None) -> None:
        """What is put into ``stream`` (by default the current one) from now on runs after what was
        recorded.
        """
        if stream is None:
            stream = current_stream(self.driver, max(self.driver.active_device(), 0))
        stream.wait_event(self)

    def query(self) -> bool:
        """Is what was recorded done?  True where nothing was."""
        if not self.handle:
            return True
        with on_device(self.driver, self.index):
            return self.driver.is_event_done(self.handle)

    def synchronize(self) -> None:
        """Wait until what was recorded is done."""
        if self.handle:
            with on_device(self.driver, self.index):
                self.driver.wait_for_event(self.handle)

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to ``end``, both with timing and done.

        Raises RuntimeError where one of them has recorded nothing or has no timing.
        """
        for event in (self, end):
            if not event._timing:
                raise RuntimeError("Event.elapsed_time: both events need enable_timing=True")
            if not event.handle:
                raise RuntimeError("Event.elapsed_time: both events have to be recorded first")
        with on_device(self.driver, self.index):
            return self.driver.elapsed_milliseconds(self.handle, end.handle)


class on_device:
    """``with on_device(driver, 1):`` the context of that device is current for the thread; then the one
    before it again.
    """

    __slots__ = ("_before", "_driver", "_index")

    def __init__(self, driver: Driver, index: int):
        self._driver = driver
        self._index = index

    def __enter__(self) -> None:
        self._before = self._driver.active_device()
        self._driver.activate(self._index)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before >= 0:
            self._driver.activate(self._before)


# ---------------------------------------------------------------------------------------------------------
# The current stream, of a thread and a device.


def default_stream(driver: Driver, index: int = 0) -> Stream:
    """The device's default stream, the same object each time."""
    found = driver.default_streams.get(index)
    if found is None:
        found = driver.default_streams.setdefault(index, Stream(driver, index, 0))
    return found


def current_stream(driver: Driver, index: int = 0) -> Stream:
    """The stream that the calling thread's work on a device goes into."""
    return driver.thread.streams.get(index) or default_stream(driver, index)


def set_stream(stream: Stream) -> None:
    """Make it the calling thread's current stream of its device."""
    stream.driver.thread.streams[stream.index] = stream
