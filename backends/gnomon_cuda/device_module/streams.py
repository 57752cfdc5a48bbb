"""Streams and events.  Source: torch.cuda.streams."""

from __future__ import annotations

from .. import streams as _streams
from .devices import DeviceLike, index_of, runtime

__all__ = ["Event", "ExternalStream", "Stream"]


class Stream(_streams.Stream):
    """A new stream on ``device``: its work runs in order, concurrently with other streams.

    Before a tensor is used in a stream other than the one that it was created in, that stream must wait
    (``wait_stream``), and ``Tensor.record_stream`` must be called: otherwise the tensor's memory may be
    reused before the work has run.
    """

    __slots__ = ()

    def __init__(self, device: DeviceLike = None):
        index = index_of(device)
        super().__init__(runtime().driver, index)


class ExternalStream(_streams.Stream):
    """A stream of another library, by its handle, which must stay valid while it is used."""

    __slots__ = ()

    def __init__(self, stream_ptr: int, device: DeviceLike = None):
        index = index_of(device)
        super().__init__(runtime().driver, index, stream_ptr)


class Event(_streams.Event):
    """A marker in a stream; ``enable_timing`` allows ``elapsed_time``."""

    __slots__ = ()

    def __init__(self, enable_timing: bool = False):
        super().__init__(runtime().driver, enable_timing)


def current_stream(device: DeviceLike = None) -> _streams.Stream:
    """This thread's current stream on the device."""
    index = index_of(device)
    return _streams.current_stream(runtime().driver, index)


def default_stream(device: DeviceLike = None) -> _streams.Stream:
    """The device's default stream, which is current unless another one was set."""
    index = index_of(device)
    return _streams.default_stream(runtime().driver, index)


def get_stream_from_external(data_ptr: int, device: DeviceLike = None) -> ExternalStream:
    """``ExternalStream(data_ptr, device)``."""
    return ExternalStream(data_ptr, device)


def set_stream(stream: _streams.Stream | None) -> None:
    """Makes a stream this thread's current one on its device.  None changes nothing."""
    if stream is not None:
        _streams.set_stream(stream)


class StreamContext:
    """``with gn.cuda.stream(s):`` makes it the current stream of its device.  None changes nothing."""

    def __init__(self, stream: _streams.Stream | None):
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            self.stream.__exit__(None, None, None)


def stream(stream: _streams.Stream | None) -> StreamContext:
    """``with gn.cuda.stream(s):`` makes it the current stream of its device.  None changes nothing."""
    return StreamContext(stream)
