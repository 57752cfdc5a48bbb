"""What ``gn.cuda`` is: devices, streams, events, memory and graphs, as PyTorch's users know them.

Where a device is asked for, an index, a name ("cuda:1") or a ``gn.device`` does; None is the default device
where that is a GPU, else the first.  Source: torch.cuda.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gnomon.memory.backend import backend_status, get_backend, get_default_device, resolve_device
from gnomon.values.device import device as Device

from . import graphs as _graphs
from . import streams as _streams

__all__ = [
    "CUDAGraph",
    "Event",
    "Stream",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "graph",
    "is_available",
    "is_current_stream_capturing",
    "max_memory_allocated",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory_stats",
    "set_stream",
    "stream",
    "synchronize",
]

DeviceLike = Device | int | str | None


def _runtime() -> Any:
    return get_backend("cuda").runtime  # type: ignore[attr-defined]


def _index(device: DeviceLike) -> int:
    if device is None:
        chosen = get_default_device()
        return (chosen.index or 0) if chosen.type == "cuda" else 0
    found = resolve_device(f"cuda:{device}" if isinstance(device, int) else device)
    if found.type != "cuda":
        raise ValueError(f"gn.cuda: expected a CUDA device, got {str(found)!r}")
    return found.index or 0


# -- devices -----------------------------------------------------------------------------------------------


def is_available() -> bool:
    """Is there a GPU that can be used?  Never raises."""
    return backend_status("cuda")[1]


def device_count() -> int:
    """How many GPUs there are; 0 where none can be used."""
    return get_backend("cuda").device_count() if is_available() else 0


def current_device() -> int:
    """The index of the default device where that is a GPU, else 0."""
    return _index(None)


def device(index: DeviceLike) -> Device:
    """The device, for ``with gn.cuda.device(1):`` new tensors on it."""
    return resolve_device(f"cuda:{_index(index)}")


def get_device_name(device: DeviceLike = None) -> str:
    """The name that its maker gave it."""
    index = _index(device)
    return _runtime().driver.device_name(index)


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    """Its compute capability: major and minor number."""
    index = _index(device)
    driver = _runtime().driver
    major, minor = (driver.attribute(index, f"compute_capability_{part}") for part in ("major", "minor"))
    return major, minor


def synchronize(device: DeviceLike = None) -> None:
    """Wait for all that was asked of it.  Raises the error of a kernel that failed."""
    get_backend("cuda").synchronize(_index(device))


# -- memory ------------------------------------------------------------------------------------------------


def memory_stats(device: DeviceLike = None) -> dict[str, int]:
    """Bytes ``allocated`` to tensors, ``cached`` for the next, the most ever allocated (``peak``); how many
    ``requests`` there were, and how many ``segments`` came from the driver.
    """
    return dict(get_backend("cuda").memory_stats(_index(device)))


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes that tensors occupy."""
    return memory_stats(device)["allocated"]


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The most bytes that tensors occupied since ``reset_peak_memory_stats``."""
    return memory_stats(device)["peak"]


def memory_reserved(device: DeviceLike = None) -> int:
    """Bytes taken from the driver: those of tensors, and those kept for the next request."""
    stats = memory_stats(device)
    return stats["allocated"] + stats["cached"]


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Count the most bytes anew."""
    get_backend("cuda").reset_peak_memory(_index(device))


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """Free bytes and all bytes of the device, by its driver."""
    driver = _runtime().driver
    with _streams.on_device(driver, _index(device)):
        return driver.memory_info()


def empty_cache() -> None:
    """Give memory that no tensor occupies back to the driver."""
    get_backend("cuda").empty_cache()


# -- streams and events ------------------------------------------------------------------------------------


class Stream(_streams.Stream):
    """A stream of its own on ``device``: what is put into it runs in order, beside other streams.

    Before a tensor is used in another stream than the one in which it was made, that has to wait
    (``wait_stream``); and it has to know of the tensor (``Tensor.record_stream``), whose memory may be given
    out again otherwise before its turn has come.
    """

    __slots__ = ()

    def __init__(self, device: DeviceLike = None):
        index = _index(device)
        super().__init__(_runtime().driver, index)


class Event(_streams.Event):
    """A moment in a stream; ``enable_timing``: ``elapsed_time`` may be asked of it."""

    __slots__ = ()

    def __init__(self, enable_timing: bool = False):
        super().__init__(_runtime().driver, enable_timing)


def current_stream(device: DeviceLike = None) -> _streams.Stream:
    """The stream that this thread's work on the device goes into."""
    index = _index(device)
    return _streams.current_stream(_runtime().driver, index)


def default_stream(device: DeviceLike = None) -> _streams.Stream:
    """The stream that is current unless another was chosen."""
    index = _index(device)
    return _streams.default_stream(_runtime().driver, index)


def set_stream(stream: _streams.Stream) -> None:
    """Make it this thread's current stream of its device."""
    _streams.set_stream(stream)


def stream(stream: _streams.Stream | None) -> AbstractContextManager[Any]:
    """``with gn.cuda.stream(s):`` it is the current stream of its device.  None changes nothing."""
    return nullcontext() if stream is None else stream


# -- graphs ------------------------------------------------------------------------------------------------


class CUDAGraph(_graphs.CUDAGraph):
    """What ``with gn.cuda.graph(it):`` captures, and ``replay`` puts into the current stream at once."""

    def __init__(self, device: DeviceLike = None):
        index = _index(device)
        super().__init__(_runtime(), index)


class graph(_graphs.graph):
    """``with gn.cuda.graph(made):`` capture what the block does on the GPU, in a stream of its own.

    made    a CUDAGraph
    pool    what its memory comes from: the ``pool()`` of another graph that is not replayed beside it
    stream  the stream to capture; None: a new one

    Nothing runs before ``made.replay()``.  Tensors made inside lie where each replay writes them; inputs are
    changed in place (``copy_``).  Raises RuntimeError for what reads numbers on the host.
    """

    def __init__(
        self, made: _graphs.CUDAGraph, pool: int | None = None, stream: _streams.Stream | None = None
    ):
        super().__init__(made, pool, stream)


def is_current_stream_capturing() -> bool:
    """Is the current stream of the default device being captured?"""
    runtime = _runtime()
    found = current_stream()
    return (found.index, found.handle) in runtime.captures
