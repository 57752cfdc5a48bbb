"""Memory of a GPU that another library owns, and the order of its streams and ours."""

from __future__ import annotations

from typing import Any

from .driver import Driver
from .streams import Stream, current_stream

_LEGACY_DEFAULT, _PER_THREAD_DEFAULT = 1, 2  # DLPack's numbers of the default streams; 0 is none, -1 no order


class ForeignMemory:
    """Memory of device ``index`` at ``address``, which ``owner`` keeps."""

    __slots__ = ("__weakref__", "_owner", "address", "index", "nbytes")

    def __init__(self, address: int, nbytes: int, index: int, owner: Any):
        self.address = address
        self.nbytes = nbytes
        self.index = index
        self._owner = owner

    def record_stream(self, stream: Stream) -> None:
        """Its library decides when the memory is reused: work in the stream is done before that."""
        stream.synchronize()


def stream_number(driver: Driver, index: int) -> int:
    """The number by which DLPack knows the current stream."""
    return current_stream(driver, index).handle or _LEGACY_DEFAULT


def make_wait(driver: Driver, index: int, stream: int | None) -> None:
    """Makes a consumer's stream wait for the work that is in the current stream now."""
    if stream == 0:
        raise BufferError("__dlpack__: argument 'stream' must not be 0, which is ambiguous on CUDA devices")
    if stream == _PER_THREAD_DEFAULT:
        raise BufferError(
            "__dlpack__: the per-thread default stream, argument 'stream' = 2, is not supported"
        )
    handle = 0 if stream in (None, _LEGACY_DEFAULT) else stream
    ours = current_stream(driver, index)
    if handle != ours.handle:
        Stream(driver, index, handle).wait_stream(ours)
