"""Streams and events, which order the work of a GPU.

Work in one stream runs in order; streams run concurrently, and an event makes one wait for another.  Each
thread has a current stream on every device, initially the default one.

The driver's streams and events are not destroyed with their objects but reused: so a stream handle stays
valid in the allocator's lists, and earlier work in it still precedes later work.
"""

from __future__ import annotations

from types import TracebackType

from gnomon.memory.backend import resolve_device
from gnomon.values.device import device as Device

from .driver import Driver


def _lend(driver: Driver, kind: str, index: int) -> int | None:
    """An unused handle, or None."""
    idle = driver.idle_handles.get((kind, index))
    try:
        return idle.pop() if idle else None
    except IndexError:  # another thread was faster
        return None


def _give_back(driver: Driver, kind: str, index: int, handle: int) -> None:
    driver.idle_handles.setdefault((kind, index), []).append(handle)


class Stream:
    """A stream of device ``index``; ``with stream:`` makes it the current one of the thread.

    ``handle`` is the driver's handle; 0 is the device's default stream.
    """

    __slots__ = ("__weakref__", "_own", "driver", "handle", "index")

    def __init__(self, driver: Driver, index: int = 0, handle: int | None = None):
        """Creates a new stream; with a ``handle`` wraps an existing one, which it does not own."""
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

    @property
    def device(self) -> Device:
        """Its device."""
        return resolve_device(f"cuda:{self.index}")

    @property
    def device_index(self) -> int:
        """The index of its device."""
        return self.index

    @property
    def cuda_stream(self) -> int:
        """The driver's handle."""
        return self.handle

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
        """Waits for all work in it.  Raises the CudaError of a kernel that failed."""
        with on_device(self.driver, self.index):
            self.driver.wait_for_stream(self.handle)

    def query(self) -> bool:
        """Is all work in it done?"""
        with on_device(self.driver, self.index):
            return self.driver.is_stream_done(self.handle)

    def record_event(self, event: Event | None = None) -> Event:
        """Records all work that is in it now in ``event`` or a new event; returns the event."""
        recorded = Event(self.driver) if event is None else event
        recorded.record(self)
        return recorded

    def wait_event(self, event: Event) -> None:
        """Makes later work in it run after what ``event`` recorded."""
        if event.handle:
            with on_device(self.driver, self.index):
                self.driver.stream_wait_event(self.handle, event.handle)

    def wait_stream(self, stream: Stream) -> None:
        """Makes later work in it run after the work that is in ``stream`` now."""
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
    """A marker in a stream.  It belongs to the device of the first stream that it records.

    ``enable_timing`` allows ``elapsed_time``.
    """

    __slots__ = ("__weakref__", "_kind", "_timing", "driver", "handle", "index")

    def __init__(self, driver: Driver, enable_timing: bool = False):
        self.driver = driver
        self._timing = enable_timing
        self._kind = "timing event" if enable_timing else "event"
        self.handle = 0  # the driver's handle, created by the first record
        self.index = -1

    def __del__(self) -> None:
        if getattr(self, "handle", 0):
            _give_back(self.driver, self._kind, self.index, self.handle)

    def record(self, stream: Stream | None = None) -> None:
        """Records all work that is in ``stream`` now, by default the current one of the current device.

        Raises RuntimeError if the stream's device is not that of the first record.
        """
        if stream is None:
            stream = current_stream(self.driver, max(self.driver.active_device(), 0))
        if self.handle and stream.index != self.index:
            raise RuntimeError(
                f"Event.record: the event is on cuda:{self.index}, but the stream is on cuda:{stream.index}"
            )
        with on_device(self.driver, stream.index):
            if not self.handle:
                idle = _lend(self.driver, self._kind, stream.index)
                self.handle = self.driver.create_event(self._timing) if idle is None else idle
                self.index = stream.index
            self.driver.record_event(self.handle, stream.handle)

    def wait(self, stream: Stream | None = None) -> None:
        """Makes later work in ``stream`` (by default the current one) run after what was recorded."""
        if stream is None:
            stream = current_stream(self.driver, max(self.driver.active_device(), 0))
        stream.wait_event(self)

    def query(self) -> bool:
        """Is the recorded work done?  True if nothing was recorded."""
        if not self.handle:
            return True
        with on_device(self.driver, self.index):
            return self.driver.is_event_done(self.handle)

    def synchronize(self) -> None:
        """Waits for the recorded work."""
        if self.handle:
            with on_device(self.driver, self.index):
                self.driver.wait_for_event(self.handle)

    def elapsed_time(self, end: Event) -> float:
        """The milliseconds from this event to ``end``; both need timing, and must be done.

        Raises RuntimeError if one of them has recorded nothing or has no timing.
        """
        for event in (self, end):
            if not event._timing:
                raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
            if not event.handle:
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        with on_device(self.driver, self.index):
            return self.driver.elapsed_milliseconds(self.handle, end.handle)


class on_device:
    """``with on_device(driver, 1):`` makes that device's context current for the thread, then restores the
    previous one.
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
# The current stream of a thread on a device.


def default_stream(driver: Driver, index: int = 0) -> Stream:
    """The device's default stream, the same object each time."""
    found = driver.default_streams.get(index)
    if found is None:
        found = driver.default_streams.setdefault(index, Stream(driver, index, 0))
    return found


def current_stream(driver: Driver, index: int = 0) -> Stream:
    """The calling thread's current stream on a device."""
    return driver.thread.streams.get(index) or default_stream(driver, index)


def set_stream(stream: Stream) -> None:
    """Makes a stream the calling thread's current one on its device."""
    stream.driver.thread.streams[stream.index] = stream
