"""The module ``gn.cuda``: devices, streams, events, memory and graphs, as in torch.cuda.

A device argument is an index, a name ("cuda:1") or a ``gn.device``; None is the default device if that is a
GPU, else the first GPU.  Without a usable GPU, questions have PyTorch's answers (0 devices, 0 bytes), seeding
does nothing, and what needs a GPU raises BackendUnavailableError.  Source: torch.cuda.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import gnomon as gn
from gnomon.bindings.tensor_types import NAMES, tensor_type
from gnomon.memory.backend import (
    backend_status,
    get_backend,
    get_default_device,
    resolve_device,
    set_default_device,
)
from gnomon.values.device import device as Device

from . import amp
from . import graphs as _graphs
from . import streams as _streams

__all__ = [
    "CUDAGraph",
    "DeviceProperties",
    "Event",
    "Stream",
    "amp",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "graph",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_current_stream_capturing",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "synchronize",
    *NAMES,
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
    """Is there a usable GPU?  Never raises."""
    return backend_status("cuda")[1]


def device_count() -> int:
    """The number of GPUs; 0 if none is usable."""
    return get_backend("cuda").device_count() if is_available() else 0


def init() -> None:
    """Opens the driver, which is otherwise done when it is needed."""
    _runtime()


def is_initialized() -> bool:
    """Has the driver been opened?  Without a usable GPU it never is."""
    return is_available()


def current_device() -> int:
    """The index of the default device if that is a GPU, else 0."""
    _runtime()
    return _index(None)


def set_device(device: DeviceLike) -> None:
    """Makes a GPU the default device for new tensors.  Raises ValueError for a device that is no GPU."""
    set_default_device(f"cuda:{_index(device)}")


def device(index: DeviceLike) -> Device:
    """The device; ``with gn.cuda.device(1):`` makes it the default device for new tensors."""
    return resolve_device(f"cuda:{_index(index)}")


def get_device_name(device: DeviceLike = None) -> str:
    """The product name of a device."""
    index = _index(device)
    return _runtime().driver.device_name(index)


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    """The compute capability of a device: major and minor number."""
    index = _index(device)
    driver = _runtime().driver
    major, minor = (driver.attribute(index, f"compute_capability_{part}") for part in ("major", "minor"))
    return major, minor


class DeviceProperties(NamedTuple):
    """What ``get_device_properties`` returns."""

    name: str
    major: int
    minor: int
    total_memory: int  # bytes
    multi_processor_count: int


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Name, compute capability, memory and multiprocessors of a device."""
    index = _index(device)
    processors = _runtime().driver.attribute(index, "multiprocessor_count")
    total = mem_get_info(index)[1]
    return DeviceProperties(get_device_name(index), *get_device_capability(index), total, processors)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Can the GPU compute with bfloat16?  gnomon's kernels compute in float32 and can on every GPU."""
    return is_available() and (including_emulation or get_device_capability() >= (8, 0))


def synchronize(device: DeviceLike = None) -> None:
    """Waits for all work on a device.  Raises the error of a kernel that failed."""
    get_backend("cuda").synchronize(_index(device))


# -- memory ------------------------------------------------------------------------------------------------


def memory_stats(device: DeviceLike = None) -> dict[str, int]:
    """The bytes ``allocated``, ``cached`` for reuse, and the maximum allocated (``peak``); the number of
    ``requests``, and of ``segments`` from the driver.
    """
    return dict(get_backend("cuda").memory_stats(_index(device))) if is_available() else {}


def memory_allocated(device: DeviceLike = None) -> int:
    """The bytes that tensors occupy."""
    return memory_stats(device).get("allocated", 0)


def max_memory_allocated(device: DeviceLike = None) -> int:
    """The maximum of ``memory_allocated`` since the start or ``reset_peak_memory_stats``."""
    return memory_stats(device).get("peak", 0)


def memory_reserved(device: DeviceLike = None) -> int:
    """The bytes allocated from the driver: those of tensors, and those cached for reuse."""
    stats = memory_stats(device)
    return stats.get("allocated", 0) + stats.get("cached", 0)


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Restarts the count of ``max_memory_allocated``."""
    if is_available():
        get_backend("cuda").reset_peak_memory(_index(device))


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """The free and the total bytes of the device, as reported by the driver."""
    driver = _runtime().driver
    with _streams.on_device(driver, _index(device)):
        return driver.memory_info()


def empty_cache() -> None:
    """Returns all cached memory to the driver."""
    if is_available():
        get_backend("cuda").empty_cache()


# -- streams and events ------------------------------------------------------------------------------------


class Stream(_streams.Stream):
    """A new stream on ``device``: its work runs in order, concurrently with other streams.

    Before a tensor is used in a stream other than the one that it was created in, that stream must wait
    (``wait_stream``), and ``Tensor.record_stream`` must be called: otherwise the tensor's memory may be
    reused before the work has run.
    """

    __slots__ = ()

    def __init__(self, device: DeviceLike = None):
        index = _index(device)
        super().__init__(_runtime().driver, index)


class Event(_streams.Event):
    """A marker in a stream; ``enable_timing`` allows ``elapsed_time``."""

    __slots__ = ()

    def __init__(self, enable_timing: bool = False):
        super().__init__(_runtime().driver, enable_timing)


def current_stream(device: DeviceLike = None) -> _streams.Stream:
    """This thread's current stream on the device."""
    index = _index(device)
    return _streams.current_stream(_runtime().driver, index)


def default_stream(device: DeviceLike = None) -> _streams.Stream:
    """The device's default stream, which is current unless another one was set."""
    index = _index(device)
    return _streams.default_stream(_runtime().driver, index)


def set_stream(stream: _streams.Stream) -> None:
    """Makes a stream this thread's current one on its device."""
    _streams.set_stream(stream)


def stream(stream: _streams.Stream | None) -> AbstractContextManager[Any]:
    """``with gn.cuda.stream(s):`` makes it the current stream of its device.  None changes nothing."""
    return nullcontext() if stream is None else stream


# -- random numbers ----------------------------------------------------------------------------------------


def manual_seed(seed: int) -> None:
    """Seeds gnomon's default generator, which all devices share; without a usable GPU, does nothing."""
    if is_available():
        gn.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Like ``manual_seed``."""
    manual_seed(seed)


def seed() -> None:
    """Seeds the default generator from the operating system; without a usable GPU, does nothing."""
    if is_available():
        gn.seed()


def seed_all() -> None:
    """Like ``seed``."""
    seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    _runtime()
    return gn.initial_seed()


def get_rng_state(device: DeviceLike = None) -> gn.Tensor:
    """The state of the default generator, which all devices share."""
    _runtime()
    return gn.get_rng_state()


def get_rng_state_all() -> list[gn.Tensor]:
    """The state of the default generator, once for each GPU."""
    return [gn.get_rng_state() for _ in range(device_count())]


def set_rng_state(new_state: gn.Tensor, device: DeviceLike = None) -> None:
    """Restores the state that ``get_rng_state`` returned."""
    _runtime()
    gn.set_rng_state(new_state)


def set_rng_state_all(new_states: list[gn.Tensor]) -> None:
    """Restores the states that ``get_rng_state_all`` returned."""
    for state in new_states:
        set_rng_state(state)


# -- graphs ------------------------------------------------------------------------------------------------


class CUDAGraph(_graphs.CUDAGraph):
    """A graph captured by ``with gn.cuda.graph(it):``; ``replay`` launches it into the current stream."""

    def __init__(self, device: DeviceLike = None):
        index = _index(device)
        super().__init__(_runtime(), index)


class graph(_graphs.graph):
    """``with gn.cuda.graph(made):`` captures the block's work on the GPU, in a separate stream.

    made    a CUDAGraph
    pool    its memory pool: the ``pool()`` of another graph that is not replayed concurrently
    stream  the stream to capture; None: a new one

    Nothing runs before ``made.replay()``.  Each replay writes to the same tensors; modify inputs in place
    (``copy_``).  Raises RuntimeError if the block reads data on the host.
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


globals().update({name: tensor_type(name, "cuda") for name in NAMES})  # FloatTensor, LongTensor ...
